-- when: during the load
update t set v = 'w' where id = 7;
update t set source_document_id = 9 where id = 8;
delete from t where id = 9;

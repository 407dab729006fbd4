create table t (id int, v text, source_document_id int, primary key (source_document_id, id));

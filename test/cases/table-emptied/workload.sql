-- when: during the load
delete from t;

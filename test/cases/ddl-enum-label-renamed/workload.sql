-- when: after the load
alter type mood rename value 'ok' to 'fine';

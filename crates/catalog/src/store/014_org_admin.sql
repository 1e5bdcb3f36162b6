-- A built-in role that servers before did not have.
INSERT OR IGNORE INTO roles (name, owner, comment, created_on_ms)
SELECT 'ORGADMIN', 'ACCOUNTADMIN', 'Manages the accounts of an organisation; a server has one.', created_on_ms
FROM roles WHERE name = 'ACCOUNTADMIN';

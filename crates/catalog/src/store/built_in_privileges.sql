-- What the built-in roles may do to the account, and what everybody may use. Run once the roles exist.
INSERT OR IGNORE INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, created_on_ms)
SELECT 0, '', 'ACCOUNT', granted.privilege, roles.name, '', 1, roles.created_on_ms
FROM roles JOIN (
    SELECT 'SYSADMIN' AS role, 'CREATE DATABASE' AS privilege
    UNION ALL SELECT 'SYSADMIN', 'CREATE WAREHOUSE'
    UNION ALL SELECT 'USERADMIN', 'CREATE USER'
    UNION ALL SELECT 'USERADMIN', 'CREATE ROLE'
    UNION ALL SELECT 'SECURITYADMIN', 'MANAGE GRANTS'
    UNION ALL SELECT 'SECURITYADMIN', 'CREATE NETWORK POLICY'
    UNION ALL SELECT 'ACCOUNTADMIN', 'CREATE INTEGRATION'
    UNION ALL SELECT 'ACCOUNTADMIN', 'MONITOR USAGE'
) AS granted ON granted.role = roles.name;

INSERT OR IGNORE INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, created_on_ms)
SELECT 0, name, 'WAREHOUSE', 'USAGE', 'PUBLIC', owner, 0, created_on_ms FROM warehouses;

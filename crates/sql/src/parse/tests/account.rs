//! Users, roles, warehouses, integrations, tokens, SHOW and DESCRIBE.

use super::{check, refused};

#[test]
fn users_and_tokens() {
    check(
        "create user if not exists u password = 'p' default_role = r must_change_password = true",
        &[
            "CreateUser { name: U, mode: IfNotExists",
            "Property { name: PASSWORD, value: Text(p) }, Property { name: DEFAULT_ROLE, value: Text(R) }",
            "Text(TRUE)",
        ],
    );
    check("create user u default_namespace = d.s default_secondary_roles = ('ALL')", &["Text(D.S)", "List([ALL])"]);
    check(
        "alter user if exists u set rsa_public_key = 'MIIB'",
        &["if_missing: Skip, change: Set([Property { name: RSA_PUBLIC_KEY"],
    );
    check("alter user u unset rsa_public_key_2, comment", &["Unset([RSA_PUBLIC_KEY_2, COMMENT])"]);
    check("alter user u rename to v", &["Rename(V)"]);
    check("alter user u set default_role = null", &["value: Null"]);
    check("drop user if exists u", &["DropUser { name: U, if_missing: Skip }"]);
    refused("alter user u reset password", "000002", "RESET PASSWORD");
    check(
        "create or replace network policy p allowed_ip_list = ('10.0.0.0/8', '::1') comment = 'c'",
        &["CreateNetworkPolicy { name: P, mode: OrReplace", "ALLOWED_IP_LIST, value: List([10.0.0.0/8, ::1])"],
    );
    check("alter network policy if exists p unset comment", &["AlterNetworkPolicy", "Unset([COMMENT])"]);
    check("drop network policy p", &["DropNetworkPolicy { name: P, if_missing: Fail }"]);
    refused("alter network policy p add allowed_network_rule_list = 'r'", "000002", "ALTER NETWORK POLICY ADD");
    check(
        "alter user u add programmatic access token t role_restriction = 'R' days_to_expiry = 30",
        &[
            "AccessToken { user: Some(U), change: Add { name: T, properties: [Property { name: ROLE_RESTRICTION, value: Text(R) }",
            "Text(30)",
        ],
    );
    check("alter user add pat t", &["AccessToken { user: None, change: Add { name: T, properties: [] } }"]);
    check("alter user if exists u rotate pat t expire_rotated_token_after_hours = 0", &["Rotate { name: T"]);
    check("alter user modify pat t rename to s", &["Modify { name: T, change: Rename(S) }"]);
    check("alter user u modify programmatic access token t set disabled = true", &["Modify { name: T, change: Set("]);
    check("alter user u remove programmatic access token t", &["Remove { name: T }"]);
}

#[test]
fn roles_warehouses_integrations_account() {
    check("create or replace role r comment = 'c'", &["CreateRole { name: R, mode: OrReplace, comment: Some(c) }"]);
    check("alter role r rename to s", &["AlterRole { name: R, if_missing: Fail, change: Rename(S) }"]);
    check("drop role r", &["DropRole"]);
    check("grant role r to user u", &["GrantRole { role: R, to: User(U) }"]);
    check("revoke role r from role s", &["RevokeRole { role: R, from: Role(S) }"]);
    check(
        "create warehouse w with warehouse_size = xsmall auto_suspend = 60",
        &["CreateWarehouse { name: W", "Text(XSMALL)"],
    );
    check("alter warehouse if exists w suspend", &["if_missing: Skip, change: Suspend"]);
    check("alter warehouse w resume if suspended", &["change: Resume { if_suspended: true }"]);
    check("alter warehouse w abort all queries", &["AbortAllQueries"]);
    check("alter warehouse w set max_concurrency_level = 2", &["Set([Property { name: MAX_CONCURRENCY_LEVEL"]);
    check("drop warehouse if exists w", &["DropWarehouse"]);
    check(
        "create or replace security integration i type = external_oauth enabled = true
         external_oauth_issuer = 'https://x' external_oauth_audience_list = ('a', 'b')",
        &["CreateIntegration { name: I, mode: OrReplace", "List([a, b])", "Text(https://x)"],
    );
    refused("create security integration i type = saml2", "000002", "SAML2");
    refused("create api integration i", "000002", "CREATE API INTEGRATION");
    check("alter security integration i set enabled = false", &["AlterIntegration { name: I", "ENABLED"]);
    check("alter integration if exists i unset comment", &["unset: [COMMENT]"]);
    check("drop integration i", &["DropIntegration"]);
    check(
        "create catalog integration if not exists l catalog_source = spark_connect table_format = iceberg
         rest_config = (catalog_uri = 'sc://h:1' catalog_name = 'lake')
         rest_authentication = (type = bearer bearer_token = 'x') enabled = true",
        &[
            "CreateIntegration { name: L, mode: IfNotExists",
            "CATALOG_URI, value: Text(sc://h:1)",
            "REST_AUTHENTICATION_TYPE, value: Text(BEARER)",
            "BEARER_TOKEN, value: Text(x)",
        ],
    );
    check("alter catalog integration l set enabled = false", &["AlterIntegration { name: L", "ENABLED"]);
    check("drop catalog integration if exists l", &["DropIntegration"]);
    check("show catalog integrations", &["kind: Integration"]);
    check("describe catalog integration l", &["kind: Integration"]);
    check(
        "create database d linked_catalog = (catalog = 'L', allowed_write_operations = none)
         catalog_case_sensitivity = case_insensitive comment = 'c'",
        &["CreateDatabase { name: D", "link: Some(L)", "comment: Some(c)"],
    );
    refused(
        "create database d linked_catalog = (catalog = 'L', allowed_write_operations = all)",
        "000002",
        "read only",
    );
    refused("create catalog integration l rest_config = (warehouse = 'w')", "000002", "WAREHOUSE");
    check("alter account set statement_timeout_in_seconds = 5", &["AlterAccount { set: [Property"]);
    check("alter account unset statement_timeout_in_seconds", &["unset: [STATEMENT_TIMEOUT_IN_SECONDS]"]);
}

#[test]
fn show() {
    for (text, expected) in [
        ("databases", "kind: Database, functions: All, terse: false, history: false, like: None, scope: Session"),
        (
            "terse schemas like 'a%' in database d starts with 'A' limit 5 from 'B'",
            "kind: Schema, functions: All, terse: true, history: false, like: Some(a%), scope: Database(D), starts_with: Some(A), limit: Some(5), from: Some(B)",
        ),
        ("schemas in d", "scope: Database(D)"),
        ("tables in account", "kind: Table, functions: All, terse: false, history: false, like: None, scope: Account"),
        ("tables in d.s", "scope: Schema(SchemaName { database: Some(D), schema: S })"),
        ("tables history in schema s", "scope: Schema({ S })"),
        (
            "views in database",
            "kind: View, functions: All, terse: false, history: false, like: None, scope: Database()",
        ),
        ("objects", "kind: Object"),
        (
            "columns in table t",
            "kind: Column, functions: All, terse: false, history: false, like: None, scope: Object({ T })",
        ),
        ("columns in t", "scope: Object({ T })"),
        ("sequences", "kind: Sequence"),
        ("users like 'x'", "kind: User, functions: All, terse: false, history: false, like: Some(x)"),
        ("roles", "kind: Role"),
        ("warehouses", "kind: Warehouse"),
        ("security integrations", "kind: Integration"),
        ("integrations", "kind: Integration"),
        (
            "user programmatic access tokens",
            "kind: AccessToken, functions: All, terse: false, history: false, like: None, scope: Session",
        ),
        ("user programmatic access tokens for user u", "scope: User(U)"),
        ("user pats", "kind: AccessToken"),
        (
            "grants to user u",
            "kind: Grant, functions: All, terse: false, history: false, like: None, scope: Grants(To(User(U)))",
        ),
        ("grants to role r", "scope: Grants(To(Role(R)))"),
        ("grants of role r", "scope: Grants(OfRole(R))"),
        ("grants", "scope: Grants(OfCaller)"),
        (
            "parameters like 'time%' in account",
            "kind: Parameter, functions: All, terse: false, history: false, like: Some(time%), scope: Account",
        ),
        ("parameters for user u", "scope: User(U)"),
        ("parameters in session", "scope: Session"),
        ("parameters in warehouse w", "scope: Warehouse(W)"),
        (
            "primary keys in table t",
            "kind: PrimaryKey, functions: All, terse: false, history: false, like: None, scope: Object({ T })",
        ),
        (
            "imported keys in schema s",
            "kind: ImportedKey, functions: All, terse: false, history: false, like: None, scope: Schema({ S })",
        ),
        ("unique keys", "kind: UniqueKey"),
        ("transactions", "kind: Transaction"),
        ("variables", "kind: Variable"),
    ] {
        check(&format!("show {text}"), &[expected]);
    }
    check("show stages in schema a", &["kind: Stage"]);
    refused("show grants on task t", "000002", "SHOW GRANTS ON TASK");
    refused("show nonsense", "001003", "position 5 unexpected 'nonsense'");
    refused("show tables nonsense", "001003", "position 12 unexpected 'nonsense'");
}

#[test]
fn describe() {
    for (text, expected) in [
        (
            "desc table d.s.t",
            "Describe { kind: Table, name: ObjectName { database: Some(D), schema: Some(S), name: T } }",
        ),
        ("describe table t type = columns", "kind: Table"),
        ("describe view v", "kind: View, name: { V }"),
        ("desc sequence q", "kind: Sequence"),
        ("desc schema d.s", "kind: Schema, name: ObjectName { database: Some(D), schema: None, name: S }"),
        ("desc database d", "kind: Database, name: { D }"),
        ("desc user u", "kind: User, name: { U }"),
        ("desc warehouse w", "kind: Warehouse"),
        ("desc security integration i", "kind: Integration, name: { I }"),
        ("desc integration i", "kind: Integration"),
    ] {
        check(text, &[expected]);
    }
    check("describe stage s", &["kind: Stage"]);
    check("describe result 'x'", &["kind: Result, name: { x }"]);
}

#[test]
fn privileges() {
    check(
        "grant select, insert on table t to role r with grant option",
        &[
            "Privileges(PrivilegeChange { verb: GrantWithOption, privileges: Listed([Select, Insert])",
            "Objects { kind: Of(Table), names: [Object({ T })] }, grantee: Role(R)",
        ],
    );
    check(
        "grant select on d.s.t to r",
        &["kind: Relation, names: [Object(", "database: Some(D), schema: Some(S), name: T", "grantee: Role(R)"],
    );
    check("grant select on stage to r", &["kind: Relation, names: [Object({ STAGE })]"]);
    check("grant all privileges on database d to role r", &["privileges: All, target: Objects { kind: Of(Database)"]);
    check("grant all on all tables in schema s to role r", &["All { kind: Of(Table), container: Schema({ S }) }"]);
    check(
        "grant usage on future schemas in database d to database role d.x",
        &["Future { kind: Of(Schema), container: Database(D) }, grantee: DatabaseRole("],
    );
    check("grant usage on function f(number, varchar) to role r", &["Routine { name: { F }, types: ["]);
    check("grant create table, create view on schema d.s to role r", &["Listed([CreateTable, CreateView])"]);
    check("grant manage grants on account to role r", &["Listed([ManageGrants]), target: Account"]);
    check("grant operate on warehouse w to user u", &["Of(Warehouse), names: [OfAccount(W)] }, grantee: User(U)"]);
    check("grant select on all streams in schema s to role r", &["All { kind: Unsupported(STREAM)"]);
    check(
        "revoke grant option for select on table t from role r cascade",
        &["verb: RevokeOption(Cascade), privileges: Listed([Select])"],
    );
    check("revoke all on schema s from role r", &["verb: Revoke(Restrict), privileges: All"]);
    check(
        "grant ownership on all views in schema s to role r copy current grants",
        &["Ownership(OwnershipChange { target: All { kind: Of(View)", "current_grants: Copy"],
    );
    check("grant ownership on schema s to role r", &["current_grants: Refuse"]);
    check("grant database role d.x to role r", &["GrantDatabaseRole { role:"]);
    check("create or replace database role d.x comment = 'c'", &["CreateDatabaseRole", "mode: OrReplace"]);
    check("drop database role if exists x", &["DropDatabaseRole", "if_missing: Skip"]);
    check("show grants on schema s", &["Grants(On { kind: Of(Schema)"]);
    check("show grants to database role d.x", &["Grants(To(DatabaseRole("]);
    check("show future grants in schema d.s", &["kind: FutureGrant", "Grants(FutureIn(Schema("]);
    check("use secondary roles all", &["UseSecondaryRoles(All)"]);
    refused("grant fly on table t to role r", "001003", "unexpected 'fly'");
    refused("grant create moon on schema s to role r", "000002", "GRANT CREATE MOON");
    refused("grant select on task t to role r", "000002", "GRANT ON TASK");
    refused("grant select on table t to share x", "000002", "grants to SHARE");
    refused("grant select on table t", "001003", "unexpected");
    refused("grant on table t to role r", "001003", "unexpected");
}

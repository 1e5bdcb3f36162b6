//! DESCRIBE: one object's columns or properties.

use firn_catalog::{CatalogIntegration, NetworkPolicy, Securable, SecurityIntegration, User, Warehouse};
use firn_engine::{ObjectDescription, Session, WireColumn};
use firn_sql::command::{ConstraintKind, ListedFunctions, ObjectKind, Scope, Show};
use firn_sql::names::SchemaName;
use firn_sql::{Failure, ObjectName, shown_default};

use crate::authorise::{Authority, Secured};
use crate::local_rows::LocalRows;
use crate::login_policies::LoginPolicies;
use crate::policies::PolicyNames;
use crate::reads::SeenRecorder;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::show::parameters::network_policy_is_visible;
use crate::show::{self, DAY_MS, MINUTE_MS, namespace_text, units_left};
use crate::{describe_stages, look_up, semantic_views, view_columns};

pub fn describe(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    kind: ObjectKind,
    name: &ObjectName,
) -> Result<LocalRows, RunError> {
    let missing = |kind: &str| Failure::missing_object(kind, &name.name);
    match kind {
        ObjectKind::User => {
            let principals = services.catalog.principals();
            let user = principals.user(&name.name).filter(|user| state.visibility(&services.catalog).user(user));
            let user = user.ok_or_else(|| missing("User"))?;
            let is_visible = |name: &String| network_policy_is_visible(&services.catalog, &state.role, name);
            Ok(user_properties(user, user.network_policy.clone().filter(is_visible)))
        }
        ObjectKind::Warehouse => {
            let found = services.catalog.warehouse(&name.name);
            let found = found.filter(|found| state.visibility(&services.catalog).warehouse(found));
            let warehouse = found.ok_or_else(|| missing("Warehouse"))?;
            Ok(warehouse_properties(&warehouse))
        }
        ObjectKind::Integration => {
            let principals = services.catalog.principals();
            let authority = Authority::new(&services.catalog, session, &state.role);
            let on = Securable::Integration(name.name.clone());
            let owner = principals.owner_of_integration(&name.name).map(|(owner, _)| owner);
            owner.filter(|owner| !authority.on(owner, &on).is_empty()).ok_or_else(|| missing("Integration"))?;
            match (principals.integration(&name.name), principals.catalog_integration(&name.name)) {
                (Some(found), _) => Ok(integration_properties(found)),
                (None, Some(found)) => Ok(catalog_integration_properties(found)),
                (None, None) => Err(missing("Integration").into()),
            }
        }
        ObjectKind::NetworkPolicy => {
            let mut policies = services.catalog.network_policies().into_iter();
            let is_visible = |found: &NetworkPolicy| state.role.may_use_what_is_owned_by(&found.owner);
            let found = policies.find(|found| found.name == name.name).filter(is_visible);
            Ok(network_policy_lists(&found.ok_or_else(|| missing("Network policy"))?))
        }
        ObjectKind::Database => {
            let schemas = list(services, session, state, ObjectKind::Schema, Scope::Database(name.name.clone()))?;
            Ok(schemas.select(&["created_on", "name"]).with_column("kind", "SCHEMA"))
        }
        ObjectKind::Schema => {
            let schema = SchemaName { database: name.database.clone(), schema: name.name.clone() };
            let objects = list(services, session, state, ObjectKind::Object, Scope::Schema(schema))?;
            Ok(objects.select(&["created_on", "name", "kind"]))
        }
        ObjectKind::SemanticView => {
            let view = semantic_views::find(services, session, &state.role, name)?;
            let authority = Authority::new(&services.catalog, session, &state.role);
            authority.recording(SeenRecorder::of_session(state)).sees(Secured::semantic_view(&view))?;
            show::semantic_views::described(&view)
        }
        ObjectKind::LoginPolicy(kind) => {
            let policy = LoginPolicies { services, session, state }.find(kind, name)?;
            Ok(show::login_policies::described(&policy))
        }
        ObjectKind::Transaction => show::transactions::described(services, state, &name.name),
        ObjectKind::Stage => describe_stages::stage(session, name),
        ObjectKind::FileFormat => describe_stages::file_format(session, name),
        ObjectKind::Result => look_up::describe(services, session, state, &name.name),
        ObjectKind::Sequence if session.describe(name)?.is_none_or(|found| found.kind != ObjectKind::Sequence) => {
            Err(Failure::missing_object("Sequence", &name.to_string()).into())
        }
        ObjectKind::Sequence => list(services, session, state, ObjectKind::Sequence, Scope::Object(name.clone())),
        _ => {
            let found = session.describe(name)?.filter(|found| found.kind != ObjectKind::Sequence);
            let found = found.ok_or_else(|| Failure::missing_object("Object", &name.to_string()))?;
            let types = view_columns::type_names(services, session, state, &found)?;
            let names = PolicyNames { services, session, role: &state.role };
            Ok(table_columns(&found, types, &names))
        }
    }
}

/// A container is described by what it holds.
fn list(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    kind: ObjectKind,
    scope: Scope,
) -> Result<LocalRows, RunError> {
    let command = Show {
        kind,
        functions: ListedFunctions::default(),
        terse: false,
        history: false,
        like: None,
        scope,
        starts_with: None,
        limit: None,
        from: None,
    };
    show::show(services, session, state, &command)
}

fn table_columns(object: &ObjectDescription, types: Vec<String>, policies: &PolicyNames<'_>) -> LocalRows {
    let names = [
        "name",
        "type",
        "kind",
        "null?",
        "default",
        "primary key",
        "unique key",
        "check",
        "expression",
        "comment",
        "policy name",
        "privacy domain",
    ];
    let in_key = |column: &str, wanted: fn(&ConstraintKind) -> bool| {
        object.constraints.iter().any(|key| wanted(&key.kind) && key.columns.iter().any(|name| name == column))
    };
    let yes_no = |value: bool| Some(if value { "Y" } else { "N" }.to_owned());
    let rows = object.columns.iter().zip(types).map(|(column, type_name)| {
        let autoincrement = column
            .autoincrement
            .map(|identity| format!("IDENTITY START {} INCREMENT {} ORDER", identity.start, identity.increment));
        vec![
            Some(column.name.clone()),
            Some(type_name),
            Some("COLUMN".to_owned()),
            yes_no(!column.not_null),
            autoincrement.or_else(|| column.default.as_deref().map(shown_default)),
            yes_no(in_key(&column.name, |kind| matches!(kind, ConstraintKind::PrimaryKey))),
            yes_no(in_key(&column.name, |kind| matches!(kind, ConstraintKind::Unique))),
            None,
            None,
            column.comment.clone(),
            object.options.policies.mask(&column.name).and_then(|mask| policies.visible(object, mask)),
            None,
        ]
    });
    LocalRows::new(names.iter().map(|name| WireColumn::text(name)).collect(), rows.collect())
}

fn user_properties(user: &User, network_policy: Option<String>) -> LocalRows {
    let fingerprint = |key: &Option<firn_catalog::RsaKey>| key.as_ref().map(|key| key.fingerprint.clone());
    let other = |name: &str| user.other_properties.get(name).cloned();
    let rows = [
        ("NAME", Some(user.name.clone()), "Name"),
        ("COMMENT", user.comment.clone(), "Comment"),
        ("DISPLAY_NAME", user.display_name.clone(), "Name shown to people"),
        ("LOGIN_NAME", Some(user.login_name.clone()), "Name that external identity providers know"),
        ("FIRST_NAME", other("FIRST_NAME"), "First name"),
        ("MIDDLE_NAME", other("MIDDLE_NAME"), "Middle name"),
        ("LAST_NAME", other("LAST_NAME"), "Last name"),
        ("EMAIL", user.email.clone(), "Email address"),
        ("TYPE", Some(user.kind().to_owned()), "PERSON, or SERVICE for programs, which have no password"),
        ("PASSWORD", user.password.as_ref().map(|_| "********".to_owned()), "Whether there is one; it is never shown"),
        ("MUST_CHANGE_PASSWORD", Some(user.must_change_password.to_string()), "Whether the next login must change it"),
        ("DISABLED", Some(user.disabled.to_string()), "Whether nothing authenticates the user"),
        ("MINS_TO_UNLOCK", units_left(user.unlocked_on_ms(), MINUTE_MS), "Minutes until the user is unlocked"),
        ("DAYS_TO_EXPIRY", units_left(user.expires_on_ms, DAY_MS), "Days until nothing authenticates the user"),
        ("NETWORK_POLICY", network_policy, "Policy in the place of the account's"),
        ("DEFAULT_WAREHOUSE", user.default_warehouse.clone(), "Warehouse of a session that names none"),
        ("DEFAULT_NAMESPACE", Some(namespace_text(user)), "Database and schema of a session that names none"),
        ("DEFAULT_ROLE", user.default_role.clone(), "Role of a session that names none"),
        ("RSA_PUBLIC_KEY_FP", fingerprint(&user.rsa_public_key), "Fingerprint of the first public key"),
        ("RSA_PUBLIC_KEY_2_FP", fingerprint(&user.rsa_public_key_2), "Fingerprint of the second public key"),
    ];
    let columns = ["property", "value", "default", "description"];
    let rows = rows.map(|(name, value, description)| {
        let value = value.filter(|text| !text.is_empty()).unwrap_or_else(|| "null".to_owned());
        vec![Some(name.to_owned()), Some(value), Some("null".to_owned()), Some(description.to_owned())]
    });
    LocalRows::new(columns.map(WireColumn::text).into(), rows.into())
}

fn network_policy_lists(policy: &NetworkPolicy) -> LocalRows {
    let lists = [("ALLOWED_IP_LIST", &policy.allowed), ("BLOCKED_IP_LIST", &policy.blocked)];
    let given = lists.into_iter().filter(|(_, addresses)| !addresses.is_empty());
    let rows = given.map(|(name, addresses)| vec![Some(name.to_owned()), Some(addresses.join(","))]);
    LocalRows::new(["name", "value"].map(WireColumn::text).into(), rows.collect())
}

fn warehouse_properties(warehouse: &Warehouse) -> LocalRows {
    let columns = vec![WireColumn::instant("created_on"), WireColumn::text("name"), WireColumn::text("kind")];
    let created_on = show::instant(warehouse.created_on_ms);
    LocalRows::new(columns, vec![vec![created_on, Some(warehouse.name.clone()), Some("WAREHOUSE".to_owned())]])
}

/// The token is not shown, whether there is one is.
fn catalog_integration_properties(integration: &CatalogIntegration) -> LocalRows {
    let config = format!("{{\"CATALOG_URI\":\"{}\",\"CATALOG_NAME\":\"{}\"}}", integration.uri, integration.catalog);
    let authentication = if integration.bearer_token.is_some() { "{\"TYPE\":\"BEARER\"}" } else { "" };
    let rows = [
        ("ENABLED", "Boolean", integration.enabled.to_string()),
        ("CATALOG_SOURCE", "String", "SPARK_CONNECT".to_owned()),
        ("TABLE_FORMAT", "String", integration.table_format.clone().unwrap_or_default()),
        ("REST_CONFIG", "String", config),
        ("REST_AUTHENTICATION", "String", authentication.to_owned()),
        ("COMMENT", "String", integration.comment.clone().unwrap_or_default()),
    ];
    property_rows(&rows)
}

fn integration_properties(integration: &SecurityIntegration) -> LocalRows {
    let key = |key: &Option<firn_catalog::RsaKey>| key.as_ref().map(|key| key.fingerprint.clone()).unwrap_or_default();
    let rows = [
        ("ENABLED", "Boolean", integration.enabled.to_string()),
        ("EXTERNAL_OAUTH_ISSUER", "String", integration.issuer.clone()),
        ("EXTERNAL_OAUTH_JWS_KEYS_URL", "List", integration.jws_keys_urls.join(",")),
        ("EXTERNAL_OAUTH_RSA_PUBLIC_KEY_FP", "String", key(&integration.rsa_public_key)),
        ("EXTERNAL_OAUTH_RSA_PUBLIC_KEY_2_FP", "String", key(&integration.rsa_public_key_2)),
        ("EXTERNAL_OAUTH_AUDIENCE_LIST", "List", integration.audiences.join(",")),
        ("EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM", "List", integration.user_mapping_claims.join(",")),
        ("EXTERNAL_OAUTH_ALLOWED_ROLES_LIST", "List", integration.allowed_roles.join(",")),
        ("EXTERNAL_OAUTH_BLOCKED_ROLES_LIST", "List", integration.blocked_roles.join(",")),
        ("COMMENT", "String", integration.comment.clone().unwrap_or_default()),
    ];
    property_rows(&rows)
}

fn property_rows(rows: &[(&str, &str, String)]) -> LocalRows {
    let columns = ["property", "property_type", "property_value", "property_default"];
    let row = |(name, kind, value): &(&str, &str, String)| {
        vec![Some((*name).to_owned()), Some((*kind).to_owned()), Some(value.clone()), None]
    };
    LocalRows::new(columns.map(WireColumn::text).into(), rows.iter().map(row).collect())
}

//! `POST /session/v1/login-request`.

use axum::extract::State;
use axum::http::request::Parts;
use axum::response::Response;
use firn_catalog::Caller;
use firn_catalog::registry::Sender;
use firn_sql::names_in_text;
use firn_statements::parameters::SessionParameters;
use firn_statements::request::{Changes, DriverRequest, Purpose};
use firn_statements::{DIALECT_VERSION, SessionView, StatementError, SubmitRequest};
use serde_json::json;

use crate::driver::caller::require_api;
use crate::driver::envelope::{AddressParameters, DriverBody, DriverError, success};
use crate::driver::login::{LoginBody, authenticate};
use crate::driver::parameters;
use crate::request::headers::changes;
use crate::request::{QueryParameters, StatementBody};
use crate::state::AppState;

const UNKNOWN_ROLE: &str = "390186";

pub async fn log_in(
    State(app): State<AppState>,
    parts: Parts,
    address: AddressParameters,
    DriverBody(body): DriverBody,
) -> Result<Response, DriverError> {
    require_api(&app)?;
    let body = LoginBody::decode(&body)?;
    let (caller, credential) = authenticate(&parts, &app, &body).await?;
    let request = session_request(&app, &caller, &address, &body, changes(&parts.headers)?)?;
    let view = tokio::task::block_in_place(|| open(&app, &caller, &request, &body))?;
    let tokens = app
        .driver_sessions
        .open(view.id, caller, body.family(), credential)
        .map_err(|error| DriverError::from(StatementError::from(error)))?;
    let lifetimes = app.driver_sessions.lifetimes();
    Ok(success(json!({
        "token": tokens.session,
        "validityInSeconds": lifetimes.session_token.as_secs(),
        "masterToken": tokens.master,
        "masterValidityInSeconds": lifetimes.master_token.as_secs(),
        "sessionId": view.number,
        "displayUserName": view.user,
        "serverVersion": DIALECT_VERSION,
        "firstLogin": false,
        "remMeToken": null,
        "remMeValidityInSeconds": 0,
        "healthCheckInterval": 45,
        "newClientForUpgrade": null,
        "idToken": null,
        "idTokenValidityInSeconds": 0,
        "mfaToken": null,
        "mfaTokenValidityInSeconds": 0,
        "parameters": parameters::listed(&view.parameters, app.limits.bindings_max),
        "sessionInfo": {
            "databaseName": view.names.database,
            "schemaName": view.names.schema,
            "warehouseName": view.names.warehouse,
            "roleName": view.names.role,
        },
    })))
}

fn session_request(
    app: &AppState,
    caller: &Caller,
    address: &AddressParameters,
    body: &LoginBody,
    changes: Changes,
) -> Result<SubmitRequest, DriverError> {
    let name = |parameter: &str| address.get(parameter).map(folded);
    let (database, schema) = place(address.get("databaseName"), address.get("schemaName"));
    Ok(SubmitRequest {
        database,
        schema,
        warehouse: name("warehouse"),
        role: name("roleName"),
        parameters: SessionParameters::default(),
        client_address: caller.address,
        server_address: app.listening,
        sender: Sender::User,
        changes,
        driver: Some(DriverRequest {
            format_parameter: None,
            parameters: body.parameters(),
            purpose: Purpose::Run,
            client: body.client(),
        }),
        ..StatementBody::decode(b"{}")?.into_request(QueryParameters::default())
    })
}

/// The database and the schema that a login names; some programs write both as `database/schema`.
fn place(database: Option<&str>, schema: Option<&str>) -> (Option<String>, Option<String>) {
    let (database, schema) = match (database.and_then(|text| text.split_once('/')), schema) {
        (Some((database, schema)), None) if !schema.is_empty() => (Some(database), Some(schema)),
        (_, schema) => (database, schema),
    };
    (database.map(folded), schema.map(folded))
}

/// A name as it would be in a statement: without quotes in upper case.
fn folded(name: &str) -> String {
    match names_in_text(name).as_deref() {
        Ok([one]) => one.clone(),
        _ => name.to_uppercase(),
    }
}

fn open(
    app: &AppState,
    caller: &Caller,
    request: &SubmitRequest,
    body: &LoginBody,
) -> Result<SessionView, DriverError> {
    app.driver_sessions.sweep(|id| app.statements.has_session(id));
    let opened = app.statements.open_session(caller, request, app.limits.driver_session_idle_max);
    let view = opened.map_err(|error| match error {
        StatementError::Invalid { code: UNKNOWN_ROLE, .. } => {
            let role = request.role.as_deref().unwrap_or_default();
            let message = format!(
                "Role '{role}' specified in the connect string does not exist or not authorized. Contact your local system \
                 administrator, or attempt to login with another role, e.g. PUBLIC."
            );
            DriverError::new("390189", message)
        }
        other => other.into(),
    })?;
    let given = [
        ("database", &request.database, &view.names.database),
        ("schema", &request.schema, &view.names.schema),
        ("warehouse", &request.warehouse, &view.names.warehouse),
    ];
    let asks = |(name, value): &(String, String)| {
        name == "CLIENT_VALIDATE_DEFAULT_PARAMETERS" && value.eq_ignore_ascii_case("true")
    };
    let missing = given.iter().find(|(_, given, found)| given.is_some() && given != found);
    match missing.filter(|_| body.parameters().iter().any(asks)) {
        Some((kind, ..)) => {
            app.statements.discard_session(caller, view.id);
            let message = format!("The requested {kind} does not exist or not authorized.");
            Err(DriverError::new("390201", message))
        }
        None => Ok(view),
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_login_may_write_database_and_schema_as_one() {
        let check = |database, schema, expected: (Option<&str>, Option<&str>)| {
            let (found_database, found_schema) = place(database, schema);
            assert_eq!((found_database.as_deref(), found_schema.as_deref()), expected);
        };
        check(Some("demo/public"), None, (Some("DEMO"), Some("PUBLIC")));
        check(Some("demo"), Some("\"dlt_ds\""), (Some("DEMO"), Some("dlt_ds")));
        check(Some("\"a/b\""), Some("s"), (Some("a/b"), Some("S")));
        check(None, None, (None, None));
    }
}

//! SHOW PARAMETERS: each session parameter with its value, its default and where the value was set.

use firn_catalog::integrations::PRIVILEGED_ROLES_BLOCKED;
use firn_catalog::network_policies::NETWORK_POLICY;
use firn_catalog::session_parameters::{SESSION_PARAMETERS, default_for_clients, fixed_value, is_of_drivers};
use firn_catalog::{ActiveRole, Catalog, User};
use firn_sql::Failure;
use firn_sql::command::Scope;
use firn_sql::names::display_identifier;

use super::listing::{Listing, Viewer, text};
use crate::run_error::RunError;
use crate::settings::DEFAULT_TIMEZONE;

const READ_BY_CLIENTS: &str = "Read by clients only";

pub(super) fn parameters(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of("key value default level description type");
    let principals = viewer.services.catalog.principals();
    let user = match scope {
        Scope::Account => None,
        Scope::User(name) if !name.is_empty() => Some(viewer.visible_user(&principals, name)?),
        _ => viewer.state.own_user().cloned(),
    };
    if let Scope::Warehouse(name) = scope {
        return of_warehouse(viewer, name, listing);
    }
    let is_session = matches!(scope, Scope::Session);
    for name in SESSION_PARAMETERS {
        let of_user = user.as_ref().and_then(|user| user.parameters.get(*name).cloned());
        let of_account = viewer.services.catalog.account_parameter(name);
        let default = default_value(name);
        let of_session = is_session.then(|| viewer.state.settings.given.get(*name).cloned()).flatten();
        let (value, level) = match (of_session, of_user, of_account) {
            (Some(value), ..) => (value, "SESSION"),
            (None, Some(value), _) => (value, "USER"),
            (None, None, Some(value)) => (value, "ACCOUNT"),
            (None, None, None) => (default.to_owned(), ""),
        };
        listing.add([
            text(name),
            Some(value),
            text(default),
            text(level),
            text(description(name)),
            text(type_of(name)),
        ]);
    }
    if is_session {
        add_those_of_drivers(viewer, &mut listing);
    } else {
        add_network_policy(viewer, user.as_deref(), &mut listing);
    }
    if matches!(scope, Scope::Account) {
        let given = viewer.services.catalog.account_parameter(PRIVILEGED_ROLES_BLOCKED);
        let level = if given.is_some() { "ACCOUNT" } else { "" };
        let description = "Whether OAuth tokens never give the roles ACCOUNTADMIN and SECURITYADMIN";
        let value = given.or_else(|| text("true"));
        listing.add([
            text(PRIVILEGED_ROLES_BLOCKED),
            value,
            text("true"),
            text(level),
            text(description),
            text("BOOLEAN"),
        ]);
    }
    Ok(listing)
}

fn add_those_of_drivers(viewer: &Viewer, listing: &mut Listing) {
    for (name, value) in viewer.state.settings.given.iter().filter(|(name, _)| is_of_drivers(name)) {
        listing.add([text(name), text(value), text(""), text("SESSION"), text(READ_BY_CLIENTS), text("STRING")]);
    }
    listing.rows.sort();
}

/// A policy is known to its owner alone.
pub(crate) fn network_policy_is_visible(catalog: &Catalog, role: &ActiveRole, name: &str) -> bool {
    let mut policies = catalog.network_policies().into_iter();
    policies.any(|policy| policy.name == name && role.may_use_what_is_owned_by(&policy.owner))
}

fn add_network_policy(viewer: &Viewer, user: Option<&User>, listing: &mut Listing) {
    let catalog = &viewer.services.catalog;
    let visible = |name: &String| network_policy_is_visible(catalog, &viewer.state.role, name);
    let of_user = user.and_then(|user| user.network_policy.clone()).filter(visible);
    let of_account = catalog.account_parameter(NETWORK_POLICY).filter(visible);
    let (value, level) = match (of_user, of_account) {
        (Some(value), _) => (value, "USER"),
        (None, Some(value)) => (value, "ACCOUNT"),
        (None, None) => (String::new(), ""),
    };
    let description = "The addresses from which requests are answered";
    listing.add([text(NETWORK_POLICY), Some(value), text(""), text(level), text(description), text("STRING")]);
}

/// A warehouse has parameters of its own.
fn of_warehouse(viewer: &Viewer, name: &str, mut listing: Listing) -> Result<Listing, RunError> {
    let catalog = &viewer.services.catalog;
    let found = catalog.warehouse(name).filter(|found| viewer.state.visibility(catalog).warehouse(found));
    let found = found.ok_or_else(|| Failure::missing_object("Warehouse", &display_identifier(name)))?;
    for (key, value) in [
        ("MAX_CONCURRENCY_LEVEL", found.concurrency_max),
        ("STATEMENT_QUEUED_TIMEOUT_IN_SECONDS", found.queued_timeout_s),
        ("STATEMENT_TIMEOUT_IN_SECONDS", found.statement_timeout_s),
    ] {
        // A time limit of zero is none of the warehouse's own.
        let default = default_value(key);
        let given = Some(value.to_string()).filter(|value| value != "0" && value != default);
        let level = if given.is_some() { "WAREHOUSE" } else { "" };
        let value = given.unwrap_or_else(|| default.to_owned());
        listing.add([text(key), Some(value), text(default), text(level), text(description(key)), text("NUMBER")]);
    }
    Ok(listing)
}

pub(crate) fn default_value(name: &str) -> &'static str {
    match name {
        "AUTOCOMMIT" | "ERROR_ON_NONDETERMINISTIC_MERGE" => "true",
        "BINARY_INPUT_FORMAT" | "BINARY_OUTPUT_FORMAT" => "HEX",
        "CLIENT_RESULT_CHUNK_SIZE" => "16",
        "DATE_INPUT_FORMAT" | "TIME_INPUT_FORMAT" | "TIMESTAMP_INPUT_FORMAT" => "AUTO",
        "ERROR_ON_NONDETERMINISTIC_UPDATE" | "PROFILE" | "QUOTED_IDENTIFIERS_IGNORE_CASE" | "STRICT_JSON_OUTPUT" => {
            "false"
        }
        "JSON_INDENT" => "2",
        "TIMESTAMP_TYPE_MAPPING" => "TIMESTAMP_NTZ",
        "TWO_DIGIT_CENTURY_START" => "1970",
        "DATE_OUTPUT_FORMAT" => "YYYY-MM-DD",
        "GEOGRAPHY_OUTPUT_FORMAT" | "GEOMETRY_OUTPUT_FORMAT" => "GeoJSON",
        "MAX_CONCURRENCY_LEVEL" => "8",
        "MULTI_STATEMENT_COUNT" => "1",
        "ROWS_PER_RESULTSET" | "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" => "0",
        "WEEK_OF_YEAR_POLICY" | "WEEK_START" => "0",
        "STATEMENT_TIMEOUT_IN_SECONDS" => "172800",
        "TIMESTAMP_OUTPUT_FORMAT" => "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM",
        "TIMESTAMP_NTZ_OUTPUT_FORMAT" => "YYYY-MM-DD HH24:MI:SS.FF3",
        "TIMEZONE" => DEFAULT_TIMEZONE,
        "TIME_OUTPUT_FORMAT" => "HH24:MI:SS",
        "USE_CACHED_RESULT" => "true",
        _ => fixed_value(name).or_else(|| default_for_clients(name)).unwrap_or_default(),
    }
}

fn description(name: &str) -> &'static str {
    match name {
        "AUTOCOMMIT" => "Whether each statement commits by itself",
        "BINARY_INPUT_FORMAT" => "How texts are read as BINARY values",
        "BINARY_OUTPUT_FORMAT" => "How BINARY values are written as text",
        "CLIENT_RESULT_CHUNK_SIZE" => "Largest size in MB of a result partition",
        "DATE_INPUT_FORMAT" => "How texts are read as DATE values",
        "DATE_OUTPUT_FORMAT" => "How DATE values are written",
        "ERROR_ON_NONDETERMINISTIC_MERGE" => "Whether a MERGE fails when several source rows match a row to be changed",
        "ERROR_ON_NONDETERMINISTIC_UPDATE" => "Whether an UPDATE fails when several source rows match a row",
        "GEOGRAPHY_OUTPUT_FORMAT" => "How GEOGRAPHY values are written",
        "GEOMETRY_OUTPUT_FORMAT" => "How GEOMETRY values are written",
        "MAX_CONCURRENCY_LEVEL" => "Most statements that run at a time",
        "JSON_INDENT" => "Spaces for each level of semi-structured values; 0 for all on one line",
        "MULTI_STATEMENT_COUNT" => "How many statements a request holds; 0 for any number",
        "PROFILE" => "Whether the operators of statements are measured",
        "QUERY_TAG" => "A text stored with each statement",
        "QUOTED_IDENTIFIERS_IGNORE_CASE" => "Whether quoted names are read in upper case too",
        "ROWS_PER_RESULTSET" => "Most rows in a result; 0 for all",
        "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" => "Longest wait in a warehouse's queue; 0 for the server's limit",
        "STATEMENT_TIMEOUT_IN_SECONDS" => "Longest run of a statement; 0 for the maximum",
        "STRICT_JSON_OUTPUT" => "Whether semi-structured values have null for undefined, NaN and Infinity",
        "TIMESTAMP_INPUT_FORMAT" => "How texts are read as TIMESTAMP values",
        "TIMESTAMP_TYPE_MAPPING" => "The variant that TIMESTAMP stands for",
        "TIME_INPUT_FORMAT" => "How texts are read as TIME values",
        "TWO_DIGIT_CENTURY_START" => "The first of the hundred years that years of two digits stand for",
        "TIMEZONE" => "Time zone of the session",
        "TIME_OUTPUT_FORMAT" => "How TIME values are written",
        "WEEK_OF_YEAR_POLICY" => "Which week is the first of a year: 0 as in ISO 8601, 1 the one with January 1",
        "WEEK_START" => "The first day of a week, 1 for Monday to 7 for Sunday; 0 as in ISO 8601",
        "USE_CACHED_RESULT" => "Whether a result may be used again for the same query",
        _ if fixed_value(name).is_some() => "Has this value only",
        _ if default_for_clients(name).is_some() => READ_BY_CLIENTS,
        _ => "How TIMESTAMP values of this variant are written",
    }
}

fn type_of(name: &str) -> &'static str {
    match name {
        "ABORT_DETACHED_QUERY" | "AUTOCOMMIT" | "PROFILE" | "QUOTED_IDENTIFIERS_IGNORE_CASE" => "BOOLEAN",
        "ERROR_ON_NONDETERMINISTIC_MERGE" | "ERROR_ON_NONDETERMINISTIC_UPDATE" => "BOOLEAN",
        "STRICT_JSON_OUTPUT" | "TIMESTAMP_DAY_IS_ALWAYS_24H" | "USE_CACHED_RESULT" => "BOOLEAN",
        "JSON_INDENT" | "LOCK_TIMEOUT" | "TWO_DIGIT_CENTURY_START" => "NUMBER",
        "CLIENT_RESULT_CHUNK_SIZE" | "MULTI_STATEMENT_COUNT" | "ROWS_PER_RESULTSET" => "NUMBER",
        "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" | "STATEMENT_TIMEOUT_IN_SECONDS" => "NUMBER",
        "WEEK_OF_YEAR_POLICY" | "WEEK_START" => "NUMBER",
        "CLIENT_METADATA_REQUEST_USE_CONNECTION_CTX" | "CLIENT_SESSION_KEEP_ALIVE" => "BOOLEAN",
        "CLIENT_MEMORY_LIMIT" | "CLIENT_PREFETCH_THREADS" => "NUMBER",
        "CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY" => "NUMBER",
        _ => "STRING",
    }
}

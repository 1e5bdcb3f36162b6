//! Which rows of INFORMATION_SCHEMA a caller sees.

use firn_sql::Failure;
use firn_sql::names::quote_literal;

use crate::dialect::Visibility;

/// Conditions on the columns `owner` and `id` of an object, and `schema_owner` and `schema_id` of its schema.
pub(super) struct Conditions {
    pub(super) schema: String,
    pub(super) object: String,
    /// Whether the object is the caller's own.
    pub(super) owned: String,
}

/// An object is visible if both it and its schema are: owned by a role of the caller, or with a privilege granted to one.
pub(super) fn conditions(visibility: Visibility<'_>) -> Result<Conditions, Failure> {
    let all = || Conditions { schema: "TRUE".to_owned(), object: "TRUE".to_owned(), owned: "TRUE".to_owned() };
    match visibility {
        Visibility::Refused => Err(Failure::unsupported("INFORMATION_SCHEMA in a view")),
        Visibility::All => Ok(all()),
        Visibility::Granted { roles, schemas, objects } => {
            let schema = format!("({} OR {})", is_owned("schema_owner", roles), is_granted("schema_id", schemas));
            let object = format!("({} OR {})", is_owned("owner", roles), is_granted("id", objects));
            let object = format!("({schema} AND {object})");
            Ok(Conditions { schema, object, owned: is_owned("owner", roles) })
        }
    }
}

fn is_owned(column: &str, roles: &[String]) -> String {
    let roles: Vec<String> = roles.iter().map(|role| quote_literal(role)).collect();
    if roles.is_empty() { "FALSE".to_owned() } else { format!("{column} IN ({})", roles.join(", ")) }
}

/// The ids are one literal: as a list of ten thousand expressions they would take longer to parse and bind than the rest
/// of the statement to run.
fn is_granted(column: &str, ids: &[i64]) -> String {
    if ids.is_empty() {
        return "FALSE".to_owned();
    }
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("{column} IN (SELECT unnest(from_json('[{}]', '[\"BIGINT\"]')))", ids.join(","))
}

//! POLICY_REFERENCES: the policies of a table, a view, a user or the account, or what has a policy.

use super::call::{Call, is_there, object_of, text_of};
use crate::names::quote_literal;
use crate::{Failure, ObjectName};

const PARAMETERS: [&str; 3] = ["REF_ENTITY_NAME", "REF_ENTITY_DOMAIN", "POLICY_NAME"];

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    if call.name != "POLICY_REFERENCES" {
        return Ok(None);
    }
    let arguments = call.arguments(&PARAMETERS)?;
    let given = |wanted: &str| arguments.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let condition = match given("POLICY_NAME") {
        Some(policy) => {
            let policy = object_of("POLICY_NAME", policy)?;
            is_named(&policy, ["POLICY_DB", "POLICY_SCHEMA", "POLICY_NAME"])
        }
        None => {
            let object = given("REF_ENTITY_NAME").ok_or_else(|| call.missing("REF_ENTITY_NAME"))?;
            let object = object_of("REF_ENTITY_NAME", object)?;
            let domain = given("REF_ENTITY_DOMAIN").ok_or_else(|| call.missing("REF_ENTITY_DOMAIN"))?;
            let domain = text_of("REF_ENTITY_DOMAIN", domain)?.to_ascii_uppercase();
            if ["ACCOUNT", "USER"].contains(&domain.as_str()) {
                let named = format!("REF_ENTITY_NAME = {}", quote_literal(&object.name));
                return Ok(Some(format!(
                    "SELECT * FROM {} WHERE REF_ENTITY_DOMAIN = '{domain}' AND {named}",
                    call.view("POLICY_REFERENCES")
                )));
            }
            if !["TABLE", "VIEW", "TAG"].contains(&domain.as_str()) {
                return Err(call.refused(&format!("the domain {domain}")));
            }
            let named = is_named(&object, ["REF_DATABASE_NAME", "REF_SCHEMA_NAME", "REF_ENTITY_NAME"]);
            match domain.as_str() {
                "TAG" => format!("REF_ENTITY_DOMAIN = 'TAG' AND {named}"),
                _ => format!("{} AND REF_ENTITY_DOMAIN <> 'TAG' AND {named}", is_there(&object)),
            }
        }
    };
    Ok(Some(format!("SELECT * FROM {} WHERE {condition}", call.view("POLICY_REFERENCES"))))
}

/// Parts that the name does not have are those of the session.
fn is_named(name: &ObjectName, [database, schema, column]: [&str; 3]) -> String {
    let part = |given: Option<&str>, current: &str| given.map_or_else(|| format!("{current}()"), quote_literal);
    format!(
        "{database} = {} AND {schema} = {} AND {column} = {}",
        part(name.database.as_deref(), "CURRENT_DATABASE"),
        part(name.schema.as_deref(), "CURRENT_SCHEMA"),
        quote_literal(&name.name)
    )
}

//! TAG_REFERENCES and TAG_REFERENCES_ALL_COLUMNS: the tags of an object or of the columns of a table, those included that
//! it has from what it is in. The view holds the tags of each object itself.

use super::call::{Call, is_there, text_of};
use crate::names::{quote_identifier, quote_literal};
use crate::reader::name_parts_of;
use crate::{Failure, ObjectName};

const PARAMETERS: [&str; 2] = ["OBJECT_NAME", "OBJECT_DOMAIN"];

/// Kinds of objects of the account, and of those that are in a schema.
const OF_ACCOUNT: [&str; 5] = ["INTEGRATION", "NETWORK POLICY", "ROLE", "USER", "WAREHOUSE"];
const IN_SCHEMA: [&str; 6] = ["FUNCTION", "MASKING POLICY", "PROCEDURE", "ROW ACCESS POLICY", "SEMANTIC VIEW", "STAGE"];

/// What is asked for: conditions on the view, the object itself first and what it is in after it.
struct Asked {
    levels: Vec<String>,
    database: String,
    schema: String,
    name: String,
    column: String,
    domain: String,
    /// A condition that fails where the object is not there.
    exists: String,
}

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    if !["TAG_REFERENCES", "TAG_REFERENCES_ALL_COLUMNS"].contains(&call.name) {
        return Ok(None);
    }
    let arguments = call.arguments(&PARAMETERS)?;
    let given = |wanted: &'static str| {
        let found = arguments.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
        text_of(wanted, found.ok_or_else(|| call.missing(wanted))?)
    };
    let (name, domain) = (given("OBJECT_NAME")?, given("OBJECT_DOMAIN")?.to_ascii_uppercase().replace('_', " "));
    if call.name == "TAG_REFERENCES" {
        return asked(call, &name, &domain).map(|asked| Some(of_object(call, &asked)));
    }
    match domain.as_str() {
        "TABLE" | "VIEW" => of_all_columns(call, &name).map(Some),
        other => Err(call.refused(&format!("the domain {other}"))),
    }
}

fn of_object(call: &Call<'_>, asked: &Asked) -> String {
    let ranks: Vec<String> =
        asked.levels.iter().enumerate().map(|(rank, level)| format!("WHEN {level} THEN {rank}")).collect();
    format!(
        "SELECT TAG_DATABASE, TAG_SCHEMA, TAG_NAME, TAG_VALUE, IFF(RANK_OF_LEVEL = 0, 'MANUAL', 'INHERITED') AS APPLY_METHOD, \
         LEVEL, {} AS OBJECT_DATABASE, {} AS OBJECT_SCHEMA, {} AS OBJECT_NAME, {} AS DOMAIN, {} AS COLUMN_NAME \
         FROM (SELECT *, CASE {} END AS RANK_OF_LEVEL FROM {}) WHERE RANK_OF_LEVEL IS NOT NULL AND {} \
         QUALIFY ROW_NUMBER() OVER (PARTITION BY TAG_DATABASE, TAG_SCHEMA, TAG_NAME ORDER BY RANK_OF_LEVEL) = 1",
        asked.database,
        asked.schema,
        asked.name,
        quote_literal(&asked.domain),
        asked.column,
        ranks.join(" "),
        call.view("TAG_REFERENCES"),
        asked.exists
    )
}

fn of_all_columns(call: &Call<'_>, given: &str) -> Result<String, Failure> {
    let table = relation(given, name_parts_of(given)?)?;
    let [database, schema, name] = parts(&table);
    let levels = within_schema(&database, &schema);
    let ranks: Vec<String> = std::iter::once(is_relation(&database, &schema, &name))
        .chain(levels)
        .enumerate()
        .map(|(rank, level)| format!("WHEN {level} THEN {}", rank + 1))
        .collect();
    let columns = table.database.as_deref().map_or_else(
        || call.view("COLUMNS"),
        |database| format!("{}.INFORMATION_SCHEMA.COLUMNS", quote_identifier(database)),
    );
    Ok(format!(
        "SELECT TAG_DATABASE, TAG_SCHEMA, TAG_NAME, TAG_VALUE, IFF(RANK_OF_LEVEL = 0, 'MANUAL', 'INHERITED') AS APPLY_METHOD, \
         LEVEL, {database} AS OBJECT_DATABASE, {schema} AS OBJECT_SCHEMA, {name} AS OBJECT_NAME, 'COLUMN' AS DOMAIN, \
         SHOWN_COLUMN AS COLUMN_NAME FROM (SELECT R.*, C.COLUMN_NAME AS SHOWN_COLUMN, \
         CASE WHEN {of_table} AND LEVEL = 'COLUMN' AND R.COLUMN_NAME = C.COLUMN_NAME THEN 0 {} END AS RANK_OF_LEVEL \
         FROM {} AS R CROSS JOIN (SELECT COLUMN_NAME, ORDINAL_POSITION FROM {columns} WHERE TABLE_CATALOG = {database} \
         AND TABLE_SCHEMA = {schema} AND TABLE_NAME = {name}) AS C) WHERE RANK_OF_LEVEL IS NOT NULL AND {} \
         QUALIFY ROW_NUMBER() OVER (PARTITION BY TAG_DATABASE, TAG_SCHEMA, TAG_NAME, SHOWN_COLUMN ORDER BY RANK_OF_LEVEL) = 1",
        ranks.join(" "),
        call.view("TAG_REFERENCES"),
        is_there(&table),
        of_table = in_schema(&database, &schema, &name),
    ))
}

fn asked(call: &Call<'_>, given: &str, domain: &str) -> Result<Asked, Failure> {
    let mut parts_given = name_parts_of(given)?;
    let missing = || Failure::missing_object("Object", given);
    let asked = match domain {
        "COLUMN" => {
            let column = parts_given.pop().ok_or_else(missing)?;
            let table = relation(given, parts_given)?;
            let [database, schema, name] = parts(&table);
            let own = in_schema(&database, &schema, &name);
            let column = quote_literal(&column);
            let mut levels = vec![format!("{own} AND LEVEL = 'COLUMN' AND COLUMN_NAME = {column}")];
            levels.push(is_relation(&database, &schema, &name));
            levels.extend(within_schema(&database, &schema));
            let exists = is_there(&table);
            Asked { levels, database, schema, name, column, domain: domain.to_owned(), exists }
        }
        "TABLE" | "VIEW" => {
            let table = relation(given, parts_given)?;
            let [database, schema, name] = parts(&table);
            let mut levels = vec![is_relation(&database, &schema, &name)];
            levels.extend(within_schema(&database, &schema));
            let exists = is_there(&table);
            Asked { levels, database, schema, name, column: null(), domain: domain.to_owned(), exists }
        }
        "SCHEMA" => {
            let schema = quote_literal(&parts_given.pop().ok_or_else(missing)?);
            let database = database_of(parts_given.pop());
            let levels = within_schema(&database, &schema);
            Asked { database, ..Asked::outside_of_databases(levels, schema, domain) }
        }
        "DATABASE" => {
            let name = quote_literal(&parts_given.pop().ok_or_else(missing)?);
            let levels = within_database(&name);
            Asked::outside_of_databases(levels, name, domain)
        }
        "ACCOUNT" => {
            let levels = vec!["LEVEL = 'ACCOUNT'".to_owned()];
            let name = "CURRENT_ACCOUNT()".to_owned();
            Asked::outside_of_databases(levels, name, domain)
        }
        kind if OF_ACCOUNT.contains(&kind) => {
            let name = quote_literal(&parts_given.pop().ok_or_else(missing)?);
            let own = format!("LEVEL = {} AND OBJECT_NAME = {name}", label(kind));
            let levels = vec![own, "LEVEL = 'ACCOUNT'".to_owned()];
            Asked::outside_of_databases(levels, name, domain)
        }
        kind if IN_SCHEMA.contains(&kind) => {
            let object = relation(given, parts_given)?;
            let [database, schema, name] = parts(&object);
            let mut levels = vec![format!("{} AND LEVEL = {}", in_schema(&database, &schema, &name), label(kind))];
            levels.extend(within_schema(&database, &schema));
            Asked { database, schema, ..Asked::outside_of_databases(levels, name, domain) }
        }
        other => return Err(call.refused(&format!("the domain {other}"))),
    };
    Ok(asked)
}

impl Asked {
    /// An object that is in no database, as expressions.
    fn outside_of_databases(levels: Vec<String>, name: String, domain: &str) -> Self {
        Self {
            levels,
            database: null(),
            schema: null(),
            name,
            column: null(),
            domain: domain.to_owned(),
            exists: "TRUE".to_owned(),
        }
    }
}

fn null() -> String {
    "NULL".to_owned()
}

fn label(kind: &str) -> String {
    quote_literal(&kind.replace(' ', "_"))
}

fn relation(given: &str, parts: Vec<String>) -> Result<ObjectName, Failure> {
    ObjectName::of_parts(parts).ok_or_else(|| Failure::missing_object("Object", given))
}

fn database_of(given: Option<String>) -> String {
    given.map_or_else(|| "CURRENT_DATABASE()".to_owned(), |name| quote_literal(&name))
}

/// Database, schema and name as expressions; parts that are not given are those of the session.
fn parts(name: &ObjectName) -> [String; 3] {
    let schema = name.schema.as_deref().map_or_else(|| "CURRENT_SCHEMA()".to_owned(), quote_literal);
    [database_of(name.database.clone()), schema, quote_literal(&name.name)]
}

fn in_schema(database: &str, schema: &str, name: &str) -> String {
    format!("OBJECT_DATABASE = {database} AND OBJECT_SCHEMA = {schema} AND OBJECT_NAME = {name}")
}

fn is_relation(database: &str, schema: &str, name: &str) -> String {
    format!("{} AND LEVEL IN ('TABLE', 'VIEW')", in_schema(database, schema, name))
}

fn within_schema(database: &str, schema: &str) -> Vec<String> {
    let own = format!("LEVEL = 'SCHEMA' AND OBJECT_DATABASE = {database} AND OBJECT_NAME = {schema}");
    std::iter::once(own).chain(within_database(database)).collect()
}

fn within_database(database: &str) -> Vec<String> {
    vec![format!("LEVEL = 'DATABASE' AND OBJECT_NAME = {database}"), "LEVEL = 'ACCOUNT'".to_owned()]
}

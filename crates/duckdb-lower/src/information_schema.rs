//! INFORMATION_SCHEMA: each view is a query over the side tables, put in the place of its name. It shows what is visible
//! to the caller's roles.

mod temporary;
mod visible;

use std::borrow::Cow;
use std::sync::Arc;

use firn_engine::{AccountRows, ColumnDescription, ObjectDescription, ObjectOptions, PREDICATE_BARRIER};
use firn_sql::ast::{Expr, Query, SelectItem, SetExpr};
use firn_sql::command::{DataType, ObjectKind, Persistence};
use firn_sql::names::{INFORMATION_SCHEMA, quote_identifier, quote_literal};
use firn_sql::owners_views::reader_of;
use firn_sql::{Failure, ObjectName, print, unsupported};

use super::dialect::rewrite_context::Visibility;
use super::temporary::TemporaryTables;

/// Each view's name and query. `{database}` is the database's identifier, `{database_name}` its name as a text, `{objects}` and
/// `{columns}` the records of its objects and their columns, `{visible}` a condition on an object's columns `owner` and `id` and on
/// those of its schema, `schema_owner` and `schema_id`, `{visible_schema}` one on the latter alone, `{rows}` the account's rows as
/// JSON: in a subquery of their own, as the engine would compute what is made of a literal when it plans, value by value.
const VIEWS: &[(&str, &str)] = &[
    ("TABLES", include_str!("information_schema/tables.sql")),
    ("COLUMNS", include_str!("information_schema/columns.sql")),
    ("VIEWS", include_str!("information_schema/views.sql")),
    ("SCHEMATA", include_str!("information_schema/schemata.sql")),
    ("DATABASES", include_str!("information_schema/databases.sql")),
    ("SEQUENCES", include_str!("information_schema/sequences.sql")),
    ("REFERENTIAL_CONSTRAINTS", include_str!("information_schema/referential_constraints.sql")),
    ("OBJECT_PRIVILEGES", include_str!("information_schema/object_privileges.sql")),
    ("TABLE_PRIVILEGES", include_str!("information_schema/table_privileges.sql")),
    ("INFORMATION_SCHEMA_CATALOG_NAME", include_str!("information_schema/catalog_name.sql")),
    ("APPLICABLE_ROLES", include_str!("information_schema/applicable_roles.sql")),
    ("ENABLED_ROLES", include_str!("information_schema/enabled_roles.sql")),
    ("QUERY_HISTORY", include_str!("information_schema/query_history.sql")),
    ("LOGIN_HISTORY", include_str!("information_schema/login_history.sql")),
    ("WAREHOUSE_METERING_HISTORY", include_str!("information_schema/warehouse_metering_history.sql")),
    ("TABLE_CONSTRAINTS", include_str!("information_schema/table_constraints.sql")),
    ("FUNCTIONS", include_str!("information_schema/functions.sql")),
    ("PROCEDURES", include_str!("information_schema/procedures.sql")),
    ("STAGES", include_str!("information_schema/stages.sql")),
    ("FILE_FORMATS", include_str!("information_schema/file_formats.sql")),
    ("LOAD_HISTORY", include_str!("information_schema/load_history.sql")),
    ("COPY_HISTORY", include_str!("information_schema/copy_history.sql")),
    ("POLICY_REFERENCES", include_str!("information_schema/policy_references.sql")),
    ("TAG_REFERENCES", include_str!("information_schema/tag_references.sql")),
    ("USAGE_PRIVILEGES", include_str!("information_schema/object_privileges.sql")),
];

/// The next value of a row of `duckdb_sequences()`. The engine's statement for the sequence has it at any time; `last_value` is
/// not read back from the write-ahead log, and is one too many in a file that was opened again.
pub const NEXT_VALUE: &str = r"TRY_CAST(regexp_extract(sql, ' START (-?[0-9]+) (NO )?CYCLE;?$', 1) AS BIGINT)";

/// Views of the dialect that cannot be answered truthfully, and are refused by name.
const REFUSED: &[&str] = &[
    "CLASS_INSTANCES",
    "CLASS_INSTANCE_FUNCTIONS",
    "CLASS_INSTANCE_PROCEDURES",
    "CLASSES",
    "CORTEX_SEARCH_SERVICES",
    "CURRENT_PACKAGES_POLICY",
    "ELEMENT_TYPES",
    "EVENT_TABLES",
    "FIELDS",
    "HYBRID_TABLES",
    "INDEXES",
    "INDEX_COLUMNS",
    "MODEL_VERSIONS",
    "REPLICATION_DATABASES",
    "REPLICATION_GROUPS",
    "SERVICES",
    "SHARES",
    "STREAMLITS",
    "TABLE_STORAGE_METRICS",
];

/// The query behind `DB.INFORMATION_SCHEMA.name`. The temporary objects are those that it shows.
pub fn query(
    name: &ObjectName,
    visibility: Visibility<'_>,
    account_rows: &[AccountRows],
    temporary: Option<&TemporaryTables>,
) -> Result<Query, Failure> {
    let template = template(name)?;
    let visible = visible::conditions(visibility)?;
    let records = temporary::records(name.database(), temporary);
    let is_of_view = |rows: &&AccountRows| {
        rows.view == name.name && rows.database.as_deref().is_none_or(|database| database == name.database())
    };
    let rows = account_rows.iter().find(is_of_view).map_or("[]", |rows| rows.json.as_str());
    let (database, database_name) = (quote_identifier(name.database()), quote_literal(name.database()));
    let rows = quote_literal(rows);
    let values = [
        ("{database}", database.as_str()),
        ("{database_name}", &database_name),
        ("{objects}", &records.objects),
        ("{columns}", &records.columns),
        ("{next_value}", NEXT_VALUE),
        ("{owned}", &visible.owned),
        ("{visible}", &visible.object),
        ("{visible_schema}", &visible.schema),
        ("{rows}", &rows),
    ];
    let sql = filled(&template, &values);
    match template.contains("{visible") && !template.contains("\nLIMIT ") {
        true => print::read_query(&format!("{sql} {PREDICATE_BARRIER}")),
        false => print::read_query(&sql),
    }
}

/// The template with the values of its places. Values have texts of users in them, which have no places.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut sql = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        sql.push_str(&rest[..start]);
        rest = &rest[start..];
        let (place, value) = values.iter().find(|(place, _)| rest.starts_with(place)).unwrap_or(&("{", "{"));
        sql.push_str(value);
        rest = &rest[place.len()..];
    }
    sql.push_str(rest);
    sql
}

fn template(name: &ObjectName) -> Result<Cow<'static, str>, Failure> {
    if let Some((_, template)) = VIEWS.iter().find(|(view, _)| *view == name.name) {
        return Ok(Cow::Borrowed(template));
    }
    if let Some((_, columns)) = unsupported::VIEWS.iter().find(|(view, _)| *view == name.name) {
        return Ok(Cow::Owned(format!("SELECT {} WHERE FALSE", unsupported::empty_columns(columns, engine_type))));
    }
    match REFUSED.contains(&name.name.as_str()) {
        true => Err(Failure::unsupported(&format!("{INFORMATION_SCHEMA}.{}", name.name))),
        false => Err(Failure::missing_object("Object", &name.to_string())),
    }
}

fn engine_type(kind: &str) -> &'static str {
    match kind {
        "number" => "BIGINT",
        "instant" => "TIMESTAMPTZ",
        "boolean" => "BOOLEAN",
        _ => "VARCHAR",
    }
}

/// The description of a view, which does not depend on the caller.
pub fn describe(name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, Failure> {
    if name.schema() != INFORMATION_SCHEMA {
        return Ok(None);
    }
    let name = &ObjectName { name: reader_of(&name.name).0.to_owned(), ..name.clone() };
    if let Err(failure) = template(name) {
        return if REFUSED.contains(&name.name.as_str()) { Err(failure) } else { Ok(None) };
    }
    let query = query(name, Visibility::All, &[], None)?;
    let SetExpr::Select(select) = *query.body else { return Ok(None) };
    let columns = select
        .projection
        .into_iter()
        .filter_map(|item| match item {
            SelectItem::ExprWithAlias { alias, expr } => Some(column(&alias.value, &expr)),
            _ => None,
        })
        .collect();
    Ok(Some(Arc::new(ObjectDescription {
        id: 0,
        name: name.clone(),
        kind: ObjectKind::View,
        owner: "PUBLIC".to_owned(),
        comment: None,
        created_on_ms: 0,
        persistence: Persistence::Permanent,
        columns,
        constraints: Vec::new(),
        view_text: None,
        view_query: None,
        sequence: None,
        options: ObjectOptions::default(),
    })))
}

fn column(name: &str, value: &Expr) -> ColumnDescription {
    const COUNTED: &[&str] = &[
        "ROW_COUNT",
        "BYTES",
        "RETENTION_TIME",
        "ORDINAL_POSITION",
        "CHARACTER_MAXIMUM_LENGTH",
        "CHARACTER_OCTET_LENGTH",
        "NUMERIC_PRECISION",
        "NUMERIC_PRECISION_RADIX",
        "NUMERIC_SCALE",
        "DATETIME_PRECISION",
        "MAXIMUM_CARDINALITY",
        "TOTAL_ELAPSED_TIME",
        "ROWS_PRODUCED",
    ];
    const INSTANTS: &[&str] = &["CREATED", "LAST_ALTERED", "LAST_DDL", "START_TIME", "END_TIME"];
    let written = match value {
        Expr::Cast { data_type, .. } => data_type.to_string(),
        _ => String::new(),
    };
    let data_type = if COUNTED.contains(&name) || written == "BIGINT" {
        DataType::Integer
    } else if written == "BOOLEAN" {
        DataType::Boolean
    } else if INSTANTS.contains(&name) || written == "TIMESTAMPTZ" {
        DataType::TimestampLtz { scale: 3 }
    } else {
        DataType::Varchar { length: None }
    };
    ColumnDescription {
        id: 0,
        name: name.to_owned(),
        data_type,
        not_null: false,
        default: None,
        autoincrement: None,
        comment: None,
        collation: None,
    }
}

#[cfg(test)]
mod tests {
    use firn_sql::ObjectName;

    use super::{VIEWS, describe, unsupported};

    #[test]
    fn every_view_can_be_described() {
        for (name, _) in VIEWS.iter().chain(unsupported::VIEWS) {
            let described = describe(&ObjectName::qualified("DB", "INFORMATION_SCHEMA", name));
            assert!(described.is_ok_and(|view| view.is_some_and(|view| !view.columns.is_empty())), "{name}");
        }
        let missing = describe(&ObjectName::qualified("DB", "INFORMATION_SCHEMA", "NOPE"));
        assert!(missing.is_ok_and(|view| view.is_none()));
    }
}

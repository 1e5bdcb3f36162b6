//! INFORMATION_SCHEMA: each view is a query over the side tables, put in the place of its name. It shows
//! what the caller's roles own, directly or through the schema or the database.

use std::sync::Arc;

use firn_sql::ast::{Query, SelectItem, SetExpr};
use firn_sql::command::{DataType, ObjectKind, Persistence};
use firn_sql::names::{INFORMATION_SCHEMA, quote_identifier, quote_literal};
use firn_sql::{Failure, ObjectName, print};

use super::dialect::Visibility;
use crate::{AccountRows, ColumnDescription, ObjectDescription, ObjectOptions};

/// Each view's name and query. `{database}` is the database's identifier, `{database_name}` its name as
/// a text, `{visible}` a condition on the columns `owner` and `schema_owner`, `{rows}` the account's rows as JSON.
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
    ("TABLE_CONSTRAINTS", include_str!("information_schema/table_constraints.sql")),
];

/// The query behind `DB.INFORMATION_SCHEMA.name`.
pub(crate) fn query(
    name: &ObjectName,
    visibility: Visibility<'_>,
    account_rows: &[AccountRows],
) -> Result<Query, Failure> {
    let (_, template) = VIEWS
        .iter()
        .find(|(view, _)| *view == name.name)
        .ok_or_else(|| Failure::missing_object("Object", &name.to_string()))?;
    let visible = match visibility {
        Visibility::Refused => return Err(Failure::unsupported("INFORMATION_SCHEMA in a view")),
        Visibility::All => "TRUE".to_owned(),
        Visibility::Owned { databases, .. } if databases.iter().any(|owned| owned == name.database()) => {
            "TRUE".to_owned()
        }
        Visibility::Owned { roles, .. } => {
            let list: Vec<String> = roles.iter().map(|owner| quote_literal(owner)).collect();
            let list = if list.is_empty() { "NULL".to_owned() } else { list.join(", ") };
            format!("(owner IN ({list}) OR schema_owner IN ({list}))")
        }
    };
    let rows = account_rows.iter().find(|rows| rows.view == name.name).map_or("[]", |rows| rows.json.as_str());
    let sql = template
        .replace("{database}", &quote_identifier(name.database()))
        .replace("{database_name}", &quote_literal(name.database()))
        .replace("{visible}", &visible)
        .replace("{rows}", &quote_literal(rows));
    print::read_query(&sql)
}

/// The view as DESCRIBE and name checks see it: everybody's.
pub(crate) fn describe(name: &ObjectName) -> Option<Arc<ObjectDescription>> {
    if name.schema() != INFORMATION_SCHEMA {
        return None;
    }
    let query = query(name, Visibility::All, &[]).ok()?;
    let SetExpr::Select(select) = *query.body else { return None };
    let columns = select
        .projection
        .into_iter()
        .filter_map(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(column(&alias.value)),
            _ => None,
        })
        .collect();
    Some(Arc::new(ObjectDescription {
        name: name.clone(),
        kind: ObjectKind::View,
        owner: "PUBLIC".to_owned(),
        comment: None,
        created_on_ms: 0,
        persistence: Persistence::Permanent,
        columns,
        constraints: Vec::new(),
        view_text: None,
        rows: None,
        sequence: None,
        options: ObjectOptions::default(),
    }))
}

fn column(name: &str) -> ColumnDescription {
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
    let data_type = if COUNTED.contains(&name) {
        DataType::Integer
    } else if INSTANTS.contains(&name) {
        DataType::TimestampLtz { scale: 3 }
    } else {
        DataType::Varchar { length: None }
    };
    ColumnDescription {
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

    use super::{VIEWS, describe};

    #[test]
    fn every_view_can_be_described() {
        for (name, _) in VIEWS {
            let described = describe(&ObjectName::qualified("DB", "INFORMATION_SCHEMA", name));
            assert!(described.is_some_and(|view| !view.columns.is_empty()), "{name}");
        }
        assert!(describe(&ObjectName::qualified("DB", "INFORMATION_SCHEMA", "NOPE")).is_none());
    }
}

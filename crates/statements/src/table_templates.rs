//! `CREATE TABLE … USING TEMPLATE`: the columns that a query describes, as INFER_SCHEMA does.

use firn_engine::{ExecutionContext, Session};
use firn_sql::command::{ColumnDefinition, Command, Ddl, TableSource};
use firn_sql::new_names::check_name;
use firn_sql::{Failure, Statement, data_type_of_text};
use serde::Deserialize;

use crate::evaluate::table_of;
use crate::run_error::RunError;

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct DescribedColumn {
    column_name: String,
    #[serde(rename = "TYPE")]
    type_name: String,
    nullable: Option<Flag>,
}

/// A flag, or a word for one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Flag {
    Boolean(bool),
    Word(String),
}

impl Flag {
    fn holds(&self) -> bool {
        match self {
            Self::Boolean(value) => *value,
            Self::Word(word) => word.eq_ignore_ascii_case("true"),
        }
    }
}

/// Puts the columns in the place of the query that describes them.
pub fn fill(session: &mut dyn Session, statement: &mut Statement, context: &ExecutionContext) -> Result<(), RunError> {
    let Command::Ddl(Ddl::CreateTable(table)) = &mut statement.command else { return Ok(()) };
    let TableSource::Template(query) = &table.source else { return Ok(()) };
    if !table.columns.is_empty() {
        return Err(Failure::unsupported("USING TEMPLATE with columns of the statement's own").into());
    }
    let described = table_of(session, &Command::Query(query.clone()), context, 1)?;
    let cell = described.rows.first().and_then(|row| row.first()).cloned().flatten();
    table.columns = columns(cell.as_deref().unwrap_or("[]"))?;
    table.source = TableSource::Definition;
    Ok(())
}

fn columns(json: &str) -> Result<Vec<ColumnDefinition>, Failure> {
    let wrong = |way_out: &str| Failure::invalid_value("USING TEMPLATE", "the query's answer", way_out);
    let described: Vec<DescribedColumn> = serde_json::from_str(json)
        .map_err(|_| wrong("give an array of objects with COLUMN_NAME, TYPE and NULLABLE, as INFER_SCHEMA does"))?;
    if described.is_empty() {
        return Err(wrong("it describes no column; is there a file on the stage?"));
    }
    described.into_iter().map(column).collect()
}

fn column(described: DescribedColumn) -> Result<ColumnDefinition, Failure> {
    check_name(&described.column_name)?;
    Ok(ColumnDefinition {
        data_type: Some(data_type_of_text(&described.type_name)?),
        not_null: described.nullable.is_some_and(|nullable| !nullable.holds()),
        name: described.column_name,
        default: None,
        autoincrement: None,
        comment: None,
        collation: None,
        policies: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn columns_are_read_from_their_description() {
        let read = columns(
            r#"[{"COLUMN_NAME": "a", "TYPE": "NUMBER(5, 2)", "NULLABLE": false, "ORDER_ID": 0},
                {"COLUMN_NAME": "B", "TYPE": "TEXT", "NULLABLE": "true"}]"#,
        );
        let shown = read.map(|columns| {
            let shown = |column: &firn_sql::command::ColumnDefinition| {
                let data_type = column.data_type.as_ref().map(|data_type| data_type.full_name());
                format!("{} {} {}", column.name, data_type.unwrap_or_default(), column.not_null)
            };
            columns.iter().map(shown).collect::<Vec<_>>()
        });
        assert_eq!(shown, Ok(vec!["a NUMBER(5,2) true".to_owned(), "B VARCHAR(16777216) false".to_owned()]));
        for wrong in ["[]", "{}", "[1]", r#"[{"COLUMN_NAME": "A"}]"#, r#"[{"COLUMN_NAME": "A", "TYPE": "NOPE"}]"#] {
            assert!(columns(wrong).is_err(), "{wrong}");
        }
    }
}

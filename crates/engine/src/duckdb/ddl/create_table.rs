//! CREATE TABLE in all its forms: by definition, from a query, LIKE and CLONE; permanent or temporary.
//! A table that replaces another is made and filled first, so that its query may read the old one.

use firn_sql::ast;
use firn_sql::command::{ColumnDefinition, CreateMode, CreateTable, IfMissing, ObjectKind, Persistence, TableSource};
use firn_sql::names::{display_identifier, quote_identifier};
use firn_sql::{Failure, ObjectName, print};

use super::Work;
use super::columns::Home;
use crate::duckdb::result_types::ColumnOrigin;
use crate::duckdb::side_tables::{ColumnRecord, StoredObject, write_object};
use crate::duckdb::temporary::engine_identifier;
use crate::duckdb::{dialect, origins, types};
use crate::{ColumnDescription, EngineError, ObjectDescription};

/// A new table's columns, and the query that fills it.
struct Plan {
    columns: Vec<ColumnRecord>,
    constraints: Vec<firn_sql::command::TableConstraint>,
    comment: Option<String>,
    rows: Option<String>,
}

impl Work<'_> {
    pub(super) fn create_table(&mut self, create: &CreateTable) -> Result<String, EngineError> {
        let name = &create.name;
        self.require_schema(name)?;
        let temporary = create.persistence == Persistence::Temporary;
        let existing = if temporary { self.temporary.stored(name).cloned() } else { self.find_permanent(name)? };
        if let Some(status) = self.make_room(create.mode, ObjectKind::Table, existing.as_ref())? {
            return Ok(status);
        }
        let home = if temporary { Home::Session } else { Home::Database(name.database()) };
        let plan = self.plan(create, home)?;
        self.build(create, existing.as_ref(), home, &plan)?;
        let stored = StoredObject {
            description: ObjectDescription {
                name: name.clone(),
                kind: ObjectKind::Table,
                owner: self.context.role.clone(),
                comment: create.comment.clone().or(plan.comment),
                created_on_ms: super::now_ms(),
                persistence: create.persistence,
                columns: Vec::new(),
                constraints: plan.constraints,
                view_text: None,
                rows: None,
                sequence: None,
            },
            columns: plan.columns,
            view_query: None,
        };
        if temporary {
            self.temporary.record(stored);
        } else {
            write_object(self.connection, &stored)?;
        }
        Ok(format!("Table {} successfully created.", display_identifier(&name.name)))
    }

    fn plan(&self, create: &CreateTable, home: Home<'_>) -> Result<Plan, EngineError> {
        let mut plan = Plan { columns: Vec::new(), constraints: create.constraints.clone(), comment: None, rows: None };
        match &create.source {
            TableSource::Definition => {
                plan.columns = self.defined_columns(&create.columns, home)?;
            }
            TableSource::Query(query) => {
                let mut engine_query = (**query).clone();
                dialect::rewrite(&mut engine_query, &self.surroundings())?;
                plan.columns = self.query_columns(query, &engine_query, &create.columns, home)?;
                plan.rows = Some(print::into_sql(engine_query));
            }
            TableSource::Like(source) | TableSource::Clone(source) => {
                let stored = self.find_kind(ObjectKind::Table, source, IfMissing::Fail)?;
                let stored = stored.ok_or_else(|| Failure::missing_object("Table", &source.to_string()))?;
                plan.columns = self.copied_columns(source, &stored.columns, home)?;
                plan.constraints = stored.description.constraints.clone();
                plan.comment = stored.description.comment.clone();
                if matches!(create.source, TableSource::Clone(_)) {
                    plan.rows = Some(format!("SELECT * FROM {}", self.relation(source)));
                }
            }
        }
        Ok(plan)
    }

    fn defined_columns(&self, columns: &[ColumnDefinition], home: Home<'_>) -> Result<Vec<ColumnRecord>, EngineError> {
        for (index, column) in columns.iter().enumerate() {
            if columns[..index].iter().any(|earlier| earlier.name.eq_ignore_ascii_case(&column.name)) {
                return Err(Failure::new(
                    "002025",
                    "42S21",
                    format!("SQL compilation error:\nduplicate column name '{}'", column.name),
                )
                .into());
            }
        }
        columns.iter().map(|column| self.column_record(column, home)).collect()
    }

    /// The columns of CREATE TABLE … AS: the query's, renamed, retyped and constrained as declared.
    fn query_columns(
        &self,
        query: &ast::Query,
        engine_query: &ast::Query,
        declared: &[ColumnDefinition],
        home: Home<'_>,
    ) -> Result<Vec<ColumnRecord>, EngineError> {
        let result = self.result_columns(query, engine_query)?;
        if declared.is_empty() {
            return Ok(result.into_iter().map(plain_record).collect());
        }
        if declared.len() != result.len() {
            return Err(Failure::new(
                "002057",
                "21S01",
                format!(
                    "SQL compilation error:\nthe table declares {} columns but the query gives {}.",
                    declared.len(),
                    result.len()
                ),
            )
            .into());
        }
        let definitions = declared.iter().zip(result).map(|(column, result)| ColumnDefinition {
            data_type: column.data_type.clone().or(Some(result.data_type)),
            ..column.clone()
        });
        self.defined_columns(&definitions.collect::<Vec<_>>(), home)
    }

    /// The columns a query gives, with the declared types of the columns it merely passes on.
    pub(super) fn result_columns(
        &self,
        query: &ast::Query,
        engine_query: &ast::Query,
    ) -> Result<Vec<ColumnDescription>, EngineError> {
        let origins = origins::of_query(query, self)?;
        let stream = self.connection.stream(&format!("SELECT * FROM ({}) LIMIT 0", print::sql(engine_query)))?;
        let columns = stream.columns();
        Ok(columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let computed = types::type_of_result(&column.logical_type);
                let origin = origins.get(index).and_then(Option::as_ref);
                let declared = origin.and_then(ColumnOrigin::declared_type).cloned();
                ColumnDescription {
                    name: column.name.clone(),
                    data_type: declared
                        .filter(|declared| types::engine_type(declared) == types::engine_type(&computed))
                        .unwrap_or(computed),
                    not_null: false,
                    default: None,
                    autoincrement: None,
                    comment: None,
                    collation: None,
                }
            })
            .collect())
    }

    fn build(
        &mut self,
        create: &CreateTable,
        existing: Option<&StoredObject>,
        home: Home<'_>,
        plan: &Plan,
    ) -> Result<(), EngineError> {
        let name = &create.name;
        let replacing = create.mode == CreateMode::OrReplace && existing.is_some();
        let local = match home {
            Home::Session => engine_identifier(name),
            Home::Database(_) => name.name.clone(),
        };
        let built = if replacing { format!("{local}__REPLACEMENT") } else { local.clone() };
        let relation = within_home(home, name, &built);
        let columns: Vec<String> =
            plan.columns.iter().map(|column| self.column_sql(column, home)).collect::<Result<_, _>>()?;
        let temporary = if home == Home::Session { "TEMPORARY " } else { "" };
        self.connection.execute(&format!("CREATE {temporary}TABLE {relation} ({})", columns.join(", ")))?;
        if let Some(rows) = &plan.rows {
            self.fill(&relation, &plan.columns, rows)?;
        }
        if replacing && let Some(existing) = existing {
            self.drop_table(existing)?;
            self.connection.execute(&format!("ALTER TABLE {relation} RENAME TO {}", quote_identifier(&local)))?;
        }
        Ok(())
    }

    fn fill(&self, relation: &str, columns: &[ColumnRecord], rows: &str) -> Result<(), EngineError> {
        let mut items = Vec::new();
        let mut names = Vec::new();
        for (position, column) in (1..).zip(columns) {
            let name = dialect::quoted(&position.to_string());
            let mut value = ast::Expr::Identifier(name.clone());
            crate::duckdb::assignment::fit(&mut value, &column.description.data_type)?;
            items.push(print::into_sql(value));
            names.push(name.to_string());
        }
        self.connection.execute(&format!(
            "INSERT INTO {relation} SELECT {} FROM ({rows}) AS \"source\"({})",
            items.join(", "),
            names.join(", ")
        ))?;
        Ok(())
    }
}

fn within_home(home: Home<'_>, name: &ObjectName, local: &str) -> String {
    match home {
        Home::Session => format!("temp.main.{}", quote_identifier(local)),
        Home::Database(database) => [database, name.schema(), local].map(quote_identifier).join("."),
    }
}

fn plain_record(description: ColumnDescription) -> ColumnRecord {
    ColumnRecord { description, sequence_name: None }
}

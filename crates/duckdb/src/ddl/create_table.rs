//! CREATE TABLE in all its forms: by definition, from a query, LIKE and CLONE; permanent or temporary.
//! A table that replaces another is made and filled first, so that its query may read the old one.

use std::collections::HashSet;

use firn_binder::{Bound, OutputColumn, TEXT_LENGTH_MAX, Type};
use firn_duckdb_lower::{dialect, types};
use firn_engine::{
    ColumnDescription, EngineError, ExecutionContext, Integers, ObjectDescription, ObjectOptions, ObjectPolicies,
    fresh_object_id,
};
use firn_sql::ast;
use firn_sql::command::{
    ColumnDefinition, CreateMode, CreateTable, DataType, IfMissing, ObjectKind, Persistence, TableSource,
};
use firn_sql::names::{display_identifier, quote_identifier};
use firn_sql::new_names::check_name;
use firn_sql::{Failure, ObjectName, print};

use super::columns::Home;
use super::renames::{Renamed, follow_defaults};
use super::work::{Work, duplicate_column, now_ms};
use crate::result_types::{self, column_name};
use crate::side_tables::{ColumnRecord, StoredObject};
use crate::{constraints, wide_columns};

/// A new table's columns, and the query that fills it.
#[derive(Default)]
struct Plan {
    columns: Vec<ColumnRecord>,
    constraints: Vec<firn_sql::command::TableConstraint>,
    comment: Option<String>,
    cluster_by: Option<String>,
    rows: Option<String>,
    policies: ObjectPolicies,
}

impl Work<'_> {
    pub(super) fn create_table(&mut self, create: &CreateTable) -> Result<String, EngineError> {
        self.create_table_following(create, &[], fresh_object_id())
    }

    /// As `create_table`, with the defaults of a copied table following `renamed`, and its identity.
    pub(super) fn create_table_following(
        &mut self,
        create: &CreateTable,
        renamed: &[Renamed<'_>],
        id: i64,
    ) -> Result<String, EngineError> {
        let name = &create.name;
        let schema = self.require_schema(name)?;
        let temporary = create.persistence == Persistence::Temporary;
        let existing = if temporary { self.temporary.stored(name).cloned() } else { self.find_permanent(name)? };
        if let Some(status) = self.make_room(create.mode, ObjectKind::Table, existing.as_ref())? {
            return Ok(status);
        }
        let home = if temporary { Home::Session } else { Home::Database(name.database()) };
        let mut plan = self.plan(create, home)?;
        if !renamed.is_empty() {
            follow_defaults(&mut plan.columns, renamed)?;
        }
        self.build(create, existing.as_ref(), home, &plan)?;
        let mut stored = stored_table(create, plan, id, self.context);
        if schema.options.transient && !temporary {
            stored.description.persistence = Persistence::Transient;
        }
        if temporary {
            self.temporary.record(stored);
        } else {
            self.write(&stored)?;
        }
        Ok(format!("Table {} successfully created.", display_identifier(&name.name)))
    }

    /// Materializes a query's rows in a temporary table and returns the names of its columns without duplicates.
    pub(crate) fn materialize(&mut self, name: &ObjectName, query: &ast::Query) -> Result<Vec<String>, EngineError> {
        let mut engine_query = query.clone();
        let bound = dialect::rewrite(&mut engine_query, &self.rewrite_context())?;
        let mut columns = self.table_columns(&bound, &engine_query)?;
        let mut seen = HashSet::new();
        for (position, column) in (1..).zip(&mut columns) {
            if !seen.insert(column.name.to_ascii_uppercase()) {
                column.name = format!("{} {position}", column.name);
            }
        }
        let names = columns.iter().map(|column| column.name.clone()).collect();
        let create = CreateTable {
            name: name.clone(),
            mode: CreateMode::New,
            persistence: Persistence::Temporary,
            columns: Vec::new(),
            constraints: Vec::new(),
            source: TableSource::Definition,
            comment: None,
            cluster_by: None,
            retention_days: None,
            or_alter: false,
            default_collation: None,
            copy_grants: false,
            policies: Vec::new(),
        };
        let columns = columns.into_iter().map(plain_record).collect();
        let plan = Plan { columns, rows: Some(print::into_sql(engine_query)), ..Plan::default() };
        self.build(&create, None, Home::Session, &plan)?;
        self.temporary.record(stored_table(&create, plan, fresh_object_id(), self.context));
        Ok(names)
    }

    pub(crate) fn drop_materialized(&mut self, name: &ObjectName) -> Result<(), EngineError> {
        self.connection.execute(&format!("DROP TABLE {}", self.relation(name)))?;
        self.temporary.forget(name);
        Ok(())
    }

    fn plan(&self, create: &CreateTable, home: Home<'_>) -> Result<Plan, EngineError> {
        constraints::one_primary_key(&create.name, &create.constraints)?;
        let mut plan = Plan { constraints: constraints::named(&create.constraints), ..Plan::default() };
        match &create.source {
            TableSource::Definition => {
                plan.columns = self.defined_columns(&create.columns, home)?;
            }
            TableSource::Query(query) => {
                let mut engine_query = (**query).clone();
                let bound = dialect::rewrite(&mut engine_query, &self.rewrite_context())?;
                let result = self.table_columns(&bound, &engine_query)?;
                plan.columns = self.query_columns(result, &create.columns, home)?;
                plan.rows = Some(print::into_sql(engine_query));
            }
            TableSource::Template(_) => {
                return Err(EngineError::Internal("a template came to the engine unfilled".to_owned()));
            }
            TableSource::Like(source) | TableSource::Clone(source) => {
                let stored = self.find_kind(ObjectKind::Table, source, IfMissing::Fail)?;
                let stored = stored.ok_or_else(|| Failure::missing_object("Table", &source.to_string()))?;
                plan.columns = self.copied_columns(source, &stored.columns, home)?;
                plan.constraints = stored.description.constraints.clone();
                plan.comment = stored.description.comment.clone();
                plan.cluster_by = stored.description.options.cluster_by.clone();
                let policies = &stored.description.options.policies;
                plan.policies.tags.clone_from(&policies.tags);
                plan.policies.column_tags.clone_from(&policies.column_tags);
                if matches!(create.source, TableSource::Clone(_)) {
                    plan.policies = policies.clone();
                    plan.policies.follow(&self.cloned);
                    plan.rows = Some(format!("SELECT * FROM {}", self.relation(source)));
                }
            }
        }
        create.policies.iter().for_each(|change| plan.policies.apply(change));
        Ok(plan)
    }

    fn defined_columns(&self, columns: &[ColumnDefinition], home: Home<'_>) -> Result<Vec<ColumnRecord>, EngineError> {
        duplicate_column(columns.iter().map(|column| column.name.as_str()))?;
        let record = |column: &ColumnDefinition| {
            let record = self.column_record(column, home)?;
            self.check_default(&record)?;
            Ok(record)
        };
        columns.iter().map(record).collect()
    }

    /// The columns of CREATE TABLE … AS: the query's, renamed, retyped and constrained as declared.
    fn query_columns(
        &self,
        result: Vec<ColumnDescription>,
        declared: &[ColumnDefinition],
        home: Home<'_>,
    ) -> Result<Vec<ColumnRecord>, EngineError> {
        if declared.is_empty() {
            duplicate_column(result.iter().map(|column| column.name.as_str()))?;
            // Some names are made of values or of expressions.
            result.iter().try_for_each(|column| check_name(&column.name))?;
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
            // A type that is declared anew is declared with its collation.
            collation: column.collation.clone().or(result.collation.filter(|_| column.data_type.is_none())),
            data_type: column.data_type.clone().or(Some(result.data_type)),
            ..column.clone()
        });
        self.defined_columns(&definitions.collect::<Vec<_>>(), home)
    }

    /// The columns that a query's result has, as the binder knows them.
    pub(super) fn result_columns(
        &self,
        bound: &[OutputColumn],
        engine_query: &ast::Query,
    ) -> Result<Vec<ColumnDescription>, EngineError> {
        self.connection.expect_unchanged_since(self.context.authorised_at);
        let columns = self.connection.describe(&print::sql(engine_query))?;
        let bound = result_types::described(bound, columns.len());
        Ok(columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let bound = bound.get(index);
                ColumnDescription {
                    id: 0,
                    name: column_name(&column.name, bound).to_owned(),
                    data_type: described_type(result_types::type_of_result(&column.logical_type), bound),
                    not_null: bound.is_some_and(|bound| !bound.value.nullable),
                    default: None,
                    autoincrement: None,
                    comment: None,
                    collation: bound.and_then(|bound| bound.value.collation.as_deref()).map(str::to_owned),
                }
            })
            .collect())
    }

    /// The columns of a table that is made of a query.
    fn table_columns(&self, bound: &Bound, engine_query: &ast::Query) -> Result<Vec<ColumnDescription>, EngineError> {
        let bound = bound.columns.as_deref().unwrap_or_default();
        let mut columns = self.result_columns(bound, engine_query)?;
        for column in &mut columns {
            column.not_null = false;
            if let DataType::Varchar { length } = &mut column.data_type {
                *length = length.filter(|length| *length != TEXT_LENGTH_MAX);
            }
        }
        Ok(columns)
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
            Home::Session => self.temporary.identifier(name),
            Home::Database(_) => name.name.clone(),
        };
        let built = if replacing { format!("{local}__REPLACEMENT") } else { local.clone() };
        let relation = within_home(home, name, &built);
        let columns: Vec<String> =
            plan.columns.iter().map(|column| self.column_sql(column, home)).collect::<Result<_, _>>()?;
        let temporary = if home == Home::Session { "TEMPORARY " } else { "" };
        self.connection.execute(&format!("CREATE {temporary}TABLE {relation} ({})", columns.join(", ")))?;
        if let Some(rows) = &plan.rows {
            let is_clone = matches!(create.source, TableSource::Clone(_));
            let is_wide = self.context.integers == Integers::Wide
                || (is_clone && wide_columns::gives_wide_columns(self.connection, rows)?);
            let mut columns: Vec<ColumnDescription> =
                plan.columns.iter().map(|column| column.description.clone()).collect();
            if is_wide {
                let widening = wide_columns::widening(self.connection, &relation)?;
                widening.iter().try_for_each(|sql| self.connection.execute(sql).map(drop))?;
                columns.iter_mut().for_each(wide_columns::widen_integers);
            }
            self.fill(&relation, &columns, rows)?;
        }
        if replacing && let Some(existing) = existing {
            self.drop_table(existing)?;
            self.connection.execute(&format!("ALTER TABLE {relation} RENAME TO {}", quote_identifier(&local)))?;
        }
        Ok(())
    }

    fn fill(&self, relation: &str, columns: &[ColumnDescription], rows: &str) -> Result<(), EngineError> {
        let mut items = Vec::new();
        let mut names = Vec::new();
        for (position, column) in (1..).zip(columns) {
            let name = dialect::quoted(&position.to_string());
            let mut value = ast::Expr::Identifier(name.clone());
            firn_duckdb_lower::assignment::fit(&mut value, &column.data_type)?;
            items.push(print::into_sql(value));
            names.push(name.to_string());
        }
        self.connection.execute(&format!(
            "INSERT INTO {relation} SELECT {} FROM ({rows}) AS \"source\"({})",
            items.join(", "),
            names.join(", ")
        ))?;
        self.connection.note_profile();
        Ok(())
    }
}

/// The type that the binder has for a column where the engine's values are of it, else the engine's.
fn described_type(computed: DataType, bound: Option<&OutputColumn>) -> DataType {
    const WHOLE: DataType = DataType::Number { precision: 38, scale: 0 };
    let unbounded = DataType::Varchar { length: Some(TEXT_LENGTH_MAX) };
    let is_computed = bound.is_none_or(|bound| bound.origin.is_none());
    match bound.map(|bound| &bound.value.data_type) {
        Some(Type::Null) => unbounded,
        // The engine keeps whole numbers of unknown size in 64 bits.
        Some(Type::Of(WHOLE)) if is_computed && computed == DataType::Integer => computed,
        Some(Type::Of(data_type)) if types::holds(data_type, &computed) => data_type.clone(),
        _ => match computed {
            DataType::Varchar { length: None } => unbounded,
            other => other,
        },
    }
}

fn stored_table(create: &CreateTable, mut plan: Plan, id: i64, context: &ExecutionContext) -> StoredObject {
    // Those of a copied table have ids already, which stay its own.
    plan.columns.iter_mut().for_each(|column| column.description.id = 0);
    StoredObject {
        description: ObjectDescription {
            id,
            name: create.name.clone(),
            kind: ObjectKind::Table,
            owner: context.role.clone(),
            comment: create.comment.clone().or(plan.comment),
            created_on_ms: now_ms(),
            persistence: create.persistence,
            columns: Vec::new(),
            constraints: plan.constraints,
            view_text: None,
            view_query: None,
            sequence: None,
            options: ObjectOptions {
                cluster_by: create.cluster_by.clone().or(plan.cluster_by),
                retention_days: create.retention_days,
                default_collation: create.default_collation.clone(),
                policies: plan.policies,
                ..ObjectOptions::default()
            },
        },
        columns: plan.columns,
        view_query: None,
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

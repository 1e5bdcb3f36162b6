//! What may stand in FROM: relations by name, subqueries, VALUES, known functions, pivots, and joins of
//! these.

use super::refusals::refuse;
use super::{infer_schema, pivots, samples, table_functions};
use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, Ident, JoinConstraint, JoinOperator, Query, SetExpr, Statement, TableAlias, TableAliasColumnDef,
    TableFactor, TableFunctionArgs, TableWithJoins, UpdateTableFromKind, Value,
};
use crate::query_parts::{derived, select_all, skeleton};
use crate::reader::name_parts_of;
use crate::staged_relations::is_staged;

pub(super) fn admit(factor: &mut TableFactor) -> Result<(), Failure> {
    open_name(factor)?;
    if let TableFactor::MatchRecognize { table, .. } = factor {
        super::match_recognize::open_subquery(table);
    }
    super::history::open(factor)?;
    if let TableFactor::Table { name, args: Some(arguments), alias, .. } = factor
        && is_staged(name)
    {
        admit_alias(alias.as_ref())?;
        return admit_staged(arguments);
    }
    if infer_schema::open(factor)? {
        return Ok(());
    }
    table_functions::admit(factor)?;
    match factor {
        TableFactor::Table {
            name: _,
            alias,
            args: _,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } => {
            refuse(version.is_some(), "AT | BEFORE | CHANGES")?;
            samples::admit(sample)?;
            refuse(json_path.is_some(), "path after a table")?;
            let hinted =
                *with_ordinality || !(with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty());
            refuse(hinted, "table hints")?;
            admit_alias(alias.as_ref())
        }
        TableFactor::Derived { lateral: _, subquery, alias, sample } => {
            samples::admit(sample)?;
            admit_alias(alias.as_ref())?;
            name_values(subquery, alias);
            Ok(())
        }
        TableFactor::NestedJoin { table_with_joins, alias } => {
            refuse(alias.is_some(), "alias for a join in brackets")?;
            normalize_joins(table_with_joins);
            admit_joins(table_with_joins)
        }
        TableFactor::Function { .. } | TableFactor::Pivot { .. } | TableFactor::MatchRecognize { .. } => Ok(()),
        TableFactor::Unpivot { value, columns, .. } => pivots::admit_unpivot(value, columns),
        TableFactor::TableFunction { .. } => Err(Failure::unsupported("TABLE()")),
        TableFactor::UnpivotExpr { .. } => Err(Failure::unsupported("UNPIVOT of an expression")),
        TableFactor::SemanticView { alias, .. } => admit_alias(alias.as_ref()),
        TableFactor::UNNEST { .. } => Err(Failure::unsupported("UNNEST")),
        TableFactor::JsonTable { .. } | TableFactor::OpenJsonTable { .. } => Err(Failure::unsupported("JSON_TABLE")),
        TableFactor::XmlTable { .. } => Err(Failure::unsupported("XMLTABLE")),
    }
}

/// `TABLE('db.schema.t')` is the table that the text names.
fn open_name(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::TableFunction { expr: Expr::Value(value), alias } = factor else { return Ok(()) };
    let Value::SingleQuotedString(text) = &value.value else { return Ok(()) };
    let parts: Vec<_> = name_parts_of(text)?.into_iter().map(|part| Ident::with_quote('"', part)).collect();
    *factor = TableFactor::Table {
        name: parts.into(),
        alias: alias.take(),
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    };
    Ok(())
}

/// `@stage (FILE_FORMAT => …, PATTERN => …)`.
fn admit_staged(arguments: &TableFunctionArgs) -> Result<(), Failure> {
    for argument in &arguments.args {
        match argument {
            FunctionArg::Named { name, .. }
                if ["FILE_FORMAT", "PATTERN"].iter().any(|known| name.value.eq_ignore_ascii_case(known)) => {}
            other => return Err(Failure::unsupported(&format!("{other} behind a stage"))),
        }
    }
    refuse(arguments.settings.is_some(), "SETTINGS")
}

fn admit_alias(alias: Option<&TableAlias>) -> Result<(), Failure> {
    let typed = alias.is_some_and(|alias| alias.columns.iter().any(|column| column.data_type.is_some()));
    refuse(typed || alias.is_some_and(|alias| alias.at.is_some()), "types in a table alias")
}

/// The columns of VALUES are called COLUMN1, COLUMN2 and so on.
fn name_values(subquery: &Query, alias: &mut Option<TableAlias>) {
    let SetExpr::Values(values) = subquery.body.as_ref() else { return };
    let Some(row) = values.rows.first() else { return };
    let alias = alias.get_or_insert_with(|| TableAlias {
        explicit: true,
        name: Ident::with_quote('"', "VALUES"),
        columns: Vec::new(),
        at: None,
    });
    name_columns(row.content.len(), alias);
}

/// The same for a CTE.
pub(super) fn name_columns_of_values(query: &Query, alias: &mut TableAlias) {
    if let SetExpr::Values(values) = query.body.as_ref()
        && let Some(row) = values.rows.first()
    {
        name_columns(row.content.len(), alias);
    }
}

fn name_columns(count: usize, alias: &mut TableAlias) {
    if alias.columns.is_empty() {
        let name = |index: usize| Ident::with_quote('"', format!("COLUMN{index}"));
        alias.columns = (1..=count).map(|index| TableAliasColumnDef { name: name(index), data_type: None }).collect();
    }
}

/// The joins of UPDATE … FROM and DELETE … USING, and functions there and in MERGE … USING.
pub(super) fn admit_statement(statement: &mut Statement) -> Result<(), Failure> {
    let tables = match statement {
        Statement::Update(update) => match &mut update.from {
            Some(UpdateTableFromKind::AfterSet(tables)) => tables.as_mut_slice(),
            _ => &mut [],
        },
        Statement::Delete(delete) => delete.using.as_deref_mut().unwrap_or_default(),
        Statement::Merge(merge) => return wrap_function(&mut merge.source),
        _ => &mut [],
    };
    tables.iter_mut().try_for_each(|table| wrap_function(&mut table.relation))?;
    let is_asof =
        |table: &TableWithJoins| table.joins.iter().any(|join| matches!(join.join_operator, JoinOperator::AsOf { .. }));
    refuse(tables.iter().any(is_asof), "ASOF JOIN outside of a query")?;
    tables.iter().try_for_each(admit_joins)
}

/// What functions give is known in queries only: `TABLE(f(…)) AS t` becomes `(SELECT * FROM TABLE(f(…)) AS t) AS t`.
fn wrap_function(factor: &mut TableFactor) -> Result<(), Failure> {
    let alias = match factor {
        TableFactor::TableFunction { alias, .. } | TableFactor::Function { alias, .. } => alias,
        _ => return Ok(()),
    };
    let name = alias.as_ref().map_or_else(|| Ident::with_quote('"', "SOURCE"), |alias| alias.name.clone());
    let function = std::mem::replace(factor, derived(skeleton("SELECT 1")?, name.clone()));
    *factor = derived(select_all(function, None)?, name);
    Ok(())
}

/// An inner join without a condition is a cross join; an outer one gets the condition TRUE.
pub(super) fn normalize_joins(tables: &mut TableWithJoins) {
    for join in &mut tables.joins {
        match &mut join.join_operator {
            JoinOperator::Join(JoinConstraint::None) | JoinOperator::Inner(JoinConstraint::None) => {
                join.join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
            }
            JoinOperator::Left(constraint)
            | JoinOperator::LeftOuter(constraint)
            | JoinOperator::Right(constraint)
            | JoinOperator::RightOuter(constraint)
            | JoinOperator::FullOuter(constraint)
                if *constraint == JoinConstraint::None =>
            {
                *constraint = JoinConstraint::On(Expr::value(Value::Boolean(true)));
            }
            _ => {}
        }
    }
}

/// The visitor does not visit joins; whoever holds a list of them calls this.
pub(super) fn admit_joins(tables: &TableWithJoins) -> Result<(), Failure> {
    for join in &tables.joins {
        refuse(join.global, "GLOBAL JOIN")?;
        match &join.join_operator {
            JoinOperator::Join(_)
            | JoinOperator::Inner(_)
            | JoinOperator::Left(_)
            | JoinOperator::LeftOuter(_)
            | JoinOperator::Right(_)
            | JoinOperator::RightOuter(_)
            | JoinOperator::FullOuter(_)
            | JoinOperator::CrossJoin(_) => {}
            JoinOperator::AsOf { .. } => {}
            _ => return Err(Failure::unsupported("SEMI, ANTI, ARRAY and APPLY joins")),
        }
    }
    Ok(())
}

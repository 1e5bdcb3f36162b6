//! What may stand in FROM: relations by name, subqueries, VALUES and joins of these. No table
//! function is admitted.

use super::refuse;
use crate::Failure;
use crate::ast::{
    Expr, Ident, JoinOperator, Query, SetExpr, Statement, TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins,
    UpdateTableFromKind, Value,
};
use crate::parse::name_parts_of;

pub(super) fn admit(factor: &mut TableFactor) -> Result<(), Failure> {
    open_name(factor)?;
    match factor {
        TableFactor::Table {
            name: _,
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } => {
            if args.is_some() {
                return Err(table_function(factor));
            }
            refuse(version.is_some(), "AT | BEFORE | CHANGES")?;
            refuse(sample.is_some(), "SAMPLE")?;
            refuse(json_path.is_some(), "path after a table")?;
            let hinted =
                *with_ordinality || !(with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty());
            refuse(hinted, "table hints")?;
            admit_alias(alias.as_ref())
        }
        TableFactor::Derived { lateral: _, subquery, alias, sample } => {
            refuse(sample.is_some(), "SAMPLE")?;
            admit_alias(alias.as_ref())?;
            name_values(subquery, alias);
            Ok(())
        }
        TableFactor::NestedJoin { table_with_joins, alias } => {
            refuse(alias.is_some(), "alias for a join in brackets")?;
            admit_joins(table_with_joins)
        }
        TableFactor::TableFunction { .. } | TableFactor::Function { .. } => Err(table_function(factor)),
        TableFactor::Pivot { .. } => Err(Failure::unsupported("PIVOT")),
        TableFactor::Unpivot { .. } | TableFactor::UnpivotExpr { .. } => Err(Failure::unsupported("UNPIVOT")),
        TableFactor::MatchRecognize { .. } => Err(Failure::unsupported("MATCH_RECOGNIZE")),
        TableFactor::SemanticView { .. } => Err(Failure::unsupported("SEMANTIC_VIEW")),
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

fn admit_alias(alias: Option<&TableAlias>) -> Result<(), Failure> {
    let typed = alias.is_some_and(|alias| alias.columns.iter().any(|column| column.data_type.is_some()));
    refuse(typed || alias.is_some_and(|alias| alias.at.is_some()), "types in a table alias")
}

/// Refuses a table function by the dialect's name for it.
fn table_function(factor: &TableFactor) -> Failure {
    let name = match factor {
        TableFactor::Table { name, .. } | TableFactor::Function { name, .. } => name.to_string(),
        TableFactor::TableFunction { expr: Expr::Function(function), .. } => function.name.to_string(),
        _ => "TABLE()".to_owned(),
    };
    Failure::unsupported(&format!("table function {}", name.to_ascii_uppercase()))
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
    if alias.columns.is_empty() {
        let name = |index: usize| Ident::with_quote('"', format!("COLUMN{index}"));
        alias.columns =
            (1..=row.content.len()).map(|index| TableAliasColumnDef { name: name(index), data_type: None }).collect();
    }
}

/// The joins of UPDATE … FROM and DELETE … USING.
pub(super) fn admit_statement(statement: &Statement) -> Result<(), Failure> {
    let tables = match statement {
        Statement::Update(update) => match &update.from {
            Some(UpdateTableFromKind::AfterSet(tables)) => tables.as_slice(),
            _ => &[],
        },
        Statement::Delete(delete) => delete.using.as_deref().unwrap_or_default(),
        _ => &[],
    };
    tables.iter().try_for_each(admit_joins)
}

/// Joins are no nodes the visitor stops at; whoever holds a list of them asks here.
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
            JoinOperator::AsOf { .. } => return Err(Failure::unsupported("ASOF JOIN")),
            _ => return Err(Failure::unsupported("SEMI, ANTI, ARRAY and APPLY joins")),
        }
    }
    Ok(())
}

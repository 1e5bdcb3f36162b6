//! FLATTEN, and the functions that split texts into rows: first the rows as one list beside each row to its left, then the list unnested. In two steps
//! the engine keeps the rows in their order, which it would not if it unnested a computed list.

use firn_sql::Failure;
use firn_sql::ast::{
    ExcludeSelectItem, Expr, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArguments, Ident, Join,
    JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, Query, Select, SelectItem, SetExpr, TableAlias,
    TableFactor, TableWithJoins, Value,
};
use firn_sql::print;

use super::build::{call, function, null, number, quoted, text};

pub(super) fn is_flatten(table: &TableFactor) -> bool {
    function_of(table).is_some_and(|name| name == "FLATTEN")
}

/// The function that makes a list of the pieces of a text, for the functions in FROM that do so.
pub(super) fn pieces_of(table: &TableFactor) -> Option<&'static str> {
    match function_of(table)? {
        "SPLIT_TO_TABLE" => Some("firn_split"),
        "STRTOK_SPLIT_TO_TABLE" => Some("firn_strtok_split"),
        _ => None,
    }
}

fn function_of(table: &TableFactor) -> Option<&str> {
    let TableFactor::Function { name, .. } = table else { return None };
    match &name.0[..] {
        [ObjectNamePart::Identifier(name)] => Some(&name.value),
        _ => None,
    }
}

fn is_expanded(table: &TableFactor) -> bool {
    is_flatten(table) || pieces_of(table).is_some()
}

/// `count` is how many lists the statement has so far; each gets a name of its own.
pub(super) fn rewrite(select: &mut Select, count: &mut usize) -> Result<(), Failure> {
    let in_joins = |table: &TableWithJoins| table.joins.iter().any(|join| is_expanded(&join.relation));
    if !select.from.iter().any(|table| is_expanded(&table.relation) || in_joins(table)) {
        return Ok(());
    }
    let mut hidden = Vec::new();
    let mut from = Vec::with_capacity(select.from.len());
    for table in std::mem::take(&mut select.from) {
        let TableWithJoins { relation, joins } = table;
        let relation = match expand(relation, count, &mut hidden)? {
            (None, relation) => relation,
            (Some(list), relation) => {
                from.push(TableWithJoins { relation: list, joins: Vec::new() });
                relation
            }
        };
        let mut all_joins = Vec::with_capacity(joins.len());
        for join in joins {
            let (list, relation) = expand(join.relation, count, &mut hidden)?;
            all_joins.extend(list.map(|relation| Join {
                relation,
                global: false,
                join_operator: JoinOperator::CrossJoin(JoinConstraint::None),
            }));
            let join_operator = match join.join_operator {
                JoinOperator::Join(JoinConstraint::None) | JoinOperator::Inner(JoinConstraint::None) => {
                    JoinOperator::CrossJoin(JoinConstraint::None)
                }
                other => other,
            };
            all_joins.push(Join { relation, join_operator, ..join });
        }
        from.push(TableWithJoins { relation, joins: all_joins });
    }
    select.from = from;
    if !hidden.is_empty() {
        hide(&mut select.projection, &hidden);
    }
    Ok(())
}

fn expand(
    table: TableFactor,
    count: &mut usize,
    hidden: &mut Vec<Ident>,
) -> Result<(Option<TableFactor>, TableFactor), Failure> {
    if !is_expanded(&table) {
        return Ok((None, table));
    }
    let pieces = pieces_of(&table);
    let TableFactor::Function { args, alias, .. } = table else { return Ok((None, table)) };
    *count += 1;
    let (relation, column) = (quoted(&format!("firn flatten {count}")), quoted(&format!("firn rows {count}")));
    let arguments = args.into_iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
        _ => None,
    });
    let list = match pieces {
        None => call("firn_flatten", arguments.collect()),
        Some(split) => {
            let list = call(split, arguments.collect());
            call("firn_flatten", vec![list, null(), boolean(false), boolean(false), text("ARRAY")])
        }
    };
    let list = SelectItem::ExprWithAlias { expr: list, alias: column.clone() };
    let list_alias = TableAlias { explicit: true, name: relation.clone(), columns: Vec::new(), at: None };
    let rows = SelectItem::UnnamedExpr(unnest(vec![relation, column.clone()]));
    hidden.push(column);
    let rows = match pieces {
        None => lateral(rows, alias)?,
        Some(_) => numbered_pieces(rows, alias)?,
    };
    Ok((Some(lateral(list, Some(list_alias))?), rows))
}

/// SEQ, INDEX and VALUE of the rows: pieces are texts, and counted from one.
fn numbered_pieces(rows: SelectItem, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    let mut subquery = print::read_query(
        r#"SELECT "SEQ", "INDEX" + 1 AS "INDEX", CAST("VALUE" AS VARCHAR) AS "VALUE" FROM (SELECT 1) AS "firn pieces""#,
    )?;
    if let SetExpr::Select(select) = &mut *subquery.body
        && let Some(TableWithJoins { relation: TableFactor::Derived { subquery: inside, .. }, .. }) =
            select.from.first_mut()
        && let SetExpr::Select(inside) = &mut *inside.body
    {
        inside.projection = vec![rows];
    }
    Ok(TableFactor::Derived { lateral: true, subquery: Box::new(subquery), alias, sample: None })
}

fn boolean(value: bool) -> Expr {
    Expr::value(Value::Boolean(value))
}

/// `unnest(relation.column, max_depth := 2)`: the list, and the structs in it.
fn unnest(list: Vec<Ident>) -> Expr {
    let mut unnest = function("unnest", vec![Expr::CompoundIdentifier(list)]);
    if let FunctionArguments::List(arguments) = &mut unnest.args {
        arguments.args.push(FunctionArg::Named {
            name: Ident::new("max_depth"),
            arg: FunctionArgExpr::Expr(number(2)),
            operator: FunctionArgOperator::Assignment,
        });
    }
    Expr::Function(unnest)
}

fn lateral(item: SelectItem, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    let mut subquery: Query = print::read_query("SELECT 1")?;
    if let SetExpr::Select(select) = &mut *subquery.body {
        select.projection = vec![item];
    }
    Ok(TableFactor::Derived { lateral: true, subquery: Box::new(subquery), alias, sample: None })
}

/// `*` shows no list.
fn hide(projection: &mut [SelectItem], hidden: &[Ident]) {
    for item in projection {
        let SelectItem::Wildcard(options) = item else { continue };
        let mut excluded = match options.opt_exclude.take() {
            Some(ExcludeSelectItem::Single(one)) => vec![one],
            Some(ExcludeSelectItem::Multiple(several)) => several,
            None => Vec::new(),
        };
        excluded.extend(hidden.iter().map(|column| ObjectName::from(vec![column.clone()])));
        options.opt_exclude = Some(ExcludeSelectItem::Multiple(excluded));
    }
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn a_list_is_made_and_unnested() {
        check(
            "SELECT * FROM t, LATERAL FLATTEN(t.v, NULL, false, false, 'BOTH') AS f",
            r#"SELECT * EXCLUDE ("firn rows 1") FROM t, LATERAL (SELECT firn_flatten(t.v, NULL, false, false, 'BOTH') AS "firn rows 1") AS "firn flatten 1", LATERAL (SELECT unnest("firn flatten 1"."firn rows 1", max_depth := 2)) AS f"#,
        );
    }
}

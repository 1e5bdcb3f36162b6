//! FLATTEN, and the functions that split texts into rows: first a column with the rows as a list, then the list is
//! unnested. In two steps the engine preserves the order of rows, which it does not if it unnests a computed list.

mod conditions;
mod expanded;
mod in_place;
mod left_joins;
mod list_columns;
mod outputs;
mod predicate_pushdown;

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArguments, Ident, Join,
    JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor, TableWithJoins, Visitor,
};
use firn_sql::print;
use firn_sql::tree::Walk;

use super::build::{boolean, call, function, null, number, quoted, text};
use super::wildcards;
use conditions::{Elements, List, Rows, evaluate_after_join};
pub(super) use expanded::pieces_of;
use expanded::{also, can_follow, cross_join, exclude, is_expanded, is_list, is_there};
pub use expanded::{is_flatten, is_generator};
use left_joins::JoinedRows;
use list_columns::ListColumns;
pub(super) use predicate_pushdown::{Names, push_down_predicates};

/// Who reads the rows of a select.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The caller, as they are.
    Caller,
    /// Another query, which may have conditions on them.
    Query,
    /// Another query, of rows that are sorted by columns of the select first.
    SortedQuery,
}

/// `count` is how many lists the statement has so far; each gets a name of its own.
pub(super) fn rewrite(select: &mut Select, reader: Reader, count: &mut usize) -> Result<(), Failure> {
    if !select.from.iter().any(is_list) {
        return Ok(());
    }
    let mut expansion = Expansion {
        count,
        hidden: Vec::new(),
        lists: Vec::new(),
        unnested: Vec::new(),
        list_columns: ListColumns::of(select),
        with_this: names_this(select),
    };
    let mut from: Vec<TableWithJoins> = Vec::with_capacity(select.from.len());
    // Only in a single chain of joins can lists be unnested in place instead of being joined laterally.
    let in_one_row = select.from.iter().skip(1).all(|table| table.joins.iter().all(can_follow));
    for TableWithJoins { relation, joins } in std::mem::take(&mut select.from) {
        let Expanded { list, rows, unnested } = expansion.expand(relation, JoinedRows::All)?;
        let mut table = match (if in_one_row { from.pop() } else { None }, list) {
            (Some(mut before), list) => {
                before.joins.extend(list.map(cross_join));
                before.joins.push(Join { relation: rows, global: false, join_operator: joined(unnested) });
                before
            }
            (None, Some(list)) => {
                let rows = Join { relation: rows, global: false, join_operator: joined(unnested) };
                TableWithJoins { relation: list, joins: vec![rows] }
            }
            (None, None) => TableWithJoins { relation: rows, joins: Vec::new() },
        };
        for mut join in joins {
            let joined_rows = left_joins::take_condition(&mut join);
            let Expanded { list, rows, unnested } = expansion.expand(join.relation, joined_rows)?;
            table.joins.extend(list.map(cross_join));
            let join_operator = match join.join_operator {
                JoinOperator::Join(JoinConstraint::None)
                | JoinOperator::Inner(JoinConstraint::None)
                | JoinOperator::CrossJoin(JoinConstraint::None) => joined(unnested),
                JoinOperator::Join(JoinConstraint::On(mut condition))
                | JoinOperator::Inner(JoinConstraint::On(mut condition)) => {
                    evaluate_after_join(&mut condition, &expansion.lists);
                    joined(Some(unnested.into_iter().fold(condition, also)))
                }
                other => other,
            };
            table.joins.push(Join { relation: rows, join_operator, ..join });
        }
        from.push(table);
    }
    select.from = from;
    if reader == Reader::Query
        && expansion.is_read_alone(&select.from)
        && in_place::is_plain(select)
        && let [list] = &expansion.lists[..]
    {
        in_place::name_fields(select, list);
        select.from.iter_mut().for_each(|table| table.joins.clear());
        expansion.list_columns.unnest();
        return expansion.list_columns.add_to(select);
    }
    if let Some(condition) = &mut select.selection {
        evaluate_after_join(condition, &expansion.lists);
    }
    if reader != Reader::Caller {
        outputs::evaluate_after_join(select, &expansion.lists);
    }
    hide(select, &expansion);
    expansion.list_columns.add_to(select)
}

/// A condition on a join that holds for every row makes the engine unnest in its place.
fn joined(condition: Option<Expr>) -> JoinOperator {
    match condition {
        Some(condition) => JoinOperator::Inner(JoinConstraint::On(condition)),
        None => JoinOperator::CrossJoin(JoinConstraint::None),
    }
}

/// Whether a query can show what FLATTEN calls THIS.
fn names_this(select: &Select) -> bool {
    struct Finder;
    impl Visitor for Finder {
        type Break = ();

        fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
            let is_star = |item: &SelectItem| matches!(item, SelectItem::QualifiedWildcard(..));
            if select.projection.iter().any(is_star) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            let name = match expr {
                Expr::Identifier(name) => Some(name),
                Expr::CompoundIdentifier(parts) => parts.last(),
                _ => None,
            };
            let is_this = |name: &Ident| name.value == "THIS" || name.value.starts_with(['*', '#']);
            if name.is_some_and(is_this) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    // The star of a subquery shows what is in the subquery only.
    select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)))
        || select.inspect(&mut Finder).is_break()
}

struct Expansion<'count> {
    count: &'count mut usize,
    hidden: Vec<Ident>,
    lists: Vec<List>,
    /// A condition that the rows of each list meet.
    unnested: Vec<Expr>,
    list_columns: ListColumns,
    with_this: bool,
}

struct Expanded {
    list: Option<TableFactor>,
    rows: TableFactor,
    /// A condition that the rows of the list meet.
    unnested: Option<Expr>,
}

impl Expansion<'_> {
    /// Whether FROM has one list and its table only.
    fn is_read_alone(&self, from: &[TableWithJoins]) -> bool {
        let ([unnested], [TableWithJoins { joins, .. }]) = (&self.unnested[..], from) else { return false };
        let is_list = |join: &Join| matches!(&join.join_operator, JoinOperator::Inner(JoinConstraint::On(condition)) if condition == unnested);
        self.list_columns.has_lists() && matches!(&joins[..], [join] if is_list(join))
    }

    fn expand(&mut self, table: TableFactor, joined_rows: JoinedRows) -> Result<Expanded, Failure> {
        if !is_expanded(&table) {
            return Ok(Expanded { list: None, rows: table, unnested: None });
        }
        let pieces = pieces_of(&table);
        let TableFactor::Function { args, alias, .. } = table else {
            return Ok(Expanded { list: None, rows: table, unnested: None });
        };
        *self.count += 1;
        let column = quoted(&format!("firn rows {}", self.count));
        let alias = alias.unwrap_or_else(|| named(quoted(&format!("firn elements {}", self.count))));
        let mut arguments: Vec<Expr> = args
            .into_iter()
            .filter_map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
                _ => None,
            })
            .collect();
        if let Some(split) = pieces {
            arguments = vec![call(split, arguments), null(), boolean(false), boolean(false), text("ARRAY")];
        }
        arguments.push(boolean(pieces.is_none() && (self.with_this || !alias.columns.is_empty())));
        let elements = if pieces.is_some() { Elements::Pieces } else { Elements::Values };
        let named_rows = Rows::new(&alias, elements);
        let expr = left_joins::filtered(call("firn_flatten", arguments), joined_rows, &named_rows);
        let home = self.list_columns.home_of(&expr);
        let relation =
            home.as_ref().map_or_else(|| quoted(&format!("firn flatten {}", self.count)), |home| quoted(home));
        let list = SelectItem::ExprWithAlias { expr, alias: column.clone() };
        let rows = SelectItem::UnnamedExpr(unnest(vec![relation.clone(), column.clone()]));
        let first = alias.columns.first().map_or_else(|| quoted("SEQ"), |column| column.name.clone());
        let unnested = Expr::Nested(Box::new(Expr::BinaryOp {
            left: Box::new(is_there(&relation, &column)),
            op: BinaryOperator::Or,
            right: Box::new(is_there(&alias.name, &first)),
        }));
        self.unnested.push(unnested.clone());
        self.lists.push(List { relation: relation.clone(), column: column.clone(), rows: named_rows });
        self.hidden.push(column);
        let rows = match pieces {
            None => lateral(rows, alias)?,
            Some(_) => numbered_pieces(rows, alias)?,
        };
        let list = match home {
            Some(table) => {
                self.list_columns.place(table, list);
                None
            }
            None => Some(lateral(list, named(relation))?),
        };
        Ok(Expanded { list, rows, unnested: Some(unnested) })
    }
}

fn named(name: Ident) -> TableAlias {
    TableAlias { explicit: true, name, columns: Vec::new(), at: None }
}

/// SEQ, INDEX and VALUE of the rows: pieces are texts, and counted from one.
fn numbered_pieces(rows: SelectItem, alias: TableAlias) -> Result<TableFactor, Failure> {
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
    Ok(TableFactor::Derived { lateral: true, subquery: Box::new(subquery), alias: Some(alias), sample: None })
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

fn lateral(item: SelectItem, alias: TableAlias) -> Result<TableFactor, Failure> {
    let mut subquery: Query = print::read_query("SELECT 1")?;
    if let SetExpr::Select(select) = &mut *subquery.body {
        select.projection = vec![item];
    }
    Ok(TableFactor::Derived { lateral: true, subquery: Box::new(subquery), alias: Some(alias), sample: None })
}

/// `*` shows no list.
fn hide(select: &mut Select, expansion: &Expansion<'_>) {
    for item in &mut select.projection {
        let lists = list_columns::starred(item).map(|table| expansion.list_columns.lists_in(table));
        match item {
            SelectItem::Wildcard(options) => exclude(options, &expansion.hidden),
            SelectItem::QualifiedWildcard(_, options) => exclude(options, &lists.unwrap_or_default()),
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                let in_table = |table: &str| expansion.list_columns.lists_in(table);
                wildcards::hide(expr, &expansion.hidden, &in_table);
            }
            SelectItem::ExprWithAliases { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn a_list_is_made_beside_its_table_and_unnested() {
        check(
            "SELECT * FROM t, LATERAL FLATTEN(t.v, NULL, false, false, 'BOTH') AS f",
            r#"SELECT * EXCLUDE ("firn rows 1") FROM (SELECT *, firn_flatten(t.v, NULL, false, false, 'BOTH', true) AS "firn rows 1" FROM t) AS "t" INNER JOIN LATERAL (SELECT unnest("t"."firn rows 1", max_depth := 2)) AS f ON ("t"."firn rows 1" IS NOT NULL OR f."SEQ" IS NOT NULL)"#,
        );
        check(
            "SELECT f.VALUE FROM LATERAL FLATTEN(v, NULL, false, false, 'BOTH') AS f",
            r#"SELECT f.VALUE FROM LATERAL (SELECT firn_flatten(v, NULL, false, false, 'BOTH', false) AS "firn rows 1") AS "firn flatten 1" INNER JOIN LATERAL (SELECT unnest("firn flatten 1"."firn rows 1", max_depth := 2)) AS f ON ("firn flatten 1"."firn rows 1" IS NOT NULL OR f."SEQ" IS NOT NULL)"#,
        );
    }

    #[test]
    fn a_list_that_a_query_reads_is_unnested_where_its_table_is_read() {
        check(
            "SELECT a FROM (SELECT t.a, f.VALUE FROM t, LATERAL FLATTEN(t.v, NULL, false, false, 'BOTH') AS f)",
            r#"SELECT a FROM (SELECT t.a AS a, struct_extract("t"."firn rows 1", 'VALUE') AS VALUE FROM (SELECT *, unnest(firn_flatten(t.v, NULL, false, false, 'BOTH', false)) AS "firn rows 1" FROM t) AS "t")"#,
        );
    }

    #[test]
    fn columns_that_a_query_reads_also_ask_for_the_list() {
        check(
            "SELECT a FROM (SELECT t.a, f.VALUE FROM t, LATERAL FLATTEN(t.v, NULL, false, false, 'BOTH') AS f ORDER BY f.INDEX)",
            r#"SELECT a FROM (SELECT t.a AS a, CASE WHEN "t"."firn rows 1" IS NOT NULL THEN f.VALUE END AS VALUE FROM (SELECT *, firn_flatten(t.v, NULL, false, false, 'BOTH', false) AS "firn rows 1" FROM t) AS "t" INNER JOIN LATERAL (SELECT unnest("t"."firn rows 1", max_depth := 2)) AS f ON ("t"."firn rows 1" IS NOT NULL OR f."SEQ" IS NOT NULL) ORDER BY f.INDEX)"#,
        );
    }

    #[test]
    fn a_left_join_keeps_elements_or_a_row_of_nulls() {
        check(
            "SELECT f.VALUE FROM t LEFT JOIN LATERAL FLATTEN(t.v, NULL, false, false, 'BOTH') AS f ON f.INDEX > t.a",
            r#"SELECT f.VALUE FROM (SELECT *, coalesce(nullif(list_filter(firn_flatten(t.v, NULL, false, false, 'BOTH', false), lambda "firn element" : CAST(firn_truth(struct_extract("firn element", 'INDEX') > t.a) AS BOOLEAN)), list_value()), list_value(NULL)) AS "firn rows 1" FROM t) AS "t" INNER JOIN LATERAL (SELECT unnest("t"."firn rows 1", max_depth := 2)) AS f ON ("t"."firn rows 1" IS NOT NULL OR f."SEQ" IS NOT NULL)"#,
        );
    }

    #[test]
    fn conditions_on_tables_are_asked_before_the_list_is_made() {
        check(
            "SELECT 1 FROM a, b, LATERAL FLATTEN(b.v, NULL, false, false, 'BOTH') AS f WHERE a.x = b.x AND b.y = 1 AND f.INDEX = a.x",
            r#"SELECT 1 FROM a INNER JOIN (SELECT * FROM b WHERE b.y = 1) AS "b" ON a.x = b.x CROSS JOIN LATERAL (SELECT firn_flatten(b.v, NULL, false, false, 'BOTH', false) AS "firn rows 1") AS "firn flatten 1" INNER JOIN LATERAL (SELECT unnest("firn flatten 1"."firn rows 1", max_depth := 2)) AS f ON ("firn flatten 1"."firn rows 1" IS NOT NULL OR f."SEQ" IS NOT NULL) WHERE f.INDEX = a.x"#,
        );
    }

    #[test]
    fn conditions_on_its_rows_also_ask_for_the_list() {
        check(
            "SELECT 1 FROM t, LATERAL FLATTEN(t.v, NULL, false, false, 'BOTH') AS f WHERE t.a = 1 AND (f.INDEX = 2 AND f.INDEX = t.a)",
            r#"SELECT 1 FROM (SELECT *, firn_flatten(t.v, NULL, false, false, 'BOTH', false) AS "firn rows 1" FROM (SELECT * FROM t WHERE t.a = 1) AS "t") AS "t" INNER JOIN LATERAL (SELECT unnest("t"."firn rows 1", max_depth := 2)) AS f ON ("t"."firn rows 1" IS NOT NULL OR f."SEQ" IS NOT NULL) WHERE (CASE WHEN "t"."firn rows 1" IS NOT NULL THEN f.INDEX = 2 END) AND (f.INDEX = t.a)"#,
        );
    }
}

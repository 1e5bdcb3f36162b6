//! `*` as the argument of a function: all columns, one by one, or an object of them.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectName, Visitor, VisitorMut, WildcardAdditionalOptions,
};
use firn_sql::tree::Walk;

use super::build::{call, nested, null, plain_name, text};

const COLUMNS: &str = "*COLUMNS(";

/// The engine has no IS NULL over all columns, but a macro of it.
pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    match expr {
        Expr::IsNotNull(inside) if has_columns(inside) => {
            *expr = call("firn_is_there", vec![std::mem::replace(&mut **inside, null())]);
        }
        Expr::IsNull(inside) if has_columns(inside) => {
            *expr = call("firn_is_missing", vec![std::mem::replace(&mut **inside, null())]);
        }
        _ => {}
    }
    Ok(())
}

/// `a IS NOT NULL AND b IS NOT NULL`, whatever the values are made of.
pub(super) fn are_not_null(values: &[&Expr]) -> Option<Expr> {
    let with_columns = values.iter().any(|value| has_columns(value));
    let there = values.iter().map(|value| match with_columns {
        true => call("firn_is_there", vec![(*value).clone()]),
        false => Expr::IsNotNull(Box::new(nested((*value).clone()))),
    });
    there.reduce(|left, right| Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) })
}

fn has_columns(expr: &Expr) -> bool {
    struct Finder;
    impl Visitor for Finder {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Identifier(name) if name.value.starts_with(COLUMNS) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    expr.inspect(&mut Finder).is_break()
}

pub(super) fn expand(name: &str, function: &mut Function) -> Result<(), Failure> {
    let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
    if !list.args.iter().any(is_wildcard) {
        return Ok(());
    }
    match name {
        "OBJECT_CONSTRUCT" | "OBJECT_CONSTRUCT_KEEP_NULL" if list.args.len() == 1 => {
            let row = call("struct_pack", vec![columns(&list.args[0])?]);
            list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(row))];
            let whole = if name == "OBJECT_CONSTRUCT" { "firn_object_of_row" } else { "firn_object_of_row_keep_null" };
            function.name = plain_name(whole);
            Ok(())
        }
        "ARRAY_CONSTRUCT"
        | "ARRAY_CONSTRUCT_COMPACT"
        | "HASH"
        | "HASH_AGG"
        | "HLL"
        | "APPROX_COUNT_DISTINCT"
        | "MINHASH"
        | "SEARCH"
        | "SEARCH_IP" => {
            for argument in list.args.iter_mut().filter(|argument| is_wildcard(argument)) {
                *argument = FunctionArg::Unnamed(FunctionArgExpr::Expr(columns(argument)?));
            }
            Ok(())
        }
        "COUNT" if list.args.len() == 1 && list.duplicate_treatment == Some(DuplicateTreatment::Distinct) => {
            list.args[0] = FunctionArg::Unnamed(FunctionArgExpr::Expr(columns(&list.args[0])?));
            Ok(())
        }
        // A text that is NULL where a column is: rows are counted that have a value in every column.
        "COUNT" if matches!(&list.args[..], [some] if is_wildcard(some) && !is_plain_star(some)) => {
            let whole = call("format", vec![text(""), columns(&list.args[0])?]);
            list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(whole))];
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_wildcard(argument: &FunctionArg) -> bool {
    matches!(
        argument,
        FunctionArg::Unnamed(
            FunctionArgExpr::Wildcard | FunctionArgExpr::QualifiedWildcard(_) | FunctionArgExpr::WildcardWithOptions(_)
        )
    )
}

/// COUNT(*) counts all rows, whatever they hold.
fn is_plain_star(argument: &FunctionArg) -> bool {
    matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Wildcard))
}

/// `*COLUMNS(…)`, which the engine expands to the columns.
fn columns(argument: &FunctionArg) -> Result<Expr, Failure> {
    let inside = match argument {
        FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name)) => format!("{}.*", table(name)),
        FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options)) => match &options.opt_ilike {
            Some(ilike) if options.opt_exclude.is_none() => text(&expression(&ilike.pattern)).to_string(),
            _ => format!("*{}", option(options)?),
        },
        _ => "*".to_owned(),
    };
    Ok(Expr::Identifier(Ident::new(format!("{COLUMNS}{inside})"))))
}

/// The table in `*COLUMNS(t.*)`.
pub(super) fn starred_table(name: &str) -> Option<&str> {
    let table = name.strip_prefix(COLUMNS)?.strip_suffix(".*)")?;
    Some(table.trim_matches('"'))
}

pub(super) fn star_of(table: &Ident) -> String {
    format!("{COLUMNS}{table}.*)")
}

/// Excludes columns from `*COLUMNS(*)` and `*COLUMNS(t.*)`.
pub(super) fn hide(expr: &mut Expr, hidden: &[Ident], in_table: &dyn Fn(&str) -> Vec<Ident>) {
    struct Hiding<'a> {
        hidden: &'a [Ident],
        in_table: &'a dyn Fn(&str) -> Vec<Ident>,
    }
    impl VisitorMut for Hiding<'_> {
        type Break = ();

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if let Expr::Identifier(name) = expr
                && let Some(inside) = name.value.strip_prefix(COLUMNS).and_then(|inside| inside.strip_suffix(')'))
                && let Some(less) = without(inside, self.hidden, self.in_table)
            {
                name.value = format!("{COLUMNS}{less})");
            }
            ControlFlow::Continue(())
        }
    }
    // The visitor never breaks.
    let _ = expr.rewrite(&mut Hiding { hidden, in_table });
}

/// `* EXCLUDE (…)`, if any column is hidden.
fn without(star: &str, hidden: &[Ident], in_table: &dyn Fn(&str) -> Vec<Ident>) -> Option<String> {
    let listed = |names: &[Ident]| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if let Some(options) = star.strip_prefix('*') {
        let given = options.trim_start().strip_prefix("EXCLUDE").map(|given| given.trim().trim_matches(['(', ')']));
        let given = given.map(|given| format!("{given}, ")).unwrap_or_default();
        return Some(format!("* EXCLUDE ({given}{})", listed(hidden)));
    }
    let table = star.strip_suffix(".*")?;
    let inside = in_table(table.trim_matches('"'));
    (!inside.is_empty()).then(|| format!("{table}.* EXCLUDE ({})", listed(&inside)))
}

/// A regular expression for names that are like a pattern, in any letter case.
fn expression(pattern: &str) -> String {
    let mut expression = "(?is)^".to_owned();
    for character in pattern.chars() {
        match character {
            '%' => expression.push_str(".*"),
            '_' => expression.push('.'),
            word if word.is_alphanumeric() => expression.push(word),
            sign => expression.extend(['\\', sign]),
        }
    }
    expression + "$"
}

/// Inside of a query a table has only its own name.
fn table(name: &ObjectName) -> String {
    name.0.last().map(ToString::to_string).unwrap_or_default()
}

fn option(options: &WildcardAdditionalOptions) -> Result<String, Failure> {
    let WildcardAdditionalOptions { opt_ilike, opt_exclude, .. } = options;
    match (opt_ilike, opt_exclude) {
        (None, Some(exclude)) => Ok(format!(" {}", exclude.to_string().trim())),
        (None, None) => Ok(String::new()),
        _ => Err(Failure::unsupported("* ILIKE … EXCLUDE as the argument of a function")),
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn stars_are_all_columns() {
        check("SELECT OBJECT_CONSTRUCT(*) FROM t", "SELECT firn_object_of_row(struct_pack(*COLUMNS(*))) FROM t");
        check(
            "SELECT OBJECT_CONSTRUCT_KEEP_NULL(t.*) FROM t",
            "SELECT firn_object_of_row_keep_null(struct_pack(*COLUMNS(t.*))) FROM t",
        );
        check(
            "SELECT OBJECT_CONSTRUCT(* ILIKE 'a%b_') FROM t",
            "SELECT firn_object_of_row(struct_pack(*COLUMNS('(?is)^a.*b.$'))) FROM t",
        );
        check("SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM t");
        check("SELECT COUNT(* ILIKE 'a%') FROM t", "SELECT COUNT(format('', *COLUMNS('(?is)^a.*$'))) FROM t");
        check("SELECT COUNT(t.*) FROM t", "SELECT COUNT(format('', *COLUMNS(t.*))) FROM t");
        check(
            "SELECT COUNT(DISTINCT t.*) FROM t",
            "SELECT COUNT(DISTINCT row(*COLUMNS(t.*))) FILTER (WHERE firn_is_there(format('', *COLUMNS(t.*)))) FROM t",
        );
        check("SELECT ARRAY_CONSTRUCT(1, *) FROM t", "SELECT firn_array_construct(1, *COLUMNS(*)) FROM t");
    }
}

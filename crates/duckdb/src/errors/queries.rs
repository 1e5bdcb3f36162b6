//! The engine's errors about the structure of a query or DML statement, in the dialect's words.

use firn_duckdb_lower::identifiers::invalid_identifier;
use firn_sql::Failure;
use firn_sql::names::display_identifier;

use super::report::{Report, compilation};

/// Functions that the dialect knows only with OVER.
const WINDOW_FUNCTIONS: [&str; 14] = [
    "conditional_change_event",
    "conditional_true_event",
    "cume_dist",
    "dense_rank",
    "first_value",
    "lag",
    "last_value",
    "lead",
    "nth_value",
    "ntile",
    "percent_rank",
    "rank",
    "ratio_to_report",
    "row_number",
];

pub(super) fn query(report: &Report) -> Option<Failure> {
    let message = report.message.as_str();
    let quoted: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    names(message, &quoted)
        .or_else(|| not_offered(message, &quoted))
        .or_else(|| columns(message, &quoted))
        .or_else(|| arguments(message))
        .or_else(|| lists(message))
}

/// A window function that is called like any other.
pub(super) fn without_window(name: &str) -> Option<Failure> {
    let is_one = WINDOW_FUNCTIONS.contains(&name.to_ascii_lowercase().as_str());
    is_one.then(|| {
        compilation("002303", "42601", &format!("{} is a window function: OVER is missing", name.to_uppercase()))
    })
}

/// Unknown and ambiguous names.
fn names(message: &str, quoted: &[&str]) -> Option<Failure> {
    if let Some(rest) = message.strip_prefix("Cannot extract field '") {
        let (field, _) = rest.split_once('\'')?;
        return Some(invalid_identifier(&format!(
            "{}.{}",
            quoted.first()?.replace('"', ""),
            display_identifier(field)
        )));
    }
    if message.starts_with("Cannot extract field from expression") {
        return Some(invalid_identifier(quoted.first()?));
    }
    if message.starts_with("Column \"") && message.contains("side of join") {
        return Some(invalid_identifier(&display_identifier(quoted.first()?)));
    }
    if let Some(rest) = message.strip_prefix("Positional reference ") {
        return Some(invalid_identifier(&format!("${}", rest.split(' ').next()?)));
    }
    if message.starts_with("Table Function with name ") {
        return Some(Failure::unsupported("a table function outside of SELECT … FROM; put it into a subquery"));
    }
    if message.starts_with("Ambiguous reference to table") {
        let name = quoted.first()?.rsplit('.').next()?;
        return Some(compilation("002012", "42601", &format!("duplicate alias '{}'", display_identifier(name))));
    }
    if message.starts_with("Duplicate column name \"") || message.starts_with("Multiple assignments to same column") {
        let name = display_identifier(quoted.first()?);
        return Some(compilation("002025", "42S21", &format!("duplicate column name '{name}'")));
    }
    None
}

/// What the dialect has and the engine cannot do.
fn not_offered(message: &str, quoted: &[&str]) -> Option<Failure> {
    if message.starts_with("Cannot perform non-inner join on subquery") {
        return Some(Failure::unsupported(
            "this subquery in ON of an outer join; put the condition into a joined subquery",
        ));
    }
    if message.starts_with("LATERAL join cannot contain aggregates") {
        return Some(Failure::unsupported(
            "an aggregate of columns of a query around this one; put the columns beside the rows in a subquery first",
        ));
    }
    if message.starts_with("No columns found to join on in NATURAL JOIN") {
        return Some(Failure::unsupported("NATURAL JOIN of relations without a common column; use CROSS JOIN"));
    }
    if message.starts_with("Could not ORDER BY column") {
        return Some(Failure::unsupported(
            "ORDER BY of an expression behind this set operation; put the set operation into a subquery",
        ));
    }
    let alias = || quoted.first().map(|name| display_identifier(name));
    if message.starts_with("Having clause cannot reference alias") {
        let what = format!("the alias {} in a subquery of HAVING; filter in a query around this one", alias()?);
        return Some(Failure::unsupported(&what));
    }
    if message.starts_with("Alias \"") && message.contains("side effects") {
        let what = format!("the alias {} of a volatile value here; name it in a query around this one", alias()?);
        return Some(Failure::unsupported(&what));
    }
    if message.starts_with("Alias \"") && message.contains("has a subquery") {
        let what = format!("the alias {} of a subquery here; name it in a query around this one", alias()?);
        return Some(Failure::unsupported(&what));
    }
    if message.starts_with("Alias with name") && message.contains("in the GROUP BY") {
        let what = format!("the alias {} in an expression of GROUP BY; repeat what it stands for", alias()?);
        return Some(Failure::unsupported(&what));
    }
    None
}

/// Columns where they may not be, or too many or too few of them.
fn columns(message: &str, quoted: &[&str]) -> Option<Failure> {
    if let Some(rest) = message.strip_prefix("column ")
        && let Some((name, _)) = rest.split_once(" must appear in the GROUP BY clause")
    {
        let name = name.trim_matches('"');
        return Some(compilation("000979", "42601", &format!("[{name}] is not a valid group by expression")));
    }
    if message.contains("cannot contain window functions") {
        let text = "Window functions may stand in SELECT, QUALIFY and ORDER BY only";
        return Some(compilation("002303", "42601", text));
    }
    if message.contains("aggregate function calls cannot contain window function calls") {
        let text = "Window functions may not be in an aggregate; put them into a subquery";
        return Some(compilation("002303", "42601", text));
    }
    if message.contains("window function calls cannot be nested") {
        let text = "Window functions may not be nested; put the inner one into a subquery";
        return Some(compilation("002303", "42601", text));
    }
    if let Some((clause, range)) = message.split_once(" term out of range - should be ") {
        let clause = if clause == "ORDER" { "ORDER BY" } else { clause };
        return Some(compilation(
            "001795",
            "42601",
            &format!("{clause} has a position out of range; give one {range}"),
        ));
    }
    if message.contains("referenced in UNPIVOT but no matching entry") {
        return Some(invalid_identifier(&display_identifier(quoted.first()?)));
    }
    if message.starts_with("at least one window function must appear") {
        return Some(compilation("002304", "42601", "QUALIFY needs a window function in it or in the SELECT list"));
    }
    if let Some(rest) = message.strip_prefix("Subquery returns ") {
        let (given, wanted) = rest.split_once(" columns - expected ")?;
        return Some(compilation(
            "002141",
            "42601",
            &format!("a subquery here must have {wanted} columns, not {given}"),
        ));
    }
    if message.starts_with("Cannot unpivot columns of types") {
        return Some(compilation(
            "001065",
            "22023",
            "the columns in the UNPIVOT list have different types; cast them to one",
        ));
    }
    if message.starts_with("GROUPING ") {
        let text = "GROUPING and GROUPING_ID take columns of GROUP BY";
        return Some(compilation("000979", "42601", text));
    }
    if message.starts_with("STAR expression is only allowed") {
        return Some(compilation("002028", "42601", "* may not stand here: it names no columns"));
    }
    let without_columns = ["Star expression ", "SELECT list is empty", "* expression without FROM clause"];
    if without_columns.iter().any(|start| message.starts_with(start)) {
        return Some(compilation("002028", "42601", "SELECT with no columns"));
    }
    if message.starts_with("DEFAULT value cannot contain") {
        return Some(compilation(
            "002262",
            "22000",
            "invalid column default expression: it may read neither columns nor tables",
        ));
    }
    if quoted.first() == Some(&"source")
        && let Some((_, rest)) = message.split_once(" has ")
        && let Some((given, rest)) = rest.split_once(" columns available but ")
    {
        return Some(value_list(rest.split(' ').next()?, given));
    }
    None
}

/// Values that a function does not take.
fn arguments(message: &str) -> Option<Failure> {
    let invalid = |what: &str, hint: &str| compilation("001007", "22023", &format!("invalid value for {what}; {hint}"));
    if let Some(point) = message.strip_prefix("Invalid UTF8 Codepoint ") {
        return Some(compilation(
            "001007",
            "22023",
            &format!("invalid value [{point}] for CHR; it is no Unicode code point"),
        ));
    }
    if message.starts_with("Argument for ntile") {
        return Some(invalid("NTILE", "give a number above zero"));
    }
    if message.starts_with("frame start") || message.starts_with("frame end") {
        return Some(invalid("a window frame", "let it begin no later than it ends"));
    }
    if message.starts_with("list_reduce expects a function") {
        return Some(compilation(
            "001044",
            "42P13",
            "Invalid argument types for function 'REDUCE': its lambda takes two arguments, the state and an element",
        ));
    }
    if message.contains("LIMIT/OFFSET cannot be negative") {
        return Some(invalid("LIMIT or OFFSET", "give zero or more"));
    }
    if message.starts_with("In a DISTINCT aggregate, ORDER BY") {
        return Some(compilation(
            "001795",
            "42601",
            "an aggregate of DISTINCT values can be ordered by its own argument only",
        ));
    }
    if message.starts_with("Cannot combine types with different collation") {
        return Some(compilation("001044", "42P13", "incompatible collations; give both texts the same with COLLATE"));
    }
    if message.starts_with("DECIMAL type scale cannot be greater") {
        return Some(invalid("the scale of a number", "give at most its precision"));
    }
    if message.contains("QUANTILE can only take parameters")
        || message.contains("QUANTILE argument must not be NULL")
        || message.contains("QUANTILE parameter list cannot be NULL")
    {
        return Some(invalid("the percentile", "give a number from 0 to 1"));
    }
    None
}

/// Values that are more or fewer than their columns.
fn lists(message: &str) -> Option<Failure> {
    if message.starts_with("VALUES lists must all be the same length") {
        return Some(compilation("002057", "21S01", "the rows of VALUES have different numbers of values"));
    }
    let (columns, rest) = message.split_once(" columns but ")?;
    let (given, _) = rest.split_once(" values were supplied")?;
    Some(value_list(columns.rsplit(' ').next()?, given))
}

fn value_list(wanted: &str, given: &str) -> Failure {
    let text = format!("Insert value list does not match column list expecting {wanted} but got {given}");
    compilation("002020", "21S01", &text)
}

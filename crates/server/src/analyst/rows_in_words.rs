//! An answer in words, made of the rows alone: what is said is what is in them.

use super::result_table::{ColumnKind, ResultColumn, ResultTable};

/// Rows that are written one by one.
const ROWS_IN_WORDS: usize = 5;

pub fn in_words(table: &ResultTable) -> String {
    match (table.rows.as_slice(), table.columns.as_slice()) {
        ([], _) => "Nothing in the data matches: the query returns no rows.".to_owned(),
        ([row], [column]) => format!("The {} is {}.", words(column), cell(row.first(), column)),
        ([row], columns) => format!("{}.", capitalised(&listed(&facts(row, columns)))),
        (rows, [column]) => {
            let written: Vec<String> = rows.iter().take(ROWS_IN_WORDS).map(|row| cell(row.first(), column)).collect();
            format!("{} values of {}: {}.", counted(table.row_count), words(column), with_rest(&written, table))
        }
        (rows, columns) => {
            let written: Vec<String> = rows.iter().take(ROWS_IN_WORDS).map(|row| row_in_words(row, columns)).collect();
            format!("{} rows: {}.", counted(table.row_count), with_rest(&written, table))
        }
    }
}

/// `revenue 11 for North`: measures, then what they are measured for.
fn row_in_words(row: &[Option<String>], columns: &[ResultColumn]) -> String {
    let cells = row.iter().zip(columns);
    let (measures, labels): (Vec<_>, Vec<_>) = cells.partition(|(_, column)| column.kind == ColumnKind::Number);
    let labels: Vec<String> = labels.into_iter().map(|(value, column)| cell(Some(value), column)).collect();
    let measures: Vec<String> = measures
        .into_iter()
        .map(|(value, column)| format!("{} {}", words(column), cell(Some(value), column)))
        .collect();
    match (labels.is_empty(), measures.is_empty()) {
        (false, false) => format!("{} for {}", listed(&measures), labels.join(", ")),
        (false, true) => labels.join(", "),
        _ => listed(&measures),
    }
}

fn facts(row: &[Option<String>], columns: &[ResultColumn]) -> Vec<String> {
    row.iter()
        .zip(columns)
        .map(|(value, column)| format!("the {} is {}", words(column), cell(Some(value), column)))
        .collect()
}

fn with_rest(written: &[String], table: &ResultTable) -> String {
    let rest = table.row_count.saturating_sub(written.len() as u64);
    match rest {
        0 => written.join("; "),
        rest => format!("{}; and {} more", written.join("; "), counted(rest)),
    }
}

fn words(column: &ResultColumn) -> String {
    column.name.replace('_', " ").to_lowercase()
}

fn cell(value: Option<&Option<String>>, column: &ResultColumn) -> String {
    match (value.and_then(Option::as_ref), column.kind) {
        (None, _) => "unknown".to_owned(),
        (Some(value), ColumnKind::Number) => grouped(value),
        (Some(value), ColumnKind::Time) => value.strip_suffix(" 00:00:00").unwrap_or(value).to_owned(),
        (Some(value), ColumnKind::Other) => value.clone(),
    }
}

fn counted(number: u64) -> String {
    grouped(&number.to_string())
}

/// `1234567.50` as `1,234,567.5`; what is no plain number stays as it is.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut text = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    match fraction.trim_end_matches('0') {
        "" => text,
        fraction => format!("{text}.{fraction}"),
    }
}

fn listed(items: &[String]) -> String {
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, ColumnKind)], rows: &[&[Option<&str>]], row_count: u64) -> ResultTable {
        let column = |(name, kind): &(&str, ColumnKind)| ResultColumn { name: (*name).to_owned(), kind: *kind };
        let row = |row: &&[Option<&str>]| row.iter().map(|cell| cell.map(str::to_owned)).collect();
        let rows = rows.iter().map(row).collect();
        ResultTable { columns: columns.iter().map(column).collect(), rows, row_count }
    }

    #[test]
    fn rows_are_written_in_a_sentence() {
        use ColumnKind::{Number, Other, Time};
        let check = |table: ResultTable, expected: &str| assert_eq!(in_words(&table), expected);
        let measures = [("REGION", Other), ("REVENUE", Number)];
        check(table(&measures, &[], 0), "Nothing in the data matches: the query returns no rows.");
        check(table(&[("NUMBER_OF_ORDERS", Number)], &[&[Some("1259")]], 1), "The number of orders is 1,259.");
        check(table(&measures, &[&[Some("North"), None]], 1), "The region is North and the revenue is unknown.");
        check(
            table(&measures, &[&[Some("North"), Some("1000000.50")], &[None, Some("-5")]], 2),
            "2 rows: revenue 1,000,000.5 for North; revenue -5 for unknown.",
        );
        let many: Vec<&[Option<&str>]> = vec![&[Some("Ann")]; 7];
        check(table(&[("NAME", Other)], &many, 1207), "1,207 values of name: Ann; Ann; Ann; Ann; Ann; and 1,202 more.");
        let months: Vec<&[Option<&str>]> = vec![&[Some("2024-01-01 00:00:00"), Some("1e20")]; 2];
        check(
            table(&[("MONTH", Time), ("N", Number)], &months, 2),
            "2 rows: n 1e20 for 2024-01-01; n 1e20 for 2024-01-01.",
        );
    }
}

//! Answers as people read them.

use serde_json::Value;

use crate::server::Table;

const ROWS_SHOWN: usize = 100;

/// The links and readings behind an answer; nothing where there is no explanation.
pub fn explained(explanation: &Value) -> String {
    let mut text = String::new();
    for link in explanation["links"].as_array().into_iter().flatten() {
        let targets: Vec<&str> = link["targets"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        text.push_str(&format!("link     {} → {}\n", link["text"].as_str().unwrap_or_default(), targets.join(", ")));
    }
    for reading in explanation["readings"].as_array().into_iter().flatten() {
        let number = |name: &str| reading[name].as_f64().unwrap_or_default();
        let doubt = if reading["is_sure"] == true { "" } else { " (explains too little)" };
        text.push_str(&format!(
            "reading  {:6.2}  {:3.0} %  {}{doubt}\n",
            number("score"),
            number("explained") * 100.0,
            reading["restatement"].as_str().unwrap_or_default()
        ));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// How sure the SQL of an answer is, and what words of the question it does not use.
pub fn certainty(metadata: &Value) -> String {
    let Some(confidence) = metadata["confidence"].as_f64() else { return String::new() };
    let unused: Vec<&str> =
        metadata["unused_words"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let unused = if unused.is_empty() { String::new() } else { format!("; not used: {}", unused.join(", ")) };
    format!("confidence {confidence:.2}{unused}\n\n")
}

/// A table with columns as wide as what is in them.
pub fn table_text(table: &Table) -> String {
    let shown: Vec<Vec<&str>> = table
        .rows
        .iter()
        .take(ROWS_SHOWN)
        .map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect())
        .collect();
    let width = |index: usize| {
        let cells = shown.iter().filter_map(|row| row.get(index)).map(|cell| cell.chars().count());
        cells.chain(table.columns.get(index).map(|name| name.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(&table.columns.iter().map(String::as_str).collect::<Vec<_>>());
    text.push_str(&(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  ") + "\n"));
    for row in &shown {
        text.push_str(&line(row));
    }
    if table.rows.len() > ROWS_SHOWN {
        text.push_str(&format!("… {} rows in all\n", table.rows.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_printed_in_columns() {
        let table = Table {
            columns: vec!["REGION".to_owned(), "N".to_owned()],
            types: Vec::new(),
            rows: vec![vec![Some("é".to_owned()), Some("100".to_owned())], vec![None, Some("2".to_owned())]],
        };
        assert_eq!(table_text(&table), "REGION  N\n------  ---\né       100\nNULL    2\n");
    }

    #[test]
    fn a_certainty_is_printed_in_a_line() {
        let check = |metadata: Value, expected: &str| assert_eq!(certainty(&metadata), expected);
        check(serde_json::json!({"confidence": 0.934, "unused_words": []}), "confidence 0.93\n\n");
        let unused = serde_json::json!({"confidence": 1.0, "unused_words": ["big", "dollars"]});
        check(unused, "confidence 1.00; not used: big, dollars\n\n");
        check(Value::Null, "");
    }

    #[test]
    fn an_explanation_is_printed_in_lines() {
        let explanation = serde_json::json!({"links": [{"text": "orders", "targets": ["orders", "orders.id"]}],
            "readings": [{"score": 1.5, "explained": 0.5, "is_sure": false, "restatement": "Show it."}]});
        let expected = "link     orders → orders, orders.id\n\
                        reading    1.50   50 %  Show it. (explains too little)\n\n";
        assert_eq!(explained(&explanation), expected);
        assert_eq!(explained(&Value::Null), "");
    }
}

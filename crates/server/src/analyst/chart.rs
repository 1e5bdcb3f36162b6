//! A chart of an answer's rows as a Vega-Lite specification, where the rows have the form of one: labels or times with
//! one measure.

use serde_json::{Map, Value, json};

use super::result_table::{ColumnKind, ResultColumn, ResultTable};

/// More bars than these cannot be read.
const BARS_MAX: usize = 50;
const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v5.json";

pub fn chart(table: &ResultTable) -> Option<Value> {
    if table.rows.len() < 2 || table.row_count > table.rows.len() as u64 {
        return None;
    }
    let of_kind = |kind: ColumnKind| table.columns.iter().filter(move |column| column.kind == kind).collect::<Vec<_>>();
    let (times, labels, numbers) = (of_kind(ColumnKind::Time), of_kind(ColumnKind::Other), of_kind(ColumnKind::Number));
    let [measure] = numbers.as_slice() else { return None };
    let (mark, along, colour) = match (times.as_slice(), labels.as_slice()) {
        ([time], []) => ("line", *time, None),
        ([time], [label]) => ("line", *time, Some(*label)),
        ([], [label]) if table.rows.len() <= BARS_MAX => ("bar", *label, None),
        _ => return None,
    };
    let along_type = if mark == "line" { "temporal" } else { "nominal" };
    let mut encoding = Map::new();
    let mut x = json!({"field": along.name, "type": along_type, "title": title(along)});
    if mark == "bar" {
        // The order of the rows is the answer's.
        x["sort"] = Value::Null;
    }
    encoding.insert("x".to_owned(), x);
    encoding.insert("y".to_owned(), json!({"field": measure.name, "type": "quantitative", "title": title(measure)}));
    if let Some(label) = colour {
        encoding.insert("color".to_owned(), json!({"field": label.name, "type": "nominal", "title": title(label)}));
    }
    let values: Vec<Value> = table.rows.iter().map(|row| object(row, &table.columns)).collect();
    Some(json!({"$schema": SCHEMA, "data": {"values": values}, "mark": mark, "encoding": encoding}))
}

fn object(row: &[Option<String>], columns: &[ResultColumn]) -> Value {
    let cells = row.iter().zip(columns).map(|(cell, column)| {
        let number =
            cell.as_ref().filter(|_| column.kind == ColumnKind::Number).and_then(|cell| cell.parse::<f64>().ok());
        let value = number.map_or_else(|| json!(cell), |number| json!(number));
        (column.name.clone(), value)
    });
    Value::Object(cells.collect())
}

fn title(column: &ResultColumn) -> String {
    column.name.replace('_', " ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, ColumnKind)], rows: usize) -> ResultTable {
        let column = |(name, kind): &(&str, ColumnKind)| ResultColumn { name: (*name).to_owned(), kind: *kind };
        let row: Vec<Option<String>> = columns.iter().map(|_| Some("1".to_owned())).collect();
        ResultTable { columns: columns.iter().map(column).collect(), rows: vec![row; rows], row_count: rows as u64 }
    }

    #[test]
    fn the_form_of_the_rows_chooses_the_mark() {
        use ColumnKind::{Number, Other, Time};
        let check = |columns: &[(&str, ColumnKind)], rows: usize, mark: Option<&str>| {
            let chart = chart(&table(columns, rows));
            let found = chart.as_ref().and_then(|chart| chart["mark"].as_str());
            assert_eq!(found, mark, "{columns:?}");
        };
        check(&[("REGION", Other), ("REVENUE", Number)], 3, Some("bar"));
        check(&[("MONTH", Time), ("REVENUE", Number)], 3, Some("line"));
        check(&[("MONTH", Time), ("REGION", Other), ("REVENUE", Number)], 3, Some("line"));
        check(&[("REGION", Other), ("REVENUE", Number)], 1, None);
        check(&[("REGION", Other), ("REVENUE", Number)], 51, None);
        check(&[("REGION", Other), ("A", Number), ("B", Number)], 3, None);
        check(&[("A", Number)], 3, None);
    }

    #[test]
    fn a_chart_holds_its_data() {
        let chart =
            chart(&table(&[("REGION", ColumnKind::Other), ("REVENUE", ColumnKind::Number)], 2)).unwrap_or_default();
        assert_eq!(chart["data"]["values"][1], json!({"REGION": "1", "REVENUE": 1.0}));
        assert_eq!(chart["encoding"]["x"]["field"], "REGION");
        assert_eq!(chart["encoding"]["y"]["title"], "revenue");
    }
}

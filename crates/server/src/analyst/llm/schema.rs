//! A semantic model in few words, for a prompt: the same text for the same model, so that servers keep what they have read
//! of it, and short enough for small language models.

use firn_analyst::semantic_model::{Relationship, SemanticModel};

/// Longer schemas are described with less detail.
const CHARACTERS_MAX: usize = 16_000;
const SAMPLES_MAX: usize = 6;
const DESCRIPTION_CHARACTERS_MAX: usize = 120;

/// What is described beside names, types and expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    All,
    NoSamples,
    NamesOnly,
}

pub fn schema(model: &SemanticModel) -> String {
    let details = [Detail::All, Detail::NoSamples, Detail::NamesOnly];
    let texts = details.map(|detail| written(model, detail));
    let fitting = texts.iter().find(|text| text.chars().count() <= CHARACTERS_MAX);
    fitting.cloned().unwrap_or_else(|| texts[2].chars().take(CHARACTERS_MAX).collect())
}

fn written(model: &SemanticModel, detail: Detail) -> String {
    let mut text = String::new();
    for table in &model.tables {
        text.push_str(&format!(
            "TABLE __{}{}\n",
            table.name,
            notes(&table.synonyms, table.description.as_deref(), detail)
        ));
        for column in table.dimensions.iter().filter(|column| !column.is_filter) {
            let key =
                if table.primary_key.iter().any(|key| key.eq_ignore_ascii_case(&column.name)) { " key" } else { "" };
            let samples = samples(&column.sample_values, detail);
            let notes = notes(&column.synonyms, column.description.as_deref(), detail);
            text.push_str(&format!("  {} {}{key}{samples}{notes}\n", column.name, kind(column.data_type.as_deref())));
        }
        for column in &table.time_dimensions {
            let notes = notes(&column.synonyms, column.description.as_deref(), detail);
            text.push_str(&format!("  {} {}{notes}\n", column.name, kind(column.data_type.as_deref())));
        }
        for column in &table.facts {
            let notes = notes(&column.synonyms, column.description.as_deref(), detail);
            text.push_str(&format!("  {} {} fact{notes}\n", column.name, kind(column.data_type.as_deref())));
        }
        for metric in &table.metrics {
            let notes = notes(&metric.synonyms, metric.description.as_deref(), detail);
            text.push_str(&format!("  metric {} = {}{notes}\n", metric.name, one_line(&metric.expr)));
        }
        let flags = table.dimensions.iter().filter(|column| column.is_filter);
        let flags = flags.map(|column| (&column.name, &column.expr, &column.synonyms, &column.description));
        let filters =
            table.filters.iter().map(|filter| (&filter.name, &filter.expr, &filter.synonyms, &filter.description));
        for (name, expr, synonyms, description) in filters.chain(flags) {
            let notes = notes(synonyms, description.as_deref(), detail);
            text.push_str(&format!("  filter {name} = {}{notes}\n", one_line(expr)));
        }
    }
    for join in &model.relationships {
        text.push_str(&format!("JOIN {}\n", condition(join)));
    }
    for metric in &model.metrics {
        let notes = notes(&metric.synonyms, metric.description.as_deref(), detail);
        text.push_str(&format!("METRIC {} = {}{notes}\n", metric.name, one_line(&metric.expr)));
    }
    text
}

fn condition(join: &Relationship) -> String {
    let pairs = join.columns.iter().map(|pair| {
        format!("__{}.{} = __{}.{}", join.left_table, pair.left_column, join.right_table, pair.right_column)
    });
    pairs.collect::<Vec<_>>().join(" AND ")
}

fn kind(data_type: Option<&str>) -> &str {
    data_type.unwrap_or("TEXT")
}

fn samples(values: &[String], detail: Detail) -> String {
    if values.is_empty() || detail != Detail::All {
        return String::new();
    }
    let values: Vec<String> = values.iter().take(SAMPLES_MAX).map(|value| super::prompt::quoted(value)).collect();
    format!(" e.g. {}", values.join(", "))
}

fn notes(synonyms: &[String], description: Option<&str>, detail: Detail) -> String {
    if detail == Detail::NamesOnly {
        return String::new();
    }
    let synonyms = if synonyms.is_empty() { String::new() } else { format!(" also called {}", synonyms.join(", ")) };
    let description = description.map(one_line).filter(|text| !text.is_empty());
    let description =
        description.map(|text| format!(" -- {}", text.chars().take(DESCRIPTION_CHARACTERS_MAX).collect::<String>()));
    let notes = one_line(&format!("{synonyms}{}", description.unwrap_or_default()));
    if notes.is_empty() { notes } else { format!(" {notes}") }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_analyst::semantic_model::read_yaml;

    use super::*;

    const MODEL: &str = "
name: m
tables:
- name: orders
  synonyms: [purchases]
  description: |
    One row
    per order
  base_table: {table: O}
  primary_key: {columns: [id]}
  dimensions: [{name: id, data_type: NUMBER}, {name: status, data_type: TEXT, sample_values: [open, \"a\\nb\"]}]
  time_dimensions: [{name: day, data_type: DATE}]
  facts: [{name: amount, data_type: NUMBER}]
  metrics: [{name: revenue, synonyms: [sales], expr: SUM(amount)}]
  filters: [{name: large, expr: amount > 100}]
- {name: customers, base_table: {table: C}, dimensions: [{name: id, data_type: NUMBER}]}
relationships:
- {left_table: orders, right_table: customers, relationship_columns: [{left_column: customer_id, right_column: id}]}
";

    #[test]
    fn a_model_is_described_in_few_words() {
        let expected = "TABLE __orders also called purchases -- One row per order\n  id NUMBER key\n  status TEXT e.g. \
                        \"open\", \"a\\nb\"\n  day DATE\n  amount NUMBER fact\n  metric revenue = SUM(amount) also called \
                        sales\n  filter large = amount > 100\nTABLE __customers\n  id NUMBER\nJOIN __orders.customer_id = \
                        __customers.id\n";
        assert_eq!(schema(&read_yaml(MODEL).unwrap().model), expected);
    }

    #[test]
    fn a_long_model_is_described_with_less_detail() {
        let mut model = read_yaml(MODEL).unwrap().model;
        model.tables[0].dimensions[1].sample_values = vec!["x".repeat(CHARACTERS_MAX)];
        let text = schema(&model);
        assert!(text.contains("  status TEXT\n") && text.contains("also called purchases"), "{text}");
        model.tables[0].synonyms = vec!["y".repeat(CHARACTERS_MAX)];
        assert!(!schema(&model).contains("also called"));
    }
}

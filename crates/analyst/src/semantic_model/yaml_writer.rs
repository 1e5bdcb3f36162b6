//! Writes a model as YAML that `read_yaml` reads back the same.

use std::fmt::Write;

use super::{
    AccessModifier, DefaultAggregation, JoinType, LogicalTable, Metric, RelationshipType, SemanticModel, SortDirection,
    TableSource, VerifiedQuery,
};

#[must_use]
pub fn write_yaml(model: &SemanticModel) -> String {
    let mut out = Writer::default();
    out.field(0, "name", &model.name);
    out.optional(0, "description", model.description.as_deref());
    out.line(0, "tables:");
    for table in &model.tables {
        write_table(&mut out, table);
    }
    if !model.relationships.is_empty() {
        out.line(0, "relationships:");
    }
    for relationship in &model.relationships {
        out.item(2, "name", &relationship.name);
        out.field(4, "left_table", &relationship.left_table);
        out.field(4, "right_table", &relationship.right_table);
        out.line(4, "relationship_columns:");
        for pair in &relationship.columns {
            out.item(6, "left_column", &pair.left_column);
            out.field(8, "right_column", &pair.right_column);
        }
        let join_type = relationship.join_type.map(|join_type| match join_type {
            JoinType::Inner => "inner",
            JoinType::LeftOuter => "left_outer",
        });
        out.optional(4, "join_type", join_type);
        let relationship_type = relationship.relationship_type.map(|kind| match kind {
            RelationshipType::ManyToOne => "many_to_one",
            RelationshipType::OneToOne => "one_to_one",
        });
        out.optional(4, "relationship_type", relationship_type);
    }
    write_metrics(&mut out, 0, &model.metrics);
    write_verified_queries(&mut out, model);
    out.optional(0, "custom_instructions", model.custom_instructions.as_deref());
    let instructions = &model.module_custom_instructions;
    if instructions.sql_generation.is_some() || instructions.question_categorization.is_some() {
        out.line(0, "module_custom_instructions:");
        out.optional(2, "sql_generation", instructions.sql_generation.as_deref());
        out.optional(2, "question_categorization", instructions.question_categorization.as_deref());
    }
    if !model.extensions.is_empty() {
        out.line(0, "extensions:");
    }
    for (name, value) in &model.extensions {
        out.item(2, "name", name);
        out.field(4, "value", value);
    }
    out.text
}

fn write_verified_queries(out: &mut Writer, model: &SemanticModel) {
    if !model.verified_queries.is_empty() {
        out.line(0, "verified_queries:");
    }
    for query in &model.verified_queries {
        write_verified_query(out, 2, query);
    }
}

fn write_verified_query(out: &mut Writer, indent: usize, query: &VerifiedQuery) {
    out.item(indent, "name", &query.name);
    out.field(indent + 2, "question", &query.question);
    out.field(indent + 2, "sql", &query.sql);
    if let Some(seconds) = query.verified_at {
        out.line(indent + 2, &format!("verified_at: {seconds}"));
    }
    out.optional(indent + 2, "verified_by", query.verified_by.as_deref());
    out.flag(indent + 2, "use_as_onboarding_question", query.use_as_onboarding_question);
}

/// One entry of the list `verified_queries`.
pub(super) fn verified_query_yaml(query: &VerifiedQuery, indent: usize) -> String {
    let mut out = Writer::default();
    write_verified_query(&mut out, indent, query);
    out.text
}

fn write_table(out: &mut Writer, table: &LogicalTable) {
    out.item(2, "name", &table.name);
    out.texts(4, "synonyms", &table.synonyms);
    out.optional(4, "description", table.description.as_deref());
    out.line(4, "base_table:");
    match &table.source {
        TableSource::Definition(query) => out.field(6, "definition", query),
        TableSource::BaseTable { database, schema, table } => {
            out.optional(6, "database", database.as_deref());
            out.optional(6, "schema", schema.as_deref());
            out.field(6, "table", table);
        }
    }
    if !table.primary_key.is_empty() {
        out.line(4, "primary_key:");
        out.texts(6, "columns", &table.primary_key);
    }
    if !table.unique_keys.is_empty() {
        out.line(4, "unique_keys:");
        for key in &table.unique_keys {
            out.line(6, &format!("- columns: {}", list(key)));
        }
    }
    write_columns(out, table);
    write_metrics(out, 4, &table.metrics);
    if !table.filters.is_empty() {
        out.line(4, "filters:");
    }
    for filter in &table.filters {
        out.start(6, &filter.name, &filter.synonyms, filter.description.as_deref(), &filter.expr);
    }
}

fn write_columns(out: &mut Writer, table: &LogicalTable) {
    if !table.dimensions.is_empty() {
        out.line(4, "dimensions:");
    }
    for column in &table.dimensions {
        out.start(6, &column.name, &column.synonyms, column.description.as_deref(), &column.expr);
        out.optional(8, "data_type", column.data_type.as_deref());
        out.flag(8, "unique", column.unique);
        out.texts(8, "sample_values", &column.sample_values);
        out.flag(8, "is_enum", column.is_enum);
        if let Some(service) = &column.search_service {
            out.line(8, "search_service:");
            out.field(10, "service", &service.service);
            out.optional(10, "literal_column", service.literal_column.as_deref());
            out.optional(10, "database", service.database.as_deref());
            out.optional(10, "schema", service.schema.as_deref());
        }
        if column.is_filter {
            out.line(8, "labels: [filter]");
        }
        out.access(8, column.access_modifier);
    }
    if !table.time_dimensions.is_empty() {
        out.line(4, "time_dimensions:");
    }
    for column in &table.time_dimensions {
        out.start(6, &column.name, &column.synonyms, column.description.as_deref(), &column.expr);
        out.optional(8, "data_type", column.data_type.as_deref());
        out.flag(8, "unique", column.unique);
        out.texts(8, "sample_values", &column.sample_values);
        out.access(8, column.access_modifier);
    }
    if !table.facts.is_empty() {
        out.line(4, "facts:");
    }
    for column in &table.facts {
        out.start(6, &column.name, &column.synonyms, column.description.as_deref(), &column.expr);
        out.optional(8, "data_type", column.data_type.as_deref());
        out.texts(8, "sample_values", &column.sample_values);
        out.access(8, column.access_modifier);
        out.optional(8, "default_aggregation", column.default_aggregation.map(aggregation));
    }
}

fn write_metrics(out: &mut Writer, indent: usize, metrics: &[Metric]) {
    if !metrics.is_empty() {
        out.line(indent, "metrics:");
    }
    for metric in metrics {
        out.start(indent + 2, &metric.name, &metric.synonyms, metric.description.as_deref(), &metric.expr);
        out.optional(indent + 4, "data_type", metric.data_type.as_deref());
        out.access(indent + 4, metric.access_modifier);
        if !metric.non_additive_dimensions.is_empty() {
            out.line(indent + 4, "non_additive_dimensions:");
        }
        for dimension in &metric.non_additive_dimensions {
            out.item(indent + 6, "dimension", &dimension.dimension);
            out.optional(indent + 8, "table", dimension.table.as_deref());
            if dimension.sort_direction == SortDirection::Descending {
                out.field(indent + 8, "sort_direction", "descending");
            }
        }
        out.texts(indent + 4, "using_relationships", &metric.using_relationships);
    }
}

fn aggregation(aggregation: DefaultAggregation) -> &'static str {
    match aggregation {
        DefaultAggregation::Sum => "sum",
        DefaultAggregation::Avg => "avg",
        DefaultAggregation::Median => "median",
        DefaultAggregation::Min => "min",
        DefaultAggregation::Max => "max",
        DefaultAggregation::Count => "count",
        DefaultAggregation::CountDistinct => "count_distinct",
    }
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn line(&mut self, indent: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn field(&mut self, indent: usize, name: &str, value: &str) {
        self.line(indent, &format!("{name}: {}", scalar(value)));
    }

    /// The first field of an entry of a list.
    fn item(&mut self, indent: usize, name: &str, value: &str) {
        self.line(indent, &format!("- {name}: {}", scalar(value)));
    }

    fn optional(&mut self, indent: usize, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.field(indent, name, value);
        }
    }

    fn flag(&mut self, indent: usize, name: &str, flag: bool) {
        if flag {
            self.line(indent, &format!("{name}: true"));
        }
    }

    fn texts(&mut self, indent: usize, name: &str, texts: &[String]) {
        if !texts.is_empty() {
            self.line(indent, &format!("{name}: {}", list(texts)));
        }
    }

    fn access(&mut self, indent: usize, access: AccessModifier) {
        if access == AccessModifier::Private {
            self.field(indent, "access_modifier", "private_access");
        }
    }

    fn start(&mut self, indent: usize, name: &str, synonyms: &[String], description: Option<&str>, expr: &str) {
        self.item(indent, "name", name);
        self.texts(indent + 2, "synonyms", synonyms);
        self.optional(indent + 2, "description", description);
        self.field(indent + 2, "expr", expr);
    }
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// Plain where nobody could read it as anything but this text.
fn scalar(text: &str) -> String {
    let plain_start = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let plain = |character: char| character.is_ascii_alphanumeric() || "_ .()*/".contains(character);
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if plain_start && text.chars().all(plain) && !is_word && text.trim() == text {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A double-quoted scalar; JSON's escapes are YAML's.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::semantic_model::read_yaml;

    #[test]
    fn what_is_written_is_read_back_the_same() {
        let text = r#"
name: "no"
description: "it's: a # \"model\"\nof two lines"
tables:
- name: t
  synonyms: ["a, b", "ü"]
  base_table: {database: D, schema: "my schema", table: T}
  primary_key: {columns: [id]}
  unique_keys: [{columns: [a, b]}]
  dimensions:
  - {name: id, expr: "coalesce(x, 'it''s')", data_type: TEXT, unique: true, sample_values: ["1", "true", "- x"], is_enum: true,
     labels: [filter], search_service: {service: s, literal_column: l, database: d, schema: c}, access_modifier: private_access}
  time_dimensions: [{name: day, expr: "d::date", data_type: DATE, unique: true, sample_values: ["2024-01-01"]}]
  facts: [{name: f, expr: "a - b", data_type: NUMBER, default_aggregation: count_distinct, access_modifier: private_access}]
  metrics: [{name: m, expr: "SUM(f)", non_additive_dimensions: [{table: t, dimension: day, sort_direction: descending}], using_relationships: [r]}]
  filters: [{name: x, synonyms: [y], description: z, expr: "f > 0"}]
- {name: u, base_table: {definition: "select 1 as id"}, dimensions: [{name: id}]}
relationships:
- {name: r, left_table: t, right_table: u, relationship_columns: [{left_column: id, right_column: id}], join_type: inner, relationship_type: one_to_one}
metrics: [{name: all, expr: t.m + 1}]
verified_queries:
- {name: v, question: "How?", sql: "select 1\nfrom t -- x", verified_at: 12, verified_by: me, use_as_onboarding_question: true}
custom_instructions: c
module_custom_instructions: {sql_generation: a, question_categorization: b}
extensions: [{name: CA, value: '{"tables": []}'}]
"#;
        let model = read_yaml(text).unwrap().model;
        let written = write_yaml(&model);
        let read = read_yaml(&written).unwrap();
        assert_eq!(read.warnings, Vec::<String>::new(), "{written}");
        assert_eq!(read.model, model, "{written}");
    }
}

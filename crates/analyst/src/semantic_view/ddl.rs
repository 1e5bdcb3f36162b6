//! The statement that would make a semantic view again.

use firn_sql::names::quote_literal;

use super::extension;
use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{AccessModifier, LogicalTable, Metric, SearchService, SemanticModel, SortDirection};

/// `name` is written as it is to stand in the statement.
#[must_use]
pub fn create_statement(name: &str, model: &SemanticModel) -> String {
    let mut text = format!("create or replace semantic view {name}\n");
    clause(&mut text, "tables", model.tables.iter().map(table).collect());
    let relationships = model.relationships.iter().map(|join| {
        let left = join.columns.iter().map(|pair| identifier(&pair.left_column));
        let right = join.columns.iter().map(|pair| identifier(&pair.right_column));
        format!(
            "{} as {}({}) references {}({})",
            identifier(&join.name),
            identifier(&join.left_table),
            left.collect::<Vec<_>>().join(","),
            identifier(&join.right_table),
            right.collect::<Vec<_>>().join(",")
        )
    });
    clause(&mut text, "relationships", relationships.collect());
    let (mut facts, mut dimensions, mut metrics) = (Vec::new(), Vec::new(), Vec::new());
    for owner in &model.tables {
        let place = |name: &str| format!("{}.{}", identifier(&owner.name), identifier(name));
        let all = owner.facts.iter();
        facts.extend(
            all.map(|i| item(&place(&i.name), i.access_modifier, "", &i.expr, &i.synonyms, i.description.as_deref())),
        );
        let all = owner.dimensions.iter();
        dimensions.extend(all.map(|i| {
            let text = item(&place(&i.name), i.access_modifier, "", &i.expr, &i.synonyms, i.description.as_deref());
            text + &i.search_service.as_ref().map(search_service).unwrap_or_default()
        }));
        let all = owner.time_dimensions.iter();
        dimensions.extend(
            all.map(|i| item(&place(&i.name), i.access_modifier, "", &i.expr, &i.synonyms, i.description.as_deref())),
        );
        metrics.extend(owner.metrics.iter().map(|i| {
            item(&place(&i.name), i.access_modifier, &manner(i), &i.expr, &i.synonyms, i.description.as_deref())
        }));
    }
    metrics.extend(
        model
            .metrics
            .iter()
            .map(|i| item(&identifier(&i.name), i.access_modifier, "", &i.expr, &i.synonyms, i.description.as_deref())),
    );
    clause(&mut text, "facts", facts);
    clause(&mut text, "dimensions", dimensions);
    clause(&mut text, "metrics", metrics);
    let mut ending = Vec::new();
    ending.extend(model.description.as_ref().map(|comment| format!("\tcomment={}", quote_literal(comment))));
    let instructions = &model.module_custom_instructions;
    ending.extend(
        instructions.sql_generation.as_ref().map(|text| format!("\tai_sql_generation {}", quote_literal(text))),
    );
    let categorization = instructions.question_categorization.as_ref();
    ending.extend(categorization.map(|text| format!("\tai_question_categorization {}", quote_literal(text))));
    if !ending.is_empty() {
        text.push_str(&ending.join("\n"));
        text.push('\n');
    }
    clause(&mut text, "ai_verified_queries", verified_queries(model));
    let extensions = extension::written(model);
    let extensions = extensions.iter().map(|(name, value)| format!("{}={}", identifier(name), quote_literal(value)));
    clause(&mut text, "with extension", extensions.collect());
    text.truncate(text.trim_end().len());
    text.push(';');
    text
}

fn clause(text: &mut String, word: &str, entries: Vec<String>) {
    if !entries.is_empty() {
        text.push_str(&format!("\t{word} (\n\t\t{}\n\t)\n", entries.join(",\n\t\t")));
    }
}

fn table(table: &LogicalTable) -> String {
    let mut text = format!("{} as {}", identifier(&table.name), table.source.sql());
    let columns = |columns: &[String]| columns.iter().map(|column| identifier(column)).collect::<Vec<_>>().join(",");
    if !table.primary_key.is_empty() {
        text.push_str(&format!(" primary key ({})", columns(&table.primary_key)));
    }
    for key in &table.unique_keys {
        text.push_str(&format!(" unique ({})", columns(key)));
    }
    text + &words(&table.synonyms, table.description.as_deref())
}

fn item(
    place: &str,
    access: AccessModifier,
    manner: &str,
    expr: &str,
    synonyms: &[String],
    comment: Option<&str>,
) -> String {
    let private = if access == AccessModifier::Private { "private " } else { "" };
    format!("{private}{place}{manner} as {expr}{}", words(synonyms, comment))
}

/// ` using (…) non additive by (…)` of a metric.
fn manner(metric: &Metric) -> String {
    let mut text = String::new();
    if !metric.using_relationships.is_empty() {
        let names: Vec<String> = metric.using_relationships.iter().map(|name| identifier(name)).collect();
        text.push_str(&format!(" using ({})", names.join(",")));
    }
    if !metric.non_additive_dimensions.is_empty() {
        let dimensions = metric.non_additive_dimensions.iter().map(|by| {
            let table = by.table.as_ref().map(|table| format!("{}.", identifier(table))).unwrap_or_default();
            let direction = if by.sort_direction == SortDirection::Descending { " desc" } else { "" };
            format!("{table}{}{direction}", identifier(&by.dimension))
        });
        text.push_str(&format!(" non additive by ({})", dimensions.collect::<Vec<_>>().join(",")));
    }
    text
}

fn search_service(service: &SearchService) -> String {
    let parts = [service.database.as_ref(), service.schema.as_ref(), Some(&service.service)];
    let parts: Vec<String> = parts.into_iter().flatten().map(|part| identifier(part)).collect();
    let column = service.literal_column.as_ref().map(|column| format!(" using {}", identifier(column)));
    format!(" with cortex search service {}{}", parts.join("."), column.unwrap_or_default())
}

fn words(synonyms: &[String], comment: Option<&str>) -> String {
    let mut text = String::new();
    if !synonyms.is_empty() {
        let synonyms: Vec<String> = synonyms.iter().map(|synonym| quote_literal(synonym)).collect();
        text.push_str(&format!(" with synonyms=({})", synonyms.join(",")));
    }
    if let Some(comment) = comment {
        text.push_str(&format!(" comment={}", quote_literal(comment)));
    }
    text
}

fn verified_queries(model: &SemanticModel) -> Vec<String> {
    let queries = model.verified_queries.iter().map(|query| {
        let mut text = format!("{} as (question {}", identifier(&query.name), quote_literal(&query.question));
        if let Some(seconds) = query.verified_at {
            text.push_str(&format!(" verified_at {seconds}"));
        }
        if query.use_as_onboarding_question {
            text.push_str(" onboarding_question true");
        }
        if let Some(name) = &query.verified_by {
            text.push_str(&format!(" verified_by {}", quote_literal(name)));
        }
        format!("{text} sql {})", quote_literal(&query.sql))
    });
    queries.collect()
}

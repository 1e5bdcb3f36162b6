//! SHOW and DESCRIBE of semantic views.

use firn_analyst::semantic_model::{AccessModifier, SemanticModel, TableSource};
use firn_catalog::semantic_views::SemanticViewRecord;
use firn_engine::WireColumn;
use firn_sql::command::Scope;

use super::listing::{Listing, Viewer, comment, instant, text};
use crate::authorise::Secured;
use crate::local_rows::LocalRows;
use crate::run_error::RunError;
use crate::semantic_views::model_in;

pub(super) fn semantic_views(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing =
        Listing::of("created_on:instant name database_name schema_name comment owner owner_role_type extension");
    for database in viewer.databases_in(scope)? {
        let schema = viewer.schema_in(scope, &database)?;
        for view in viewer.services.catalog.semantic_views(&database, schema.as_deref())? {
            if viewer.authority.sees(Secured::semantic_view(&view))? {
                listing.add([
                    instant(view.created_on_ms),
                    text(&view.name),
                    text(&view.database),
                    text(&view.schema),
                    comment(view.comment.as_deref()),
                    text(&view.owner),
                    text("ROLE"),
                    extensions(&view)?,
                ]);
            }
        }
    }
    Ok(listing)
}

/// The names of the tools that have extensions of the view.
fn extensions(view: &SemanticViewRecord) -> Result<Option<String>, RunError> {
    let model = model_in(view)?;
    let names: Vec<&str> = model.extensions.iter().map(|(name, _)| name.as_str()).collect();
    Ok((!names.is_empty()).then(|| serde_json::json!(names).to_string()))
}

/// One row per property of each of the view's parts.
pub fn described(view: &SemanticViewRecord) -> Result<LocalRows, RunError> {
    let model = model_in(view)?;
    let mut rows = Properties::default();
    rows.add(None, None, None, "COMMENT", model.description.as_deref());
    tables(&model, &mut rows);
    for join in &model.relationships {
        let of = |rows: &mut Properties, property, value: &str| {
            rows.add(Some("RELATIONSHIP"), Some(&join.name), Some(&join.left_table), property, Some(value));
        };
        let columns = |columns: Vec<&str>| serde_json::json!(columns).to_string();
        of(&mut rows, "TABLE", &join.left_table);
        of(&mut rows, "REF_TABLE", &join.right_table);
        of(&mut rows, "FOREIGN_KEY", &columns(join.columns.iter().map(|pair| pair.left_column.as_str()).collect()));
        of(&mut rows, "REF_KEY", &columns(join.columns.iter().map(|pair| pair.right_column.as_str()).collect()));
    }
    for metric in &model.metrics {
        rows.add(Some("DERIVED_METRIC"), Some(&metric.name), None, "EXPRESSION", Some(&metric.expr));
        rows.add(Some("DERIVED_METRIC"), Some(&metric.name), None, "DATA_TYPE", metric.data_type.as_deref());
        rows.words(
            "DERIVED_METRIC",
            &metric.name,
            None,
            metric.access_modifier,
            &metric.synonyms,
            metric.description.as_deref(),
        );
    }
    for query in &model.verified_queries {
        rows.add(Some("AI_VERIFIED_QUERY"), Some(&query.name), None, "QUESTION", Some(&query.question));
        rows.add(Some("AI_VERIFIED_QUERY"), Some(&query.name), None, "SQL", Some(&query.sql));
    }
    let instructions = &model.module_custom_instructions;
    let instruction = instructions.sql_generation.as_deref();
    rows.add(Some("CUSTOM_INSTRUCTION"), None, None, "AI_SQL_GENERATION", instruction);
    let instruction = instructions.question_categorization.as_deref();
    rows.add(Some("CUSTOM_INSTRUCTION"), None, None, "AI_QUESTION_CATEGORIZATION", instruction);
    for (name, value) in &model.extensions {
        rows.add(Some("EXTENSION"), Some(name), None, "VALUE", Some(value));
    }
    let columns = ["object_kind", "object_name", "parent_entity", "property", "property_value"];
    Ok(LocalRows::new(columns.into_iter().map(WireColumn::text).collect(), rows.rows))
}

fn tables(model: &SemanticModel, rows: &mut Properties) {
    for table in &model.tables {
        if let TableSource::BaseTable { database, schema, table: base } = &table.source {
            rows.add(Some("TABLE"), Some(&table.name), None, "BASE_TABLE_DATABASE_NAME", database.as_deref());
            rows.add(Some("TABLE"), Some(&table.name), None, "BASE_TABLE_SCHEMA_NAME", schema.as_deref());
            rows.add(Some("TABLE"), Some(&table.name), None, "BASE_TABLE_NAME", Some(base));
        }
        if !table.primary_key.is_empty() {
            let key = serde_json::json!(table.primary_key).to_string();
            rows.add(Some("TABLE"), Some(&table.name), None, "PRIMARY_KEY", Some(&key));
        }
        rows.words("TABLE", &table.name, None, AccessModifier::Public, &table.synonyms, table.description.as_deref());
        let facts = table
            .facts
            .iter()
            .map(|i| ("FACT", &i.name, &i.expr, &i.data_type, i.access_modifier, &i.synonyms, &i.description));
        let dimensions = table
            .dimensions
            .iter()
            .map(|i| ("DIMENSION", &i.name, &i.expr, &i.data_type, i.access_modifier, &i.synonyms, &i.description));
        let times = table
            .time_dimensions
            .iter()
            .map(|i| ("DIMENSION", &i.name, &i.expr, &i.data_type, i.access_modifier, &i.synonyms, &i.description));
        let metrics = table
            .metrics
            .iter()
            .map(|i| ("METRIC", &i.name, &i.expr, &i.data_type, i.access_modifier, &i.synonyms, &i.description));
        for (kind, name, expr, data_type, access, synonyms, description) in
            facts.chain(dimensions).chain(times).chain(metrics)
        {
            let parent = Some(table.name.as_str());
            rows.add(Some(kind), Some(name), parent, "TABLE", Some(&table.name));
            rows.add(Some(kind), Some(name), parent, "EXPRESSION", Some(expr));
            rows.add(Some(kind), Some(name), parent, "DATA_TYPE", data_type.as_deref());
            rows.words(kind, name, parent, access, synonyms, description.as_deref());
        }
    }
}

#[derive(Default)]
struct Properties {
    rows: Vec<Vec<Option<String>>>,
}

impl Properties {
    /// A property without a value has no row.
    fn add(
        &mut self,
        kind: Option<&str>,
        name: Option<&str>,
        parent: Option<&str>,
        property: &str,
        value: Option<&str>,
    ) {
        if let Some(value) = value {
            let cell = |text: &str| Some(text.to_owned());
            self.rows.push(vec![
                kind.and_then(cell),
                name.and_then(cell),
                parent.and_then(cell),
                cell(property),
                cell(value),
            ]);
        }
    }

    fn words(
        &mut self,
        kind: &str,
        name: &str,
        parent: Option<&str>,
        access: AccessModifier,
        synonyms: &[String],
        description: Option<&str>,
    ) {
        if kind != "TABLE" {
            let word = if access == AccessModifier::Private { "PRIVATE" } else { "PUBLIC" };
            self.add(Some(kind), Some(name), parent, "ACCESS_MODIFIER", Some(word));
        }
        if !synonyms.is_empty() {
            let synonyms = serde_json::json!(synonyms).to_string();
            self.add(Some(kind), Some(name), parent, "SYNONYMS", Some(&synonyms));
        }
        self.add(Some(kind), Some(name), parent, "COMMENT", description);
    }
}

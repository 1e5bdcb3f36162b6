//! SHOW SEMANTIC DIMENSIONS, FACTS and METRICS: the items of semantic views that queries may name.

use firn_analyst::semantic_model::{AccessModifier, LogicalTable, SemanticModel};
use firn_analyst::semantic_view::dimensions_for_metric;
use firn_catalog::semantic_views::SemanticViewRecord;
use firn_sql::Failure;
use firn_sql::command::Scope;
use firn_sql::semantic_views::{MetricName, SemanticItemKind};

use super::listing::{Listing, Viewer, text};
use crate::authorise::Secured;
use crate::run_error::RunError;
use crate::semantic_views::{find, model_in};

struct ShownItem<'m> {
    name: &'m str,
    data_type: Option<&'m str>,
    synonyms: &'m [String],
    comment: Option<&'m str>,
    access: AccessModifier,
}

pub(super) fn semantic_items(viewer: &Viewer, scope: &Scope, kind: SemanticItemKind) -> Result<Listing, RunError> {
    if let Scope::SemanticView(asked) = scope
        && let Some(metric) = &asked.metric
    {
        let view = find(viewer.services, viewer.session, &viewer.state.role, &asked.name)?;
        return for_metric(&model_in(&view)?, metric);
    }
    let mut listing =
        Listing::of("database_name schema_name semantic_view_name table_name name data_type synonyms comment");
    for view in views_in(viewer, scope)? {
        let model = model_in(&view)?;
        for table in &model.tables {
            for item in items(table, kind) {
                add(&mut listing, &view, Some(&table.name), &item);
            }
        }
        if kind == SemanticItemKind::Metric {
            for metric in &model.metrics {
                let item = ShownItem {
                    name: &metric.name,
                    data_type: metric.data_type.as_deref(),
                    synonyms: &metric.synonyms,
                    comment: metric.description.as_deref(),
                    access: metric.access_modifier,
                };
                add(&mut listing, &view, None, &item);
            }
        }
    }
    Ok(listing)
}

fn for_metric(model: &SemanticModel, metric: &MetricName) -> Result<Listing, RunError> {
    let missing = || Failure::missing_object("Metric", &metric.name);
    let tables = dimensions_for_metric(model, metric.table.as_deref(), &metric.name).ok_or_else(missing)?;
    let mut listing = Listing::of("table_name name data_type required synonyms comment");
    for table in tables {
        for item in items(table, SemanticItemKind::Dimension).filter(|item| item.access == AccessModifier::Public) {
            listing.add([
                text(&table.name),
                text(item.name),
                item.data_type.and_then(text),
                text("false"),
                synonyms(item.synonyms),
                item.comment.and_then(text),
            ]);
        }
    }
    Ok(listing)
}

/// The views that the role may use.
fn views_in(viewer: &Viewer, scope: &Scope) -> Result<Vec<SemanticViewRecord>, RunError> {
    if let Scope::SemanticView(asked) = scope {
        let view = find(viewer.services, viewer.session, &viewer.state.role, &asked.name)?;
        viewer.authority.sees(Secured::semantic_view(&view))?;
        return Ok(vec![view]);
    }
    let mut views = Vec::new();
    let catalog = &viewer.services.catalog;
    for database in viewer.databases_in(scope)? {
        let schema = viewer.schema_in(scope, &database)?;
        for view in catalog.semantic_views(&database, schema.as_deref())? {
            if viewer.authority.sees(Secured::semantic_view(&view))? {
                views.push(view);
            }
        }
    }
    Ok(views)
}

fn items(table: &LogicalTable, kind: SemanticItemKind) -> Box<dyn Iterator<Item = ShownItem<'_>> + '_> {
    macro_rules! shown {
        ($items:expr) => {
            $items.iter().map(|item| ShownItem {
                name: &item.name,
                data_type: item.data_type.as_deref(),
                synonyms: &item.synonyms,
                comment: item.description.as_deref(),
                access: item.access_modifier,
            })
        };
    }
    match kind {
        SemanticItemKind::Dimension => Box::new(shown!(table.dimensions).chain(shown!(table.time_dimensions))),
        SemanticItemKind::Fact => Box::new(shown!(table.facts)),
        SemanticItemKind::Metric => Box::new(shown!(table.metrics)),
    }
}

fn add(listing: &mut Listing, view: &SemanticViewRecord, table: Option<&String>, item: &ShownItem<'_>) {
    if item.access == AccessModifier::Private {
        return;
    }
    listing.add([
        text(&view.database),
        text(&view.schema),
        text(&view.name),
        table.and_then(|table| text(table)),
        text(item.name),
        item.data_type.and_then(text),
        synonyms(item.synonyms),
        item.comment.and_then(text),
    ]);
}

fn synonyms(synonyms: &[String]) -> Option<String> {
    (!synonyms.is_empty()).then(|| serde_json::json!(synonyms).to_string())
}

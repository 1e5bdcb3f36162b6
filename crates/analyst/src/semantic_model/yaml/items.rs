//! Dimensions, time dimensions, facts, metrics and filters.

use super::document::{Content, Node};
use super::fields::{Fields, text_of};
use super::{ModelError, Reading};
use crate::semantic_model::expressions::{ExpressionProblem, check_expression};
use crate::semantic_model::{
    AccessModifier, DefaultAggregation, Dimension, Fact, Metric, NamedFilter, NonAdditiveDimension, SearchService,
    SortDirection, TimeDimension,
};

pub(super) fn dimension(node: &Node, reading: &mut Reading) -> Result<Dimension, ModelError> {
    let mut fields = named(node, "dimension")?;
    let start = start(&mut fields, Expression::DefaultsToName, reading)?;
    let search_service = fields.take(&["search_service", "cortex_search_service", "cortex_search_service_name"])?;
    let labels = fields.texts("labels")?;
    let dimension = Dimension {
        name: start.name,
        synonyms: start.synonyms,
        description: start.description,
        expr: start.expr,
        data_type: fields.text("data_type")?,
        unique: fields.flag("unique")?,
        sample_values: fields.texts("sample_values")?,
        is_enum: fields.flag("is_enum")?,
        search_service: search_service.map(|node| self::search_service(node, reading)).transpose()?,
        is_filter: labels.iter().any(|label| label.eq_ignore_ascii_case("filter")),
        access_modifier: access_modifier(&mut fields)?,
    };
    finish(fields, reading);
    Ok(dimension)
}

pub(super) fn time_dimension(node: &Node, reading: &mut Reading) -> Result<TimeDimension, ModelError> {
    let mut fields = named(node, "time dimension")?;
    let start = start(&mut fields, Expression::DefaultsToName, reading)?;
    let dimension = TimeDimension {
        name: start.name,
        synonyms: start.synonyms,
        description: start.description,
        expr: start.expr,
        data_type: fields.text("data_type")?,
        unique: fields.flag("unique")?,
        sample_values: fields.texts("sample_values")?,
        access_modifier: access_modifier(&mut fields)?,
    };
    finish(fields, reading);
    Ok(dimension)
}

pub(super) fn fact(node: &Node, reading: &mut Reading) -> Result<Fact, ModelError> {
    const AGGREGATIONS: [(&str, DefaultAggregation); 8] = [
        ("sum", DefaultAggregation::Sum),
        ("avg", DefaultAggregation::Avg),
        ("average", DefaultAggregation::Avg),
        ("median", DefaultAggregation::Median),
        ("min", DefaultAggregation::Min),
        ("max", DefaultAggregation::Max),
        ("count", DefaultAggregation::Count),
        ("count_distinct", DefaultAggregation::CountDistinct),
    ];
    let mut fields = named(node, "fact")?;
    let start = start(&mut fields, Expression::DefaultsToName, reading)?;
    let fact = Fact {
        name: start.name,
        synonyms: start.synonyms,
        description: start.description,
        expr: start.expr,
        data_type: fields.text("data_type")?,
        sample_values: fields.texts("sample_values")?,
        access_modifier: access_modifier(&mut fields)?,
        default_aggregation: fields.choice("default_aggregation", &AGGREGATIONS)?,
    };
    finish(fields, reading);
    Ok(fact)
}

pub(super) fn metric(node: &Node, reading: &mut Reading) -> Result<Metric, ModelError> {
    let mut fields = named(node, "metric")?;
    let start = start(&mut fields, Expression::Required, reading)?;
    let non_additive = fields.list(&["non_additive_dimensions"])?;
    let metric = Metric {
        name: start.name,
        synonyms: start.synonyms,
        description: start.description,
        expr: start.expr,
        data_type: fields.text("data_type")?,
        access_modifier: access_modifier(&mut fields)?,
        non_additive_dimensions: non_additive
            .into_iter()
            .map(|node| non_additive_dimension(node, reading))
            .collect::<Result<_, _>>()?,
        using_relationships: fields.texts("using_relationships")?,
    };
    finish(fields, reading);
    Ok(metric)
}

pub(super) fn filter(node: &Node, reading: &mut Reading) -> Result<NamedFilter, ModelError> {
    let mut fields = named(node, "filter")?;
    let start = start(&mut fields, Expression::Required, reading)?;
    finish(fields, reading);
    Ok(NamedFilter { name: start.name, synonyms: start.synonyms, description: start.description, expr: start.expr })
}

/// What every item begins with.
struct Start {
    name: String,
    synonyms: Vec<String>,
    description: Option<String>,
    expr: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Expression {
    Required,
    /// Without one, the item is the column of its name.
    DefaultsToName,
}

/// Fields of the published format that every item may have and nothing is done with.
const UNUSED: [&str; 8] = [
    "labels",
    "tags",
    "unique",
    "is_enum",
    "sample_values",
    "cortex_search_service",
    "cortex_search_service_name",
    "search_service",
];
/// What an item of the old list `columns` can be.
pub(super) const COLUMN_KINDS: [&str; 4] = ["dimension", "time_dimension", "measure", "fact"];

/// Warns of what nobody knows.
fn finish(mut fields: Fields<'_>, reading: &mut Reading) {
    fields.pass_over(&UNUSED);
    fields.pass_over(&["access_modifier", "default_aggregation", "data_type"]);
    fields.pass_over_if("kind", &|kind| COLUMN_KINDS.contains(&kind));
    fields.finish(reading);
}

fn start(fields: &mut Fields<'_>, expression: Expression, reading: &mut Reading) -> Result<Start, ModelError> {
    let name = fields.required_text("name")?;
    let synonyms = synonyms(fields, &name, reading)?;
    let description = fields.text("description")?;
    let node = fields.take(&["expr"])?;
    let expr = match node {
        Some(node) => text_of(node, "`expr`")?.trim().to_owned(),
        None => String::new(),
    };
    let place = node.map_or(fields.place, |node| node.place);
    let expr = match (expr.is_empty(), expression) {
        (false, _) => expr,
        (true, Expression::DefaultsToName) => name.clone(),
        (true, Expression::Required) => return Err(place.error(format!("{} has no `expr`", fields.what))),
    };
    match check_expression(&expr) {
        Ok(()) => {}
        Err(ExpressionProblem::Malformed(problem)) => {
            return Err(place.error(format!("`expr` of {} is no expression: {problem}", fields.what)));
        }
        Err(ExpressionProblem::Refused(problem)) => {
            reading.warn(place, &format!("`expr` of {} cannot be run: {problem}", fields.what));
        }
    }
    Ok(Start { name, synonyms, description, expr })
}

/// Synonyms, and a warning for each that already stands for something else.
pub(super) fn synonyms(fields: &mut Fields<'_>, name: &str, reading: &mut Reading) -> Result<Vec<String>, ModelError> {
    let mut synonyms = fields.texts("synonyms")?;
    synonyms.retain(|synonym| !synonym.trim().is_empty());
    for synonym in &synonyms {
        let before = reading.synonyms.insert(synonym.trim().to_lowercase(), name.to_owned());
        if let Some(other) = before.filter(|other| other != name) {
            let message = format!("the synonym '{synonym}' stands for `{other}` and for `{name}`");
            reading.warn(fields.place, &message);
        }
    }
    Ok(synonyms)
}

/// The fields of an item whose name, once read, is in every message.
pub(super) fn named<'a>(node: &'a Node, kind: &str) -> Result<Fields<'a>, ModelError> {
    let mut fields = Fields::of(node, &format!("a {kind}"))?;
    if let Content::Mapping(mapping) = &node.content {
        let name = mapping.iter().rfind(|(key, _)| key.text() == Some("name")).and_then(|(_, value)| value.text());
        if let Some(name) = name {
            fields.what = format!("{kind} `{name}`");
        }
    }
    Ok(fields)
}

fn access_modifier(fields: &mut Fields<'_>) -> Result<AccessModifier, ModelError> {
    const CHOICES: [(&str, AccessModifier); 4] = [
        ("public_access", AccessModifier::Public),
        ("private_access", AccessModifier::Private),
        ("public", AccessModifier::Public),
        ("private", AccessModifier::Private),
    ];
    Ok(fields.choice("access_modifier", &CHOICES)?.unwrap_or_default())
}

/// The name alone, or a mapping.
fn search_service(node: &Node, reading: &mut Reading) -> Result<SearchService, ModelError> {
    if let Some(service) = node.text() {
        return Ok(SearchService { service: service.trim().to_owned(), ..SearchService::default() });
    }
    let mut fields = Fields::of(node, "a search service")?;
    let service = SearchService {
        service: fields.required_text("service")?,
        literal_column: fields.text("literal_column")?,
        database: fields.text("database")?,
        schema: fields.text("schema")?,
    };
    fields.finish(reading);
    Ok(service)
}

fn non_additive_dimension(node: &Node, reading: &mut Reading) -> Result<NonAdditiveDimension, ModelError> {
    const DIRECTIONS: [(&str, SortDirection); 4] = [
        ("ascending", SortDirection::Ascending),
        ("asc", SortDirection::Ascending),
        ("descending", SortDirection::Descending),
        ("desc", SortDirection::Descending),
    ];
    if let Some(name) = node.text() {
        return Ok(NonAdditiveDimension { dimension: name.to_owned(), ..NonAdditiveDimension::default() });
    }
    let mut fields = Fields::of(node, "a non-additive dimension")?;
    let dimension = NonAdditiveDimension {
        table: fields.text("table")?,
        dimension: fields.required_text("dimension")?,
        sort_direction: fields.choice("sort_direction", &DIRECTIONS)?.unwrap_or_default(),
    };
    // The order of NULLs has no effect on which value is the last one.
    fields.pass_over(&["nulls_position", "null_order"]);
    fields.finish(reading);
    Ok(dimension)
}

//! The model's own fields, its relationships and verified queries.

use super::document::{Content, Node};
use super::fields::Fields;
use super::tables::{Names, each, table};
use super::{ModelError, Place, Reading, items};
use crate::semantic_model::expressions::check_query;
use crate::semantic_model::{
    JoinType, LogicalTable, ModuleInstructions, Relationship, RelationshipColumns, RelationshipType, SemanticModel,
    TableSource, VerifiedQuery,
};

/// Some tools write the model as the only field of a document.
pub(super) fn within(document: &Node) -> &Node {
    const NAMES: [&str; 2] = ["semantic_model", "semantic_view"];
    match &document.content {
        Content::Mapping(pairs) => match pairs.as_slice() {
            [(key, value)] if key.text().is_some_and(|name| NAMES.contains(&name)) => value,
            _ => document,
        },
        _ => document,
    }
}

pub(super) fn read(mut fields: Fields<'_>, reading: &mut Reading) -> Result<SemanticModel, ModelError> {
    let name = reading.noted(fields.required_text("name")).unwrap_or_default();
    let description = fields.text("description")?;
    let errors_before = reading.errors.len();
    let tables = each(&mut fields, &["tables"], &mut Names::default(), reading, table, |t| &t.name)?;
    reading.lacks_tables = reading.errors.len() > errors_before;
    if tables.is_empty() && !reading.lacks_tables {
        return Err(fields.place.error("the model has no `tables`"));
    }
    let mut relationships = Vec::new();
    for node in fields.list(&["relationships"])? {
        let read = relationship(node, &tables, reading);
        relationships.extend(reading.noted(read).flatten());
    }
    let mut names = Names::default();
    let metrics = each(&mut fields, &["metrics"], &mut names, reading, items::metric, |m| &m.name)?;
    let queries = &["verified_queries"];
    let verified_queries = each(&mut fields, queries, &mut Names::default(), reading, verified_query, |q| &q.name)?;
    let custom_instructions = fields.paragraphs("custom_instructions")?;
    let module_custom_instructions = match fields.take(&["module_custom_instructions"])? {
        Some(node) => module_instructions(node, reading)?,
        None => ModuleInstructions::default(),
    };
    let extensions = fields.list(&["extensions"])?;
    let extensions = extensions.into_iter().map(|node| extension(node, reading)).collect::<Result<_, _>>()?;
    fields.pass_over(&["synonyms", "tags", "comment"]);
    fields.finish(reading);
    let model = SemanticModel {
        name,
        description,
        tables,
        relationships,
        metrics,
        verified_queries,
        custom_instructions,
        module_custom_instructions,
        extensions,
        function_home: None,
    };
    check_metric_relationships(&model, reading);
    Ok(model)
}

fn extension(node: &Node, reading: &mut Reading) -> Result<(String, String), ModelError> {
    let mut fields = Fields::of(node, "an extension")?;
    let extension = (fields.required_text("name")?, fields.text("value")?.unwrap_or_default());
    fields.finish(reading);
    Ok(extension)
}

/// `None` of one between tables that could not be read.
fn relationship(
    node: &Node,
    tables: &[LogicalTable],
    reading: &mut Reading,
) -> Result<Option<Relationship>, ModelError> {
    const JOIN_TYPES: [(&str, JoinType); 3] =
        [("inner", JoinType::Inner), ("left_outer", JoinType::LeftOuter), ("left", JoinType::LeftOuter)];
    const TYPES: [(&str, RelationshipType); 2] =
        [("many_to_one", RelationshipType::ManyToOne), ("one_to_one", RelationshipType::OneToOne)];
    let mut fields = items::named(node, "relationship")?;
    let name = fields.text("name")?;
    let left_table = fields.required_text("left_table")?;
    let right_table = fields.required_text("right_table")?;
    let named = [&left_table, &right_table].map(|name| table_named(name, tables, &fields));
    if reading.lacks_tables && named.iter().any(Result::is_err) {
        return Ok(None);
    }
    let [left, right] = named;
    let (left, right) = (left?, right?);
    let mut columns = Vec::new();
    for node in fields.list(&["relationship_columns"])? {
        let mut pair = Fields::of(node, "a pair of relationship columns")?;
        let left_column = pair.required_text("left_column")?;
        let right_column = pair.required_text("right_column")?;
        check_column(left, &left_column, pair.place, reading)?;
        check_column(right, &right_column, pair.place, reading)?;
        pair.finish(reading);
        columns.push(RelationshipColumns { left_column, right_column });
    }
    if columns.is_empty() {
        return Err(fields.place.error(format!("{} has no `relationship_columns`", fields.what)));
    }
    let relationship = Relationship {
        name: name.unwrap_or_else(|| format!("{left_table}_to_{right_table}")),
        left_table,
        right_table,
        columns,
        join_type: fields.choice("join_type", &JOIN_TYPES)?,
        relationship_type: fields.choice("relationship_type", &TYPES)?,
    };
    fields.pass_over(&["description", "synonyms", "tags"]);
    fields.finish(reading);
    Ok(Some(relationship))
}

fn table_named<'t>(
    name: &str,
    tables: &'t [LogicalTable],
    fields: &Fields<'_>,
) -> Result<&'t LogicalTable, ModelError> {
    tables.iter().find(|table| table.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        let message = format!("{} names the table `{name}`; the model has {}", fields.what, known.join(", "));
        fields.place.error(message)
    })
}

/// A relationship may name columns of the physical table that the logical one leaves out; those of a query are known.
fn check_column(table: &LogicalTable, column: &str, place: Place, reading: &Reading) -> Result<(), ModelError> {
    let is_incomplete = reading.incomplete_tables.contains(&table.name.to_lowercase());
    let may_be_physical = is_incomplete || matches!(table.source, TableSource::BaseTable { .. });
    if column.trim().is_empty() || !(may_be_physical || table.column_expression(column).is_some()) {
        return Err(place.error(format!("table `{}` has no column `{column}`", table.name)));
    }
    Ok(())
}

fn verified_query(node: &Node, reading: &mut Reading) -> Result<VerifiedQuery, ModelError> {
    let mut fields = items::named(node, "verified query")?;
    let question = fields.required_text("question")?;
    let sql = fields.required_text("sql")?;
    if let Err(problem) = check_query(sql.trim_end_matches(';')) {
        reading.warn(fields.place, &format!("{} is no query and not used: {problem}", fields.what));
    }
    let query = VerifiedQuery {
        name: fields.text("name")?.unwrap_or_else(|| question.clone()),
        question,
        sql,
        verified_at: fields.point_in_time("verified_at")?,
        verified_by: fields.text("verified_by")?,
        use_as_onboarding_question: fields.flag("use_as_onboarding_question")?,
    };
    fields.pass_over(&["semantic_model_name"]);
    fields.finish(reading);
    Ok(query)
}

fn module_instructions(node: &Node, reading: &mut Reading) -> Result<ModuleInstructions, ModelError> {
    let mut fields = Fields::of(node, "`module_custom_instructions`")?;
    let instructions = ModuleInstructions {
        sql_generation: fields.paragraphs("sql_generation")?,
        question_categorization: fields.paragraphs("question_categorization")?,
    };
    fields.finish(reading);
    Ok(instructions)
}

/// A metric that follows a relationship nobody has declared would be joined at random.
fn check_metric_relationships(model: &SemanticModel, reading: &mut Reading) {
    let metrics = model.tables.iter().flat_map(|table| &table.metrics).chain(&model.metrics);
    for metric in metrics {
        for name in &metric.using_relationships {
            if !model.relationships.iter().any(|relationship| relationship.name.eq_ignore_ascii_case(name)) {
                let message = format!("metric `{}` uses the relationship `{name}`, which does not exist", metric.name);
                reading.warnings.push(message);
            }
        }
    }
}

//! From the clauses of CREATE SEMANTIC VIEW to a model.

use std::collections::HashSet;
use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, VisitorMut};
use firn_sql::semantic_views::{
    NonAdditiveBy, SemanticViewDefinition, ViewItem, ViewRelationship, ViewSearchService, ViewTable,
};
use firn_sql::tree::Tree;

use super::extension;
use crate::semantic_model::{
    AccessModifier, Dimension, Fact, LogicalTable, Metric, ModuleInstructions, NonAdditiveDimension, Relationship,
    RelationshipColumns, SearchService, SemanticModel, SortDirection, TableSource, TimeDimension, VerifiedQuery,
};

/// The model of a view; all its dimensions are plain ones until their types are known.
pub fn model_of(name: &str, definition: &SemanticViewDefinition) -> Result<SemanticModel, Failure> {
    let mut tables: Vec<LogicalTable> = definition.tables.iter().map(table).collect();
    check_unique(tables.iter().map(|table| table.name.as_str()), "table")?;
    for item in &definition.facts {
        let table = table_of(&mut tables, item)?;
        table.facts.push(Fact {
            name: item.name.clone(),
            synonyms: item.synonyms.clone(),
            description: item.comment.clone(),
            expr: own_names(item),
            access_modifier: access(item),
            ..Fact::default()
        });
    }
    for item in &definition.dimensions {
        let table = table_of(&mut tables, item)?;
        table.dimensions.push(Dimension {
            name: item.name.clone(),
            synonyms: item.synonyms.clone(),
            description: item.comment.clone(),
            expr: own_names(item),
            access_modifier: access(item),
            search_service: item.search_service.as_ref().map(search_service),
            ..Dimension::default()
        });
    }
    let mut metrics = Vec::new();
    for item in &definition.metrics {
        let metric = Metric {
            name: item.name.clone(),
            synonyms: item.synonyms.clone(),
            description: item.comment.clone(),
            expr: own_names(item),
            access_modifier: access(item),
            using_relationships: item.using_relationships.clone(),
            non_additive_dimensions: item.non_additive.iter().map(non_additive).collect(),
            ..Metric::default()
        };
        match item.table {
            Some(_) => table_of(&mut tables, item)?.metrics.push(metric),
            None => metrics.push(metric),
        }
    }
    for table in &tables {
        check_unique(item_names(table), &format!("name in table {}", table.name))?;
    }
    let relationships = definition.relationships.iter().map(|join| relationship(join, &tables));
    let mut model = SemanticModel {
        name: name.to_owned(),
        description: definition.comment.clone(),
        relationships: relationships.collect::<Result<_, _>>()?,
        tables,
        metrics,
        verified_queries: verified_queries(definition),
        custom_instructions: None,
        module_custom_instructions: ModuleInstructions {
            sql_generation: definition.sql_generation.clone(),
            question_categorization: definition.question_categorization.clone(),
        },
        extensions: definition.extensions.clone(),
        function_home: None,
    };
    extension::apply(&mut model);
    Ok(model)
}

fn search_service(service: &ViewSearchService) -> SearchService {
    SearchService {
        service: service.name.name.clone(),
        literal_column: service.column.clone(),
        database: service.name.database.clone(),
        schema: service.name.schema.clone(),
    }
}

fn non_additive(by: &NonAdditiveBy) -> NonAdditiveDimension {
    NonAdditiveDimension {
        table: by.table.clone(),
        dimension: by.dimension.clone(),
        sort_direction: if by.is_descending { SortDirection::Descending } else { SortDirection::Ascending },
    }
}

/// Turns the dimensions named `(table, dimension)` into time dimensions.
pub fn time_dimensions_of(model: &mut SemanticModel, times: &[(String, String, String)]) {
    for table in &mut model.tables {
        let (of_time, plain): (Vec<Dimension>, Vec<Dimension>) =
            std::mem::take(&mut table.dimensions).into_iter().partition(|dimension| {
                times.iter().any(|(owner, name, _)| *owner == table.name && *name == dimension.name)
            });
        table.dimensions = plain;
        table.time_dimensions.extend(of_time.into_iter().map(|dimension| {
            TimeDimension {
                data_type: times
                    .iter()
                    .find(|(owner, name, _)| *owner == table.name && *name == dimension.name)
                    .map(|(_, _, data_type)| data_type.clone()),
                name: dimension.name,
                synonyms: dimension.synonyms,
                description: dimension.description,
                expr: dimension.expr,
                unique: dimension.unique,
                sample_values: dimension.sample_values,
                access_modifier: dimension.access_modifier,
            }
        }));
    }
}

fn table(table: &ViewTable) -> LogicalTable {
    let quoted = |part: &String| firn_sql::names::display_identifier(part);
    LogicalTable {
        name: table.alias.clone(),
        synonyms: table.synonyms.clone(),
        description: table.comment.clone(),
        source: TableSource::BaseTable {
            database: table.name.database.as_ref().map(quoted),
            schema: table.name.schema.as_ref().map(quoted),
            table: quoted(&table.name.name),
        },
        primary_key: table.primary_key.clone(),
        unique_keys: table.unique_keys.clone(),
        ..LogicalTable::default()
    }
}

fn table_of<'t>(tables: &'t mut [LogicalTable], item: &ViewItem) -> Result<&'t mut LogicalTable, Failure> {
    let name = item.table.as_deref().unwrap_or_default();
    tables.iter_mut().find(|table| table.name == name).ok_or_else(|| {
        let way_out = "write TABLE.NAME with a table of the clause TABLES";
        Failure::invalid_value("the table of a fact, dimension or metric", &format!("{name}.{}", item.name), way_out)
    })
}

fn relationship(join: &ViewRelationship, tables: &[LogicalTable]) -> Result<Relationship, Failure> {
    let find = |name: &str| {
        tables.iter().find(|table| table.name == name).ok_or_else(|| {
            Failure::invalid_value("a table of RELATIONSHIPS", name, "the clause TABLES does not name it")
        })
    };
    find(&join.table)?;
    let referenced = find(&join.referenced)?;
    let keys = if join.referenced_columns.is_empty() { &referenced.primary_key } else { &join.referenced_columns };
    if keys.len() != join.columns.len() {
        let way_out = "both sides of a relationship have the same number of columns; REFERENCES without columns means \
                       the primary key";
        return Err(Failure::invalid_value("RELATIONSHIPS", &join.referenced, way_out));
    }
    let pair = |(left, right): (&String, &String)| RelationshipColumns {
        left_column: left.clone(),
        right_column: right.clone(),
    };
    Ok(Relationship {
        name: join.name.clone().unwrap_or_else(|| format!("{}_TO_{}", join.table, join.referenced)),
        left_table: join.table.clone(),
        right_table: join.referenced.clone(),
        columns: join.columns.iter().zip(keys).map(pair).collect(),
        ..Relationship::default()
    })
}

fn verified_queries(definition: &SemanticViewDefinition) -> Vec<VerifiedQuery> {
    let query = |query: &firn_sql::semantic_views::ViewVerifiedQuery| VerifiedQuery {
        name: query.name.clone(),
        question: query.question.clone(),
        sql: query.sql.clone(),
        verified_at: query.verified_at,
        verified_by: query.verified_by.clone(),
        use_as_onboarding_question: query.is_onboarding,
    };
    definition.verified_queries.iter().map(query).collect()
}

fn access(item: &ViewItem) -> AccessModifier {
    if item.is_private { AccessModifier::Private } else { AccessModifier::Public }
}

fn item_names(table: &LogicalTable) -> impl Iterator<Item = &str> {
    let dimensions = table.dimensions.iter().map(|item| item.name.as_str());
    let facts = table.facts.iter().map(|item| item.name.as_str());
    dimensions.chain(facts).chain(table.metrics.iter().map(|item| item.name.as_str()))
}

fn check_unique<'n>(names: impl Iterator<Item = &'n str>, what: &str) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.to_uppercase()) {
            return Err(Failure::invalid_value(what, name, "it is there twice"));
        }
    }
    Ok(())
}

/// The expression without the name of its own table before columns. In a subquery, a name without it is one of the subquery's.
fn own_names(item: &ViewItem) -> String {
    let mut expr = item.expr.clone();
    if let Some(table) = &item.table {
        // The visitor never breaks.
        let _ = expr.walk_mut(&mut OwnNames { table, subqueries: 0 });
    }
    expr.to_string()
}

struct OwnNames<'a> {
    table: &'a str,
    /// How many are around the expression.
    subqueries: usize,
}

impl VisitorMut for OwnNames<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.subqueries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.subqueries -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(parts) = expr
            && self.subqueries == 0
            && let [table, column] = parts.as_slice()
            && folded(table).eq_ignore_ascii_case(self.table)
        {
            *expr = Expr::Identifier(column.clone());
        }
        ControlFlow::Continue(())
    }
}

fn folded(identifier: &firn_sql::ast::Ident) -> String {
    if identifier.quote_style.is_some() { identifier.value.clone() } else { identifier.value.to_uppercase() }
}

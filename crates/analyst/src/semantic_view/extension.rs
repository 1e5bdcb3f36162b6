//! `WITH EXTENSION (CA = '{…}')`: what a semantic model says and the clauses of a semantic view cannot.

use serde_json::{Map, Value, json};

use crate::semantic_model::{DefaultAggregation, JoinType, LogicalTable, NamedFilter, RelationshipType, SemanticModel};

const NAME: &str = "CA";

const AGGREGATIONS: [(&str, DefaultAggregation); 7] = [
    ("sum", DefaultAggregation::Sum),
    ("avg", DefaultAggregation::Avg),
    ("median", DefaultAggregation::Median),
    ("min", DefaultAggregation::Min),
    ("max", DefaultAggregation::Max),
    ("count", DefaultAggregation::Count),
    ("count_distinct", DefaultAggregation::CountDistinct),
];

/// Puts what the extension says into the model. What it does not know stays in the text.
pub(super) fn apply(model: &mut SemanticModel) {
    let given = model.extensions.iter().find(|(name, _)| name.eq_ignore_ascii_case(NAME));
    let Some(Value::Object(given)) = given.and_then(|(_, text)| serde_json::from_str(text).ok()) else { return };
    for entry in list(&given, "tables") {
        let found = model.tables.iter_mut().find(|table| is_named(entry, &table.name));
        if let Some(table) = found {
            apply_to_table(table, entry);
        }
    }
    for entry in list(&given, "relationships") {
        let Some(join) = model.relationships.iter_mut().find(|join| is_named(entry, &join.name)) else { continue };
        join.join_type = match text(entry, "join_type").as_deref() {
            Some("inner") => Some(JoinType::Inner),
            Some("left_outer") => Some(JoinType::LeftOuter),
            _ => join.join_type,
        };
        join.relationship_type = match text(entry, "relationship_type").as_deref() {
            Some("many_to_one") => Some(RelationshipType::ManyToOne),
            Some("one_to_one") => Some(RelationshipType::OneToOne),
            _ => join.relationship_type,
        };
    }
    if let Some(instructions) = given.get("custom_instructions").and_then(Value::as_str) {
        model.custom_instructions = Some(instructions.to_owned());
    }
}

fn apply_to_table(table: &mut LogicalTable, entry: &Value) {
    let Value::Object(fields) = entry else { return };
    let described = list(fields, "dimensions").iter().chain(list(fields, "time_dimensions"));
    for entry in described {
        if let Some(dimension) = table.dimensions.iter_mut().find(|item| is_named(entry, &item.name)) {
            dimension.sample_values = texts(entry, "sample_values");
            dimension.is_enum = entry["is_enum"] == true;
            dimension.unique = entry["unique"] == true;
        }
    }
    for entry in list(fields, "facts") {
        if let Some(fact) = table.facts.iter_mut().find(|item| is_named(entry, &item.name)) {
            fact.sample_values = texts(entry, "sample_values");
            let word = text(entry, "default_aggregation");
            let known = AGGREGATIONS.iter().find(|(name, _)| Some(*name) == word.as_deref());
            fact.default_aggregation = known.map(|(_, aggregation)| *aggregation);
        }
    }
    for entry in list(fields, "filters") {
        if let (Some(name), Some(expr)) = (text(entry, "name"), text(entry, "expr")) {
            let (synonyms, description) = (texts(entry, "synonyms"), text(entry, "description"));
            table.filters.push(NamedFilter { name, synonyms, description, expr });
        }
    }
}

/// The extensions as the statement that makes the view again has them.
pub(super) fn written(model: &SemanticModel) -> Vec<(String, String)> {
    let mut all = model.extensions.clone();
    let has_own = all.iter().any(|(name, _)| name.eq_ignore_ascii_case(NAME));
    if let Some(value) = own(model).filter(|_| !has_own) {
        all.push((NAME.to_owned(), value.to_string()));
    }
    all
}

/// What the clauses cannot say; nothing where they say all.
fn own(model: &SemanticModel) -> Option<Value> {
    let mut fields = Map::new();
    let tables: Vec<Value> = model.tables.iter().filter_map(table).collect();
    put(&mut fields, "tables", tables);
    let relationships = model.relationships.iter().filter_map(|join| {
        let mut entry = Map::new();
        let join_type = join.join_type.map(|kind| match kind {
            JoinType::Inner => "inner",
            JoinType::LeftOuter => "left_outer",
        });
        let relationship_type = join.relationship_type.map(|kind| match kind {
            RelationshipType::ManyToOne => "many_to_one",
            RelationshipType::OneToOne => "one_to_one",
        });
        entry.extend(join_type.map(|word| ("join_type".to_owned(), json!(word))));
        entry.extend(relationship_type.map(|word| ("relationship_type".to_owned(), json!(word))));
        named(&join.name, entry)
    });
    put(&mut fields, "relationships", relationships.collect());
    if let Some(instructions) = &model.custom_instructions {
        fields.insert("custom_instructions".to_owned(), json!(instructions));
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}

fn table(table: &LogicalTable) -> Option<Value> {
    let mut fields = Map::new();
    let dimensions = table.dimensions.iter().filter_map(|item| {
        let mut entry = Map::new();
        put(&mut entry, "sample_values", item.sample_values.iter().map(|value| json!(value)).collect());
        entry.extend(item.is_enum.then(|| ("is_enum".to_owned(), json!(true))));
        entry.extend(item.unique.then(|| ("unique".to_owned(), json!(true))));
        named(&item.name, entry)
    });
    put(&mut fields, "dimensions", dimensions.collect());
    let times = table.time_dimensions.iter().filter_map(|item| {
        let mut entry = Map::new();
        put(&mut entry, "sample_values", item.sample_values.iter().map(|value| json!(value)).collect());
        entry.extend(item.unique.then(|| ("unique".to_owned(), json!(true))));
        named(&item.name, entry)
    });
    put(&mut fields, "time_dimensions", times.collect());
    let facts = table.facts.iter().filter_map(|item| {
        let mut entry = Map::new();
        put(&mut entry, "sample_values", item.sample_values.iter().map(|value| json!(value)).collect());
        let known = AGGREGATIONS.iter().find(|(_, other)| Some(*other) == item.default_aggregation);
        entry.extend(known.map(|(word, _)| ("default_aggregation".to_owned(), json!(word))));
        named(&item.name, entry)
    });
    put(&mut fields, "facts", facts.collect());
    let filters = table.filters.iter().map(|item| {
        json!({"name": item.name, "expr": item.expr, "synonyms": item.synonyms, "description": item.description})
    });
    put(&mut fields, "filters", filters.collect());
    named(&table.name, fields)
}

/// An entry with its name, unless there is nothing but the name.
fn named(name: &str, mut fields: Map<String, Value>) -> Option<Value> {
    if fields.is_empty() {
        return None;
    }
    fields.insert("name".to_owned(), json!(name));
    Some(Value::Object(fields))
}

fn put(fields: &mut Map<String, Value>, name: &str, entries: Vec<Value>) {
    if !entries.is_empty() {
        fields.insert(name.to_owned(), Value::Array(entries));
    }
}

fn list<'v>(fields: &'v Map<String, Value>, name: &str) -> &'v [Value] {
    fields.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_named(entry: &Value, name: &str) -> bool {
    entry["name"].as_str().is_some_and(|other| other.eq_ignore_ascii_case(name))
}

fn text(entry: &Value, name: &str) -> Option<String> {
    entry[name].as_str().map(str::to_owned)
}

fn texts(entry: &Value, name: &str) -> Vec<String> {
    let values = entry[name].as_array().into_iter().flatten();
    values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
}

//! Where in a model's text its parts stand, for what is found out about them later.

use std::rc::Rc;

use super::document::{Content, Node, documents};
use super::top_level::within;

/// A part of a model, by the names of what it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelPart {
    /// The place of a table's rows.
    Source {
        table: String,
    },
    Key {
        table: String,
    },
    /// `dimension`, `time dimension`, `fact`, `metric` or `filter` of a table.
    Item {
        table: String,
        kind: &'static str,
        name: String,
    },
    /// Of the whole model.
    Metric {
        name: String,
    },
    Relationship {
        name: String,
    },
    VerifiedQuery {
        name: String,
    },
}

/// Finds parts in a text that was read as a model.
pub struct ModelPlaces {
    document: Option<Rc<Node>>,
}

impl ModelPlaces {
    pub fn of(text: &str) -> Self {
        Self { document: documents(text).ok().and_then(|documents| documents.into_iter().next()) }
    }

    /// Line and column, counted from 1: of what is at fault in the part, else of the part.
    pub fn place_of(&self, part: &ModelPart) -> Option<(usize, usize)> {
        let model = within(self.document.as_deref()?);
        let inside = |entry: &'_ Node, fields: &[&str]| field(entry, fields).map(|node| node.place);
        let table = |name: &str| named(model, &["tables"], name);
        let place = match part {
            ModelPart::Source { table: name } => {
                let table = table(name)?;
                inside(table, &["base_table", "definition"]).unwrap_or(table.place)
            }
            ModelPart::Key { table: name } => {
                let table = table(name)?;
                inside(table, &["primary_key", "unique_keys"]).unwrap_or(table.place)
            }
            ModelPart::Item { table: of, kind, name } => {
                let table = table(of)?;
                match named(table, sections(kind), name) {
                    Some(item) => inside(item, &["expr"]).unwrap_or(item.place),
                    None => table.place,
                }
            }
            ModelPart::Metric { name } => {
                let metric = named(model, &["metrics"], name)?;
                inside(metric, &["expr"]).unwrap_or(metric.place)
            }
            ModelPart::Relationship { name } => named(model, &["relationships"], name)?.place,
            ModelPart::VerifiedQuery { name } => {
                let query = named(model, &["verified_queries"], name)?;
                inside(query, &["sql"]).unwrap_or(query.place)
            }
        };
        Some((place.line, place.column))
    }
}

fn sections(kind: &str) -> &'static [&'static str] {
    match kind {
        "dimension" => &["dimensions", "columns"],
        "time dimension" => &["time_dimensions", "columns"],
        "fact" => &["facts", "measures", "columns"],
        "filter" => &["filters"],
        _ => &["metrics"],
    }
}

/// The field under the first of the names that it has; of one given twice the last counts.
fn field<'a>(node: &'a Node, names: &[&str]) -> Option<&'a Node> {
    let Content::Mapping(pairs) = &node.content else { return None };
    let one = |name: &&str| pairs.iter().rfind(|(key, _)| key.text() == Some(name)).map(|(_, value)| &**value);
    names.iter().find_map(one)
}

/// The entry of that name in one of the lists.
fn named<'a>(node: &'a Node, lists: &[&str], name: &str) -> Option<&'a Node> {
    let entries = |list: &&str| match field(node, &[list]).map(|node| &node.content) {
        Some(Content::Sequence(entries)) => entries.as_slice(),
        _ => &[],
    };
    let has_name = |entry: &&Rc<Node>| name_of(entry).is_some_and(|own| own.trim().eq_ignore_ascii_case(name));
    lists.iter().flat_map(entries).find(has_name).map(|entry| &**entry)
}

/// The name, or what stands for one.
fn name_of(entry: &Node) -> Option<String> {
    let text = |name: &str| field(entry, &[name]).and_then(Node::text);
    let sides = || Some(format!("{}_to_{}", text("left_table")?, text("right_table")?));
    text("name").or_else(|| text("question")).map(str::to_owned).or_else(sides)
}

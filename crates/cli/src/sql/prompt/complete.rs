//! What may follow at the cursor: relations behind FROM, columns of the relations that the statement names, functions,
//! keywords, and the prompt's commands. Only names that are known already are offered; the server is not asked.

mod place;
mod relations;

use firn_sql::names::display_identifier;
use reedline::{Completer, Span, Suggestion};

use self::place::Place;
use self::relations::named_relations;
use super::catalog::{Catalog, Relation, SharedCatalog};
use super::keywords::{BEFORE_RELATIONS, KEYWORDS};
use super::meta::{COMMANDS, is_command};

const SUGGESTIONS_MAX: usize = 200;

pub struct SqlCompleter {
    pub catalog: SharedCatalog,
}

impl Completer for SqlCompleter {
    fn complete(&mut self, line: &str, pos: usize) -> Vec<Suggestion> {
        let place = Place::at(line, pos);
        let offered = offers(line, &place, &self.catalog.get());
        let span = Span::new(place.start, pos);
        let suggestion = |offer: Offer| Suggestion {
            value: offer.text,
            description: Some(offer.description).filter(|description| !description.is_empty()),
            span,
            append_whitespace: false,
            ..Suggestion::default()
        };
        offered.into_iter().take(SUGGESTIONS_MAX).map(suggestion).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Offer {
    text: String,
    description: String,
}

fn offers(line: &str, place: &Place, catalog: &Catalog) -> Vec<Offer> {
    if is_command(line) {
        return command_offers(line, place, catalog);
    }
    if place.is_in_text {
        return Vec::new();
    }
    let mut offered = match place.qualifiers.as_slice() {
        [] => plain_offers(place, catalog),
        [one] => qualified_offers(&place.around, one, catalog),
        [first, second] => within(catalog, first, second),
        [_, schema, name, ..] => {
            columns_where(catalog, |relation| relation.schema == *schema && relation.name == *name)
        }
    };
    offered.retain(|offer| begins_with(&offer.text, &place.prefix));
    for offer in &mut offered {
        offer.text = in_case_of(&place.prefix, &offer.text);
    }
    let mut seen = std::collections::HashSet::new();
    offered.retain(|offer| seen.insert(offer.text.clone()));
    offered
}

fn plain_offers(place: &Place, catalog: &Catalog) -> Vec<Offer> {
    let before = place.before.as_deref().unwrap_or_default();
    if before == "USE" || before == "SCHEMA" || before == "DATABASE" {
        return names(&catalog.databases, "database").into_iter().chain(names(&catalog.schemas, "schema")).collect();
    }
    if BEFORE_RELATIONS.contains(&before) {
        return relation_offers(catalog);
    }
    let in_use = named_relations(&place.around, catalog);
    let columns = in_use.iter().flat_map(|(_, relation)| column_offers(relation));
    let aliases = in_use.iter().filter_map(|(alias, relation)| {
        Some(Offer { text: display_identifier(alias.as_deref()?), description: relation.name.clone() })
    });
    let mut offered: Vec<Offer> = columns.chain(aliases).collect();
    if !place.prefix.is_empty() {
        offered.extend(KEYWORDS.iter().map(|word| offer(word, "")));
        offered.extend(firn_sql::functions::all().map(|entry| offer(entry.name, "function")));
        offered.extend(relation_offers(catalog));
    }
    offered
}

fn qualified_offers(text: &str, qualifier: &str, catalog: &Catalog) -> Vec<Offer> {
    let named = named_relations(text, catalog);
    let of_alias = named.iter().find(|(alias, relation)| match alias {
        Some(alias) => alias == qualifier,
        None => relation.name == qualifier,
    });
    if let Some((_, relation)) = of_alias {
        return column_offers(relation).collect();
    }
    if catalog.schemas.iter().any(|schema| schema == qualifier) {
        let of_schema = catalog.relations.iter().filter(|relation| relation.schema == qualifier);
        return of_schema.map(|relation| offer(&display_identifier(&relation.name), "table")).collect();
    }
    if catalog.databases.iter().any(|database| database == qualifier) {
        return names(&catalog.schemas, "schema");
    }
    columns_where(catalog, |relation| relation.name == qualifier)
}

/// Behind `database.schema.`, or `schema.table.`.
fn within(catalog: &Catalog, first: &str, second: &str) -> Vec<Offer> {
    let columns = columns_where(catalog, |relation| relation.schema == first && relation.name == second);
    if !columns.is_empty() {
        return columns;
    }
    let of_schema = catalog.relations.iter().filter(|relation| relation.schema == second);
    of_schema.map(|relation| offer(&display_identifier(&relation.name), "table")).collect()
}

fn command_offers(line: &str, place: &Place, catalog: &Catalog) -> Vec<Offer> {
    let line = line.trim_start();
    if !line.contains(char::is_whitespace) {
        let commands = COMMANDS.iter().filter_map(|(usage, help)| {
            let word = usage.split_whitespace().next()?.strip_prefix('\\')?;
            begins_with(word, &place.prefix).then(|| offer(word, help))
        });
        return commands.collect();
    }
    let word = line.get(1..).unwrap_or_default().split_whitespace().next().unwrap_or_default();
    let mut offered = match word {
        "d" | "dt" | "describe" => relation_offers(catalog),
        "use" | "c" => {
            names(&catalog.databases, "database").into_iter().chain(names(&catalog.schemas, "schema")).collect()
        }
        "x" => vec![offer("on", ""), offer("off", ""), offer("auto", "")],
        "timing" => vec![offer("on", ""), offer("off", "")],
        _ => Vec::new(),
    };
    offered.retain(|offer| begins_with(&offer.text, &place.prefix));
    for offer in &mut offered {
        offer.text = in_case_of(&place.prefix, &offer.text);
    }
    offered
}

/// Those of the schema in use by their name, others with their schema.
fn relation_offers(catalog: &Catalog) -> Vec<Offer> {
    let current = catalog.current_schema.as_deref();
    let is_near = |relation: &&Relation| Some(relation.schema.as_str()) == current;
    let near =
        catalog.relations.iter().filter(is_near).map(|relation| offer(&display_identifier(&relation.name), "table"));
    near.chain(names(&catalog.schemas, "schema")).chain(names(&catalog.databases, "database")).collect()
}

fn columns_where(catalog: &Catalog, is_meant: impl Fn(&Relation) -> bool) -> Vec<Offer> {
    catalog.relations.iter().filter(|relation| is_meant(relation)).flat_map(column_offers).collect()
}

fn column_offers(relation: &Relation) -> impl Iterator<Item = Offer> {
    let described = |kind: &str| format!("{} of {}", kind.to_lowercase(), relation.name);
    relation.columns.iter().map(move |(name, kind)| offer(&display_identifier(name), &described(kind)))
}

fn names(names: &[String], description: &str) -> Vec<Offer> {
    names.iter().map(|name| offer(&display_identifier(name), description)).collect()
}

fn offer(text: &str, description: &str) -> Offer {
    Offer { text: text.to_owned(), description: description.to_owned() }
}

fn begins_with(text: &str, prefix: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches('"').to_lowercase();
    bare(text).starts_with(&bare(prefix))
}

/// Who types small letters gets small letters, but for names that need their quotes.
fn in_case_of(prefix: &str, text: &str) -> String {
    let is_small = !prefix.chars().any(char::is_uppercase) && !prefix.starts_with('"');
    if is_small && !text.starts_with('"') { text.to_lowercase() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let relation = |schema: &str, name: &str, columns: &[&str]| Relation {
            schema: schema.to_owned(),
            name: name.to_owned(),
            columns: columns.iter().map(|column| ((*column).to_owned(), "NUMBER".to_owned())).collect(),
        };
        Catalog {
            databases: vec!["DEMO".to_owned()],
            schemas: vec!["PUBLIC".to_owned(), "RAW".to_owned()],
            relations: vec![
                relation("PUBLIC", "ORDERS", &["ORDER_ID", "AMOUNT"]),
                relation("PUBLIC", "Odd Name", &["mixed Case"]),
                relation("RAW", "EVENTS", &["EVENT_ID"]),
            ],
            current_schema: Some("PUBLIC".to_owned()),
        }
    }

    /// The offers at `|`.
    fn check(marked: &str, expected: &[&str]) {
        let pos = marked.find('|').unwrap_or(marked.len());
        let line = marked.replacen('|', "", 1);
        let place = Place::at(&line, pos);
        let offered: Vec<String> = offers(&line, &place, &catalog()).into_iter().map(|offer| offer.text).collect();
        assert_eq!(offered, expected, "{marked}");
    }

    #[test]
    fn relations_are_offered_where_one_is_named() {
        check("select * from o|", &["orders", "\"Odd Name\""]);
        check("select * from O|", &["ORDERS", "\"Odd Name\""]);
        check("select * from |", &["orders", "\"Odd Name\"", "public", "raw", "demo"]);
        check("insert into ra|", &["raw"]);
        check("select * from raw.|", &["events"]);
        check("select * from demo.|", &["public", "raw"]);
        check("select * from demo.raw.e|", &["events"]);
        check("\\d or|", &["orders"]);
    }

    #[test]
    fn columns_are_offered_of_relations_that_are_named() {
        check("select amo| from orders", &["amount"]);
        check("select o.| from orders o join raw.events e", &["order_id", "amount"]);
        check("select e.| from orders o join raw.events as e", &["event_id"]);
        check("select orders.a| from orders", &["amount"]);
        check("select raw.events.| from orders", &["event_id"]);
        check("select \"mix| from \"Odd Name\"", &["\"mixed Case\""]);
    }

    #[test]
    fn keywords_and_functions_are_offered() {
        check("sel|", &["select"]);
        check("SEL|", &["SELECT"]);
        check("select iff|", &["iff"]);
        check("select 'sel|", &[]);
        check("select 1 -- sel|", &[]);
        check("\\ti|", &["timing"]);
        check("\\x a|", &["auto"]);
        check("use ra|", &["raw"]);
    }
}

//! The relations that a statement names, with their aliases: read from its words alone, since it is not finished yet.

use super::super::catalog::{Catalog, Relation};
use super::super::keywords::is_keyword;
use super::super::lexer::{Piece, PieceKind, pieces};

/// Behind these words a relation is named, and behind a comma of such a list another one.
const INTRODUCTIONS: [&str; 5] = ["FROM", "JOIN", "INTO", "UPDATE", "USING"];

/// Whether the piece names something.
pub fn is_named(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::Word | PieceKind::QuotedName)
}

/// A name as the server stores it.
pub fn stored(name: &str) -> String {
    match name.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"').unwrap_or(quoted).replace("\"\"", "\""),
        None => name.to_uppercase(),
    }
}

/// Each with the alias that it has.
pub fn named_relations<'a>(text: &str, catalog: &'a Catalog) -> Vec<(Option<String>, &'a Relation)> {
    let all = pieces(text);
    let code: Vec<&Piece> =
        all.iter().filter(|piece| !matches!(piece.kind, PieceKind::Space | PieceKind::Comment)).collect();
    let word = |place: usize| code.get(place).map(|piece| &text[piece.range.clone()]);
    let mut found = Vec::new();
    let mut place = 0;
    while place < code.len() {
        let introduces =
            word(place).is_some_and(|word| INTRODUCTIONS.iter().any(|known| word.eq_ignore_ascii_case(known)));
        place += 1;
        let mut is_listed = introduces;
        while is_listed {
            let (parts, behind) = name_at(text, &code, place);
            let (alias, behind) = alias_at(text, &code, behind);
            if let Some(relation) = relation_of(&parts, catalog) {
                found.push((alias, relation));
            }
            is_listed = !parts.is_empty() && word(behind) == Some(",");
            place = if is_listed { behind + 1 } else { behind };
        }
    }
    found
}

/// `a.b.c`, and the place behind it.
fn name_at(text: &str, code: &[&Piece], mut place: usize) -> (Vec<String>, usize) {
    let mut parts = Vec::new();
    while let Some(piece) = code.get(place).filter(|piece| is_named(piece)) {
        parts.push(stored(&text[piece.range.clone()]));
        place += 1;
        match code.get(place) {
            Some(dot) if &text[dot.range.clone()] == "." => place += 1,
            _ => break,
        }
    }
    (parts, place)
}

fn alias_at(text: &str, code: &[&Piece], place: usize) -> (Option<String>, usize) {
    let word = |place: usize| code.get(place).filter(|piece| is_named(piece)).map(|piece| &text[piece.range.clone()]);
    match word(place) {
        Some(as_word) if as_word.eq_ignore_ascii_case("AS") => match word(place + 1) {
            Some(alias) => (Some(stored(alias)), place + 2),
            None => (None, place + 1),
        },
        Some(alias) if !is_keyword(alias) => (Some(stored(alias)), place + 1),
        _ => (None, place),
    }
}

fn relation_of<'a>(parts: &[String], catalog: &'a Catalog) -> Option<&'a Relation> {
    let (name, before) = parts.split_last()?;
    let schema = before.last().or(catalog.current_schema.as_ref());
    let is_meant =
        |relation: &&Relation| relation.name == *name && schema.is_none_or(|schema| relation.schema == *schema);
    catalog.relations.iter().find(is_meant)
}

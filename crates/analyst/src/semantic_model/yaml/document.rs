//! A YAML document as a tree with places. It is read by libyaml's grammar, which is PyYAML's: what people's tools write is
//! read. Scalars stay as they are written; what they mean is asked of them by the field they are in.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;

use libyaml_safer::{Error, Event, EventData, Mark, Parser, STR_TAG, ScalarStyle};

use super::{ModelError, Place};

/// Deeper nesting than any model needs; the composer calls itself for every level.
const DEPTH_MAX: usize = 100;
/// Nodes of a document once its aliases are written out.
const NODES_MAX: usize = 500_000;

/// A part of the document.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Content,
    /// Nodes in it, itself included, with aliases written out.
    weight: usize,
}

#[derive(Debug)]
pub(super) enum Content {
    Scalar { text: String, form: Form },
    Sequence(Vec<Rc<Node>>),
    Mapping(Vec<(Rc<Node>, Rc<Node>)>),
}

/// Whether a scalar may be something else than text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Text,
}

impl Node {
    /// A plain scalar that stands for nothing.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Scalar { text, form: Form::Plain }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The scalar as it is written.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// All documents of a text; a model is one, and an empty text has none.
pub(super) fn documents(text: &str) -> Result<Vec<Rc<Node>>, ModelError> {
    // The scanner wants a line break behind the last line, and panics where a scalar ends with the text.
    let whole = if text.ends_with('\n') { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}\n")) };
    let read = std::panic::catch_unwind(AssertUnwindSafe(|| compose(&whole)));
    read.unwrap_or_else(|_| Err(unreadable(text)))
}

fn compose(text: &str) -> Result<Vec<Rc<Node>>, ModelError> {
    let mut parser = Parser::new();
    parser.set_input(text.as_bytes());
    let mut composer = Composer { parser, text, anchors: HashMap::new() };
    let mut documents = Vec::new();
    loop {
        match composer.next()?.data {
            EventData::StreamEnd => return Ok(documents),
            EventData::DocumentStart { .. } => {
                composer.anchors.clear();
                let first = composer.next()?;
                documents.push(composer.node(first, 0)?);
            }
            _ => {}
        }
    }
}

struct Composer<'t> {
    parser: Parser<&'t [u8]>,
    text: &'t str,
    anchors: HashMap<String, Rc<Node>>,
}

type Pair = (Rc<Node>, Rc<Node>);

impl Composer<'_> {
    fn next(&mut self) -> Result<Event, ModelError> {
        self.parser.parse().map_err(|error| in_words(&error, self.text))
    }

    fn node(&mut self, event: Event, depth: usize) -> Result<Rc<Node>, ModelError> {
        let place = place_of(event.start_mark);
        if depth > DEPTH_MAX {
            return Err(place.error(format!("the model is nested deeper than {DEPTH_MAX} levels")));
        }
        let (anchor, content) = match event.data {
            EventData::Alias { anchor } => {
                let known = self.anchors.get(&anchor).cloned();
                return known.ok_or_else(|| place.error(format!("the alias `*{anchor}` has no anchor before it")));
            }
            EventData::Scalar { anchor, tag, value, style, .. } => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none_or(|tag| tag != STR_TAG && tag != "!");
                let form = if is_plain { Form::Plain } else { Form::Text };
                (anchor, Content::Scalar { text: value, form })
            }
            EventData::SequenceStart { anchor, .. } => (anchor, self.sequence(depth)?),
            EventData::MappingStart { anchor, .. } => (anchor, self.mapping(place, depth)?),
            _ => return Err(place.error("a value is missing")),
        };
        let weight = 1 + content.weight();
        if weight > NODES_MAX {
            return Err(place.error(format!("with its aliases written out the model has more than {NODES_MAX} parts")));
        }
        let node = Rc::new(Node { place, content, weight });
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        Ok(node)
    }

    fn sequence(&mut self, depth: usize) -> Result<Content, ModelError> {
        let mut items = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event.data, EventData::SequenceEnd) {
                return Ok(Content::Sequence(items));
            }
            items.push(self.node(event, depth + 1)?);
        }
    }

    fn mapping(&mut self, place: Place, depth: usize) -> Result<Content, ModelError> {
        let mut pairs = Vec::new();
        let mut merged = Vec::new();
        let mut weight = 0;
        loop {
            let event = self.next()?;
            if matches!(event.data, EventData::MappingEnd) {
                break;
            }
            let key = self.node(event, depth + 1)?;
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            let weight_added = key.weight + value.weight;
            match &key.content {
                Content::Scalar { text, form: Form::Plain } if text == "<<" => merge(&value, &mut merged)?,
                _ => pairs.push((key, value)),
            }
            weight += weight_added;
            if weight > NODES_MAX {
                return Err(
                    place.error(format!("with its aliases written out the model has more than {NODES_MAX} parts"))
                );
            }
        }
        // A mapping's own fields count before those that are merged in, and of the latter the first.
        let mut known: HashSet<String> = pairs.iter().filter_map(|(key, _)| Some(key.text()?.to_owned())).collect();
        for (key, value) in merged {
            if key.text().is_none_or(|name| known.insert(name.to_owned())) {
                pairs.push((key, value));
            }
        }
        Ok(Content::Mapping(pairs))
    }
}

/// Fields of one mapping or of several, which `<<` puts into another.
fn merge(value: &Node, merged: &mut Vec<Pair>) -> Result<(), ModelError> {
    match &value.content {
        Content::Mapping(pairs) => merged.extend(pairs.iter().cloned()),
        Content::Sequence(items) => {
            for item in items {
                let Content::Mapping(pairs) = &item.content else { return Err(no_mapping(item)) };
                merged.extend(pairs.iter().cloned());
            }
        }
        Content::Scalar { .. } => return Err(no_mapping(value)),
    }
    Ok(())
}

fn no_mapping(node: &Node) -> ModelError {
    node.place.error("`<<` takes a mapping, or a list of mappings")
}

impl Content {
    fn weight(&self) -> usize {
        match self {
            Self::Scalar { .. } => 0,
            Self::Sequence(items) => items.iter().map(|item| item.weight).sum(),
            Self::Mapping(pairs) => pairs.iter().map(|(key, value)| key.weight + value.weight).sum(),
        }
    }
}

fn place_of(mark: Mark) -> Place {
    let number = |position: u64| usize::try_from(position).unwrap_or(usize::MAX).saturating_add(1);
    Place { line: number(mark.line), column: number(mark.column) }
}

/// What is wrong with the text, for people.
fn in_words(error: &Error, text: &str) -> ModelError {
    let Some(mark) = error.problem_mark() else { return unreadable(text) };
    let place = place_of(mark);
    let line = text.lines().nth(place.line - 1).unwrap_or_default();
    if error.problem().contains("tab character") || line.chars().nth(place.column - 1) == Some('\t') {
        return place.error("a tab stands where YAML takes spaces; replace it by spaces");
    }
    match (error.context(), error.context_mark()) {
        (Some(context), Some(began)) if began == mark => place.error(format!("{} {context}", error.problem())),
        (Some(context), Some(began)) => {
            let began = place_of(began);
            let problem = error.problem();
            place.error(format!("{problem} {context} (begun in line {}, column {})", began.line, began.column))
        }
        _ => place.error(error.problem()),
    }
}

/// The reader refuses characters that YAML does not have.
fn unreadable(text: &str) -> ModelError {
    let is_allowed = |character: char| !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\u{85}');
    for (index, line) in text.split('\n').enumerate() {
        if let Some(column) = line.chars().position(|character| !is_allowed(character)) {
            let code = line.chars().nth(column).map_or(0, u32::from);
            let place = Place { line: index + 1, column: column + 1 };
            return place.error(format!("the character U+{code:04X} is not allowed in YAML"));
        }
    }
    Place { line: 1, column: 1 }.error("the text has a character that is not allowed in YAML")
}

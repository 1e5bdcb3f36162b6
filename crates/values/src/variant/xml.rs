//! XML as a semi-structured value. An element is an object: its content under `$`, its name under `@`, each attribute
//! under `@` and its name, and under the names of the elements in it their places in the content.

use roxmltree::{Document, Error, Node, ParsingOptions};

use super::objects::Members;
use super::{Duplicates, MEMBERS_BYTES, NODE_BYTES, Number, Variant, parse};
use crate::running_call::{bytes_left, reserve};

const DEPTH_MAX: usize = 500;
/// What the reader reserves for each `<` and each `=` of a text before it reads it.
const MARK_BYTES: usize = 128;
const CONTENT: &str = "$";
const NAME: &str = "@";

/// Whether texts that look like numbers and truth values become such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    Automatic,
    None,
}

/// The root element of a document. The error says what is wrong and where.
pub fn parse_document(text: &str, conversion: Conversion) -> Result<Variant, String> {
    let text = text.trim();
    reserve(MARK_BYTES * text.bytes().filter(|byte| matches!(byte, b'<' | b'=')).count());
    let document = match Document::parse_with_options(text, options()) {
        Err(Error::NodesLimitReached) => {
            // Exceeds every limit, so that the call ends with the error about memory.
            reserve(usize::MAX);
            return Err(Error::NodesLimitReached.to_string());
        }
        read => read.map_err(|error| complaint(&error, text))?,
    };
    element(document.root_element(), conversion, 0)
}

/// Every element becomes an object.
fn options<'text>() -> ParsingOptions<'text> {
    let nodes = bytes_left().map_or(usize::MAX, |bytes| bytes / (MEMBERS_BYTES + NODE_BYTES));
    ParsingOptions { nodes_limit: u32::try_from(nodes).unwrap_or(u32::MAX), ..ParsingOptions::default() }
}

/// An unmatched closing tag is reported at its end, in characters from the start of the text.
fn complaint(error: &Error, text: &str) -> String {
    let Error::UnexpectedCloseTag(_, name, place) = error else { return error.to_string() };
    let lines = text.split_inclusive('\n').take(place.row as usize - 1);
    let start = lines.map(|line| line.chars().count()).sum::<usize>() + place.col as usize - 1;
    format!("no opening tag for </{name}>, pos {}", start + name.chars().count() + "</>".len())
}

fn element(node: Node<'_, '_>, conversion: Conversion, depth: usize) -> Result<Variant, String> {
    if depth > DEPTH_MAX {
        return Err("nested too deeply".to_owned());
    }
    reserve(MEMBERS_BYTES + NODE_BYTES);
    let mut content = Vec::new();
    let mut places: Vec<(String, usize)> = Vec::new();
    for child in node.children() {
        if child.is_element() {
            places.push((raw_name(child), content.len()));
            content.push(element(child, conversion, depth + 1)?);
        } else if let Some(text) = child.text().filter(|_| child.is_text()).map(str::trim)
            && !text.is_empty()
        {
            content.push(scalar(text, conversion));
        }
    }
    let mut members = Members::new();
    for (name, place) in places {
        note_place(&mut members, name, place);
    }
    for (name, value) in attributes(node) {
        members.insert(format!("{NAME}{name}"), Variant::Text(value));
    }
    members.insert(NAME.to_owned(), Variant::Text(raw_name(node)));
    members.insert(
        CONTENT.to_owned(),
        match content.len() {
            0 => Variant::Text(String::new()),
            1 => content.remove(0),
            _ => Variant::Array(content),
        },
    );
    Ok(Variant::Object(members))
}

fn note_place(members: &mut Members, name: String, place: usize) {
    let place = Variant::Number(Number::integer(place as i64));
    let noted = match members.remove(&name) {
        None => place,
        Some(Variant::Array(mut places)) => {
            places.push(place);
            Variant::Array(places)
        }
        Some(first) => Variant::Array(vec![first, place]),
    };
    members.insert(name, noted);
}

/// The name as written, with its prefix.
fn raw_name(node: Node<'_, '_>) -> String {
    let start = node.document().input_text().get(node.range().start + 1..).unwrap_or_default();
    let length = start.find(|end: char| end.is_whitespace() || matches!(end, '/' | '>')).unwrap_or(start.len());
    start[..length].to_owned()
}

/// The attributes as written, and the declarations of prefixes.
fn attributes(node: Node<'_, '_>) -> Vec<(String, String)> {
    let text = node.document().input_text();
    let mut found: Vec<(String, String)> = node
        .attributes()
        .map(|attribute| {
            let name = text.get(attribute.range_qname()).unwrap_or_else(|| attribute.name());
            (name.to_owned(), attribute.value().to_owned())
        })
        .collect();
    let known = node.parent_element();
    for namespace in node.namespaces() {
        let inherited = known.is_some_and(|parent| parent.namespaces().any(|other| other == namespace));
        if !inherited && namespace.name() != Some("xml") {
            let name = namespace.name().map_or_else(|| "xmlns".to_owned(), |prefix| format!("xmlns:{prefix}"));
            found.push((name, namespace.uri().to_owned()));
        }
    }
    found
}

/// Only what is printed back as it was written, but for needless zeros and exponents, becomes a number.
fn scalar(text: &str, conversion: Conversion) -> Variant {
    let plain = || Variant::Text(text.to_owned());
    if conversion == Conversion::None {
        return plain();
    }
    match text {
        "true" => Variant::Boolean(true),
        "false" => Variant::Boolean(false),
        _ if begins_as_number(text) => match parse(text, Duplicates::Refused) {
            Ok(number @ (Variant::Number(_) | Variant::Double(_))) => number,
            _ => plain(),
        },
        _ => plain(),
    }
}

/// Digits without needless zeros before them.
fn begins_as_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    match digits {
        [b'0', second, ..] => !second.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    }
}

/// Whether an object is an element of XML.
pub fn is_element(members: &Members) -> bool {
    members.contains_key(CONTENT) && matches!(members.get(NAME), Some(Variant::Text(_)))
}

/// The element of a name, counted from zero, in the content of another.
pub fn find_element(members: &Members, name: &str, instance: usize) -> Option<Variant> {
    let is_wanted = |value: &&Variant| match value {
        Variant::Object(inside) => matches!(inside.get(NAME), Some(Variant::Text(found)) if found == name),
        _ => false,
    };
    match members.get(CONTENT)? {
        Variant::Array(content) => content.iter().filter(is_wanted).nth(instance).cloned(),
        other => Some(other).filter(is_wanted).filter(|_| instance == 0).cloned(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Compact,
    /// Two spaces to a level.
    Lines,
}

/// The element as one line.
pub fn to_text(members: &Members) -> String {
    let mut out = String::new();
    write_element(members, Layout::Compact, 0, &mut out);
    out
}

/// The element as cells show it.
pub fn to_lines(members: &Members) -> String {
    let mut out = String::new();
    write_element(members, Layout::Lines, 0, &mut out);
    out
}

fn write_element(members: &Members, layout: Layout, depth: usize, out: &mut String) {
    let Some(Variant::Text(name)) = members.get(NAME) else { return };
    out.push('<');
    out.push_str(name);
    for (key, value) in members {
        if let Some(attribute) = key.strip_prefix(NAME).filter(|attribute| !attribute.is_empty()) {
            out.push_str(&format!(" {attribute}=\""));
            write_escaped(&value.to_text().unwrap_or_default(), out);
            out.push('"');
        }
    }
    out.push('>');
    match members.get(CONTENT) {
        Some(Variant::Array(content)) => write_content(content, layout, depth, out),
        Some(inside @ Variant::Object(_)) => write_content(std::slice::from_ref(inside), layout, depth, out),
        Some(scalar) => write_scalar(scalar, out),
        None => {}
    }
    out.push_str(&format!("</{name}>"));
}

fn write_content(content: &[Variant], layout: Layout, depth: usize, out: &mut String) {
    for item in content {
        line_break(layout, depth + 1, out);
        match item {
            Variant::Object(members) => write_element(members, layout, depth + 1, out),
            scalar => write_scalar(scalar, out),
        }
    }
    line_break(layout, depth, out);
}

fn line_break(layout: Layout, depth: usize, out: &mut String) {
    if layout == Layout::Lines {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
}

fn write_scalar(value: &Variant, out: &mut String) {
    match value {
        Variant::Double(_) => out.push_str(&value.to_shown_json()),
        other => write_escaped(&other.to_text().unwrap_or_default(), out),
    }
}

fn write_escaped(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
}

/// Any value as XML: an element as it is, everything else in tags that name its type.
pub fn of_value(value: &Variant) -> String {
    match value {
        Variant::Object(members) if is_element(members) => to_text(members),
        other => {
            let mut out = String::new();
            write_tagged("SnowflakeData", other, &mut out);
            out
        }
    }
}

fn write_tagged(name: &str, value: &Variant, out: &mut String) {
    out.push_str(&format!("<{name} type=\"{}\">", value.type_name()));
    match value {
        Variant::Object(members) => members.iter().for_each(|(key, member)| write_tagged(key, member, out)),
        Variant::Array(elements) => elements.iter().for_each(|element| write_tagged("e", element, out)),
        scalar => write_scalar(scalar, out),
    }
    out.push_str(&format!("</{name}>"));
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    fn check(text: &str, json: &str, lines: &str) {
        let Variant::Object(members) = parse_document(text, Conversion::Automatic).unwrap() else { panic!("{text}") };
        assert_eq!(to_lines(&members), lines);
        assert_eq!(Variant::Object(members).to_json(), json);
    }

    #[test]
    fn elements_are_objects_and_are_shown_as_xml() {
        check("<a/>", r#"{"$":"","@":"a"}"#, "<a></a>");
        check(r#"<a attr="123">text</a>"#, r#"{"$":"text","@":"a","@attr":"123"}"#, r#"<a attr="123">text</a>"#);
        check(
            "<a><b>1</b><b>0.50</b></a>",
            r#"{"$":[{"$":1,"@":"b"},{"$":0.5,"@":"b"}],"@":"a","b":[0,1]}"#,
            "<a>\n  <b>1</b>\n  <b>0.5</b>\n</a>",
        );
        check(
            "<a>007 &amp; <b>true</b></a>",
            r#"{"$":["007 &",{"$":true,"@":"b"}],"@":"a","b":1}"#,
            "<a>\n  007 &amp;\n  <b>true</b>\n</a>",
        );
        check(
            "<x:a xmlns:x='u'>22257e111</x:a>",
            r#"{"$":2.225700000000000e+115,"@":"x:a","@xmlns:x":"u"}"#,
            r#"<x:a xmlns:x="u">2.225700000000000e+115</x:a>"#,
        );
    }

    #[test]
    fn what_is_no_xml_is_refused() {
        for text in ["", "text", "<a>", "<a></b>", "<a><b></a></b>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"] {
            assert!(parse_document(text, Conversion::Automatic).is_err(), "{text}");
        }
    }
}

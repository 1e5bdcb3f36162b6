//! The OpenAPI document as one plain HTML page, without scripts or anything from elsewhere.

use std::fmt::Write;

use serde_json::{Map, Value};

pub const STYLE: &str = include_str!("page.css");

pub fn render(document: &Value) -> String {
    let mut html = String::with_capacity(64 << 10);
    // Writing to a string cannot fail.
    let _ = write_page(&mut html, document);
    html
}

fn write_page(html: &mut String, document: &Value) -> std::fmt::Result {
    let title = escape(text(&document["info"]["title"]));
    writeln!(html, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")?;
    writeln!(html, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(
        html,
        "<title>{title} API</title><link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head><body><main>"
    )?;
    writeln!(html, "<h1>{title} API <small>{}</small></h1>", escape(text(&document["info"]["version"])))?;
    writeln!(html, "<p>{}</p>", prose(text(&document["info"]["description"])))?;
    writeln!(html, "<p>The same for programs: <a href=\"/api/v2/openapi.json\">openapi.json</a></p>")?;
    for (path, operations) in members(&document["paths"]) {
        for (method, operation) in members(operations) {
            write_operation(html, path, method, operation)?;
        }
    }
    writeln!(html, "<h2>Bodies</h2>")?;
    for (name, schema) in members(&document["components"]["schemas"]) {
        write_schema(html, name, schema)?;
    }
    writeln!(html, "</main></body></html>")
}

fn write_operation(html: &mut String, path: &str, method: &str, operation: &Value) -> std::fmt::Result {
    let method = method.to_uppercase();
    writeln!(html, "<section><h2><b>{method}</b> <code>{}</code></h2>", escape(path))?;
    writeln!(html, "<p>{}</p>", prose(text(&operation["summary"])))?;
    if let Some(description) = operation["description"].as_str() {
        writeln!(html, "<p>{}</p>", prose(description))?;
    }
    write_parameters(html, &operation["parameters"])?;
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    if !body.is_null() {
        writeln!(html, "<h3>Request body</h3><p>{}</p>", type_of(body))?;
    }
    writeln!(html, "<h3>Answers</h3><table><tr><th>Status</th><th>Meaning</th><th>Body</th></tr>")?;
    for (status, response) in members(&operation["responses"]) {
        let meaning = prose(text(&response["description"]));
        let body = members(&response["content"]).map(|(_, content)| type_of(&content["schema"])).next();
        writeln!(html, "<tr><td>{status}</td><td>{meaning}</td><td>{}</td></tr>", body.unwrap_or_default())?;
    }
    writeln!(html, "</table></section>")
}

fn write_parameters(html: &mut String, parameters: &Value) -> std::fmt::Result {
    let Some(parameters) = parameters.as_array() else { return Ok(()) };
    writeln!(html, "<h3>Parameters</h3><table><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr>")?;
    for parameter in parameters {
        let required = if parameter["required"] == Value::Bool(true) { ", required" } else { "" };
        writeln!(
            html,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}{required}</td><td>{}</td></tr>",
            escape(text(&parameter["name"])),
            escape(text(&parameter["in"])),
            type_of(&parameter["schema"]),
            prose(text(&parameter["description"])),
        )?;
    }
    writeln!(html, "</table>")
}

fn write_schema(html: &mut String, name: &str, schema: &Value) -> std::fmt::Result {
    let name = escape(name);
    writeln!(html, "<section id=\"{name}\"><h3><code>{name}</code></h3>")?;
    writeln!(html, "<p>{}</p>", prose(text(&schema["description"])))?;
    if schema["properties"].is_null() {
        return writeln!(html, "<p>{}</p></section>", type_of(schema));
    }
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    writeln!(html, "<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>")?;
    for (field, property) in members(&schema["properties"]) {
        let always = if required.iter().any(|name| name == field) { ", always there" } else { "" };
        writeln!(
            html,
            "<tr><td><code>{}</code></td><td>{}{always}</td><td>{}{}</td></tr>",
            escape(field),
            type_of(property),
            prose(text(&property["description"])),
            example_of(property),
        )?;
    }
    writeln!(html, "</table></section>")
}

fn example_of(property: &Value) -> String {
    match &property["example"] {
        Value::Null => String::new(),
        Value::String(text) => format!(" <i>Example:</i> <code>{}</code>", escape(text)),
        other => format!(" <i>Example:</i> <code>{}</code>", escape(&other.to_string())),
    }
}

/// A schema in words, with links to the bodies it names.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escape(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[choice].as_array() {
            return choices.iter().map(type_of).collect::<Vec<_>>().join(" or ");
        }
    }
    match &schema["type"] {
        Value::String(name) => named_type(name, schema),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(|name| named_type(name, schema)).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn named_type(name: &str, schema: &Value) -> String {
    match (name, schema["format"].as_str()) {
        ("array", _) => format!("array of {}", type_of(&schema["items"])),
        ("object", _) if schema["additionalProperties"].is_object() => {
            format!("object of {}", type_of(&schema["additionalProperties"]))
        }
        (_, Some(format)) => format!("{name} ({})", escape(format)),
        _ => escape(name),
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text in which backquotes mark code.
fn prose(text: &str) -> String {
    let parts = text.split('`').map(escape).enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part }).collect()
}

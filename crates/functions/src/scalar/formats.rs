//! Values written and dates read by a format that is given: TO_CHAR and TO_DATE with a model, and their kin.

use std::cell::RefCell;
use std::sync::Arc;

use base64::Engine as _;
use firn_values::cells::moment::Moment;
use firn_values::formats::FormatModel;

use super::native::{Evaluated, Native, Row};
use super::{instants, number_formats, written};
use crate::definition::{Answer, Kind};
use Kind::{Integer, Text};

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_formatted", &[Text, Text, Text], Text, formatted),
    Native::new(c"firn_read_formatted", &[Text, Text, Text, Integer], Text, read_formatted),
];

/// Arguments: the engine's type of a value, its text of the value, and the format.
fn formatted(row: &Row<'_>) -> Evaluated {
    let (engine_type, text, format) = (row.text(0), row.text(1), row.text(2));
    let refused = || format!("firn:100048:'{text}' cannot be written in the format '{format}'");
    if engine_type == "BLOB" {
        return binary(&written::bytes(text), format).map(Answer::Text).ok_or_else(refused);
    }
    if is_number(engine_type) || (engine_type == "JSON" && text.parse::<f64>().is_ok()) {
        return number_formats::write(text.strip_suffix(".0").unwrap_or(text), format).map(Answer::Text);
    }
    if format.eq_ignore_ascii_case("AUTO") {
        return Ok(written::as_type(engine_type, text).into());
    }
    let moment = moment_of(engine_type, text).ok_or_else(refused)?;
    with_model(format, |model| Answer::Text(model.text_of(&moment)))
}

fn is_number(engine_type: &str) -> bool {
    const NUMBERS: [&str; 8] = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "UBIGINT"];
    NUMBERS.contains(&engine_type) || engine_type.starts_with("DECIMAL(")
}

fn binary(bytes: &[u8], format: &str) -> Option<String> {
    match format.to_ascii_uppercase().as_str() {
        "HEX" => Some(bytes.iter().map(|byte| format!("{byte:02X}")).collect()),
        "BASE64" => Some(base64::engine::general_purpose::STANDARD.encode(bytes)),
        "UTF-8" | "UTF8" => String::from_utf8(bytes.to_vec()).ok(),
        _ => None,
    }
}

fn moment_of(engine_type: &str, text: &str) -> Option<Moment> {
    if engine_type == "TIME" {
        return instants::read_moment(&format!("1970-01-01 {text}"));
    }
    instants::read_moment(text)
}

/// Arguments: a text, a model, what to read: `date`, `time`, `timestamp`, `instant` or `offset`, and where the hundred
/// years of years of two digits begin.
fn read_formatted(row: &Row<'_>) -> Evaluated {
    let (text, model, part) = (row.text(0), row.text(1), row.text(2));
    if model.eq_ignore_ascii_case("AUTO") {
        return instants::part(text, part);
    }
    let kind = if part == "date" || part == "time" { part } else { "timestamp" };
    let mut read = None;
    with_model(model, |model| {
        read = model.read(text, row.integer(3));
        Answer::Null
    })?;
    let moment = read.ok_or_else(|| format!("firn:100096:Can't parse '{text}' as {kind} with format '{model}'"))?;
    Ok(instants::part_of(&moment, part))
}

thread_local! {
    static LAST: RefCell<Option<(String, Arc<FormatModel>)>> = const { RefCell::new(None) };
}

/// A statement usually has one model for all rows, so the last one is cached.
fn with_model(text: &str, use_it: impl FnOnce(&FormatModel) -> Answer<'static>) -> Evaluated {
    let cached =
        LAST.with_borrow(|last| last.as_ref().filter(|(known, _)| known == text).map(|(_, model)| model.clone()));
    let model = match cached {
        Some(model) => model,
        None => {
            let model = Arc::new(
                FormatModel::parse(text).map_err(|failure| format!("firn:{}:{}", failure.code, failure.message))?,
            );
            LAST.with_borrow_mut(|last| *last = Some((text.to_owned(), model.clone())));
            model
        }
    };
    Ok(use_it(&model))
}

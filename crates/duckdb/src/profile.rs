//! The operators of a statement as the engine has measured them, in the form in which it writes plans as JSON.
//!
//! Measuring makes short statements slower, so it is on for single statements only.

use std::ffi::CStr;

use firn_engine::{EngineError, ProfiledStep};
use libduckdb_sys as ffi;
use serde_json::{Map, Value, json};

use super::connection::{Connection, Profiling};
use super::explain;

/// Operators of a profile; the engine plans no statement of reason with more.
const OPERATORS_MAX: usize = 5_000;
/// Levels of operators.
const DEPTH_MAX: usize = 1_000;

impl Connection {
    pub(crate) fn begin_profile(&self) -> Result<(), EngineError> {
        self.execute("SET enable_profiling = 'no_output'")?;
        self.profiling.replace(Profiling::On);
        Ok(())
    }

    /// The statement that has just run is the one that is profiled.
    pub(crate) fn note_profile(&self) {
        if matches!(*self.profiling.borrow(), Profiling::On) {
            let noted = self.last_profile();
            self.profiling.replace(Profiling::Noted(noted));
        }
    }

    /// What was noted, else the last statement's. If the engine does not stop measuring, the connection goes on measuring and
    /// is not used for other sessions.
    pub(crate) fn end_profile(&self) -> Vec<ProfiledStep> {
        self.note_profile();
        let Profiling::Noted(steps) = self.profiling.take() else { return Vec::new() };
        if self.execute("PRAGMA disable_profiling").is_err() {
            self.profiling.replace(Profiling::On);
        }
        steps
    }

    pub(crate) fn is_profiling(&self) -> bool {
        !matches!(*self.profiling.borrow(), Profiling::Off)
    }

    fn last_profile(&self) -> Vec<ProfiledStep> {
        // SAFETY: the connection is open; the tree lives until its next statement, and is read here alone.
        let root = unsafe { ffi::duckdb_get_profiling_info(self.raw()) };
        if root.is_null() {
            return Vec::new();
        }
        let mut operators_left = OPERATORS_MAX;
        // The root is the statement as a whole.
        let plan = Value::Array(unsafe { children(root, 0, &mut operators_left) });
        explain::profiled_steps(&plan)
    }
}

/// # Safety
/// The node is of a tree that lives for the call.
unsafe fn children(node: ffi::duckdb_profiling_info, depth: usize, operators_left: &mut usize) -> Vec<Value> {
    if depth > DEPTH_MAX {
        return Vec::new();
    }
    // SAFETY: the node is alive, and so are its children, which are counted.
    unsafe {
        let count = ffi::duckdb_profiling_info_get_child_count(node);
        let mut read = Vec::new();
        for index in 0..count {
            let child = ffi::duckdb_profiling_info_get_child(node, index);
            if child.is_null() || *operators_left == 0 {
                break;
            }
            *operators_left -= 1;
            let mut operator = operator(&metrics(child));
            operator["children"] = Value::Array(children(child, depth + 1, operators_left));
            read.push(operator);
        }
        read
    }
}

fn operator(metrics: &[(String, String)]) -> Value {
    let metric = |wanted: &str| metrics.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let count = |name: &str| metric(name).and_then(|value| value.parse::<u64>().ok()).unwrap_or(0);
    json!({
        "name": metric("OPERATOR_NAME").unwrap_or_default(),
        "rows": count("OPERATOR_CARDINALITY"),
        "rows_scanned": count("OPERATOR_ROWS_SCANNED"),
        "seconds": metric("OPERATOR_TIMING").and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.0),
        "extra_info": extra_info(metric("EXTRA_INFO").unwrap_or_default()),
    })
}

/// # Safety
/// The node is alive.
unsafe fn metrics(node: ffi::duckdb_profiling_info) -> Vec<(String, String)> {
    // SAFETY: every value made here is destroyed here; keys and values of a map are counted.
    unsafe {
        let mut map = ffi::duckdb_profiling_info_get_metrics(node);
        if map.is_null() {
            return Vec::new();
        }
        let count = ffi::duckdb_get_map_size(map);
        let read = (0..count)
            .map(|index| (text(ffi::duckdb_get_map_key(map, index)), text(ffi::duckdb_get_map_value(map, index))));
        let read = read.collect();
        ffi::duckdb_destroy_value(&mut map);
        read
    }
}

/// # Safety
/// The value is alive, and nobody else destroys it.
unsafe fn text(mut value: ffi::duckdb_value) -> String {
    if value.is_null() {
        return String::new();
    }
    // SAFETY: the text is the caller's to free; null is allowed.
    unsafe {
        let raw = ffi::duckdb_get_varchar(value);
        let text = match raw.is_null() {
            true => String::new(),
            false => CStr::from_ptr(raw).to_string_lossy().into_owned(),
        };
        ffi::duckdb_free(raw.cast());
        ffi::duckdb_destroy_value(&mut value);
        text
    }
}

/// `{Table=t, __projections__=a\nb, Filters='a=1, b'}`: a map as the engine writes one as text, with names and values as in a
/// plan. Values with special characters are quoted, and lists have a line per item.
fn extra_info(text: &str) -> Value {
    let mut entries = Map::new();
    let mut rest = text.strip_prefix('{').unwrap_or(text);
    while let Some((name, behind)) = rest.split_once('=') {
        let (value, behind) = value(behind);
        let lines: Vec<&str> = value.split('\n').collect();
        let value = match lines[..] {
            [only] => Value::String(only.to_owned()),
            _ => Value::from(lines),
        };
        entries.insert(plan_name(name.trim()), value);
        rest = behind.strip_prefix(", ").unwrap_or_default();
    }
    Value::Object(entries)
}

/// A value and what is behind it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('\'') else {
        let end = text.find([',', '}']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '\'' => return (value, &quoted[place + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

/// `__join_condition__`: what a plan calls `Join Condition`.
fn plan_name(name: &str) -> String {
    let Some(inner) = name.strip_prefix("__").and_then(|name| name.strip_suffix("__")) else {
        return name.to_owned();
    };
    let capitalized = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
    };
    inner.split('_').map(capitalized).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_as_the_engine_writes_them() {
        let check = |text: &str, expected: Value| assert_eq!(extra_info(text), expected, "{text}");
        check("{}", json!({}));
        check("{Table=d.s.t, Type=Sequential Scan}", json!({"Table": "d.s.t", "Type": "Sequential Scan"}));
        check("{__projections__=a\nb, Top=3}", json!({"Projections": ["a", "b"], "Top": "3"}));
        check(
            "{__expression__='contains(a, \\'x, y=\\')', Order By=g ASC}",
            json!({"Expression": "contains(a, 'x, y=')", "Order By": "g ASC"}),
        );
        check("{Filters='a=1\nb=2'}", json!({"Filters": ["a=1", "b=2"]}));
        check("{Filters='unfinished", json!({"Filters": "unfinished"}));
    }
}

//! Functions of the dialect that are expressions of the engine's: macros, made once per instance in the
//! engine's own in-memory catalog, where every session and every view finds them.

use std::sync::LazyLock;

use foldhash::HashMap;

/// In this order, for a macro may only use those before it.
const FILES: &[&str] = &[
    include_str!("macros/numbers.sql"),
    include_str!("macros/conversions.sql"),
    include_str!("macros/bits.sql"),
    include_str!("macros/hashes.sql"),
    include_str!("macros/binaries.sql"),
    include_str!("macros/patterns.sql"),
    include_str!("macros/generation.sql"),
    include_str!("macros/text.sql"),
    include_str!("macros/dates.sql"),
    include_str!("macros/tables.sql"),
    include_str!("macros/files.sql"),
];

/// The statements that make the macros, in their order.
pub fn definitions() -> impl Iterator<Item = &'static str> {
    FILES.iter().flat_map(|file| statements(file))
}

/// Whether a macro is chosen by the types of its arguments, or uses one that is.
pub fn is_overloaded(name: &str) -> bool {
    MACROS.get(name).is_some_and(|known| known.overloaded)
}

/// How often the engine binds the arguments of a macro. `None` for what is no macro.
pub fn readings(name: &str) -> Option<u64> {
    MACROS.get(name).map(|known| known.readings).or_else(|| readings_of_the_engine(name))
}

/// For the engine's own macros that reference an argument several times.
fn readings_of_the_engine(name: &str) -> Option<u64> {
    match name {
        "nullif" | "NULLIF" | "array_to_string" | "split_part" | "fmod" => Some(2),
        "round_even" => Some(3),
        _ => None,
    }
}

struct Macro {
    overloaded: bool,
    readings: u64,
}

static MACROS: LazyLock<HashMap<&'static str, Macro>> = LazyLock::new(|| {
    let mut macros = HashMap::default();
    for statement in definitions() {
        let Some(definition) = statement.strip_prefix("CREATE MACRO ") else { continue };
        let end = definition.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(definition.len());
        let (name, overloads) = definition.split_at(end);
        let known = Macro::of(overloads, &macros);
        macros.insert(name, known);
    }
    macros
});

impl Macro {
    /// Each overload begins a line. To choose among overloads the engine binds the arguments once more.
    fn of(overloads: &str, earlier: &HashMap<&str, Macro>) -> Self {
        let texts: Vec<&str> = overloads.split("\n    (").filter(|text| !text.trim().is_empty()).collect();
        let overloads: Vec<Macro> = texts.iter().filter_map(|text| Self::of_overload(text, earlier)).collect();
        let choosing = u64::from(overloads.len() > 1);
        Self {
            overloaded: overloads.len() > 1 || overloads.iter().any(|one| one.overloaded),
            readings: choosing + overloads.iter().map(|one| one.readings).max().unwrap_or(1),
        }
    }

    /// The number of references to the parameter that is referenced most.
    fn of_overload(overload: &str, earlier: &HashMap<&str, Macro>) -> Option<Self> {
        let (parameters, body) = overload.split_once(") AS")?;
        let parameters =
            parameters.trim_start_matches('(').split(',').filter_map(|part| part.split_whitespace().next());
        let mut readings: HashMap<&str, u64> = parameters.map(|name| (name, 0)).collect();
        let mut overloaded = false;
        let mut around: Vec<u64> = vec![1];
        let mut rest = body;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
                _ if is_of_name(first) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let (token, following) = rest.split_at(length);
            let outside = around.last().copied().unwrap_or(1);
            if first == ')' {
                around.pop();
            } else if following.starts_with('(') && is_of_name(first) {
                let called = earlier.get(token);
                overloaded |= called.is_some_and(|called| called.overloaded);
                around.push(outside.saturating_mul(called.map_or(1, |called| called.readings)));
                rest = &following[1..];
                continue;
            } else if first == '(' {
                around.push(outside);
            } else if let Some(readings) = readings.get_mut(token) {
                *readings = readings.saturating_add(outside);
            }
            rest = following;
        }
        Some(Self { overloaded, readings: readings.into_values().max().unwrap_or(0) })
    }
}

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// Statements end with a semicolon at the end of a line.
fn statements(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}

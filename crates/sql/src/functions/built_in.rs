//! What SHOW FUNCTIONS says of the functions of the dialect.

use super::entry::{FunctionClass, FunctionEntry, MANY, Parameter, Returns, Rule};
use super::table::families;
use crate::data_types::DataType;
use crate::routines::type_word;

/// A function by one of its names.
pub struct BuiltInFunction {
    pub name: &'static str,
    pub arguments_min: usize,
    /// `None` for any number.
    pub arguments_max: Option<usize>,
    /// `LPAD(TEXT, NUMBER [, TEXT]) RETURN VARCHAR`
    pub signature: String,
    pub description: String,
    pub class: FunctionClass,
}

/// All that users may call, family by family.
pub fn built_in_functions() -> impl Iterator<Item = BuiltInFunction> {
    families().flat_map(|(family, entries)| {
        entries.iter().flat_map(move |entry| {
            let names = std::iter::once(entry.name).chain(entry.other_names.iter().copied());
            names.map(move |name| described(family, entry, name))
        })
    })
}

fn described(family: &str, entry: &FunctionEntry, name: &'static str) -> BuiltInFunction {
    let (arguments_min, most) = entry.arity;
    let kind = match entry.class {
        FunctionClass::Aggregate => ", aggregate",
        FunctionClass::Window | FunctionClass::OrderedWindow => ", window function",
        FunctionClass::Table => ", table function",
        FunctionClass::Scalar => "",
    };
    let same = if name == entry.name { String::new() } else { format!("; the same as {}", entry.name) };
    BuiltInFunction {
        name,
        arguments_min,
        arguments_max: (most < MANY).then_some(most),
        signature: signature(entry, name),
        description: format!("{family}{kind}{same}"),
        class: entry.class,
    }
}

fn signature(entry: &FunctionEntry, name: &str) -> String {
    let (fewest, most) = entry.arity;
    let shown = match most < MANY {
        true => most,
        false => fewest.max(entry.parameters.len()).max(1),
    };
    let mut arguments = String::new();
    for place in 0..shown {
        let separator = if place == 0 { "" } else { ", " };
        let word = match entry.argument_names.get(place).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name} {}", parameter_word(entry.parameter(place))),
            None => parameter_word(entry.parameter(place)).to_owned(),
        };
        match place < fewest {
            true => arguments.push_str(&format!("{separator}{word}")),
            false if place == 0 => arguments.push_str(&format!("[{word}]")),
            false => arguments.push_str(&format!(" [{separator}{word}]")),
        }
    }
    if most == MANY {
        arguments.push_str(" [, …]");
    }
    format!("{name}({arguments}) RETURN {}", returned(&entry.returns, entry))
}

fn parameter_word(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::Any | Parameter::Lambda | Parameter::DatePart => "ANY",
        Parameter::Array => "ARRAY",
        Parameter::Bits | Parameter::Integer | Parameter::Numeric | Parameter::Summand => "NUMBER",
        Parameter::Boolean => "BOOLEAN",
        Parameter::Clock | Parameter::Instant => "TIMESTAMP",
        Parameter::File | Parameter::Stage | Parameter::Text | Parameter::TextOrBinary => "VARCHAR",
        Parameter::Float => "FLOAT",
        Parameter::Geo => "GEOGRAPHY",
        Parameter::Object => "OBJECT",
        Parameter::Variant => "VARIANT",
    }
}

fn returned(returns: &Returns, entry: &FunctionEntry) -> String {
    let column = |(name, data_type): &(&str, DataType)| format!("{name} {}", type_word(data_type));
    match returns {
        Returns::Fixed(data_type) => type_word(data_type).to_owned(),
        Returns::Like(place) => parameter_word(entry.parameter(*place)).to_owned(),
        Returns::Rows(columns) => format!("TABLE ({})", columns.iter().map(column).collect::<Vec<_>>().join(", ")),
        Returns::Unknown if entry.class == FunctionClass::Table => "TABLE ()".to_owned(),
        Returns::By(Rule::ChangedText | Rule::SameText | Rule::Concatenation) => "VARCHAR".to_owned(),
        Returns::Unknown | Returns::Common(_) | Returns::By(_) => "ANY".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::built_in_functions;

    #[test]
    fn functions_are_described() {
        let check = |name: &str, signature: &str, description: &str| {
            let found = built_in_functions().find(|function| function.name == name);
            let found = found.map(|function| (function.signature, function.description));
            assert_eq!(found, Some((signature.to_owned(), description.to_owned())), "{name}");
        };
        check("UPPER", "UPPER(VARCHAR) RETURN VARCHAR", "Text function");
        check("NVL", "NVL(ANY, ANY) RETURN ANY", "Conditional expression");
        assert!(built_in_functions().count() > 400);
        assert!(built_in_functions().all(|function| !function.name.starts_with("__")));
    }
}

//! The function table: one entry per function of the dialect that firn offers. To add a function, add its entry and its
//! probe in `tests/parity/functions.txt`. All properties of functions are looked up here.

mod aggregates;
mod conditionals;
mod conversions;
mod dates;
mod estimates;
mod files;
mod geospatial;
mod internal;
mod notifications;
mod numbers;
mod semi_structured;
mod session;
mod tables;
mod texts;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::entry::FunctionEntry;

/// Imports of the files of the table.
mod prelude {
    pub(super) use super::super::entry::*;
    pub(super) use super::super::types::*;
    pub(super) use crate::data_types::DataType;
    pub(super) use Parameter::*;
    pub(super) use Returns::{By, Common, Fixed, Like, Rows, Unknown};
}

const TABLES: [&[FunctionEntry]; 14] = [
    aggregates::FUNCTIONS,
    conditionals::FUNCTIONS,
    conversions::FUNCTIONS,
    dates::FUNCTIONS,
    estimates::FUNCTIONS,
    files::FUNCTIONS,
    geospatial::FUNCTIONS,
    internal::FUNCTIONS,
    notifications::FUNCTIONS,
    numbers::FUNCTIONS,
    semi_structured::FUNCTIONS,
    session::FUNCTIONS,
    tables::FUNCTIONS,
    texts::FUNCTIONS,
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static FunctionEntry>> = LazyLock::new(|| {
    let names = |entry: &'static FunctionEntry| std::iter::once(&entry.name).chain(entry.other_names);
    all().flat_map(|entry| names(entry).map(move |name| (*name, entry))).collect()
});

/// The entry of a function by any of its names; `name` is in upper case.
pub fn find(name: &str) -> Option<&'static FunctionEntry> {
    BY_NAME.get(name).copied()
}

/// As `find`, in any case.
pub fn find_in_any_case(name: &str) -> Option<&'static FunctionEntry> {
    match name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        true => find(&name.to_ascii_uppercase()),
        false => find(name),
    }
}

/// All entries, table by table.
pub fn all() -> impl Iterator<Item = &'static FunctionEntry> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The functions that users may call, by what they are for.
pub(super) fn families() -> impl Iterator<Item = (&'static str, &'static [FunctionEntry])> {
    [
        ("Function over many rows", aggregates::FUNCTIONS),
        ("Conditional expression", conditionals::FUNCTIONS),
        ("Conversion", conversions::FUNCTIONS),
        ("Date and time function", dates::FUNCTIONS),
        ("Estimate", estimates::FUNCTIONS),
        ("Function over files of stages", files::FUNCTIONS),
        ("Geospatial function", geospatial::FUNCTIONS),
        ("Numeric function", numbers::FUNCTIONS),
        ("Function over semi-structured values", semi_structured::FUNCTIONS),
        ("Function of the session and the system", session::FUNCTIONS),
        ("Function in FROM", tables::FUNCTIONS),
        ("Text function", texts::FUNCTIONS),
    ]
    .into_iter()
}

/// Whether a call lies in the schema NOTIFICATION of the vendor's database.
pub(crate) fn is_notification(name: &str) -> bool {
    notifications::FUNCTIONS.iter().any(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::{BY_NAME, TABLES, all};
    use crate::functions::entry::{EngineCall, Evaluation, FunctionClass, Parameter, Returns};

    #[test]
    fn every_file_is_sorted() {
        for table in TABLES {
            assert!(table.is_sorted_by(|left, right| left.name < right.name));
        }
    }

    #[test]
    fn a_name_is_of_one_function() {
        let names: usize = all().map(|entry| 1 + entry.other_names.len()).sum();
        assert_eq!(BY_NAME.len(), names, "a name is in the table twice");
    }

    #[test]
    fn entries_agree_with_themselves() {
        for entry in all() {
            let (fewest, most) = entry.arity;
            assert!(fewest <= most, "{}", entry.name);
            assert!(entry.parameters.len() <= most, "{} has more parameters than arguments", entry.name);
            assert!(entry.argument_names.len() <= most, "{} has more names than arguments", entry.name);
            let is_table = entry.class == FunctionClass::Table;
            assert!(is_table || !matches!(entry.returns, Returns::Rows(_)), "{} returns rows", entry.name);
            let reaches_engine = entry.evaluation == Evaluation::Engine;
            assert!(!reaches_engine || entry.engine_call != EngineCall::Never, "{} is called by nobody", entry.name);
            let lambdas = entry.parameters.iter().filter(|parameter| **parameter == Parameter::Lambda).count();
            assert!(lambdas <= 1, "{} takes two lambdas", entry.name);
        }
    }
}

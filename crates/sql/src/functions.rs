//! The functions of the dialect. What is in the table is offered; any other name of the dialect's reference is refused by
//! name, and what is in neither is unknown, whatever the engine has.

pub(crate) mod arity;
mod built_in;
mod entry;
mod table;
pub mod types;

use crate::Failure;
pub use built_in::{BuiltInFunction, built_in_functions};
pub use entry::{
    EngineCall, Evaluation, FunctionClass, FunctionEntry, MANY, Nulls, Parameter, Returns, Rule, Volatility,
};
pub(crate) use table::is_notification;
pub use table::{all, find, find_in_any_case};

/// The names of the dialect's function reference that are not offered, one per line.
const UNSUPPORTED: &str = include_str!("functions/unsupported.txt");

/// What is wrong with calling a function that is not offered.
pub(crate) fn not_offered(name: &str) -> Failure {
    if is_of_dialect(name) {
        Failure::unsupported(&format!("function {name}"))
    } else {
        Failure::unknown_function(name)
    }
}

/// As `not_offered`, of a function in FROM.
pub(crate) fn not_offered_in_from(name: &str) -> Failure {
    if is_of_dialect(name) {
        Failure::unsupported(&format!("table function {name}"))
    } else {
        Failure::unknown_table_function(name)
    }
}

/// Whether the dialect has a function of this name, be it one that is not offered here.
fn is_of_dialect(name: &str) -> bool {
    let is_of_vendor = name.starts_with("SNOWFLAKE.") || name.contains("INFORMATION_SCHEMA.");
    is_of_vendor || find(name).is_some() || UNSUPPORTED.lines().any(|known| known == name)
}

/// Whether a function makes one value of many rows; `name` is in upper case.
pub fn is_aggregate(name: &str) -> bool {
    find(name).is_some_and(|entry| entry.class == FunctionClass::Aggregate)
}

/// Whether a function has another value in every row; `name` is in upper case.
pub fn is_volatile(name: &str) -> bool {
    find(name).is_some_and(|entry| entry.volatility == Volatility::Volatile)
}

/// Whether an expression may call a function.
pub(crate) fn is_callable(entry: &FunctionEntry) -> bool {
    entry.class != FunctionClass::Table && entry.evaluation != Evaluation::Lookup
}

/// Whether a function of this name is the dialect's own; `name` is in upper case.
pub(crate) fn is_offered(name: &str) -> bool {
    find(name).is_some_and(is_callable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_not_unsupported() {
        let both: Vec<&str> = UNSUPPORTED.lines().filter(|name| find(name).is_some()).collect();
        assert!(both.is_empty(), "{both:?} have entries in the function table");
        assert!(UNSUPPORTED.lines().is_sorted());
    }

    /// The names that have a probe.
    fn probed() -> Vec<&'static str> {
        const PROBES: &str = include_str!("../../../tests/parity/functions.txt");
        let is_probe = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '=', ' ']);
        let names = |line: &'static str| match line.strip_prefix("- ") {
            Some(names) => names.split_whitespace().collect(),
            None => vec![line.split(':').next().unwrap_or(line)],
        };
        PROBES.lines().filter(is_probe).flat_map(names).collect()
    }

    #[test]
    fn every_function_has_its_probe_and_every_probe_its_function() {
        let probed = probed();
        // Forms that normalization makes have no probes of their own.
        let is_made = |name: &str| name == "NEXTVAL" || name.starts_with("__");
        let missing: Vec<_> =
            all().map(|entry| entry.name).filter(|name| !is_made(name) && !probed.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?} have no probe in tests/parity/functions.txt");
        let is_known = |name: &str| find(name).is_some() || UNSUPPORTED.lines().any(|known| known == name);
        let unknown: Vec<_> = probed.iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?} are neither in the function table nor in unsupported.txt");
        let unprobed: Vec<_> = UNSUPPORTED.lines().filter(|name| !probed.contains(name)).collect();
        assert!(unprobed.is_empty(), "{unprobed:?} have no probe in tests/parity/functions.txt");
    }
}

//! The function table: one entry per function of the dialect. To add a function, add its entry; how an engine calls it
//! is the business of that engine's lowering.

mod aggregates;
mod context;
mod entry;
mod geospatial;
mod rules;
mod scalars;
mod semi_structured;

use firn_sql::ast::{Expr, Function, ObjectNamePart};

pub use entry::{FunctionEntry, FunctionKind, Nulls, Parameter, Volatility};

use crate::coercion::common_of;
use crate::types::{Type, ValueType};
use entry::Returns;

const TABLES: [&[FunctionEntry]; 5] =
    [scalars::FUNCTIONS, aggregates::FUNCTIONS, semi_structured::FUNCTIONS, geospatial::FUNCTIONS, context::FUNCTIONS];

/// The entry of a function; `name` is in upper case.
pub fn find(name: &str) -> Option<&'static FunctionEntry> {
    TABLES.iter().find_map(|table| {
        let found = table.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
        table.get(found)
    })
}

/// All entries, table by table.
pub fn all() -> impl Iterator<Item = &'static FunctionEntry> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// A call with the types of its arguments.
pub(crate) struct Call<'call> {
    pub(crate) function: &'call Function,
    pub(crate) arguments: &'call [Argument<'call>],
    /// The type of the first key of WITHIN GROUP.
    pub(crate) ordered: Option<&'call ValueType>,
}

pub(crate) struct Argument<'call> {
    /// `None` for a wildcard.
    pub(crate) expr: Option<&'call Expr>,
    pub(crate) value: ValueType,
}

impl<'call> Call<'call> {
    fn name(&self) -> Option<&str> {
        match self.function.name.0.as_slice() {
            [ObjectNamePart::Identifier(name)] => Some(&name.value),
            _ => None,
        }
    }

    pub(crate) fn argument(&self, index: usize) -> &Type {
        self.arguments.get(index).map_or(&Type::Unknown, |argument| &argument.value.data_type)
    }

    pub(crate) fn expr(&self, index: usize) -> Option<&'call Expr> {
        self.arguments.get(index)?.expr
    }
}

pub(crate) fn return_type(call: &Call<'_>) -> ValueType {
    let Some(entry) = call.name().and_then(find) else { return ValueType::unknown() };
    let types = |from: usize| call.arguments.iter().skip(from).map(|argument| &argument.value.data_type);
    let data_type = match &entry.returns {
        Returns::Unknown => Type::Unknown,
        Returns::Fixed(data_type) => Type::Of(data_type.clone()),
        Returns::Like(index) => call.argument(*index).clone(),
        Returns::Common(from) => common_of(types(*from)),
        Returns::By(rule) => rule(call),
    };
    let collation = match entry.returns {
        Returns::Like(index) => call.arguments.get(index).and_then(|argument| argument.value.collation.clone()),
        _ => None,
    };
    ValueType { data_type, nullable: entry.nulls != Nulls::NeverNull, collation }
}

#[cfg(test)]
mod tests {
    use super::{TABLES, all, find};

    #[test]
    fn every_table_is_sorted() {
        for table in TABLES {
            assert!(table.is_sorted_by(|left, right| left.name < right.name));
        }
    }

    #[test]
    fn every_function_that_is_offered_has_one_entry() {
        for name in firn_sql::functions::names() {
            assert!(find(name).is_some(), "{name} has no entry");
        }
        let mut names: Vec<&str> = all().map(|entry| entry.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a function has two entries");
    }

    #[test]
    fn aggregates_are_those_of_the_front() {
        use super::FunctionKind;
        for entry in all() {
            let is_aggregate = entry.kind == FunctionKind::Aggregate;
            let known = firn_sql::functions::is_aggregate(entry.name) && !entry.name.starts_with("REGR_VAL");
            assert_eq!(is_aggregate, known, "{}", entry.name);
        }
    }

    #[test]
    fn volatile_functions_are_those_of_the_front() {
        use super::Volatility;
        for entry in all().filter(|entry| entry.volatility == Volatility::Immutable) {
            assert!(!firn_sql::determinism::is_volatile(entry.name), "{} is volatile", entry.name);
        }
    }
}

//! Overload resolution: which of the routines of one name a call means, by the types of its arguments.

use std::cmp::Reverse;

use firn_sql::Failure;
use firn_sql::command::DataType;
use firn_sql::names::display_identifier;
use firn_sql::routines::{Call, Routine, RoutineKind, type_word};

use crate::coercion::is_implicit;
use crate::types::{Family, Type};

/// What an argument has to go through to be of a parameter's type, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Conversion {
    Exact,
    /// To a type that has every value of the argument's: a FLOAT for a NUMBER, a TIMESTAMP for a DATE.
    Widening,
    /// To a VARIANT, or to a NUMBER for a FLOAT.
    Near,
    /// To a text.
    Text,
    Implicit,
    /// A text that is read as a value of a type that it does not become implicitly.
    Read,
}

/// The place of the overload with the best conversions. The order of the candidates does not matter, but for which one of
/// two is meant by arguments that fit both alike.
pub fn resolve_overload(call: &Call, types: &[Type], candidates: &[&Routine]) -> Result<usize, Failure> {
    let mut fitting: Vec<Fit> = candidates
        .iter()
        .enumerate()
        .filter_map(|(place, routine)| Some(Fit { place, rank: rank(call, types, routine)? }))
        .collect();
    fitting.sort_by(|one, other| one.rank.cmp(&other.rank));
    let Some(best) = fitting.first() else { return Err(no_overload(types, candidates)) };
    let is_tie =
        |other: &&Fit| other.rank.conversions == best.rank.conversions && other.rank.length == best.rank.length;
    let mut ties = fitting[1..].iter().take_while(is_tie);
    if let Some(argument) = ties.find_map(|tie| undecided(call, types, candidates[best.place], candidates[tie.place])) {
        return Err(ambiguous(argument, candidates));
    }
    Ok(best.place)
}

struct Fit {
    place: usize,
    rank: Rank,
}

/// Compared from the first field to the last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Of all arguments, the worst first.
    conversions: Vec<Conversion>,
    /// How many parameters there are, also those with defaults.
    length: usize,
    /// So that the order of creation does not decide.
    signature: Vec<Family>,
}

/// `None` if the routine cannot be called so.
fn rank(call: &Call, types: &[Type], routine: &Routine) -> Option<Rank> {
    let places = call.places(&routine.parameters)?;
    let given = places.into_iter().zip(types);
    let conversion = |(place, given): (usize, &Type)| conversion(given, &routine.parameters.get(place)?.data_type);
    let mut conversions = given.map(conversion).collect::<Option<Vec<_>>>()?;
    conversions.sort_unstable_by_key(|conversion| Reverse(*conversion));
    let signature = routine.parameters.iter().map(|parameter| Family::of(&parameter.data_type)).collect();
    Some(Rank { conversions, length: routine.parameters.len(), signature })
}

fn conversion(given: &Type, wanted: &DataType) -> Option<Conversion> {
    let Type::Of(given) = given else { return Some(Conversion::Exact) };
    if type_word(given) == type_word(wanted) {
        return Some(Conversion::Exact);
    }
    let (from, to) = (Family::of(given), Family::of(wanted));
    let is_widening = (from == Family::Number && to == Family::Float)
        || (from.is_instant() && to.is_timestamp())
        || (from.is_semi_structured() && to == Family::Variant);
    Some(match (from, to) {
        _ if is_widening => Conversion::Widening,
        (Family::Float, Family::Number) => Conversion::Near,
        (Family::Text, Family::Variant) => Conversion::Read,
        (_, Family::Variant) => Conversion::Near,
        _ if !is_implicit(from, to) => return (from == Family::Text).then_some(Conversion::Read),
        (_, Family::Text) => Conversion::Text,
        _ => Conversion::Implicit,
    })
}

/// The place of an argument of unknown type that would decide between two overloads.
fn undecided(call: &Call, types: &[Type], one: &Routine, other: &Routine) -> Option<usize> {
    let (first, second) = (call.places(&one.parameters)?, call.places(&other.parameters)?);
    let word = |routine: &Routine, place: usize| routine.parameters.get(place).map(|found| type_word(&found.data_type));
    types.iter().enumerate().position(|(argument, given)| {
        let places = first.get(argument).zip(second.get(argument));
        !given.is_known() && places.is_some_and(|(first, second)| word(one, *first) != word(other, *second))
    })
}

fn no_overload(types: &[Type], candidates: &[&Routine]) -> Failure {
    let types: Vec<String> = types.iter().map(ToString::to_string).collect();
    wrong_arguments(&format!(": ({})", types.join(", ")), candidates)
}

fn ambiguous(argument: usize, candidates: &[&Routine]) -> Failure {
    let place = argument + 1;
    wrong_arguments(
        &format!(": the type of argument {place} is not known before the statement runs; cast it"),
        candidates,
    )
}

fn wrong_arguments(problem: &str, candidates: &[&Routine]) -> Failure {
    let signatures: Vec<String> = candidates.iter().map(|routine| format!("({})", routine.signature())).collect();
    let name = candidates.first().map(|routine| display_identifier(&routine.name.name)).unwrap_or_default();
    let kind = match candidates.first().map(|routine| routine.kind) {
        Some(RoutineKind::Procedure) => "procedure",
        _ => "function",
    };
    let message = format!(
        "SQL compilation error:\nInvalid argument types for {kind} '{name}'{problem}; it takes {}",
        signatures.join(" or ")
    );
    Failure::new("001044", "42P13", message)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::ast::{Expr, Value};
    use firn_sql::routines::{Direction, Parameter, Returns};
    use firn_sql::{ObjectName, data_type_of_text};

    use super::*;

    fn routine(parameters: &str) -> Routine {
        let parameter = |(place, text): (usize, &str)| {
            let (data_type, default) = match text.split_once(" default ") {
                Some((data_type, default)) => (data_type, Some(default.to_owned())),
                None => (text, None),
            };
            let data_type = data_type_of_text(data_type).unwrap();
            Parameter { name: format!("P{place}"), direction: Direction::In, data_type, default }
        };
        let parameters = parameters.split("; ").filter(|text| !text.is_empty()).enumerate().map(parameter).collect();
        let name = ObjectName::qualified("D", "S", "F");
        Routine::new(RoutineKind::Function, name, parameters, Returns::Value(DataType::Integer))
    }

    /// The chosen overload, in any order of these, or the message.
    fn check(overloads: &[&str], arguments: &[&str], expected: &str) {
        let read = |text: &&str| match *text {
            "null" => Type::Null,
            "?" => Type::Unknown,
            text => Type::Of(data_type_of_text(text).unwrap()),
        };
        let types: Vec<Type> = arguments.iter().map(read).collect();
        let call = Call { arguments: types.iter().map(|_| (None, Expr::value(Value::Null))).collect() };
        let mut overloads = overloads.to_vec();
        for _ in 0..2 {
            let routines: Vec<Routine> = overloads.iter().map(|text| routine(text)).collect();
            let candidates: Vec<&Routine> = routines.iter().collect();
            let chosen = resolve_overload(&call, &types, &candidates);
            let chosen = chosen.map_or_else(|failure| failure.message, |place| overloads[place].to_owned());
            let found = if chosen.contains("Invalid") { chosen.contains(expected) } else { chosen == expected };
            assert!(found, "{overloads:?} called with {arguments:?}: {chosen}, not {expected}");
            overloads.reverse();
        }
    }

    #[test]
    fn the_overload_with_the_best_conversions_is_chosen() {
        for (overloads, arguments, expected) in [
            (&["number", "varchar"][..], &["number(3,1)"][..], "number"),
            (&["number", "varchar"], &["varchar(3)"], "varchar"),
            (&["number", "varchar"], &["float"], "number"),
            (&["number", "varchar"], &["boolean"], "varchar"),
            (&["number", "varchar"], &["date"], "varchar"),
            (&["number", "varchar"], &["variant"], "varchar"),
            (&["float", "varchar"], &["int"], "float"),
            (&["timestamp_ntz", "varchar"], &["date"], "timestamp_ntz"),
            (&["varchar", "variant"], &["array"], "variant"),
            (&["number", "array"], &["array"], "array"),
            (&["number", "binary"], &["binary"], "binary"),
            (&["number", "date"], &["varchar"], "number"),
            (&["number; number", "varchar; number"], &["varchar", "float"], "varchar; number"),
            (&["number", "number; number default 1"], &["int"], "number"),
            (&["number; number default 1", "varchar"], &["int"], "number; number default 1"),
            (&["number", "varchar"], &["null"], "number"),
            (&["number", "varchar"], &["array"], "'F': (ARRAY); it takes"),
            (&["number"], &["int", "date"], "'F': (NUMBER(38,0), DATE); it takes (NUMBER)"),
            (&["number", "varchar"], &["?"], "the type of argument 1 is not known"),
            (&["number; date", "number; number"], &["?", "date"], "number; date"),
            (&["geography"], &["varchar"], "geography"),
        ] {
            check(overloads, arguments, expected);
        }
    }
}

//! Calls with arguments of types that their functions do not take, by the parameters of the function table. What is not
//! known is not refused here.

use firn_sql::functions::{FunctionEntry, Parameter, Returns, find};

use super::Call;
use crate::casts::refusing_function;
use crate::coercion::is_implicit;
use crate::error::BindError;
use crate::operators;
use crate::types::{Family, Type};

/// What is wrong with the types of a call's arguments.
pub(crate) fn wrong_arguments(call: &Call<'_>) -> Option<BindError> {
    let entry = call.name().and_then(find)?;
    let is_wrong = |(place, argument): (usize, &super::Argument<'_>)| {
        argument.expr.is_some() && !takes(entry.parameter(place), argument.value.family())
    };
    if is_path_access(entry) && operators::has_no_parts(call.argument(0)) {
        return Some(BindError::arguments(call.function, &all_types(call)));
    }
    let wrong = call.arguments.iter().enumerate().find(|(place, argument)| is_wrong((*place, argument)));
    if let Some((place, _)) = wrong {
        // Of several numbers, the one that the function does not take is reported.
        let is_number = matches!(entry.parameter(place), Parameter::Float | Parameter::Summand);
        let types = if is_number { vec![call.argument(place)] } else { all_types(call) };
        return Some(BindError::arguments(call.function, &types));
    }
    if refuses_conversion(entry, call.argument(0)) {
        return Some(BindError::arguments(call.function, &[call.argument(0)]));
    }
    if let Some(types) = time_and_instant(entry, call) {
        return Some(BindError::arguments(call.function, &types));
    }
    mixes_geo(entry, call).then(|| BindError::arguments(call.function, &all_types(call)))
}

/// The types of the instants of a call, if some are times of day and others are dates: neither is coerced to the other.
fn time_and_instant<'call>(entry: &FunctionEntry, call: &'call Call<'_>) -> Option<Vec<&'call Type>> {
    let places = (0..call.arguments.len()).filter(|place| entry.parameter(*place) == Parameter::Instant);
    let types: Vec<&Type> = places.map(|place| call.argument(place)).collect();
    let is_mixed = types.iter().any(|given| given.family() == Family::Time)
        && types.iter().any(|given| given.family().is_instant());
    is_mixed.then_some(types)
}

/// Whether a function converts to truth values, dates or times what no cast converts to them.
fn refuses_conversion(entry: &FunctionEntry, given: &Type) -> bool {
    const CONVERSIONS: &[&str] = &[
        "DATE",
        "TIME",
        "TO_BOOLEAN",
        "TO_DATE",
        "TO_TIME",
        "TO_TIMESTAMP",
        "TO_TIMESTAMP_LTZ",
        "TO_TIMESTAMP_NTZ",
        "TO_TIMESTAMP_TZ",
    ];
    match &entry.returns {
        Returns::Fixed(data_type) if CONVERSIONS.contains(&entry.name) => {
            refusing_function(given, &Type::Of(data_type.clone())).is_some()
        }
        _ => false,
    }
}

/// Functions that take any semi-structured value.
fn is_path_access(entry: &FunctionEntry) -> bool {
    matches!(entry.name, "GET" | "GET_IGNORE_CASE" | "GET_PATH")
}

fn all_types<'call>(call: &'call Call<'_>) -> Vec<&'call Type> {
    call.arguments.iter().map(|argument| &argument.value.data_type).collect()
}

fn takes(parameter: Parameter, given: Family) -> bool {
    match parameter {
        Parameter::Array => is_implicit(given, Family::Array),
        Parameter::Object => is_implicit(given, Family::Object),
        Parameter::Float | Parameter::Summand => is_implicit(given, Family::Float),
        Parameter::Instant => !matches!(given, Family::Number | Family::Float | Family::Boolean),
        Parameter::Numeric => !is_semi_structured(given) && !matches!(given, Family::Geography | Family::Geometry),
        Parameter::Text | Parameter::TextOrBinary => !is_semi_structured(given),
        Parameter::Geo => matches!(given, Family::Geography | Family::Geometry | Family::Null | Family::Unknown),
        _ => true,
    }
}

/// Only a VARIANT is read as what a function takes.
fn is_semi_structured(family: Family) -> bool {
    family.is_semi_structured() && family != Family::Variant
}

fn mixes_geo(entry: &FunctionEntry, call: &Call<'_>) -> bool {
    let has = |family: Family| {
        let mut arguments = call.arguments.iter().enumerate();
        arguments.any(|(place, argument)| entry.parameter(place) == Parameter::Geo && argument.value.family() == family)
    };
    has(Family::Geography) && has(Family::Geometry)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error};

    #[test]
    fn arguments_have_the_types_that_their_functions_take() {
        check_error(
            "select array_size(a) from t1",
            "001044  error line 1 at position 7 Invalid argument types for function 'ARRAY_SIZE': (NUMBER(10,2))",
        );
        check_error(
            "select a, object_keys(c) from t1",
            "001044  error line 1 at position 10 Invalid argument types for function 'OBJECT_KEYS': (VARCHAR(10))",
        );
        check_error(
            "select sum(d) from t2",
            "001044  error line 1 at position 7 Invalid argument types for function 'SUM': (DATE)",
        );
        check_error(
            "select st_distance(to_geography(c), to_geometry(c)) from t1",
            "001044  error line 1 at position 7 Invalid argument types for function 'ST_DISTANCE': (GEOGRAPHY, GEOMETRY)",
        );
        check_error(
            "select datediff('hour', '10:00:00'::time, d) from t2",
            "001044  error line 1 at position 7 Invalid argument types for function 'DATEDIFF': (TIME(9), DATE)",
        );
        check_error(
            "select st_x(c) from t1",
            "001044  error line 1 at position 7 Invalid argument types for function 'ST_X': (VARCHAR(10))",
        );
    }

    #[test]
    fn what_is_coerced_or_not_known_is_taken() {
        check("select array_size(v), object_keys(v) from t3", "ARRAY_SIZE(V) NUMBER(9,0), OBJECT_KEYS(V) ARRAY");
        check("select sum(sqrt(c)), sum(null) from t1", "SUM(SQRT(C)) FLOAT, SUM(NULL) UNKNOWN");
    }
}

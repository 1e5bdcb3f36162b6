//! SQL from its text to what the engine would be given, and values bound to it.

use firn_duckdb_lower::dialect::{RewriteContext, Visibility, rewrite};
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_engine::{CellFormats, InputFormats, Integers, RepeatedMatches, WeekRules};
use firn_fuzz::campaign::Campaign;
use firn_fuzz::corpus;
use firn_sql::bindings::{Binding, BindingValue, Bindings};
use firn_sql::tree::Tree;
use firn_sql::{
    Command, Namespace, ParseLimits, SessionContext, Statement, Substitutes, Variables, ast, check_functions,
    parse_with, print, resolve, split_script, substitute_context,
};
use firn_tests::random::Random;

use crate::tables::EveryTable;

/// The defaults of the server.
const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1 << 20, statements_max: 100, nesting_depth_max: 100 };

const TYPES: [&str; 13] = [
    "FIXED",
    "REAL",
    "TEXT",
    "BOOLEAN",
    "DATE",
    "TIME",
    "TIMESTAMP_NTZ",
    "TIMESTAMP_LTZ",
    "TIMESTAMP_TZ",
    "BINARY",
    "ANY",
    "VARIANT",
    "",
];
const VALUES: [&str; 16] = [
    "",
    "1",
    "-1",
    "1.5",
    "1e400",
    "true",
    "abc",
    "2024-02-30",
    "1712345678901",
    "99999999999999999999",
    "0A0",
    "{\"a\":",
    "\u{0}",
    "1712345678901 2880",
    "-9223372036854775808",
    "NaN",
];

/// Every statement of a text, as far as each goes.
fn statements(text: &str, bindings: &Bindings) -> Vec<Statement> {
    let variables = Variables::new();
    let substitutes = Substitutes { variables: Some(&variables), bindings: Some(bindings), ..Substitutes::default() };
    let Ok(sources) = split_script(text, &LIMITS) else { return Vec::new() };
    sources.iter().filter_map(|source| parse_with(source, &LIMITS, substitutes).ok()).collect()
}

fn prepare(mut statement: Statement, bindings: &Bindings) {
    if firn_sql::bind(&mut statement, bindings).is_err() {
        return;
    }
    let context = SessionContext { available_roles: vec!["PUBLIC".to_owned()], ..SessionContext::default() };
    substitute_context(&mut statement, &context);
    let namespace = Namespace { database: Some("D".to_owned()), schema: Some("PUBLIC".to_owned()) };
    if resolve(&mut statement, &namespace).is_err() || check_functions(&statement).is_err() {
        return;
    }
    match statement.command {
        Command::Query(query) => {
            // What is stored has no bound values.
            if bindings.is_empty() {
                print_and_read(&query);
            }
            bind_and_lower(*query);
        }
        Command::Dml(dml) => bind_and_lower(*dml.statement),
        _ => {}
    }
}

fn print_and_read(query: &ast::Query) {
    let printed = print::sql(query);
    let read = print::read_query(&printed).unwrap_or_else(|error| panic!("{printed}\n{}", error.message));
    assert_eq!(print::sql(&read), printed, "a query is read otherwise than it was printed");
}

fn bind_and_lower<T: Tree + Clone>(tree: T) {
    firn_binder::bind(&mut tree.clone(), &EveryTable).expect("the catalog can be read");
    let mut tree = tree;
    let context = RewriteContext {
        temporary: &TemporaryTables::default(),
        visibility: Visibility::All,
        account_rows: &[],
        views_of_owners: &[],
        lookup: &EveryTable,
        formats: &CellFormats::default(),
        weeks: WeekRules::default(),
        inputs: &InputFormats::default(),
        repeated_matches: RepeatedMatches::default(),
        integers: Integers::Narrow,
    };
    // That it is refused is as good as that it is not.
    let _ = rewrite(&mut tree, &context);
}

/// Bindings that depend on the text alone, so that an input says all there is to say.
fn bindings_for(text: &str) -> Bindings {
    let mut random = Random(text.bytes().fold(7, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte))));
    let value = |random: &mut Random| (random.below(8) != 0).then(|| (*random.pick(&VALUES)).to_owned());
    let binding = |random: &mut Random| Binding {
        type_name: (*random.pick(&TYPES)).to_owned(),
        value: match random.below(4) {
            0 => BindingValue::Many((0..random.below(4)).map(|_| value(random)).collect()),
            _ => BindingValue::One(value(random)),
        },
    };
    (1..=1 + random.below(6)).map(|key| (key.to_string(), binding(&mut random))).collect()
}

#[test]
fn statements_are_parsed_resolved_bound_and_lowered() {
    Campaign { name: "sql", rounds: 3000 }.run(&corpus::statements(), |text| {
        let nothing = Bindings::default();
        statements(text, &nothing).into_iter().for_each(|statement| prepare(statement, &nothing));
    });
}

#[test]
fn any_values_are_bound() {
    let with_placeholders: Vec<String> = corpus::statements().into_iter().filter(|text| text.contains('?')).collect();
    Campaign { name: "bindings", rounds: 1000 }.run(&with_placeholders, |text| {
        let bindings = bindings_for(text);
        statements(text, &bindings).into_iter().for_each(|statement| prepare(statement, &bindings));
    });
}

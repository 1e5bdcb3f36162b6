//! Tables of what statements are lowered to, one file of `tests/lowering` per file of this crate, and of the columns that
//! queries are bound to, one file of `tests/binding` per file of the binder. FIRN_WRITE_TABLES=1 writes the outcomes into
//! the tables, to be read before they are committed.
//!
//! A case is a statement, a line `->`, and its outcome or failure; cases are separated by empty lines. Lines of
//! the statement that begin with `--` are comments or set the context: `-- wide integers`, `-- week start 7`,
//! `-- date input DD.MM.YYYY`; of a change also the policies of its target: `-- policy: S as mask`, `-- policy: filter`.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

#[path = "lowering/catalog.rs"]
mod catalog;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use firn_duckdb_lower::dialect::{self, RewriteContext, Visibility};
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_duckdb_lower::{assignment, target_policies};
use firn_engine::{CellFormats, EngineError, InputFormats, Integers, RepeatedMatches, WeekRules};
use firn_sql::ast::Statement;
use firn_sql::command::{Command, Dml, TargetPolicies};
use firn_sql::{
    Failure, Namespace, ParseLimits, check_functions, expression_of_text, parse_statement, print, resolve, split_script,
};

use catalog::{Catalog, DATABASE, SCHEMA};

/// Files of the binder that bind nothing: types, traits and texts that others use.
const BINDING_WITHOUT_TABLE: [&str; 7] = ["error", "functions", "lib", "node", "schema", "testing", "tests"];

/// Files that have no rewriting of their own: types, constructors, look-ups and texts that others use.
const LOWERING_WITHOUT_TABLE: [&str; 19] = [
    "bound_schemas",
    "build",
    "columns",
    "found",
    "identifiers",
    "join_constraints",
    "kinds",
    "lib",
    "lifted",
    "literal_texts",
    "lookup",
    "macros",
    "name_search",
    "outside_subqueries",
    "rewrite_context",
    "single_walk",
    "stored",
    "temporary",
    "wrong_arguments",
];

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1 << 20, statements_max: 1, nesting_depth_max: 100 };

struct Case {
    before: String,
    after: String,
}

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap();
    let cases = text.split("\n\n").map(str::trim).filter(|case| !case.is_empty());
    cases
        .map(|case| {
            let (before, after) = case.split_once("\n->\n").unwrap_or((case.trim_end_matches("\n->"), ""));
            Case { before: before.to_owned(), after: after.to_owned() }
        })
        .collect()
}

/// What the first comments of a case set.
#[derive(Default)]
struct Context {
    weeks: WeekRules,
    inputs: InputFormats,
    integers: Integers,
}

fn context(before: &str) -> Context {
    let mut context = Context::default();
    for comment in before.lines().filter_map(|line| line.strip_prefix("-- ")) {
        if comment == "wide integers" {
            context.integers = Integers::Wide;
        } else if let Some(day) = comment.strip_prefix("week start ") {
            context.weeks = context.weeks.with_start(day).unwrap();
        } else if let Some(format) = comment.strip_prefix("date input ") {
            context.inputs.date = Some(format.to_owned());
        }
    }
    context
}

/// Masks and the row filter of the target of a change.
fn policies(before: &str) -> Option<TargetPolicies> {
    let mut policies = TargetPolicies::default();
    for comment in before.lines().filter_map(|line| line.strip_prefix("-- policy: ")) {
        let expression = |text: &str| expression_of_text(text, &LIMITS).unwrap();
        match comment.split_once(" as ") {
            Some((column, mask)) => policies.masks.push((column.to_owned(), expression(mask))),
            None => policies.filter = Some(expression(comment)),
        }
    }
    (!policies.masks.is_empty() || policies.filter.is_some()).then_some(policies)
}

fn prepare(before: &str) -> Result<Command, Failure> {
    let source = split_script(before, &LIMITS)?.remove(0);
    let mut statement = parse_statement(&source, &LIMITS)?;
    let namespace = Namespace { database: Some(DATABASE.to_owned()), schema: Some(SCHEMA.to_owned()) };
    resolve(&mut statement, &namespace)?;
    check_functions(&statement)?;
    Ok(statement.command)
}

fn with_context<T>(before: &str, work: impl FnOnce(&RewriteContext<'_>) -> T) -> T {
    let Context { weeks, inputs, integers } = context(before);
    work(&RewriteContext {
        temporary: &TemporaryTables::default(),
        visibility: Visibility::All,
        account_rows: &[],
        views_of_owners: &[],
        lookup: &Catalog,
        formats: &CellFormats::default(),
        weeks,
        inputs: &inputs,
        repeated_matches: RepeatedMatches::default(),
        integers,
    })
}

fn lower(before: &str) -> Result<String, EngineError> {
    with_context(before, |rewrite_context| match prepare(before)? {
        Command::Query(mut query) => {
            dialect::rewrite(&mut *query, rewrite_context)?;
            Ok(print::into_sql(*query))
        }
        Command::Dml(dml) => lower_change(dml, before, rewrite_context),
        _ => panic!("neither a query nor DML: {before}"),
    })
}

/// The columns of a query: `NAME TYPE`, `!` for what is never NULL, and the column that it shows.
fn bind(before: &str) -> Result<String, EngineError> {
    let bound = with_context(before, |rewrite_context| match prepare(before)? {
        Command::Query(mut query) => dialect::rewrite(&mut *query, rewrite_context),
        Command::Dml(mut dml) => dialect::rewrite(&mut *dml.statement, rewrite_context),
        _ => panic!("neither a query nor DML: {before}"),
    })?;
    let columns = bound.columns.iter().flat_map(|columns| columns.iter()).map(|column| {
        let mark = if column.value.nullable { "" } else { "!" };
        let origin = column.origin.as_ref().and_then(|origin| {
            origin.column().map(|shown| format!(" of {}.{}", origin.relation.name().name, shown.name))
        });
        format!("{} {}{mark}{}", column.name, column.value.data_type, origin.unwrap_or_default())
    });
    let columns: Vec<String> = columns.collect();
    Ok(if columns.is_empty() { "no columns".to_owned() } else { columns.join("\n") })
}

fn lower_change(dml: Dml, before: &str, rewrite_context: &RewriteContext<'_>) -> Result<String, EngineError> {
    let target = catalog::table(&dml.target.name).unwrap();
    let mut statement = *dml.statement;
    if let Some(policies) = policies(before) {
        target_policies::bind(&mut statement, &policies, rewrite_context.lookup)?;
    }
    dialect::rewrite(&mut statement, rewrite_context)?;
    let mut more = Vec::new();
    let query = match &mut statement {
        Statement::Insert(insert) => {
            more = assignment::split_by_defaults(insert, &target);
            more.iter_mut().try_for_each(|other| assignment::fit_insert(other, &target).map(drop))?;
            assignment::fit_insert(insert, &target)?
        }
        Statement::Update(update) => {
            assignment::strip_qualifiers(&mut update.assignments);
            assignment::fit_assignments(&mut update.assignments, &target)?;
            None
        }
        Statement::Merge(merge) => {
            assignment::fit_merge(merge, &target)?;
            None
        }
        _ => None,
    };
    let first = query.unwrap_or_else(|| print::into_sql(statement));
    let rest = more.into_iter().map(|insert| print::into_sql(Statement::Insert(insert)));
    Ok(std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
}

fn check(folder: &str, outcome: impl Fn(&str) -> Result<String, EngineError>) {
    let writes = std::env::var_os("FIRN_WRITE_TABLES").is_some();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(crate_folder().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        let mut written = String::new();
        for Case { before, after } in read(&path) {
            let found = outcome(&before).unwrap_or_else(|error| format!("! {error}"));
            if found != after {
                wrong.push(format!("{}:\n{before}\n->\n{found}\nand not\n{after}\n", path.display()));
            }
            written.push_str(&format!("{before}\n->\n{found}\n\n"));
        }
        if writes {
            fs::write(&path, format!("{}\n", written.trim_end())).unwrap();
        }
    }
    assert!(writes || wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn statements_are_lowered_as_the_tables_say() {
    check("tests/lowering", lower);
}

#[test]
fn queries_are_bound_as_the_tables_say() {
    check("tests/binding", bind);
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn check_tables(sources_folder: &str, tables: &str, without_table: &[&str]) {
    let mut files = Vec::new();
    sources(&crate_folder().join(sources_folder), &mut files);
    let has_table = |file: &Path| {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let table = crate_folder().join(tables).join(name).with_extension("txt");
        without_table.contains(&name)
            || fs::read_to_string(file).unwrap().contains("#[cfg(test)]")
            || table.exists() && !read(&table).is_empty()
    };
    let missing: BTreeSet<PathBuf> = files.into_iter().filter(|file| !has_table(file)).collect();
    assert!(missing.is_empty(), "no table in {tables} for {missing:#?}");
}

#[test]
fn every_file_has_its_table() {
    check_tables("src", "tests/lowering", &LOWERING_WITHOUT_TABLE);
    check_tables("../binder/src", "tests/binding", &BINDING_WITHOUT_TABLE);
}

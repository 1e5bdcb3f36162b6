//! Tables of statements before and after lowering, one file of `tests/lowering` per file of the crate. FIRN_WRITE_TABLES=1
//! writes what the statements are lowered to into the tables, to be read before it is committed.
//!
//! A case is a statement, a line `->`, and the engine's SQL or the failure; cases are separated by empty lines. Lines of
//! the statement that begin with `--` are comments or set the context: `-- wide integers`, `-- week start 7`,
//! `-- date input DD.MM.YYYY`; of a change also the policies of its target: `-- policy: S as mask`, `-- policy: filter`.

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
    Namespace, ParseLimits, check_functions, expression_of_text, parse_statement, print, resolve, split_script,
};

use catalog::{Catalog, DATABASE, SCHEMA};

/// Files that have no rewriting of their own: types, constructors, look-ups and texts that others use.
const WITHOUT_TABLE: [&str; 17] = [
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

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowering")
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

fn lower(before: &str) -> Result<String, EngineError> {
    let source = split_script(before, &LIMITS)?.remove(0);
    let mut statement = parse_statement(&source, &LIMITS)?;
    let namespace = Namespace { database: Some(DATABASE.to_owned()), schema: Some(SCHEMA.to_owned()) };
    resolve(&mut statement, &namespace)?;
    check_functions(&statement)?;
    let Context { weeks, inputs, integers } = context(before);
    let rewrite_context = RewriteContext {
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
    };
    match statement.command {
        Command::Query(mut query) => {
            dialect::rewrite(&mut *query, &rewrite_context)?;
            Ok(print::into_sql(*query))
        }
        Command::Dml(dml) => lower_change(dml, before, &rewrite_context),
        _ => panic!("neither a query nor DML: {before}"),
    }
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

#[test]
fn statements_are_lowered_as_the_tables_say() {
    let writes = std::env::var_os("FIRN_WRITE_TABLES").is_some();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(tables()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        let mut written = String::new();
        for Case { before, after } in read(&path) {
            let lowered = lower(&before).unwrap_or_else(|error| format!("! {error}"));
            // A failure has its place in lines of its own.
            let lowered = lowered.replace("\n\n", "\n");
            if lowered != after {
                wrong.push(format!("{}:\n{before}\n->\n{lowered}\nand not\n{after}\n", path.display()));
            }
            written.push_str(&format!("{before}\n->\n{lowered}\n\n"));
        }
        if writes {
            fs::write(&path, format!("{}\n", written.trim_end())).unwrap();
        }
    }
    assert!(writes || wrong.is_empty(), "{}", wrong.join("\n"));
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

#[test]
fn every_lowering_file_has_its_table() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let has_table = |file: &Path| {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let table = tables().join(name).with_extension("txt");
        WITHOUT_TABLE.contains(&name)
            || fs::read_to_string(file).unwrap().contains("#[cfg(test)]")
            || table.exists() && !read(&table).is_empty()
    };
    let missing: BTreeSet<PathBuf> = files.into_iter().filter(|file| !has_table(file)).collect();
    assert!(missing.is_empty(), "no table of before and after for {missing:#?}");
}

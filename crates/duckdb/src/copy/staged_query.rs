//! Queries over staged files: each location in the place of a relation is opened before the query runs.

use std::ops::ControlFlow;

use firn_engine::{EngineError, ExecutionContext};
use firn_sql::ast::{self, FunctionArg, FunctionArgExpr, TableFactor, VisitorMut};
use firn_sql::command::FormatChoice;
use firn_sql::resolve::{DIRECTORY, INFER_SCHEMA, staged_location};
use firn_sql::stages::StageLocation;
use firn_sql::tree::{Tree, outcome};
use firn_sql::{Failure, ObjectName};

use super::infer_schema::Inference;
use super::rows::FieldCount;
use super::{directory, infer_schema, source, staged};
use crate::session_state::SessionState;

/// The most fields of a record that a query can name.
const FIELDS_MAX: usize = 10_000;

/// `$12` is field 12.
pub(super) fn field_number(name: &str) -> Option<usize> {
    name.strip_prefix('$')?.parse().ok().filter(|number| *number > 0)
}

/// Whether a tree reads staged files, which few do.
pub(crate) fn has_staged_relation(node: &dyn Tree) -> bool {
    struct Search(bool);
    impl ast::Visitor for Search {
        type Break = Failure;

        fn pre_visit_relation(&mut self, relation: &ast::ObjectName) -> ControlFlow<Failure> {
            self.0 |= staged_location(relation).is_some();
            ControlFlow::Continue(())
        }
    }
    let mut search = Search(false);
    // The visitor never breaks.
    let _ = node.walk(&mut search);
    search.0
}

/// Opens every staged location of a tree and puts the relation it became in its place.
pub(crate) fn open_staged_relations(
    session: &mut SessionState,
    node: &mut dyn Tree,
    context: &ExecutionContext,
) -> Result<(), EngineError> {
    let columns = fields_named(node)?;
    let content_keys = asks_for_content_keys(node);
    let mut locations = Vec::new();
    outcome(node.walk_mut(&mut Locations { found: &mut locations }))?;
    let mut opened = Vec::new();
    for mut wanted in locations {
        wanted.content_keys = content_keys;
        opened.push(open_one(session, &wanted, columns, context)?);
    }
    opened.reverse();
    Ok(outcome(node.walk_mut(&mut Replacement { opened }))?)
}

struct Wanted {
    contents: Contents,
    location: StageLocation,
    format: Option<FormatChoice>,
    pattern: Option<String>,
    files: Vec<String>,
    inference: Inference,
    content_keys: bool,
}

/// What a query reads of files: their rows, their columns (INFER_SCHEMA), or their list (DIRECTORY).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    Rows,
    Columns,
    Directory,
}

fn open_one(
    session: &mut SessionState,
    wanted: &Wanted,
    columns: usize,
    context: &ExecutionContext,
) -> Result<ObjectName, EngineError> {
    if wanted.contents == Contents::Directory {
        return directory::open(session, &wanted.location);
    }
    let definition = source::definition(session, &wanted.location.stage)?;
    let format = source::format(session, wanted.format.as_ref(), &definition)?;
    let mut files = source::files(session, &wanted.location, &wanted.files, wanted.pattern.as_deref(), context)?;
    files.files.truncate(wanted.inference.files_max);
    files.fetch(session)?;
    if wanted.contents == Contents::Columns {
        return infer_schema::open(session, &files, &format, wanted.inference);
    }
    if wanted.content_keys {
        files.find_content_keys()?;
    }
    let staged = staged::open(session, &files, &format, FieldCount::UpTo(columns), context)?;
    let broken = staged.files.iter().zip(&files.files).find_map(|(rows, file)| Some((rows.errors.first()?, file)));
    if let Some(((place, error), file)) = broken {
        let message = format!(
            "{}\n  File '{}', line {}, character {}\n  Row {}",
            error.message,
            files.shown(file),
            place.line,
            error.character,
            place.row
        );
        return Err(Failure::new(error.code, error.sql_state, message).into());
    }
    Ok(staged.name)
}

/// Whether a tree names the sums of files, for which they would have to be read once more.
pub(super) fn asks_for_content_keys(node: &dyn Tree) -> bool {
    struct Search(bool);
    impl ast::Visitor for Search {
        type Break = Failure;

        fn pre_visit_ident(&mut self, name: &ast::Ident) -> ControlFlow<Failure> {
            self.0 |= name.value.eq_ignore_ascii_case("METADATA$FILE_CONTENT_KEY");
            ControlFlow::Continue(())
        }
    }
    let mut search = Search(false);
    // The visitor never breaks.
    let _ = node.walk(&mut search);
    search.0
}

/// The highest field that a tree names.
pub(super) fn fields_named(node: &dyn Tree) -> Result<usize, Failure> {
    struct Fields(usize);
    impl ast::Visitor for Fields {
        type Break = Failure;

        fn pre_visit_ident(&mut self, name: &ast::Ident) -> ControlFlow<Failure> {
            self.0 = self.0.max(field_number(&name.value).unwrap_or(0));
            ControlFlow::Continue(())
        }
    }
    let mut fields = Fields(1);
    outcome(node.walk(&mut fields))?;
    match fields.0 {
        count if count > FIELDS_MAX => {
            Err(Failure::invalid_value("column", &format!("${count}"), &format!("at most ${FIELDS_MAX} can be named")))
        }
        count => Ok(count),
    }
}

struct Locations<'a> {
    found: &'a mut Vec<Wanted>,
}

impl VisitorMut for Locations<'_> {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Failure> {
        let is_staged = |table: &ast::TableWithJoins| match &table.relation {
            TableFactor::Table { name, args, .. } => staged_location(name).is_some() && !is_marked(args.as_ref()),
            _ => false,
        };
        let takes_all = |item: &ast::SelectItem| {
            matches!(item, ast::SelectItem::Wildcard(_) | ast::SelectItem::QualifiedWildcard(..))
        };
        if select.from.iter().any(is_staged) && select.projection.iter().any(takes_all) {
            return ControlFlow::Break(Failure::unsupported("SELECT * over a stage; name its columns as $1, $2"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let TableFactor::Table { name, args, .. } = factor else { return ControlFlow::Continue(()) };
        let Some(location) = staged_location(name) else { return ControlFlow::Continue(()) };
        let arguments = args.take().map(|arguments| arguments.args).unwrap_or_default();
        let wanted = location.and_then(|location| wanted(location, &arguments));
        match wanted {
            Ok(wanted) => {
                self.found.push(wanted);
                ControlFlow::Continue(())
            }
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

fn wanted(location: StageLocation, arguments: &[FunctionArg]) -> Result<Wanted, Failure> {
    let mut wanted = Wanted {
        contents: Contents::Rows,
        location,
        format: None,
        pattern: None,
        files: Vec::new(),
        inference: Inference::default(),
        content_keys: false,
    };
    for argument in arguments {
        let (name, text) = argument_text(argument)?;
        match name.to_ascii_uppercase().as_str() {
            "FILE_FORMAT" => wanted.format = Some(FormatChoice::Named(firn_sql::object_name_in_text(&text)?)),
            INFER_SCHEMA => wanted.contents = Contents::Columns,
            DIRECTORY => wanted.contents = Contents::Directory,
            "FILES" => wanted.files.push(text),
            "IGNORE_CASE" => wanted.inference.ignore_case = text.eq_ignore_ascii_case("TRUE"),
            "MAX_FILE_COUNT" => wanted.inference.files_max = count(&name, &text)?,
            "MAX_RECORDS_PER_FILE" => wanted.inference.records_max = count(&name, &text)?,
            _ => wanted.pattern = Some(text),
        }
    }
    Ok(wanted)
}

fn count(name: &str, text: &str) -> Result<usize, Failure> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Failure::invalid_value(name, text, "give a whole number above zero"))
}

/// Whether a location is read by INFER_SCHEMA or DIRECTORY, not for the rows of its files.
fn is_marked(arguments: Option<&ast::TableFunctionArgs>) -> bool {
    let is_mark = |argument: &FunctionArg| {
        matches!(argument, FunctionArg::Named { name, .. }
            if [INFER_SCHEMA, DIRECTORY].iter().any(|mark| name.value.eq_ignore_ascii_case(mark)))
    };
    arguments.is_some_and(|arguments| arguments.args.iter().any(is_mark))
}

fn argument_text(argument: &FunctionArg) -> Result<(String, String), Failure> {
    if let FunctionArg::Named { name, arg: FunctionArgExpr::Expr(ast::Expr::Value(value)), .. } = argument
        && let ast::Value::SingleQuotedString(text) = &value.value
    {
        return Ok((name.value.clone(), text.clone()));
    }
    Err(Failure::invalid_value("argument behind a stage", &argument.to_string(), "give a text"))
}

pub(super) struct Replacement {
    /// The last one comes first in the tree.
    pub(super) opened: Vec<ObjectName>,
}

impl VisitorMut for Replacement {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let TableFactor::Table { name, .. } = factor else { return ControlFlow::Continue(()) };
        if staged_location(name).is_some() {
            let Some(opened) = self.opened.pop() else {
                return ControlFlow::Break(Failure::unsupported("several stages here"));
            };
            *name = in_tree(&opened);
        }
        ControlFlow::Continue(())
    }
}

pub(super) fn in_tree(name: &ObjectName) -> ast::ObjectName {
    let parts = [name.database(), name.schema(), &name.name];
    ast::ObjectName::from(parts.map(|part| ast::Ident::with_quote('"', part)).to_vec())
}

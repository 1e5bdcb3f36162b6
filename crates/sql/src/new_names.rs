//! The names that a statement gives to what it creates or renames. Control characters in them are refused: they are invisible
//! where names are listed, and some mark names that only the server makes. So are names beyond the longest identifier.

use crate::Failure;
use crate::ast::{Query, SelectItem, SetExpr};
use crate::command::routine::Returns;
use crate::command::semantic_views::SemanticViewCommand;
use crate::command::{
    ColumnDefinition, Command, ContainerChange, CreateTable, CreateView, Ddl, FormatChange, LoginPolicyChange,
    LoginPolicyCommand, Routine, RoutineChange, SequenceChange, StageChange, StageCommand, TableChange,
    TableConstraint, TableSource, ViewChange,
};

const NAME_CHARACTERS_MAX: usize = 255;
/// How much of a name that is too long an error shows.
const SHOWN_CHARACTERS_MAX: usize = 40;

/// Fails if a new name is none. Names of objects of the account are checked where these are created.
pub(crate) fn check(command: &Command) -> Result<(), Failure> {
    of_command(command).into_iter().try_for_each(check_name)
}

/// Fails if the name has a control character or is too long. Existing objects with such a name can still be used, renamed and
/// dropped.
pub fn check_name(name: &str) -> Result<(), Failure> {
    if name.contains(char::is_control) {
        let shown = name.chars().take(NAME_CHARACTERS_MAX).collect::<String>().escape_default().to_string();
        return Err(Failure::invalid_value("a name", &shown, "control characters are not allowed in names"));
    }
    if name.chars().nth(NAME_CHARACTERS_MAX).is_some() {
        let shown: String = name.chars().take(SHOWN_CHARACTERS_MAX).chain(['…']).collect();
        return Err(Failure::invalid_value("a name", &shown, "1 to 255 characters are expected"));
    }
    Ok(())
}

/// The name that an expression without an alias gives to a column: its text on one line, as far as a name goes.
pub(crate) fn of_expression(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(NAME_CHARACTERS_MAX).collect()
}

fn of_command(command: &Command) -> Vec<&str> {
    match command {
        Command::Ddl(ddl) => of_ddl(ddl),
        Command::Stages(command) => of_stages(command),
        Command::SemanticViews(command) => of_semantic_view(command),
        Command::LoginPolicies(LoginPolicyCommand::Create { name, .. })
        | Command::LoginPolicies(LoginPolicyCommand::Alter { change: LoginPolicyChange::Rename(name), .. }) => {
            vec![&name.name]
        }
        _ => Vec::new(),
    }
}

fn of_ddl(ddl: &Ddl) -> Vec<&str> {
    match ddl {
        Ddl::CreateDatabase { name, .. } => vec![name],
        Ddl::CreateSchema { name, .. } => vec![&name.schema],
        Ddl::AlterDatabase { change, .. } | Ddl::AlterSchema { change, .. } => {
            of_container_change(change).into_iter().collect()
        }
        Ddl::CreateTable(table) => of_table(table),
        Ddl::AlterTable { change, .. } => of_table_change(change),
        Ddl::CreateView(view) => of_view(view),
        Ddl::CreateRoutine { routine, .. } => of_routine(routine),
        Ddl::CreateSequence { name, .. }
        | Ddl::AlterView { change: ViewChange::Rename(name), .. }
        | Ddl::AlterSequence { change: SequenceChange::Rename(name), .. }
        | Ddl::AlterRoutine { change: RoutineChange::Rename(name), .. } => vec![&name.name],
        _ => Vec::new(),
    }
}

fn of_container_change(change: &ContainerChange) -> Option<&str> {
    match change {
        ContainerChange::Rename(name) => Some(name),
        _ => None,
    }
}

fn of_table(table: &CreateTable) -> Vec<&str> {
    let mut names = vec![table.name.name.as_str()];
    names.extend(of_columns(&table.columns));
    names.extend(of_constraints(&table.constraints));
    if let TableSource::Query(query) = &table.source {
        names.extend(of_outputs(query));
    }
    names
}

fn of_columns(columns: &[ColumnDefinition]) -> impl Iterator<Item = &str> {
    columns.iter().map(|column| column.name.as_str())
}

fn of_constraints(constraints: &[TableConstraint]) -> impl Iterator<Item = &str> {
    constraints.iter().filter_map(|constraint| constraint.name.as_deref())
}

fn of_table_change(change: &TableChange) -> Vec<&str> {
    match change {
        TableChange::Rename(name) => vec![&name.name],
        TableChange::AddColumns { columns, constraints, .. } => {
            of_columns(columns).chain(of_constraints(constraints)).collect()
        }
        TableChange::RenameColumn { to, .. } | TableChange::RenameConstraint { to, .. } => vec![to],
        TableChange::AddConstraint(constraint) => constraint.name.as_deref().into_iter().collect(),
        TableChange::Several(changes) => changes.iter().flat_map(of_table_change).collect(),
        _ => Vec::new(),
    }
}

fn of_view(view: &CreateView) -> Vec<&str> {
    let mut names = vec![view.name.name.as_str()];
    names.extend(view.columns.iter().map(|column| column.name.as_str()));
    names.extend(of_outputs(&view.query));
    names
}

/// The aliases of a query's columns, which become those of the table or view that is made of it.
fn of_outputs(query: &Query) -> Vec<&str> {
    let mut body = &*query.body;
    loop {
        body = match body {
            SetExpr::Query(query) => &query.body,
            SetExpr::SetOperation { left, .. } => left,
            SetExpr::Select(select) => {
                return select.projection.iter().filter_map(alias).collect();
            }
            _ => return Vec::new(),
        };
    }
}

fn alias(item: &SelectItem) -> Option<&str> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(&alias.value),
        _ => None,
    }
}

fn of_routine(routine: &Routine) -> Vec<&str> {
    let mut names = vec![routine.name.name.as_str()];
    names.extend(routine.parameters.iter().map(|parameter| parameter.name.as_str()));
    if let Returns::Table(columns) = &routine.returns {
        names.extend(columns.iter().map(|(name, _)| name.as_str()));
    }
    names
}

fn of_stages(command: &StageCommand) -> Vec<&str> {
    match command {
        StageCommand::CreateStage(create) => vec![&create.name.name],
        StageCommand::CreateFormat { name, .. }
        | StageCommand::AlterStage { change: StageChange::Rename(name), .. }
        | StageCommand::AlterFormat { change: FormatChange::Rename(name), .. } => vec![&name.name],
        _ => Vec::new(),
    }
}

fn of_semantic_view(command: &SemanticViewCommand) -> Vec<&str> {
    match command {
        SemanticViewCommand::Create { name, definition, .. } => {
            let tables = definition.tables.iter().map(|table| table.alias.as_str());
            let items = definition.facts.iter().chain(&definition.dimensions).chain(&definition.metrics);
            tables.chain(items.map(|item| item.name.as_str())).chain([name.name.as_str()]).collect()
        }
        SemanticViewCommand::Rename { to, .. } => vec![&to.name],
        _ => Vec::new(),
    }
}

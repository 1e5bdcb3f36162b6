//! Parses a request's text into statements, with the checks that need no session: count, syntax, bindings.

use std::sync::Arc;

use firn_sql::bindings::{Bindings, bind, question_marks};
use firn_sql::command::{Command, Ddl, ExplainedPlan, SessionCommand, StageCommand, TableSource, Transaction};
use firn_sql::{Failure, ParseLimits, SourceStatement, Statement, Substitutes, Variables, parse_with, split_script};

use crate::plan_cache::CachedPlan;
use crate::settings::{SessionSettings, StatementCount};

pub struct Plan {
    pub statements: Vec<Statement>,
    /// The cached plan of the only statement, which is not parsed then.
    pub known: Option<Arc<CachedPlan>>,
}

/// What the statements of a request can leave for later ones.
#[derive(Clone, Copy)]
pub enum Reach<'a> {
    /// Nothing.
    Request,
    /// Everything but an open transaction, in a session with these variables.
    Session(&'a Variables),
    SessionAndTransaction(&'a Variables),
}

impl Reach<'_> {
    /// Refuses what only makes sense beside others, if there are none.
    fn check_alone(&self, command: &Command) -> Result<(), Failure> {
        match (self, command) {
            (Self::Request, _) | (Self::Session(_), Command::Transaction(_)) => refuse_alone(command),
            _ => Ok(()),
        }
    }

    fn variables(&self) -> Option<&Variables> {
        match self {
            Self::Request => None,
            Self::Session(variables) | Self::SessionAndTransaction(variables) => Some(variables),
        }
    }
}

impl Plan {
    pub fn make(
        text: &str,
        bindings: &Bindings,
        settings: &SessionSettings,
        reach: Reach<'_>,
        limits: &ParseLimits,
    ) -> Result<Self, Failure> {
        let rules = settings.rules;
        let sources = split_script(text, limits)?;
        check_count(&sources, settings.statement_count)?;
        // A request of one statement has set no variables itself.
        let none = Variables::new();
        let variables = Some(reach.variables().unwrap_or(&none));
        if let [only] = sources.as_slice() {
            let statement = bound(only, bindings, Substitutes { variables, bindings: None, rules }, limits)?;
            reach.check_alone(&statement.command)?;
            return Ok(Self { statements: vec![statement], known: None });
        }
        let mut statements = Vec::with_capacity(sources.len());
        let mut marks = 0;
        for source in &sources {
            statements.push(if bindings.is_empty() {
                parse_with(source, limits, Substitutes { rules, ..Substitutes::default() })?
            } else {
                bound(source, &bindings.behind(marks), Substitutes { variables, bindings: None, rules }, limits)?
            });
            marks += question_marks(&source.text);
        }
        Ok(Self { statements, known: None })
    }

    /// For a request whose statement is a known query with other values.
    pub fn of_known(query: Arc<CachedPlan>) -> Self {
        Self { statements: Vec::new(), known: Some(query) }
    }

    /// Whether the request will be answered in less time than it takes to wake a thread for it.
    pub fn is_quick(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.is_quick())
    }

    pub fn only_statement(&self) -> Option<&Statement> {
        match self.statements.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    pub fn is_set(&self) -> bool {
        self.statements.len() > 1
    }

    /// Whether any statement may need a warehouse's slot.
    pub fn may_need_warehouse(&self) -> bool {
        let may_need = |command: &Command| matches!(command, Command::Block(_)) || needs_warehouse(command);
        self.known.is_some() || self.statements.iter().any(|statement| may_need(&statement.command))
    }

    /// The first warehouse that the statements choose themselves.
    pub fn chosen_warehouse(&self) -> Option<&str> {
        self.statements.iter().find_map(|statement| match &statement.command {
            Command::Session(SessionCommand::UseWarehouse(name)) => Some(name.as_str()),
            _ => None,
        })
    }
}

pub fn needs_warehouse(command: &Command) -> bool {
    match command {
        Command::Query(_) | Command::Dml(_) | Command::InsertMany(_) | Command::SetVariables(_) => true,
        Command::Stages(StageCommand::Load(_) | StageCommand::Unload(_)) => true,
        Command::Ddl(Ddl::CreateTable(table)) => {
            matches!(table.source, TableSource::Query(_) | TableSource::Template(_))
        }
        Command::Explain(explain) => explain.plan == ExplainedPlan::Measured,
        _ => false,
    }
}

fn check_count(sources: &[SourceStatement], count: StatementCount) -> Result<(), Failure> {
    if sources.is_empty() {
        return Err(Failure::new("000900", "42601", "SQL compilation error:\nEmpty SQL statement."));
    }
    match count {
        StatementCount::Exactly(desired) if desired != sources.len() => Err(Failure::new(
            "000008",
            "0A000",
            format!("Actual statement count {} did not match the desired statement count {desired}.", sources.len()),
        )),
        _ => Ok(()),
    }
}

fn bound(
    source: &SourceStatement,
    bindings: &Bindings,
    substitutes: Substitutes<'_>,
    limits: &ParseLimits,
) -> Result<Statement, Failure> {
    let substitutes = Substitutes { bindings: Some(bindings), ..substitutes };
    let mut statement = parse_with(source, limits, substitutes)?;
    bind(&mut statement, bindings)?;
    // Without values of the request its text is all that it takes to parse it again.
    statement.unfinished = bindings.is_empty().then(|| source.clone());
    Ok(statement)
}

/// Commands that only make sense beside others of one request.
fn refuse_alone(command: &Command) -> Result<(), Failure> {
    let name = match command {
        Command::Session(SessionCommand::SetParameters(_) | SessionCommand::UnsetParameters(_)) => "ALTER SESSION",
        Command::SetVariables(_) => "SET",
        Command::Session(SessionCommand::UnsetVariables(_)) => "UNSET",
        Command::Session(_) => "USE",
        Command::Transaction(Transaction::Begin) => "BEGIN",
        Command::Transaction(Transaction::Commit) => "COMMIT",
        Command::Transaction(Transaction::Rollback) => "ROLLBACK",
        _ => return Ok(()),
    };
    Err(Failure::not_over_the_api(name))
}

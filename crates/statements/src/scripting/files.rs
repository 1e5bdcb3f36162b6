//! EXECUTE IMMEDIATE FROM: the statements of a staged file, one after the other. The file sees none of the names of
//! the block that runs it, and what it does to the session stays.

use firn_sql::blocks::{self, Fragment};
use firn_sql::lookups::Rows;
use firn_sql::scripting::substitution::{self, SubstitutionContext};
use firn_sql::stages::{StageLocation, StageName, StagePath};
use firn_sql::{Failure, split_script};

use super::errors::{Raised, ScriptError};
use super::{DEPTH_MAX, Interpreter};
use crate::authorise::authorise;
use crate::limits::parse_limits;
use crate::reads;
use crate::run_error::RunError;
use crate::stage_access::{StageAccess, uses};

/// What makes a file a template, at its very beginning.
const TEMPLATE_MARKS: [&str; 2] = ["--!jinja", "#!jinja"];

impl Interpreter<'_> {
    /// The rows of the file's last statement.
    pub(super) fn execute_file(&mut self, place: &str) -> Result<(Rows, Option<u64>), ScriptError> {
        if self.state.call_depth >= DEPTH_MAX {
            let message = format!("files and blocks run each other deeper than {DEPTH_MAX}");
            return Err(Failure::new("100234", "54001", message).into());
        }
        let location = self.location_of(place)?;
        let text = self.text_of_file(&location)?;
        if TEMPLATE_MARKS.iter().any(|mark| text.trim_start().starts_with(mark)) {
            return Err(Failure::unsupported("EXECUTE IMMEDIATE FROM a template").into());
        }
        let statements = split_script(&text, &parse_limits(&self.services.limits))?;
        let outer = self.file.replace(location.clone());
        let scopes = std::mem::take(&mut self.scopes);
        let stores_results = std::mem::replace(&mut self.stores_results, super::asks_for_results(&text));
        self.state.call_depth += 1;
        let outcome = self.statements_of_file(&statements, &location);
        self.state.call_depth -= 1;
        self.stores_results = stores_results;
        self.scopes = scopes;
        self.file = outer;
        outcome
    }

    fn statements_of_file(
        &mut self,
        statements: &[Fragment],
        location: &StageLocation,
    ) -> Result<(Rows, Option<u64>), ScriptError> {
        let mut last = None;
        for statement in statements {
            last = Some(self.statement_of_file(statement).map_err(|error| in_file(error, location, statement))?);
        }
        last.ok_or_else(|| Failure::invalid_value("file", &location.to_string(), "it holds no statement").into())
    }

    fn statement_of_file(&mut self, source: &Fragment) -> Result<(Rows, Option<u64>), ScriptError> {
        if blocks::special(source)?.is_some() {
            return self.statement(source, &[]);
        }
        reads::note_variables(self.state, &source.text);
        let limits = parse_limits(&self.services.limits);
        let statement = {
            let (variables, rules) = (&self.state.variables.values, self.state.settings.rules);
            let lookup = |_: &str| Ok(None);
            substitution::whole(
                source,
                &SubstitutionContext { limits: &limits, variables, lookup: &lookup, using: &[], rules },
            )?
        };
        let ran = self.run(statement)?;
        self.note_statement(&ran.0, ran.1);
        self.store_result(&ran.0)?;
        Ok(ran)
    }

    /// `@stage/path`, or `./path` and `../path` from the file that runs.
    fn location_of(&self, place: &str) -> Result<StageLocation, ScriptError> {
        if place.starts_with('@') {
            let mut location = StageLocation::parse(place)?;
            location.stage.qualify(&self.state.namespace)?;
            return Ok(location);
        }
        let Some(running) = &self.file else {
            let way_out = "name the stage: @stage/path; only a file that runs can name others beside it";
            return Err(Failure::invalid_value("file", place, way_out).into());
        };
        let mut folders: Vec<&str> = running.path.split('/').collect();
        folders.pop();
        for part in place.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(folders.pop()),
                part => folders.push(part),
            }
        }
        Ok(StageLocation { stage: running.stage.clone(), path: folders.join("/") })
    }

    fn text_of_file(&self, location: &StageLocation) -> Result<String, ScriptError> {
        let (stage, path) = (&location.stage, StagePath::parse(&location.path)?);
        authorise(self.services, &*self.session, &self.state.role, &uses(stage, StageAccess::Read))?;
        if let StageName::Named(name) = stage {
            reads::note_stage(self.services, &*self.session, self.state, name)?;
        }
        if let StageName::Named(name) = stage
            && self
                .session
                .stage(name)
                .map_err(RunError::from)?
                .is_some_and(|stage| stage.definition.external.is_some())
        {
            return Err(Failure::unsupported("EXECUTE IMMEDIATE FROM an external stage").into());
        }
        let missing = || {
            let message = format!("File '{}{path}' does not exist or not authorized.", stage.prefix());
            ScriptError::from(Failure::new("253006", "22000", message))
        };
        let broken = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => missing(),
            _ => RunError::from(error).into(),
        };
        let folder = self.state.stage_folder(&*self.session, stage)?.ok_or_else(missing)?;
        let found = self.services.engine.stage_files().find(&folder, &path).map_err(broken)?.ok_or_else(missing)?;
        if found.bytes > self.services.limits.sql_bytes_max as u64 {
            let way_out = format!("a file of at most {} bytes can be run", self.services.limits.sql_bytes_max);
            return Err(Failure::invalid_value("file", path.as_str(), &way_out).into());
        }
        let stage_files = self.services.engine.stage_files();
        stage_files.verify(&folder, &found, &|| self.execution.stop_reason().is_some()).map_err(RunError::from)?;
        let bytes = std::fs::read(&found.place).map_err(broken)?;
        let text = String::from_utf8(bytes);
        text.map_err(|_| Failure::invalid_value("file", path.as_str(), "it is no text in UTF-8").into())
    }
}

/// A failure with the file and the place of the statement in it.
fn in_file(error: ScriptError, location: &StageLocation, statement: &Fragment) -> ScriptError {
    let ScriptError::Raised(raised) = error else { return error };
    let message = format!(
        "Uncaught exception of type '{}' in file @{location} on line {} at position {}:\n{}",
        raised.name, statement.line, statement.position, raised.message
    );
    let failure = raised.failure.clone().map(|failure| Failure { message: message.clone(), ..failure });
    ScriptError::Raised(Box::new(Raised { message, failure, ..*raised }))
}

//! Statements and expressions inside of a block: parsed with the values of its variables, and run like
//! any other statement.

use firn_sql::blocks::{self, Fragment, Special};
use firn_sql::command::{Command, DataType};
use firn_sql::context::substitute_current_statement;
use firn_sql::lookups::Rows;
use firn_sql::scripting::check;
use firn_sql::scripting::substitution::{self, SubstitutionContext};
use firn_sql::secrets_in_text::known_values;
use firn_sql::{Constant, Failure, Statement, split_script, type_in_tree};
use serde::Deserialize;
use uuid::Uuid;

use super::errors::ScriptError;
use super::history::{InnerRecord, RECORDED_MAX, TextSource};
use super::memory::StatementMemory;
use super::{DEPTH_MAX, Interpreter, result};
use crate::current_definitions::run_statement;
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::{look_up, reads};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    num_rows_inserted: u64,
    num_rows_updated: u64,
    num_rows_deleted: u64,
}

impl<'a> Interpreter<'a> {
    /// Runs a statement; gives its rows and how many rows it changed.
    pub(super) fn statement(
        &mut self,
        fragment: &Fragment,
        using: &[Constant],
    ) -> Result<(Rows, Option<u64>), ScriptError> {
        let ran = self.statement_alone(fragment, using)?;
        self.store_result(&ran.0)?;
        Ok(ran)
    }

    /// Gives the statement that ran a handle, by which later ones find its rows.
    pub(super) fn store_result(&mut self, rows: &Rows) -> Result<(), ScriptError> {
        let handle = Uuid::new_v4();
        self.scopes.set_statement_built_in("SQLID", Constant::varchar(handle.to_string()));
        if self.stores_results {
            let rows = self.copied(rows)?;
            self.state.store_block_result(handle, rows);
        }
        Ok(())
    }

    pub(super) fn copied(&self, rows: &Rows) -> Result<Rows, ScriptError> {
        let memory = self.memory();
        memory.take_copy(rows)?;
        Ok(rows.clone())
    }

    pub(super) fn memory(&self) -> StatementMemory<'a> {
        StatementMemory::new(self.services.engine.as_ref())
    }

    fn statement_alone(&mut self, fragment: &Fragment, using: &[Constant]) -> Result<(Rows, Option<u64>), ScriptError> {
        match blocks::special(fragment)? {
            Some(Special::ExecuteImmediate { text, using }) => return self.execute_immediate(&text, &using),
            Some(Special::ExecuteFile(place)) => return self.execute_file(&place),
            Some(Special::Call { name, arguments, into }) => {
                let name = self.called_name(name)?;
                let outer = std::mem::replace(&mut self.text, fragment.text.clone());
                let called = self.call(name, &arguments, into.as_deref(), using);
                self.text = outer;
                return called;
            }
            Some(Special::Chain(statements)) => return self.chain(&statements),
            None => {}
        }
        self.note_secrets(&fragment.text, using);
        reads::note_variables(self.state, &fragment.text);
        let limits = parse_limits(&self.services.limits);
        let memory = self.memory();
        using.iter().try_for_each(|value| memory.take_value(value))?;
        let (statement, into) = {
            let lookup = |name: &str| self.scopes.value_for(&memory, name);
            let variables = &self.state.variables.values;
            let rules = self.state.settings.rules;
            substitution::statement(
                fragment,
                &SubstitutionContext { limits: &limits, variables, lookup: &lookup, using, rules },
            )?
        };
        let (rows, changed) = self.run_recorded(statement, &fragment.text)?;
        self.note_statement(&rows, changed);
        if !into.is_empty() {
            self.take_row(&rows, &into)?;
        }
        Ok((rows, changed))
    }

    /// The value of an expression, in the type of the variable it is for.
    pub(super) fn evaluate(
        &mut self,
        fragment: &Fragment,
        data_type: Option<&DataType>,
    ) -> Result<Constant, ScriptError> {
        self.evaluate_expression(fragment, data_type).map_err(ScriptError::of_expression)
    }

    fn evaluate_expression(
        &mut self,
        fragment: &Fragment,
        data_type: Option<&DataType>,
    ) -> Result<Constant, ScriptError> {
        reads::note_variables(self.state, &fragment.text);
        let limits = parse_limits(&self.services.limits);
        let typed = match data_type {
            Some(data_type) => {
                let text = format!("CAST(({}) AS {})", fragment.text, type_in_tree(data_type));
                Fragment { text, ..fragment.clone() }
            }
            None => fragment.clone(),
        };
        let memory = self.memory();
        let mut statement = {
            let lookup = |name: &str| self.scopes.value_for(&memory, name);
            let variables = &self.state.variables.values;
            let rules = self.state.settings.rules;
            substitution::expression(
                &typed,
                &SubstitutionContext { limits: &limits, variables, lookup: &lookup, using: &[], rules },
            )?
        };
        statement.text.clone_from(&fragment.text);
        if statement.mentions("CURRENT_STATEMENT") {
            substitute_current_statement(&mut statement, &self.text);
        }
        let (rows, _) = self.run(statement)?;
        let value = rows.value(0, 0);
        let value = value.ok_or_else(|| Failure::invalid_value("an expression", &fragment.text, "give one value"))?;
        Ok(match data_type {
            Some(data_type) => Constant { data_type: data_type.clone(), ..value },
            None if matches!(value.data_type, DataType::Varchar { .. }) => {
                Constant { data_type: DataType::Varchar { length: None }, ..value }
            }
            None => value,
        })
    }

    pub(super) fn run(&mut self, statement: Statement) -> Result<(Rows, Option<u64>), ScriptError> {
        self.run_as(Uuid::new_v4(), statement)
    }

    fn run_as(&mut self, handle: Uuid, mut statement: Statement) -> Result<(Rows, Option<u64>), ScriptError> {
        self.check_stopped()?;
        if let Command::Block(block) = statement.command {
            check(&block, &parse_limits(&self.services.limits))?;
            let outer = std::mem::replace(&mut self.text, statement.text);
            let ran = self.inner_block(&block);
            self.text = outer;
            return ran;
        }
        // The value of a variable is not worth caching.
        statement.deterministic = false;
        let ran = run_statement(self.services, self.execution, &mut *self.session, self.state, statement, handle);
        let written = match self.state.hides_values {
            true => ran.map_err(without_values)?,
            false => ran?,
        };
        let memory = self.memory();
        let rows = look_up::read_within(self.services, &written.stored, |columns| {
            memory.take_result(&written.stored, columns)
        });
        if written.stored.partitions.len() > 1 || written.stored.inline_rows.is_none() {
            // The rows are held here; a folder that stays is swept at the next start.
            let _ = self.services.store.remove(handle);
        }
        let stats = written.stored.stats.as_deref().and_then(|stats| serde_json::from_str::<Stats>(stats).ok());
        let changed = stats.map(|stats| stats.num_rows_inserted + stats.num_rows_updated + stats.num_rows_deleted);
        Ok((rows?, changed))
    }

    /// A block that EXECUTE IMMEDIATE runs sees none of the names here.
    fn inner_block(&mut self, block: &blocks::Block) -> Result<(Rows, Option<u64>), ScriptError> {
        if self.state.call_depth >= DEPTH_MAX {
            let message = format!("blocks and procedures call each other deeper than {DEPTH_MAX}");
            return Err(Failure::new("100234", "54001", message).into());
        }
        self.state.call_depth += 1;
        let scopes = std::mem::take(&mut self.scopes);
        let outcome = self.whole(block);
        self.scopes = scopes;
        self.state.call_depth -= 1;
        let rows = result::rows_of(outcome?, "anonymous block");
        Ok((rows, None))
    }

    fn execute_immediate(&mut self, text: &Fragment, using: &[Fragment]) -> Result<(Rows, Option<u64>), ScriptError> {
        let text = self.evaluate(text, Some(&DataType::Varchar { length: None }))?;
        let using = using.iter().map(|value| self.evaluate(value, None)).collect::<Result<Vec<_>, _>>()?;
        let limits = parse_limits(&self.services.limits);
        let sources = split_script(&text.text.unwrap_or_default(), &limits)?;
        let [source] = sources.as_slice() else {
            let message = format!("EXECUTE IMMEDIATE takes one statement, not {}", sources.len());
            return Err(Failure::new("000008", "0A000", message).into());
        };
        let outer = std::mem::replace(&mut self.text_source, TextSource::Computed);
        let ran = self.execute_text(source, &using);
        self.text_source = outer;
        ran
    }

    fn execute_text(&mut self, source: &Fragment, using: &[Constant]) -> Result<(Rows, Option<u64>), ScriptError> {
        if blocks::special(source)?.is_some() {
            return self.statement(source, using);
        }
        let limits = parse_limits(&self.services.limits);
        self.note_secrets(&source.text, using);
        reads::note_variables(self.state, &source.text);
        let memory = self.memory();
        using.iter().try_for_each(|value| memory.take_value(value))?;
        let statement = {
            let variables = &self.state.variables.values;
            let rules = self.state.settings.rules;
            let lookup = |_: &str| Ok(None);
            let around = SubstitutionContext { limits: &limits, variables, lookup: &lookup, using, rules };
            substitution::whole(source, &around)?
        };
        let (rows, changed) = self.run_recorded(statement, &source.text)?;
        self.note_statement(&rows, changed);
        Ok((rows, changed))
    }

    /// What is secret in a statement of the block is redacted in the texts around it, which gave it its values.
    fn note_secrets(&self, text: &str, using: &[Constant]) {
        let (mut secrets, variables) = (known_values::values(text), known_values::variables(text));
        if secrets.is_empty() && variables.is_empty() {
            return;
        }
        let of_session = |name: &String| self.state.variables.values.get(name).cloned();
        let values = variables.iter().filter_map(|name| self.scopes.value(name).or_else(|| of_session(name)));
        secrets.extend(values.chain(using.iter().cloned()).filter_map(|value| value.text));
        self.execution.note_secrets(self.services.catalog.registry(), secrets);
    }

    /// Runs a statement that the history has an entry of.
    fn run_recorded(&mut self, statement: Statement, text: &str) -> Result<(Rows, Option<u64>), ScriptError> {
        if matches!(statement.command, Command::Block(_)) || self.recorded >= RECORDED_MAX {
            return self.run(statement);
        }
        self.recorded += 1;
        let record = InnerRecord::begin(self.execution, self.state, text, self.text_source);
        let ran = self.run_as(record.handle(), statement);
        record.end(self.services, self.execution, self.state, &ran);
        ran
    }

    pub(super) fn note_statement(&mut self, rows: &Rows, changed: Option<u64>) {
        let count = changed.unwrap_or(rows.rows.len() as u64);
        self.scopes.set_statement_built_in("SQLROWCOUNT", Constant::integer(i64::try_from(count).unwrap_or(i64::MAX)));
        self.scopes.set_statement_built_in("SQLFOUND", Constant::boolean(count > 0));
        self.scopes.set_statement_built_in("SQLNOTFOUND", Constant::boolean(count == 0));
    }

    /// `SELECT … INTO :a, :b`: one row, with a value for each.
    fn take_row(&mut self, rows: &Rows, into: &[String]) -> Result<(), ScriptError> {
        if rows.rows.len() > 1 || rows.columns.len() != into.len() {
            let message = format!(
                "a row of {} columns is expected for INTO, and there are {} rows of {} columns",
                into.len(),
                rows.rows.len(),
                rows.columns.len()
            );
            return Err(Failure::new("090239", "22000", message).into());
        }
        for (column, name) in into.iter().enumerate() {
            let nothing = || Constant::null(rows.columns[column].1.clone());
            let value = rows.value(0, column).unwrap_or_else(nothing);
            self.set_variable(name, value)?;
        }
        Ok(())
    }
}

/// A failure of a procedure that runs with the rights of another role than its caller's, without the value that caused it.
fn without_values(error: RunError) -> RunError {
    match error {
        RunError::Failed(Failure { code, sql_state, .. }) if sql_state.starts_with("22") => {
            let message = "SQL execution error: a value cannot be used as a statement of the procedure asks for. It is not shown, as \
                           the procedure reads with the rights of its owner.";
            Failure::new(code, sql_state, message).into()
        }
        other => other,
    }
}

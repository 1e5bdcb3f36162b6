//! One step after the other.

use firn_sql::blocks::{Action, Assigned, Declaration, DeclaredKind, Fragment, Returned, Step};
use firn_sql::command::{Command, DataType};
use firn_sql::{Constant, Failure, Statement, cast_expression, select_values, type_in_tree};

use super::errors::{Raised, ScriptError};
use super::scopes::{Cursor, Named, VariableType};
use super::{Flow, Interpreter, Outcome};

impl Interpreter<'_> {
    pub(super) fn steps(&mut self, steps: &[Step]) -> Result<Flow, ScriptError> {
        for step in steps {
            self.check_stopped()?;
            let ended = self.step(&step.action).map_err(|error| error.at(step.line, step.position));
            let flow = match ended {
                Err(ScriptError::Raised(raised)) => match self.continuing_handler(&raised) {
                    Some(handler) => self.handle(&handler, *raised)?,
                    None => return Err(ScriptError::Raised(raised)),
                },
                other => other?,
            };
            match flow {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn step(&mut self, action: &Action) -> Result<Flow, ScriptError> {
        match action {
            Action::Declare(declaration) => self.declare(declaration)?,
            Action::Assign { name, value } => self.assign(name, value)?,
            Action::If { branches, otherwise } => {
                for (condition, steps) in branches {
                    if self.holds(condition)? {
                        return self.steps(steps);
                    }
                }
                return self.steps(otherwise);
            }
            Action::Case { operand, branches, otherwise } => {
                return self.case(operand.as_ref(), branches, otherwise.as_deref());
            }
            Action::ForRange { variable, from, to, reverse, body } => {
                return self.for_range(variable, from, to, *reverse, body);
            }
            Action::ForRows { variable, source, body } => return self.for_rows(variable, source, body),
            Action::While { condition, body } => return self.while_holds(condition, body),
            Action::Loop(body) => return self.endless(body),
            Action::Repeat { until, body } => return self.repeat_until(until, body),
            Action::Break(label) => return Ok(Flow::Break(label.clone())),
            Action::Continue(label) => return Ok(Flow::Continue(label.clone())),
            Action::Return(returned) => return self.returned(returned).map(Flow::Return),
            Action::Raise(name) => return Err(self.raise(name.as_deref())),
            Action::Open { cursor, using } => self.open(cursor, using)?,
            Action::Fetch { cursor, into } => self.fetch(cursor, into)?,
            Action::Close(cursor) => self.close(cursor)?,
            Action::Statement(fragment) => drop(self.statement(fragment, &[])?),
            Action::Nested(block) => return self.block(block),
            Action::Nothing => {}
        }
        Ok(Flow::Next)
    }

    pub(super) fn declare(&mut self, declaration: &Declaration) -> Result<(), ScriptError> {
        let named = match &declaration.kind {
            DeclaredKind::Variable { data_type, value } => {
                let value = match value {
                    Some(value) => self.evaluate(value, data_type.as_ref())?,
                    None => Constant::null(data_type.clone().unwrap_or(DataType::Varchar { length: None })),
                };
                let data_type = data_type.clone().map(VariableType::Declared);
                Named::Variable { data_type: data_type.unwrap_or_else(|| VariableType::of_first_value(&value)), value }
            }
            DeclaredKind::Cursor(source) => Named::Cursor(Cursor { source: source.clone(), rows: None }),
            DeclaredKind::ResultSet(source) => {
                let rows = source.as_ref().map(|source| self.rows_of(source, &[])).transpose()?;
                Named::ResultSet(rows)
            }
            DeclaredKind::Procedure(routine) => Named::Procedure(routine.clone()),
            DeclaredKind::Exception { code, message } => Named::Exception { code: *code, message: message.clone() },
        };
        self.scopes.declare(&declaration.name, named);
        Ok(())
    }

    fn assign(&mut self, name: &str, value: &Assigned) -> Result<(), ScriptError> {
        match self.scopes.find(name) {
            Some(Named::ResultSet(_)) => {
                let Assigned::Query(query) = value else { return Err(not_assignable(name).into()) };
                let (rows, _) = self.statement(query, &[])?;
                if let Some(Named::ResultSet(held)) = self.scopes.find_mut(name) {
                    *held = Some(rows);
                }
                Ok(())
            }
            Some(Named::Variable { data_type, .. }) => {
                let declared = match data_type {
                    VariableType::Declared(declared) => Some(declared.clone()),
                    VariableType::Inferred(_) | VariableType::Unknown => None,
                };
                let value = match value {
                    Assigned::Expression(expression) => self.evaluate(expression, declared.as_ref())?,
                    Assigned::Query(query) => {
                        let in_brackets = Fragment { text: format!("({})", query.text), ..query.clone() };
                        self.evaluate(&in_brackets, declared.as_ref())?
                    }
                };
                self.set_variable(name, value)
            }
            _ => Err(not_assignable(name).into()),
        }
    }

    pub(super) fn set_variable(&mut self, name: &str, new: Constant) -> Result<(), ScriptError> {
        let Some(Named::Variable { data_type, .. }) = self.scopes.find(name) else {
            return Err(not_assignable(name).into());
        };
        let new = match data_type.conversion_of(&new).cloned() {
            Some(wanted) => self.converted(&new, &wanted)?,
            None => new,
        };
        if let Some(Named::Variable { value, .. }) = self.scopes.find_mut(name) {
            *value = new;
        }
        Ok(())
    }

    /// A value in another type, or the failure of the cast.
    fn converted(&mut self, value: &Constant, wanted: &DataType) -> Result<Constant, ScriptError> {
        if value.text.is_none() {
            return Ok(Constant::null(wanted.clone()));
        }
        let memory = self.memory();
        memory.take_value(value)?;
        let cast = cast_expression(value.expression()?, type_in_tree(wanted));
        let (rows, _) = self
            .run(Statement::new("", Command::Query(select_values(vec![cast])?)))
            .map_err(ScriptError::of_expression)?;
        let text = rows.value(0, 0).and_then(|converted| converted.text);
        Ok(Constant { data_type: wanted.clone(), text })
    }

    fn case(
        &mut self,
        operand: Option<&Fragment>,
        branches: &[(Fragment, Vec<Step>)],
        otherwise: Option<&[Step]>,
    ) -> Result<Flow, ScriptError> {
        for (condition, steps) in branches {
            let condition = match operand {
                Some(operand) => {
                    Fragment { text: format!("({}) = ({})", operand.text, condition.text), ..condition.clone() }
                }
                None => condition.clone(),
            };
            if self.holds(&condition)? {
                return self.steps(steps);
            }
        }
        match otherwise {
            Some(steps) => self.steps(steps),
            None => Err(Failure::new("100184", "P0000", "no branch of CASE holds and there is no ELSE").into()),
        }
    }

    pub(super) fn holds(&mut self, condition: &Fragment) -> Result<bool, ScriptError> {
        let value = self.evaluate(condition, Some(&DataType::Boolean))?;
        Ok(value.text.as_deref() == Some("true"))
    }

    fn returned(&mut self, returned: &Returned) -> Result<Outcome, ScriptError> {
        match returned {
            Returned::Nothing => Ok(Outcome::Value(Constant::null(DataType::Varchar { length: None }))),
            Returned::Expression(expression) => match self.scopes.declared_value(&expression.text) {
                Some(value) => Ok(Outcome::Value(value)),
                None => self.evaluate(expression, None).map(Outcome::Value),
            },
            Returned::Query(query) => self.statement(query, &[]).map(|(rows, _)| Outcome::Rows(rows)),
            Returned::ResultSet(name) => match self.scopes.find(name) {
                Some(Named::ResultSet(Some(rows))) => self.copied(rows).map(Outcome::Rows),
                Some(Named::Cursor(_)) => self.rows_left(name).map(Outcome::Rows),
                _ => Err(Failure::new("002049", "42601", format!("{name} is no result set with rows")).into()),
            },
        }
    }

    fn raise(&self, name: Option<&str>) -> ScriptError {
        let Some(name) = name else {
            return match self.scopes.raised() {
                Some(raised) => ScriptError::Raised(Box::new(raised.clone())),
                None => Failure::new("000904", "42000", "RAISE without a name outside of a handler").into(),
            };
        };
        match self.scopes.find(name) {
            Some(Named::Exception { code, message }) => ScriptError::Raised(Box::new(Raised {
                name: name.to_owned(),
                number: *code,
                sql_state: "P0001".to_owned(),
                message: message.clone(),
                line: 0,
                position: 0,
                failure: None,
            })),
            _ => Failure::new("000904", "42000", format!("{name} is no declared exception")).into(),
        }
    }
}

fn not_assignable(name: &str) -> Failure {
    let message =
        format!("SQL compilation error:\nvariable '{name}' cannot be assigned to here; DECLARE or LET makes one.");
    Failure::new("000904", "42000", message)
}

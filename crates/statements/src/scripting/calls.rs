//! CALL: a procedure runs as a block of its own, with its owner's rights and in its own schema, or with
//! the caller's, as it was made.

use firn_binder::{Type, resolve_overload};
use firn_engine::RoutineDescription;
use firn_sql::blocks::{self, Argument, CalledName};
use firn_sql::command::DataType;
use firn_sql::lookups::Rows;
use firn_sql::routines::{Call, Direction, Returns, Rights, Routine, RoutineKind, type_word, typed_arguments};
use firn_sql::scripting::substitution::{self, SubstitutionContext};
use firn_sql::{
    Command, Constant, Failure, Namespace, ObjectName, SourceStatement, Statement, object_name_in_text, select_values,
    type_in_tree,
};

use super::errors::ScriptError;
use super::scopes::{Named, Scopes, VariableType};
use super::{DEPTH_MAX, Interpreter, Outcome};
use crate::authorise::role_of_owner;
use crate::limits::parse_limits;
use crate::session_variables::SessionVariables;
use crate::{reads, routines, transaction_scope};

/// Stands for the value that a procedure returned.
const RETURNED: &str = "__RETURNED";

/// A NULL without a cast has one of the first types.
fn type_of(value: Constant) -> Type {
    match (value.text, value.data_type) {
        (None, DataType::Varchar { .. } | DataType::Number { .. } | DataType::Integer) => Type::Null,
        (_, data_type) => Type::Of(data_type),
    }
}

/// Rows with the names and types that RETURNS TABLE declares. Only what is of the same kind is cast: numbers to numbers of
/// another scale, texts to shorter ones.
fn with_declared_columns(routine: &Routine, declared: &[(String, DataType)], mut rows: Rows) -> Result<Rows, Failure> {
    let mismatch = |what: String| {
        let message = format!(
            "Stored procedure execution error: data type of returned table does not match expected returned table type: \
             procedure {} {what}; change its RETURNS clause or its query",
            routine.name
        );
        Failure::new("100183", "P0000", message)
    };
    if declared.len() != rows.columns.len() {
        let what = format!("declares {} columns and returns {}", declared.len(), rows.columns.len());
        return Err(mismatch(what));
    }
    for (index, (name, declared)) in declared.iter().enumerate() {
        let returned = &rows.columns[index].1;
        let is_null = || rows.rows.iter().all(|row| row.get(index).is_none_or(|cell| cell.text.is_none()));
        if type_word(returned) != type_word(declared) && !is_null() {
            let (declared, returned) = (declared.full_name(), returned.full_name());
            return Err(mismatch(format!("declares column {name} as {declared} and returns {returned}")));
        }
    }
    rows.columns = declared.to_vec();
    rows.collations.clear();
    Ok(rows)
}

impl Interpreter<'_> {
    pub(super) fn call(
        &mut self,
        mut name: ObjectName,
        arguments: &[Argument],
        into: Option<&str>,
        using: &[Constant],
    ) -> Result<(Rows, Option<u64>), ScriptError> {
        if let Some(routine) = self.declared_procedure(&name) {
            let (call, _) = self.call_of(arguments, using)?;
            let values = self.typed_values(&routine, &call)?;
            let (rows, given_back) = self.procedure(&routine, "", values)?;
            self.give_back(&routine, arguments, given_back)?;
            return self.put_into(rows, into);
        }
        name.qualify(&self.state.namespace)?;
        let (described, call) = self.overload(&name, arguments, using)?;
        let (chosen, owner) = (&described.routine, &described.owner);
        self.note_called(Some((chosen.name.clone(), described.id)));
        reads::note_procedure(self.services, self.state, &described);
        let values = self.typed_values(chosen, &call)?;
        let (rows, given_back) = self.procedure(chosen, owner, values)?;
        self.give_back(chosen, arguments, given_back)?;
        self.put_into(rows, into)
    }

    /// The procedure of a complete name that a call means, and the call with the values of its arguments.
    pub(super) fn overload(
        &mut self,
        name: &ObjectName,
        arguments: &[Argument],
        using: &[Constant],
    ) -> Result<(RoutineDescription, Call), ScriptError> {
        let find = if self.state.has_owners_rights { routines::named_for_owner } else { routines::named };
        let mut found = find(&self.services.catalog, &*self.session, &self.state.role, RoutineKind::Procedure, name)?;
        let (call, types) = self.call_of(arguments, using)?;
        let candidates: Vec<&Routine> = found.iter().map(|described| &described.routine).collect();
        if candidates.is_empty() {
            let message = format!("SQL compilation error:\nUnknown procedure {name}");
            return Err(Failure::new("002140", "42601", message).into());
        }
        let place = resolve_overload(&call, &types, &candidates)?;
        Ok((found.swap_remove(place), call))
    }

    /// For the audit trail; a loop may call any number.
    fn note_called(&mut self, procedure: Option<(ObjectName, i64)>) {
        const PROCEDURES_MAX: usize = 1_000;
        let is_new = |procedure: &(ObjectName, i64)| !self.procedures.contains(procedure);
        if let Some(procedure) = procedure.filter(is_new)
            && self.procedures.len() < PROCEDURES_MAX
        {
            self.procedures.push(procedure);
        }
    }

    /// The name of a procedure; what stands in `IDENTIFIER(…)` is a text or a variable that holds one.
    pub(super) fn called_name(&mut self, name: CalledName) -> Result<ObjectName, ScriptError> {
        let text = match name {
            CalledName::Written(name) => return Ok(name),
            CalledName::Computed(text) => text,
        };
        let value = self.evaluate(&text, Some(&DataType::Varchar { length: None }))?;
        Ok(object_name_in_text(&value.text.unwrap_or_default())?)
    }

    /// Puts the values of OUT parameters into the variables that the call names.
    fn give_back(
        &mut self,
        routine: &Routine,
        arguments: &[Argument],
        values: Vec<(String, Constant)>,
    ) -> Result<(), ScriptError> {
        for (parameter, value) in values {
            let place = routine.parameters.iter().position(|known| known.name == parameter);
            let named = arguments.iter().find(|argument| argument.name.as_ref() == Some(&parameter));
            let positional = || place.and_then(|place| arguments.get(place)).filter(|argument| argument.name.is_none());
            let Some(argument) = named.or_else(positional) else { continue };
            let variable = argument.value.text.trim().trim_start_matches(':').trim();
            self.set_variable(&variable.to_uppercase(), value)?;
        }
        Ok(())
    }

    /// A procedure that the block declares.
    fn declared_procedure(&self, name: &ObjectName) -> Option<Routine> {
        match (&name.database, &name.schema, self.scopes.find(&name.name)) {
            (None, None, Some(Named::Procedure(routine))) => Some((**routine).clone()),
            _ => None,
        }
    }

    fn put_into(&mut self, rows: Rows, into: Option<&str>) -> Result<(Rows, Option<u64>), ScriptError> {
        if let Some(variable) = into {
            let value = rows.value(0, 0).ok_or_else(|| Failure::unsupported("CALL … INTO of no value"))?;
            self.set_variable(variable, value)?;
        }
        Ok((rows, None))
    }

    /// The values of the arguments, and their types.
    fn call_of(&mut self, arguments: &[Argument], using: &[Constant]) -> Result<(Call, Vec<Type>), ScriptError> {
        let mut using = using.iter();
        let (mut given, mut types) = (Vec::new(), Vec::new());
        for argument in arguments {
            let value = match (argument.value.text.as_str(), using.as_slice().first()) {
                ("?", Some(bound)) => {
                    using.next();
                    bound.clone()
                }
                _ => self.evaluate(&argument.value, None)?,
            };
            given.push((argument.name.clone(), value.expression()?));
            types.push(type_of(value));
        }
        Ok((Call { arguments: given }, types))
    }

    /// The arguments in the types of the parameters.
    fn typed_values(&mut self, routine: &Routine, call: &Call) -> Result<Vec<Constant>, ScriptError> {
        let expressions = typed_arguments(routine, call)?;
        if expressions.is_empty() {
            return Ok(Vec::new());
        }
        let (rows, _) = self.run(Statement::new("", Command::Query(select_values(expressions)?)))?;
        let values = rows.rows.into_iter().next().unwrap_or_default();
        let typed = values.into_iter().zip(&routine.parameters);
        Ok(typed.map(|(value, parameter)| Constant { data_type: parameter.data_type.clone(), ..value }).collect())
    }

    /// Runs the body with a state of its own, and puts the caller's back. Gives what is returned, and what OUT
    /// parameters hold in the end.
    fn procedure(
        &mut self,
        routine: &Routine,
        owner: &str,
        values: Vec<Constant>,
    ) -> Result<(Rows, Vec<(String, Constant)>), ScriptError> {
        if self.state.call_depth >= DEPTH_MAX {
            let message = format!("blocks and procedures call each other deeper than {DEPTH_MAX}");
            return Err(Failure::new("100234", "54001", message).into());
        }
        let source = SourceStatement { text: routine.body.trim().to_owned(), line: 1, position: 0 };
        let block = blocks::parse_body(&source)?;
        let mut scopes = Scopes::default();
        scopes.enter();
        for (value, parameter) in values.into_iter().zip(&routine.parameters) {
            let data_type = VariableType::Declared(parameter.data_type.clone());
            scopes.declare(&parameter.name, Named::Variable { data_type, value });
        }
        let owners_role = match routine.rights {
            Rights::Owner => Some(role_of_owner(&self.services.catalog, owner)?),
            Rights::Caller => None,
        };
        let is_hidden = owners_role.is_some() && !self.state.role.may_use_what_is_owned_by(owner);
        let (had_owners_rights, hid_values) = (self.state.has_owners_rights, self.state.hides_values);
        let caller = (self.state.role.clone(), self.state.namespace.clone(), self.state.variables.clone());
        if is_hidden {
            // A temporary object of the caller would take the place of the permanent one that the owner means.
            self.session.set_temporary_aside();
        }
        if let Some(role) = owners_role {
            self.state.role = role;
            self.state.has_owners_rights = true;
            self.state.hides_values |= is_hidden;
            self.state.variables = SessionVariables::default();
            self.state.namespace =
                Namespace { database: routine.name.database.clone(), schema: routine.name.schema.clone() };
        }
        std::mem::swap(&mut self.scopes, &mut scopes);
        let stores_results = std::mem::replace(&mut self.stores_results, super::asks_for_results(&routine.body));
        self.state.call_depth += 1;
        let outer = transaction_scope::enter(&*self.session, self.state);
        let outcome = match is_hidden {
            true => self.whole_hidden(&block, &routine.name),
            false => self.whole(&block),
        };
        let left = transaction_scope::leave(self.services, self.execution, self.session, self.state, outer);
        if is_hidden {
            self.session.take_temporary_back();
        }
        self.state.call_depth -= 1;
        self.stores_results = stores_results;
        std::mem::swap(&mut self.scopes, &mut scopes);
        if routine.rights == Rights::Owner {
            (self.state.role, self.state.namespace, self.state.variables) = caller;
            (self.state.has_owners_rights, self.state.hides_values) = (had_owners_rights, hid_values);
        }
        let outcome = outcome?;
        left?;
        let rows = self.returned_as_declared(routine, outcome)?;
        let out = routine.parameters.iter().filter(|parameter| parameter.direction == Direction::Out);
        let given_back = out.filter_map(|parameter| Some((parameter.name.clone(), scopes.value(&parameter.name)?)));
        Ok((rows, given_back.collect()))
    }

    fn returned_as_declared(&mut self, routine: &Routine, outcome: Outcome) -> Result<Rows, ScriptError> {
        match (&routine.returns, outcome) {
            (Returns::Value(data_type), Outcome::Value(value)) => {
                let limits = parse_limits(&self.services.limits);
                let text = format!("CAST({RETURNED} AS {})", type_in_tree(data_type));
                let source = SourceStatement { text, line: 1, position: 0 };
                let memory = self.memory();
                memory.take_value(&value)?;
                let lookup = |name: &str| Ok((name == RETURNED).then(|| value.clone()));
                let variables = &self.state.variables.values;
                let rules = self.state.settings.rules;
                let around = SubstitutionContext { limits: &limits, variables, lookup: &lookup, using: &[], rules };
                let statement = substitution::expression(&source, &around)?;
                let (mut rows, _) = self.run(statement)?;
                rows.columns = vec![(routine.name.name.clone(), data_type.clone())];
                Ok(rows)
            }
            (Returns::Table(declared), Outcome::Rows(rows)) if declared.is_empty() => Ok(rows),
            (Returns::Table(declared), Outcome::Rows(rows)) => Ok(with_declared_columns(routine, declared, rows)?),
            (Returns::Value(_), Outcome::Rows(rows)) => Ok(rows),
            (Returns::Table(_), Outcome::Value(_)) => {
                Err(Failure::unsupported("procedure that declares a table and returns a value").into())
            }
        }
    }
}

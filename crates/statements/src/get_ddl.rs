//! GET_DDL: replaces the call by the statements that create the object.

mod others;
mod tables;

use std::ops::ControlFlow;

use firn_engine::{ObjectDescription, Session};
use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value, VisitorMut};
use firn_sql::command::{Command, Ddl, LoginPolicyKind, ObjectKind};
use firn_sql::names::{SchemaName, display_identifier, quote_identifier, quote_literal};
use firn_sql::routines::RoutineKind;
use firn_sql::{Failure, ObjectName, Statement, names_in_text, routine_in_text, view_query_text};

use crate::authorise::{Authority, Secured};
use crate::login_policies::LoginPolicies;
use crate::policies::PolicyNames;
use crate::reads::SeenRecorder;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{authorise, routines, semantic_views};

/// Whether names carry their database and schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Plain,
    Full,
}

/// Replaces every call with its text.
pub fn substitute(
    statement: &mut Statement,
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
) -> Result<(), RunError> {
    if !statement.mentions("GET_DDL") {
        return Ok(());
    }
    let is_stored = matches!(statement.command, Command::Ddl(Ddl::CreateView(_)));
    let mut substitution = Substitution { maker: Maker { services, session, state }, is_stored, failed: None };
    // The visitor breaks only after it has noted why.
    let _ = statement.command.visit_tree_mut(&mut substitution);
    substitution.failed.map_or(Ok(()), Err)
}

struct Substitution<'a> {
    maker: Maker<'a>,
    /// The text would stay as it is now, for everybody who reads the view.
    is_stored: bool,
    failed: Option<RunError>,
}

impl VisitorMut for Substitution<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        if !function.name.to_string().eq_ignore_ascii_case("GET_DDL") {
            return ControlFlow::Continue(());
        }
        if self.is_stored {
            self.failed = Some(Failure::unsupported("GET_DDL in a view").into());
            return ControlFlow::Break(Failure::unsupported("GET_DDL"));
        }
        match arguments(function)
            .map_err(RunError::from)
            .and_then(|(kind, name, naming)| self.maker.make(&kind, &name, naming))
        {
            Ok(text) => {
                *expr = Expr::value(Value::SingleQuotedString(text));
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(Failure::unsupported("GET_DDL"))
            }
        }
    }
}

fn arguments(function: &Function) -> Result<(String, String, Naming), Failure> {
    let wrong = || Failure::unsupported("GET_DDL of anything but texts: GET_DDL('TABLE', 'name' [, TRUE])");
    let FunctionArguments::List(list) = &function.args else { return Err(wrong()) };
    let values: Option<Vec<&Value>> = list
        .args
        .iter()
        .map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => Some(&value.value),
            _ => None,
        })
        .collect();
    let (kind, name, naming) = match values.as_deref() {
        Some([Value::SingleQuotedString(kind), Value::SingleQuotedString(name)]) => (kind, name, Naming::Plain),
        Some([Value::SingleQuotedString(kind), Value::SingleQuotedString(name), Value::Boolean(full)]) => {
            (kind, name, if *full { Naming::Full } else { Naming::Plain })
        }
        _ => return Err(wrong()),
    };
    Ok((kind.to_ascii_uppercase(), name.clone(), naming))
}

struct Maker<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    state: &'a SessionState,
}

impl Maker<'_> {
    fn authority(&self) -> Authority<'_> {
        let recorder = SeenRecorder::of_session(self.state);
        Authority::new(&self.services.catalog, self.session, &self.state.role).recording(recorder)
    }

    fn make(&self, kind: &str, name: &str, naming: Naming) -> Result<String, RunError> {
        match kind {
            "TABLE" => self.object(name, ObjectKind::Table, naming),
            "VIEW" => self.object(name, ObjectKind::View, naming),
            "SEQUENCE" => self.object(name, ObjectKind::Sequence, naming),
            "FUNCTION" => self.routine(name, RoutineKind::Function, naming),
            "POLICY" => {
                self.unoverloaded(name, naming, "Policy", &[RoutineKind::MaskingPolicy, RoutineKind::RowAccessPolicy])
            }
            "TAG" => self.unoverloaded(name, naming, "Tag", &[RoutineKind::Tag]),
            "PROCEDURE" => self.routine(name, RoutineKind::Procedure, naming),
            "FILE_FORMAT" | "FILE FORMAT" => self.file_format(name, naming),
            "SEMANTIC VIEW" | "SEMANTIC_VIEW" => self.semantic_view(name, naming),
            "SCHEMA" => self.schema(name, naming),
            "DATABASE" => self.database(name, naming),
            other => Err(Failure::unsupported(&format!("GET_DDL of {other}")).into()),
        }
    }

    fn object(&self, given: &str, kind: ObjectKind, naming: Naming) -> Result<String, RunError> {
        let missing = || Failure::missing_object(kind_word(kind), given);
        let mut name = ObjectName::of_parts(names_in_text(given)?).ok_or_else(missing)?;
        name.qualify(&self.state.namespace)?;
        // The words TABLE and VIEW serve for both.
        let is_meant = |found: ObjectKind| match kind {
            ObjectKind::Table | ObjectKind::View => matches!(found, ObjectKind::Table | ObjectKind::View),
            kind => found == kind,
        };
        let found = self.session.describe(&name)?.filter(|found| is_meant(found.kind)).ok_or_else(missing)?;
        if !self.authority().sees(found.as_ref())? {
            return Err(missing().into());
        }
        if !self.authority().may_read_text(&found) {
            return Err(Failure::insufficient_privileges("view", &display_identifier(&name.name)).into());
        }
        Ok(statement_of(&found, naming, &self.policy_names()))
    }

    fn policy_names(&self) -> PolicyNames<'_> {
        PolicyNames { services: self.services, session: self.session, role: &self.state.role }
    }

    /// A policy or a tag. GET_DDL names all kinds of policies by the same word.
    fn unoverloaded(&self, given: &str, naming: Naming, word: &str, kinds: &[RoutineKind]) -> Result<String, RunError> {
        let missing = || Failure::missing_object(word, given);
        let mut name = ObjectName::of_parts(names_in_text(given)?).ok_or_else(missing)?;
        name.qualify(&self.state.namespace)?;
        for kind in kinds {
            let found = routines::named(&self.services.catalog, self.session, &self.state.role, *kind, &name)?;
            if let Some(found) = found.first() {
                self.authority().sees(Secured::routine(found))?;
                return Ok(others::routine(&found.routine, &shown(&found.routine.name, naming)));
            }
        }
        let policies = LoginPolicies { services: self.services, session: self.session, state: self.state };
        let login_policies = LoginPolicyKind::EVERY.into_iter().filter(|_| kinds.iter().any(|kind| kind.is_policy()));
        for kind in login_policies {
            match policies.find(kind, &name) {
                Ok(found) => return Ok(others::login_policy(&found, &shown(&name, naming))),
                Err(RunError::Failed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Err(missing().into())
    }

    fn routine(&self, given: &str, kind: RoutineKind, naming: Naming) -> Result<String, RunError> {
        let (mut name, types) = routine_in_text(given)?;
        name.qualify(&self.state.namespace)?;
        let found = routines::require(self.services, self.session, self.state, kind, &name, &types)?;
        self.authority().sees(Secured::routine(&found))?;
        Ok(others::routine(&found.routine, &shown_routine(&found.routine.name, naming)))
    }

    fn file_format(&self, given: &str, naming: Naming) -> Result<String, RunError> {
        let missing = || Failure::missing_object("File format", given);
        let mut name = ObjectName::of_parts(names_in_text(given)?).ok_or_else(missing)?;
        name.qualify(&self.state.namespace)?;
        let found = self.session.file_format(&name)?.ok_or_else(missing)?;
        if !self.authority().sees(Secured::file_format(&found))? {
            return Err(missing().into());
        }
        Ok(others::file_format(&found, &shown(&name, naming)))
    }

    /// What a schema holds beside tables, views and sequences.
    fn others_of_schema(&self, name: &SchemaName, naming: Naming) -> Result<Vec<String>, RunError> {
        let authority = self.authority();
        let mut statements = Vec::new();
        for format in self.session.file_formats(name.database(), Some(&name.schema))? {
            if authority.sees(Secured::file_format(&format))? {
                statements.push(others::file_format(&format, &shown(&format.name, naming)));
            }
        }
        for mut found in self.session.routines(name.database())? {
            routines::hide_body(&mut found, &self.state.role);
            let routine = &found.routine;
            if routine.name.schema() == name.schema && authority.sees(Secured::routine(&found))? {
                statements.push(others::routine(routine, &shown_routine(&routine.name, naming)));
            }
        }
        let policies = LoginPolicies { services: self.services, session: self.session, state: self.state };
        for policy in self.services.catalog.login_policies(name.database(), Some(&name.schema)) {
            if policies.sees(&policy)? {
                let place = ObjectName::qualified(&policy.database, &policy.schema, &policy.name);
                statements.push(others::login_policy(&policy, &shown(&place, naming)));
            }
        }
        Ok(statements)
    }

    fn semantic_view(&self, given: &str, naming: Naming) -> Result<String, RunError> {
        let missing = || Failure::missing_object("Semantic view", given);
        let mut name = ObjectName::of_parts(names_in_text(given)?).ok_or_else(missing)?;
        name.qualify(&self.state.namespace)?;
        let view = semantic_views::find(self.services, self.session, &self.state.role, &name)?;
        self.authority().sees(Secured::semantic_view(&view))?;
        match naming {
            Naming::Plain => semantic_views::ddl(&view, &display_identifier(&name.name)),
            Naming::Full => semantic_views::ddl(&view, &name.to_string()),
        }
    }

    fn schema(&self, given: &str, naming: Naming) -> Result<String, RunError> {
        let missing = || Failure::missing_object("Schema", given);
        let mut parts = names_in_text(given)?.into_iter().rev();
        let (Some(schema), database, None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(missing().into());
        };
        let mut name = SchemaName { database, schema };
        name.qualify(&self.state.namespace)?;
        self.whole_schema(&name, naming)
    }

    fn database(&self, given: &str, naming: Naming) -> Result<String, RunError> {
        let missing = || Failure::missing_object("Database", given);
        let [database] = <[String; 1]>::try_from(names_in_text(given)?).map_err(|_| missing())?;
        let authority = self.authority();
        if !authority.sees_database(&database) {
            return Err(authorise::missing_database(&database).into());
        }
        let comment = self.services.catalog.database(&database).and_then(|record| record.comment);
        let mut statements = vec![container("database", &display_identifier(&database), comment.as_deref())];
        for schema in self.session.schemas(&database)? {
            let name = SchemaName { database: Some(database.clone()), schema: schema.name };
            if authority.sees_schema(&name)? {
                statements.push(self.whole_schema(&name, naming)?);
            }
        }
        Ok(statements.join("\n\n"))
    }

    fn whole_schema(&self, name: &SchemaName, naming: Naming) -> Result<String, RunError> {
        let authority = self.authority();
        if !authority.sees_schema(name)? {
            return Err(authorise::missing_schema(name).into());
        }
        let schemas = self.session.schemas(name.database())?;
        let schema = schemas.into_iter().find(|schema| schema.name == name.schema);
        let options = schema.as_ref().map(|schema| schema.options).unwrap_or_default();
        let comment = schema.and_then(|schema| schema.comment);
        let shown = match naming {
            Naming::Plain => display_identifier(&name.schema),
            Naming::Full => name.to_string(),
        };
        let kind = if options.transient { "transient schema" } else { "schema" };
        let access = if options.managed_access { " with managed access" } else { "" };
        let mut statements = vec![container(kind, &format!("{shown}{access}"), comment.as_deref())];
        let mut objects = self.session.objects(name.database(), Some(&name.schema))?;
        objects.sort_by_key(|object| match object.kind {
            ObjectKind::Sequence => 0,
            ObjectKind::Table => 1,
            _ => 2,
        });
        for object in objects {
            if authority.sees(object.as_ref())? && authority.may_read_text(&object) {
                statements.push(statement_of(&object, naming, &self.policy_names()));
            }
        }
        statements.extend(self.others_of_schema(name, naming)?);
        Ok(statements.join("\n\n"))
    }
}

fn container(kind: &str, name: &str, comment: Option<&str>) -> String {
    let comment = comment.map_or_else(String::new, |comment| format!(" COMMENT={}", quote_literal(comment)));
    format!("create or replace {kind} {name}{comment};")
}

fn shown(name: &ObjectName, naming: Naming) -> String {
    match naming {
        Naming::Plain => display_identifier(&name.name),
        Naming::Full => name.to_string(),
    }
}

/// Names of functions are quoted.
fn shown_routine(name: &ObjectName, naming: Naming) -> String {
    match naming {
        Naming::Plain => quote_identifier(&name.name),
        Naming::Full => [name.database(), name.schema(), &name.name].map(quote_identifier).join("."),
    }
}

fn statement_of(object: &ObjectDescription, naming: Naming, policies: &PolicyNames<'_>) -> String {
    let name = shown(&object.name, naming);
    match object.kind {
        ObjectKind::View => view(object, &name, policies),
        ObjectKind::Sequence => {
            let numbering = object.sequence.unwrap_or(firn_sql::command::Autoincrement { start: 1, increment: 1 });
            let comment = tables::comment(object.comment.as_deref());
            let order = if object.options.unordered { "noorder" } else { "order" };
            format!(
                "create or replace sequence {name} start with {} increment by {} {order}{comment};",
                numbering.start, numbering.increment
            )
        }
        _ => tables::statement(object, &name, policies),
    }
}

fn view(object: &ObjectDescription, name: &str, policies: &PolicyNames<'_>) -> String {
    let columns: Vec<String> = object
        .columns
        .iter()
        .map(|column| {
            let tags = policies.tags(object.options.policies.tags_of_column(&column.name));
            let masking = format!("{}{tags}", tables::masking(object, column, policies));
            format!("\t{}{masking}{}", display_identifier(&column.name), tables::column_comment(column))
        })
        .collect();
    let secure = if object.options.secure { "secure " } else { "" };
    let query = view_query_text(object.view_text.as_deref().unwrap_or_default());
    let tags = policies.tags(&object.options.policies.tags);
    let comment = tables::comment(object.comment.as_deref());
    let comment = format!("{}{tags}{comment}", tables::row_access(object, policies));
    let kind = if object.options.materialized { "materialized view" } else { "view" };
    format!("create or replace {secure}{kind} {name}(\n{}\n){comment} as {query};", columns.join(",\n"))
}

fn kind_word(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::View => "View",
        ObjectKind::Sequence => "Sequence",
        _ => "Table",
    }
}

//! Queries of semantic views, in the place of `SEMANTIC_VIEW(…)` and of views asked with AGG.

use std::cell::RefCell;
use std::ops::ControlFlow;

use firn_analyst::semantic_model::{SemanticModel, TableSource, write_yaml};
use firn_analyst::semantic_view::{ViewQuery, query_text, tables_of_expressions};
use firn_catalog::ActiveRole;
use firn_catalog::semantic_views::SemanticViewRecord;
use firn_engine::Session;
use firn_sql::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, TableAlias, TableFactor, Value, VisitorMut,
};
use firn_sql::names::display_identifier;
use firn_sql::owners_calls::{FunctionHome, refuse_marked};
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{namespace_within, resolve};
use firn_sql::stored_views::READ_YAML;
use firn_sql::{Failure, Namespace, ObjectName, Statement, Uses, names_in_text, print};

use super::{aggregated, find, model_in};
use crate::authorise::{Authority, EXPANSION_FAILED, Secured, authorise_stored, role_of_owner, without_temporary_name};
use crate::run_error::RunError;
use crate::services::Services;

/// Puts queries in the place of `SEMANTIC_VIEW(…)` and of views asked with AGG, and the YAML in the place of the function that reads it.
pub fn substitute(
    statement: &mut Statement,
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    namespace: &Namespace,
) -> Result<OwnersReads, RunError> {
    if !may_be_in(statement) {
        return Ok(OwnersReads::default());
    }
    refuse_marked(statement)?;
    let written = resolve(&mut statement.clone(), namespace).unwrap_or_default();
    let namespace = &namespace_within(&statement.command, namespace)?;
    let mut substitution = Substitution { services, session, role, namespace, failed: None, reads: RefCell::default() };
    // The visitor breaks only after it has noted why.
    let _ = statement.command.visit_tree_mut(&mut substitution);
    match substitution.failed {
        None => Ok(OwnersReads { tables: substitution.reads.into_inner(), written }),
        Some(error) => Err(error),
    }
}

/// Whether a statement may read semantic views.
pub fn may_be_in(statement: &Statement) -> bool {
    statement.mentions("SEMANTIC_VIEW") || statement.mentions("AGG(")
}

/// A table that a semantic view reads for its owner.
struct OwnersRead {
    view: ObjectName,
    owner: String,
    table: ObjectName,
}

impl OwnersRead {
    fn of(view: &SemanticViewRecord, table: ObjectName) -> Self {
        let name = ObjectName::qualified(&view.database, &view.schema, &view.name);
        Self { view: name, owner: view.owner.clone(), table }
    }

    /// What a semantic view reads is not for who only queries it.
    fn failed(&self, role: &ActiveRole, error: RunError) -> RunError {
        let failure = match error {
            RunError::Failed(failure) if !role.may_use_what_is_owned_by(&self.owner) => without_temporary_name(failure),
            other => return other,
        };
        if !NOT_READABLE.contains(&failure.code) || failure.message.contains("temporary object") {
            return failure.into();
        }
        let shown = display_identifier(&self.view.name);
        let message = format!(
            "SQL compilation error:\nFailure during expansion of semantic view '{shown}': a table of it does not exist or its \
             owner is not authorized. Its owner can find out why by querying it."
        );
        Failure::new(EXPANSION_FAILED, "42601", message).into()
    }
}

/// The codes of what is missing or may not be used.
const NOT_READABLE: [&str; 4] = ["002003", "002043", "003001", EXPANSION_FAILED];

/// The tables that a statement reads by semantic views alone.
#[derive(Default)]
pub struct OwnersReads {
    tables: Vec<OwnersRead>,
    /// What the statement itself names.
    written: Uses,
}

impl OwnersReads {
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Authorises the tables for the owners of the views, and returns what is left for the role of the caller.
    pub fn authorise(
        &self,
        services: &Services,
        session: &dyn Session,
        role: &ActiveRole,
        uses: &Uses,
    ) -> Result<Uses, RunError> {
        let mut left = uses.clone();
        if self.tables.is_empty() {
            return Ok(left);
        }
        let is_written = |name: &ObjectName| self.written.objects.iter().any(|used| used.name == *name);
        let by_view = |name: &ObjectName| self.tables.iter().find(|read| read.table == *name && !is_written(name));
        for used in &uses.objects {
            let Some(read) = by_view(&used.name) else { continue };
            let owner = role_of_owner(&services.catalog, &read.owner)?;
            let of_table = Uses { objects: vec![used.clone()], ..Uses::default() };
            let authorised = authorise_stored(services, session, &owner, &of_table);
            authorised.map_err(|error| read.failed(role, error))?;
        }
        left.objects.retain(|used| by_view(&used.name).is_none());
        Ok(left)
    }
}

/// The functions of a view's expressions are those of its schema that its owner may use.
pub fn function_home(view: &SemanticViewRecord) -> FunctionHome {
    let namespace = Namespace { database: Some(view.database.clone()), schema: Some(view.schema.clone()) };
    FunctionHome { namespace, owner: view.owner.clone() }
}

fn derived(query: &str, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    let subquery = Box::new(print::read_query(query)?);
    Ok(TableFactor::Derived { lateral: false, subquery, alias, sample: None })
}

struct Substitution<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    role: &'a ActiveRole,
    namespace: &'a Namespace,
    failed: Option<RunError>,
    reads: RefCell<Vec<OwnersRead>>,
}

impl Substitution<'_> {
    fn view(&self, parts: Vec<String>, given: &str) -> Result<SemanticViewRecord, RunError> {
        let missing = || Failure::missing_object("Semantic view", given);
        let mut name = ObjectName::of_parts(parts).ok_or_else(missing)?;
        name.qualify(self.namespace)?;
        find(self.services, self.session, self.role, &name)
    }

    /// A view that the role may query, with its model.
    fn queried(&self, given: &str) -> Result<SemanticModel, RunError> {
        let view = self.view(names_in_text(given)?, given)?;
        let authority = Authority::new(&self.services.catalog, self.session, self.role);
        if !authority.has(Secured::semantic_view(&view), Privilege::Select)? {
            return Err(Failure::insufficient_privileges("semantic view", &view.name).into());
        }
        let mut model = model_in(&view)?;
        model.function_home = Some(function_home(&view));
        let below = tables_of_expressions(&model).into_iter();
        self.reads.borrow_mut().extend(below.map(|name| OwnersRead::of(&view, name)));
        for table in &model.tables {
            let TableSource::BaseTable { .. } = &table.source else { continue };
            if let Some(name) = ObjectName::of_parts(names_in_text(&table.source.sql())?) {
                self.reads.borrow_mut().push(OwnersRead::of(&view, name));
            }
        }
        Ok(model)
    }

    fn relation(&self, factor: &TableFactor) -> Result<Option<TableFactor>, RunError> {
        let TableFactor::SemanticView { name, dimensions, metrics, facts, where_clause, alias } = factor else {
            return Ok(None);
        };
        let given = name.to_string();
        let model = self.queried(&given)?;
        let query = ViewQuery { dimensions, metrics, facts, condition: where_clause.as_ref() };
        let text = query_text(&model, &query)?;
        Ok(Some(derived(&text, alias.clone())?))
    }

    /// A view asked with AGG; the query keeps what is to be done with the view's answer.
    fn aggregated(&self, query: &mut Query) -> Result<(), RunError> {
        let Some(asked) = aggregated::taken_from(query)? else { return Ok(()) };
        let given = asked.view.to_string();
        let model = self.queried(&given)?;
        let (dimensions, metrics) = (asked.dimensions.as_slice(), asked.metrics.as_slice());
        let condition = asked.condition.as_ref();
        let text = query_text(&model, &ViewQuery { dimensions, metrics, facts: &[], condition })?;
        aggregated::put_in(query, derived(&text, None)?);
        Ok(())
    }

    fn yaml(&self, function: &Function) -> Result<Option<Expr>, RunError> {
        if !function.name.to_string().eq_ignore_ascii_case(READ_YAML) {
            return Ok(None);
        }
        let wrong = || Failure::unsupported(&format!("{READ_YAML} of anything but a text"));
        let FunctionArguments::List(list) = &function.args else { return Err(wrong().into()) };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] = list.args.as_slice() else {
            return Err(wrong().into());
        };
        let Value::SingleQuotedString(given) = &value.value else { return Err(wrong().into()) };
        let view = self.view(names_in_text(given)?, given)?;
        Ok(Some(Expr::value(Value::SingleQuotedString(write_yaml(&model_in(&view)?)))))
    }

    fn replace<T>(&mut self, place: &mut T, replacement: Result<Option<T>, RunError>) -> ControlFlow<Failure> {
        match replacement {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(replacement)) => {
                *place = replacement;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(Failure::unsupported("SEMANTIC_VIEW"))
            }
        }
    }
}

impl VisitorMut for Substitution<'_> {
    type Break = Failure;

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        match self.aggregated(query) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(Failure::unsupported("AGG"))
            }
        }
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let relation = self.relation(factor);
        self.replace(factor, relation)
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let yaml = self.yaml(function);
        self.replace(expr, yaml)
    }
}

//! Queries of semantic views, in the place of `SEMANTIC_VIEW(…)` and of views asked with AGG.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use firn_analyst::semantic_model::{LogicalTable, SemanticModel, TableSource, write_yaml};
use firn_analyst::semantic_view::{ViewQuery, query_text, tables_of_expressions};
use firn_catalog::ActiveRole;
use firn_catalog::semantic_views::SemanticViewRecord;
use firn_engine::Session;
use firn_sql::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Query, TableAlias, TableFactor, Value,
    Visitor, VisitorMut,
};
use firn_sql::names::display_identifier;
use firn_sql::owners_calls::{FunctionHome, refuse_marked};
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{namespace_within, resolve};
use firn_sql::stored_views::READ_YAML;
use firn_sql::tree::Tree;
use firn_sql::{Failure, Namespace, ObjectName, Statement, Uses, names_in_text, print};

use super::{aggregated, find, model_in};
use crate::authorise::{Authority, EXPANSION_FAILED, Secured, authorise_stored, role_of_owner};
use crate::permanent_names;
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
    let reads = RefCell::new(OwnersReads { written, ..OwnersReads::default() });
    let mut substitution = Substitution { services, session, role, namespace, failed: None, reads };
    // The visitor breaks only after it has noted why.
    let _ = statement.command.visit_tree_mut(&mut substitution);
    match substitution.failed {
        None => Ok(substitution.reads.into_inner()),
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
            RunError::Failed(failure) if !role.may_use_what_is_owned_by(&self.owner) => failure,
            other => return other,
        };
        if !NOT_READABLE.contains(&failure.code) {
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
    /// The semantic views, with their ids.
    views: Vec<(ObjectName, i64)>,
    /// The columns of tables that the queries of the views read.
    columns: Vec<(ObjectName, String)>,
}

impl OwnersReads {
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub fn views(&self) -> &[(ObjectName, i64)] {
        &self.views
    }

    /// Whether the statement reads the relation by a semantic view alone.
    pub fn is_below_view(&self, name: &ObjectName) -> bool {
        self.read_of(name).is_some()
    }

    /// The owner of the semantic view by which alone the relation is read.
    pub fn owner_of(&self, name: &ObjectName) -> Option<&str> {
        self.read_of(name).map(|read| read.owner.as_str())
    }

    /// The owner of one of the semantic views.
    pub fn owner_of_first(&self) -> Option<&str> {
        self.tables.first().map(|read| read.owner.as_str())
    }

    /// The columns of a table that are read by semantic views.
    pub fn columns_of(&self, name: &ObjectName) -> BTreeSet<&str> {
        self.columns.iter().filter(|(table, _)| table == name).map(|(_, column)| column.as_str()).collect()
    }

    /// The read of a relation that only semantic views read.
    fn read_of(&self, name: &ObjectName) -> Option<&OwnersRead> {
        let is_written = self.written.objects.iter().any(|used| used.name == *name);
        self.tables.iter().find(|read| read.table == *name).filter(|_| !is_written)
    }

    /// Has the tables that only semantic views read be permanent ones.
    pub fn bind_to_permanent(
        &self,
        session: &dyn Session,
        statement: &mut Statement,
        uses: &Uses,
    ) -> Result<(), RunError> {
        if self.tables.is_empty() {
            return Ok(());
        }
        let below = uses.objects.iter().filter(|used| self.is_below_view(&used.name)).cloned().collect();
        permanent_names::bind_to_permanent(session, statement, &Uses { objects: below, ..Uses::default() })
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
        for used in &uses.objects {
            let Some(read) = self.read_of(&used.name) else { continue };
            let owner = role_of_owner(&services.catalog, &read.owner)?;
            let of_table = Uses { objects: vec![used.clone()], ..Uses::default() };
            let authorised = authorise_stored(services, session, &owner, &of_table);
            authorised.map_err(|error| read.failed(role, error))?;
        }
        left.objects.retain(|used| !self.is_below_view(&used.name));
        Ok(left)
    }
}

/// The functions of a view's expressions are those of its schema that its owner may use.
pub fn function_home(view: &SemanticViewRecord) -> FunctionHome {
    let namespace = Namespace { database: Some(view.database.clone()), schema: Some(view.schema.clone()) };
    FunctionHome { namespace, owner: view.owner.clone() }
}

/// The table that a table of the model stands for; `None` of one that is a query.
fn base_table(table: &LogicalTable) -> Result<Option<ObjectName>, Failure> {
    match &table.source {
        TableSource::BaseTable { .. } => Ok(ObjectName::of_parts(names_in_text(&table.source.sql())?)),
        _ => Ok(None),
    }
}

/// The columns that a query names with their tables.
struct NamedColumns(Vec<(String, String)>);

impl Visitor for NamedColumns {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [table, column] = parts.as_slice()
        {
            let folded = |name: &Ident| match name.quote_style {
                Some(_) => name.value.clone(),
                None => name.value.to_uppercase(),
            };
            self.0.push((folded(table), folded(column)));
        }
        ControlFlow::Continue(())
    }
}

struct Substitution<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    role: &'a ActiveRole,
    namespace: &'a Namespace,
    failed: Option<RunError>,
    reads: RefCell<OwnersReads>,
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
        let mut reads = self.reads.borrow_mut();
        reads.views.push((ObjectName::qualified(&view.database, &view.schema, &view.name), view.id));
        let below = tables_of_expressions(&model).into_iter();
        reads.tables.extend(below.map(|name| OwnersRead::of(&view, name)));
        for table in &model.tables {
            reads.tables.extend(base_table(table)?.map(|name| OwnersRead::of(&view, name)));
        }
        Ok(model)
    }

    /// The query of a view, whose columns are noted.
    fn derived(&self, model: &SemanticModel, text: &str, alias: Option<TableAlias>) -> Result<TableFactor, RunError> {
        let subquery = Box::new(print::read_query(text)?);
        let mut named = NamedColumns(Vec::new());
        // The visitor never breaks.
        let _ = subquery.walk(&mut named);
        for (table, column) in named.0 {
            let table = model.table(&table).map(base_table).transpose()?.flatten();
            self.reads.borrow_mut().columns.extend(table.map(|table| (table, column)));
        }
        Ok(TableFactor::Derived { lateral: false, subquery, alias, sample: None })
    }

    fn relation(&self, factor: &TableFactor) -> Result<Option<TableFactor>, RunError> {
        let TableFactor::SemanticView { name, dimensions, metrics, facts, where_clause, alias } = factor else {
            return Ok(None);
        };
        let given = name.to_string();
        let model = self.queried(&given)?;
        let query = ViewQuery { dimensions, metrics, facts, condition: where_clause.as_ref() };
        let text = query_text(&model, &query)?;
        Ok(Some(self.derived(&model, &text, alias.clone())?))
    }

    /// A view asked with AGG; the query keeps what is to be done with the view's answer.
    fn aggregated(&self, query: &mut Query) -> Result<(), RunError> {
        let Some(asked) = aggregated::taken_from(query)? else { return Ok(()) };
        let given = asked.view.to_string();
        let model = self.queried(&given)?;
        let (dimensions, metrics) = (asked.dimensions.as_slice(), asked.metrics.as_slice());
        let condition = asked.condition.as_ref();
        let text = query_text(&model, &ViewQuery { dimensions, metrics, facts: &[], condition })?;
        aggregated::put_in(query, self.derived(&model, &text, None)?);
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

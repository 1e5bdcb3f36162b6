//! Semantic views: created, shown, dropped, and queried with `SEMANTIC_VIEW(…)`. A view is stored as the YAML of its model.

mod aggregated;

use std::cell::RefCell;
use std::ops::ControlFlow;

use firn_analyst::semantic_model::{ReadModel, SemanticModel, TableSource, read_yaml, write_yaml};
use firn_analyst::semantic_view::{ViewQuery, create_statement, model_of, query_text, time_dimensions_of};
use firn_catalog::semantic_views::{ContainerEvent, SemanticViewRecord};
use firn_engine::{Outcome, Session, WireColumn, WireType};
use firn_sql::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, TableFactor, Value, VisitorMut,
};
use firn_sql::command::{ContainerChange, CreateMode, Ddl, IfMissing, OwnershipTarget};
use firn_sql::names::SchemaName;
use firn_sql::privileges::Privilege;
use firn_sql::resolve::resolve;
use firn_sql::semantic_views::{SemanticViewCommand, SemanticViewDefinition, YamlPurpose};
use firn_sql::{Failure, ObjectName, Statement, Uses, names_in_text, print};

use crate::authorise::{self, Authority, Secured};
use crate::evaluate::data_type_of;
use crate::local_rows::LocalRows;
use crate::ready_query::ready;
use crate::routines;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

const READ_YAML: &str = "SYSTEM$READ_YAML_FROM_SEMANTIC_VIEW";

/// What a command on semantic views, or a query of one, works with.
pub struct Views<'a> {
    pub services: &'a Services,
    pub session: &'a mut dyn Session,
    pub state: &'a SessionState,
}

impl Views<'_> {
    pub fn apply(&mut self, command: &SemanticViewCommand) -> Result<LocalRows, RunError> {
        match command {
            SemanticViewCommand::Create { name, mode, definition, .. } => self.create(name, *mode, definition),
            SemanticViewCommand::FromYaml { schema, yaml, purpose } => self.create_of_yaml(schema, yaml, *purpose),
            SemanticViewCommand::Drop { name, if_missing } => {
                let Some(view) = self.owned(name, *if_missing)? else {
                    let text = format!("Drop statement executed successfully ({} already dropped).", name.name);
                    return Ok(LocalRows::status(&text));
                };
                self.services.catalog.drop_semantic_view(&view.database, &view.schema, &view.name)?;
                Ok(LocalRows::status(&format!("{} successfully dropped.", view.name)))
            }
            SemanticViewCommand::Rename { name, if_missing, to } => {
                let Some(view) = self.owned(name, *if_missing)? else { return Ok(executed()) };
                self.refuse_taken(to)?;
                self.services.catalog.drop_semantic_view(&view.database, &view.schema, &view.name)?;
                let renamed = SemanticViewRecord {
                    database: to.database().to_owned(),
                    schema: to.schema().to_owned(),
                    name: to.name.clone(),
                    ..view
                };
                self.services.catalog.put_semantic_view(&renamed)?;
                Ok(executed())
            }
            SemanticViewCommand::SetComment { name, if_missing, comment } => {
                let Some(view) = self.owned(name, *if_missing)? else { return Ok(executed()) };
                let mut model = model_in(&view)?;
                model.description.clone_from(comment);
                let changed = SemanticViewRecord { comment: comment.clone(), yaml: write_yaml(&model), ..view };
                self.services.catalog.put_semantic_view(&changed)?;
                Ok(executed())
            }
        }
    }

    fn create(
        &mut self,
        name: &ObjectName,
        mode: CreateMode,
        definition: &SemanticViewDefinition,
    ) -> Result<LocalRows, RunError> {
        let exists = self.exists(name)?;
        if exists && mode == CreateMode::IfNotExists {
            return Ok(LocalRows::status(&format!("{} already exists, statement succeeded.", name.name)));
        }
        if !(mode == CreateMode::OrReplace && self.owns(name)?) {
            self.refuse_taken(name)?;
        }
        let mut definition = definition.clone();
        for table in &mut definition.tables {
            table.name.qualify(&self.state.namespace)?;
        }
        let mut model = model_of(&name.name, &definition)?;
        self.check(&mut model)?;
        self.put(name, &model)
    }

    fn create_of_yaml(&mut self, schema: &SchemaName, yaml: &str, purpose: YamlPurpose) -> Result<LocalRows, RunError> {
        let ReadModel { model, .. } = read_yaml(yaml)
            .map_err(|error| Failure::new("392700", "22023", format!("The semantic model cannot be used: {error}")))?;
        if let Some(table) = model.tables.iter().find(|table| matches!(table.source, TableSource::Definition(_))) {
            let name = &table.name;
            return Err(Failure::unsupported(&format!("table {name} of a semantic view with a definition")).into());
        }
        let name = ObjectName {
            database: schema.database.clone(),
            schema: Some(schema.schema.clone()),
            name: model.name.to_uppercase(),
        };
        let mut model = model;
        self.check(&mut model)?;
        let text = match purpose {
            YamlPurpose::Verify => "YAML file is valid for creating a semantic view. No object has been created yet.",
            YamlPurpose::Create => {
                if !self.owns(&name)? {
                    self.refuse_taken(&name)?;
                }
                self.put(&name, &model)?;
                "Semantic view was successfully created."
            }
        };
        let columns = vec![WireColumn::text("SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML")];
        Ok(LocalRows::new(columns, vec![vec![Some(text.to_owned())]]))
    }

    fn put(&self, name: &ObjectName, model: &SemanticModel) -> Result<LocalRows, RunError> {
        let record = SemanticViewRecord {
            id: firn_engine::fresh_object_id(),
            database: name.database().to_owned(),
            schema: name.schema().to_owned(),
            name: name.name.clone(),
            owner: self.state.role.name.clone(),
            comment: model.description.clone(),
            created_on_ms: 0,
            yaml: write_yaml(model),
        };
        self.services.catalog.put_semantic_view(&record)?;
        Ok(LocalRows::status(&format!("Semantic view {} successfully created.", name.name)))
    }

    /// Every table can be read and every expression prepared; each item learns its type where it has none, and what is
    /// a date by its type becomes a time dimension.
    fn check(&mut self, model: &mut SemanticModel) -> Result<(), RunError> {
        let public = open(model);
        let mut times = Vec::new();
        for table in &mut model.tables {
            let names = table.dimensions.iter().map(|item| &item.name);
            let names = names.chain(table.facts.iter().map(|item| &item.name));
            let names = names.chain(table.time_dimensions.iter().map(|item| &item.name));
            let all: Vec<Expr> = names.map(|name| path(&table.name, name)).collect();
            let text = match all.is_empty() {
                true => format!("SELECT 1 FROM {}", table.source.sql()),
                false => {
                    query_text(&public, &ViewQuery { dimensions: &[], metrics: &[], facts: &all, condition: None })?
                }
            };
            let columns = self.columns(&text)?;
            for (item, column) in table.dimensions.iter().zip(&columns) {
                if let Some(word) = time_word(column.wire_type) {
                    times.push((table.name.clone(), item.name.clone(), word.to_owned()));
                }
            }
            let dimensions = table.dimensions.iter_mut().map(|item| &mut item.data_type);
            let facts = table.facts.iter_mut().map(|item| &mut item.data_type);
            let given = table.time_dimensions.iter_mut().map(|item| &mut item.data_type);
            for (data_type, column) in dimensions.chain(facts).chain(given).zip(&columns) {
                data_type.get_or_insert_with(|| type_word(column));
            }
            for metric in &mut table.metrics {
                let column = self.check_metric(&public, &path(&table.name, &metric.name))?;
                metric.data_type = metric.data_type.take().or(column.as_ref().map(type_word));
            }
        }
        for metric in &mut model.metrics {
            let name = Expr::Identifier(firn_sql::ast::Ident::new(metric.name.clone()));
            let column = self.check_metric(&public, &name)?;
            metric.data_type = metric.data_type.take().or(column.as_ref().map(type_word));
        }
        time_dimensions_of(model, &times);
        Ok(())
    }

    /// The metric's column.
    fn check_metric(&mut self, public: &SemanticModel, metric: &Expr) -> Result<Option<WireColumn>, RunError> {
        let metrics = std::slice::from_ref(metric);
        let query = ViewQuery { dimensions: &[], metrics, facts: &[], condition: None };
        let text = query_text(public, &query)?;
        Ok(self.columns(&text)?.into_iter().next())
    }

    /// The columns that a query has, without its rows.
    fn columns(&mut self, sql: &str) -> Result<Vec<WireColumn>, RunError> {
        let text = format!("SELECT * FROM ({sql}) LIMIT 0");
        let (statement, context) = ready(self.services, self.session, self.state, &text)?;
        match self.session.execute(&statement.command, &context)? {
            Outcome::Rows(rows) => Ok(rows.columns().to_vec()),
            _ => Err(RunError::Internal("a query gave no rows".to_owned())),
        }
    }

    /// A view that the role may change; `None` where it may be missing and is.
    fn owned(&self, name: &ObjectName, if_missing: IfMissing) -> Result<Option<SemanticViewRecord>, RunError> {
        match (find(self.services, self.session, self.state, name), if_missing) {
            (Ok(view), _) if self.state.role.may_use_what_is_owned_by(&view.owner) => Ok(Some(view)),
            (Ok(view), _) => Err(Failure::insufficient_privileges("semantic view", &view.name).into()),
            (Err(RunError::Failed(_)), IfMissing::Skip) => Ok(None),
            (Err(error), _) => Err(error),
        }
    }

    fn exists(&self, name: &ObjectName) -> Result<bool, RunError> {
        Ok(self.services.catalog.semantic_view(name.database(), name.schema(), &name.name)?.is_some())
    }

    /// Whether there is a view of this name that the role may replace.
    fn owns(&self, name: &ObjectName) -> Result<bool, RunError> {
        match find(self.services, self.session, self.state, name) {
            Ok(view) => Ok(self.state.role.may_use_what_is_owned_by(&view.owner)),
            Err(RunError::Failed(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn refuse_taken(&self, name: &ObjectName) -> Result<(), RunError> {
        if self.exists(name)? || self.session.describe(name)?.is_some() {
            return Err(Failure::already_exists(&name.name).into());
        }
        Ok(())
    }
}

/// A model in which nothing is private, to check what queries may not name.
fn open(model: &SemanticModel) -> SemanticModel {
    use firn_analyst::semantic_model::AccessModifier::Public;
    let mut model = model.clone();
    for table in &mut model.tables {
        table.dimensions.iter_mut().for_each(|item| item.access_modifier = Public);
        table.facts.iter_mut().for_each(|item| item.access_modifier = Public);
        table.metrics.iter_mut().for_each(|item| item.access_modifier = Public);
    }
    model.metrics.iter_mut().for_each(|item| item.access_modifier = Public);
    model
}

fn path(table: &str, name: &str) -> Expr {
    let part = |text: &str| firn_sql::ast::Ident::with_quote('"', text);
    Expr::CompoundIdentifier(vec![part(table), part(name)])
}

fn time_word(wire_type: WireType) -> Option<&'static str> {
    match wire_type {
        WireType::Date => Some("DATE"),
        WireType::TimestampNtz => Some("TIMESTAMP_NTZ"),
        WireType::TimestampLtz => Some("TIMESTAMP_LTZ"),
        WireType::TimestampTz => Some("TIMESTAMP_TZ"),
        _ => None,
    }
}

fn type_word(column: &WireColumn) -> String {
    data_type_of(column).full_name()
}

fn executed() -> LocalRows {
    LocalRows::status("Statement executed successfully.")
}

/// A view by its full name; one that the role may not use looks like none.
pub fn find(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    name: &ObjectName,
) -> Result<SemanticViewRecord, RunError> {
    let missing = || Failure::missing_object("Semantic view", &name.to_string());
    let view = services.catalog.semantic_view(name.database(), name.schema(), &name.name)?;
    let view = view.ok_or_else(missing)?;
    let authority = Authority::new(&services.catalog, session, &state.role);
    match authority.sees(Secured::semantic_view(&view))? {
        true => Ok(view),
        false => Err(missing().into()),
    }
}

pub fn model_in(view: &SemanticViewRecord) -> Result<SemanticModel, RunError> {
    let read = read_yaml(&view.yaml);
    read.map(|read| read.model).map_err(|error| RunError::Internal(format!("a stored semantic view: {error}")))
}

/// The statement that would make the view again.
pub fn ddl(view: &SemanticViewRecord, name: &str) -> Result<String, RunError> {
    Ok(create_statement(name, &model_in(view)?))
}

/// Semantic views and login policies go where their schemas and databases go.
pub fn follow(services: &Services, ddl: &Ddl) -> Result<(), RunError> {
    let event = match ddl {
        Ddl::DropSchema { name, .. } | Ddl::CreateSchema { name, mode: CreateMode::OrReplace, .. } => {
            ContainerEvent::SchemaGone { database: name.database(), schema: &name.schema }
        }
        Ddl::Undrop(OwnershipTarget::Schema(name)) => {
            ContainerEvent::SchemaBack { database: name.database(), schema: &name.schema }
        }
        Ddl::AlterSchema { name, change: ContainerChange::Rename(to), .. } => {
            ContainerEvent::SchemaRenamed { database: name.database(), from: &name.schema, to }
        }
        Ddl::AlterSchema { name, change: ContainerChange::SwapWith(other), .. } => {
            let (database, between) = (name.database(), format!("{}__SWAP", name.schema));
            for (from, to) in [(&name.schema, &between), (other, &name.schema), (&between, other)] {
                services.catalog.follow_container(ContainerEvent::SchemaRenamed { database, from, to })?;
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    Ok(services.catalog.follow_container(event)?)
}

/// Puts queries in the place of `SEMANTIC_VIEW(…)` and of views asked with AGG, and the YAML in the place of the function that reads it.
pub fn substitute(
    statement: &mut Statement,
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
) -> Result<OwnersReads, RunError> {
    if !statement.mentions("SEMANTIC_VIEW") && !statement.mentions("AGG(") {
        return Ok(OwnersReads::default());
    }
    let written = resolve(&mut statement.clone(), &state.namespace).unwrap_or_default();
    let mut substitution = Substitution { services, session, state, failed: None, reads: RefCell::default() };
    // The visitor breaks only after it has noted why.
    let _ = statement.command.visit_tree_mut(&mut substitution);
    match substitution.failed {
        None => Ok(OwnersReads { tables: substitution.reads.into_inner(), written }),
        Some(error) => Err(error),
    }
}

/// The tables that a statement reads by semantic views alone, each with the owner of the view.
#[derive(Default)]
pub struct OwnersReads {
    tables: Vec<(String, ObjectName)>,
    /// What the statement itself names.
    written: Uses,
}

impl OwnersReads {
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Authorises the tables for the owners of the views, and returns what is left for the role of the caller.
    pub fn authorise(&self, services: &Services, session: &dyn Session, uses: &Uses) -> Result<Uses, RunError> {
        let mut left = uses.clone();
        if self.tables.is_empty() {
            return Ok(left);
        }
        let is_written = |name: &ObjectName| self.written.objects.iter().any(|used| used.name == *name);
        let by_view = |name: &ObjectName| self.tables.iter().find(|(_, table)| table == name && !is_written(name));
        for used in &uses.objects {
            let Some((owner, _)) = by_view(&used.name) else { continue };
            let owner = routines::role_of_owner(&services.catalog, owner)?;
            let of_table = Uses { objects: vec![used.clone()], ..Uses::default() };
            authorise::authorise(services, session, &owner, &of_table)?;
        }
        left.objects.retain(|used| by_view(&used.name).is_none());
        Ok(left)
    }
}

struct Substitution<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    state: &'a SessionState,
    failed: Option<RunError>,
    reads: RefCell<Vec<(String, ObjectName)>>,
}

impl Substitution<'_> {
    fn view(&self, parts: Vec<String>, given: &str) -> Result<SemanticViewRecord, RunError> {
        let missing = || Failure::missing_object("Semantic view", given);
        let mut name = ObjectName::of_parts(parts).ok_or_else(missing)?;
        name.qualify(&self.state.namespace)?;
        find(self.services, self.session, self.state, &name)
    }

    /// A view that the role may query, with its model.
    fn queried(&self, given: &str) -> Result<SemanticModel, RunError> {
        let view = self.view(names_in_text(given)?, given)?;
        let authority = Authority::new(&self.services.catalog, self.session, &self.state.role);
        if !authority.has(Secured::semantic_view(&view), Privilege::Select)? {
            return Err(Failure::insufficient_privileges("semantic view", &view.name).into());
        }
        let model = model_in(&view)?;
        for table in &model.tables {
            let TableSource::BaseTable { database: Some(_), schema: Some(_), .. } = &table.source else { continue };
            // A name that the session of the caller would complete could be made to mean any table of the owner.
            if let Some(name) = ObjectName::of_parts(names_in_text(&table.source.sql())?) {
                self.reads.borrow_mut().push((view.owner.clone(), name));
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
        let subquery = Box::new(print::read_query(&text)?);
        Ok(Some(TableFactor::Derived { lateral: false, subquery, alias: alias.clone(), sample: None }))
    }

    /// A view asked with AGG; the query keeps what is to be done with the view's answer.
    fn aggregated(&self, query: &mut Query) -> Result<(), RunError> {
        let Some(asked) = aggregated::taken_from(query)? else { return Ok(()) };
        let given = asked.view.to_string();
        let model = self.queried(&given)?;
        let (dimensions, metrics) = (asked.dimensions.as_slice(), asked.metrics.as_slice());
        let condition = asked.condition.as_ref();
        let text = query_text(&model, &ViewQuery { dimensions, metrics, facts: &[], condition })?;
        aggregated::put_in(query, print::read_query(&text)?);
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
        Ok(Some(Expr::value(Value::SingleQuotedString(view.yaml))))
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

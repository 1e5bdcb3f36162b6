//! CREATE, ALTER and DROP SEMANTIC VIEW.

use firn_analyst::semantic_model::{ReadModel, SemanticModel, TableSource, read_yaml, write_yaml};
use firn_analyst::semantic_view::{ViewQuery, model_of, query_text, time_dimensions_of};
use firn_catalog::semantic_views::SemanticViewRecord;
use firn_engine::{Session, WireColumn, WireType};
use firn_sql::ast::Expr;
use firn_sql::command::{CreateMode, IfMissing};
use firn_sql::names::SchemaName;
use firn_sql::semantic_views::{SemanticViewCommand, SemanticViewDefinition, YamlPurpose};
use firn_sql::{Failure, Namespace, ObjectName};

use crate::evaluate::data_type_of;
use crate::local_rows::LocalRows;
use crate::ready_query::columns;
use crate::run_error::RunError;
use crate::semantic_views::{complete_tables, find, model_as_written};
use crate::services::Services;
use crate::session_state::SessionState;

/// What a command on semantic views works with.
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
                let mut model = model_as_written(&view)?;
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
        let mut model = model_of(&name.name, definition)?;
        self.check_in(name, &mut model)?;
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
        self.check_in(&name, &mut model)?;
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
            id: self.state.new_object_id.unwrap_or_else(firn_engine::fresh_object_id),
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

    /// As `check`, of a model whose tables may have names that the view completes.
    fn check_in(&mut self, view: &ObjectName, model: &mut SemanticModel) -> Result<(), RunError> {
        let written: Vec<TableSource> = model.tables.iter().map(|table| table.source.clone()).collect();
        complete_tables(model, view.database(), view.schema());
        let mut state = self.state.clone();
        state.namespace = Namespace { database: view.database.clone(), schema: view.schema.clone() };
        Views { services: self.services, session: &mut *self.session, state: &state }.check(model)?;
        for (table, source) in model.tables.iter_mut().zip(written) {
            table.source = source;
        }
        Ok(())
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
        columns(self.services, self.session, self.state, &text)
    }

    /// A view that the role may change; `None` where it may be missing and is.
    fn owned(&self, name: &ObjectName, if_missing: IfMissing) -> Result<Option<SemanticViewRecord>, RunError> {
        match (find(self.services, self.session, &self.state.role, name), if_missing) {
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
        match find(self.services, self.session, &self.state.role, name) {
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

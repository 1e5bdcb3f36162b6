//! Semantic views, queried with `SEMANTIC_VIEW(…)`. A view is stored as the YAML of its model.

mod aggregated;
mod complete_names;
mod substitution;

use firn_analyst::semantic_model::{SemanticModel, TableSource, read_yaml};
use firn_analyst::semantic_view::create_statement;
use firn_catalog::ActiveRole;
use firn_catalog::semantic_views::{ContainerEvent, SemanticViewRecord};
use firn_engine::Session;
use firn_sql::command::{ContainerChange, CreateMode, Ddl, OwnershipTarget};
use firn_sql::names::display_identifier;
use firn_sql::{Failure, ObjectName};

pub use complete_names::complete_names;
pub use substitution::{OwnersReads, function_home, may_be_in, substitute};

use crate::authorise::{Authority, Secured};
use crate::grants::ClonedSchema;
use crate::run_error::RunError;
use crate::services::Services;

/// The schema of a name like `DB..T`.
const DEFAULT_SCHEMA: &str = "PUBLIC";

/// A view by its full name; one that the role may not use looks like none.
pub fn find(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    name: &ObjectName,
) -> Result<SemanticViewRecord, RunError> {
    let missing = || Failure::missing_object("Semantic view", &name.to_string());
    let view = services.catalog.semantic_view(name.database(), name.schema(), &name.name)?;
    let view = view.ok_or_else(missing)?;
    let authority = Authority::new(&services.catalog, session, role);
    match authority.sees(Secured::semantic_view(&view))? {
        true => Ok(view),
        false => Err(missing().into()),
    }
}

/// The model of a view, whose tables have complete names.
pub fn model_in(view: &SemanticViewRecord) -> Result<SemanticModel, RunError> {
    let mut model = model_as_written(view)?;
    complete_tables(&mut model, &view.database, &view.schema);
    Ok(model)
}

pub fn model_as_written(view: &SemanticViewRecord) -> Result<SemanticModel, RunError> {
    let read = read_yaml(&view.yaml);
    read.map(|read| read.model).map_err(|error| RunError::Internal(format!("a stored semantic view: {error}")))
}

/// What the name of a table leaves out is the database and the schema of the view.
pub fn complete_tables(model: &mut SemanticModel, view_database: &str, view_schema: &str) {
    for table in &mut model.tables {
        let TableSource::BaseTable { database, schema, .. } = &mut table.source else { continue };
        if database.is_none() {
            *database = Some(display_identifier(view_database));
            schema.get_or_insert_with(|| display_identifier(view_schema));
        }
        schema.get_or_insert_with(|| DEFAULT_SCHEMA.to_owned());
    }
}

/// The statement that would make the view again.
pub fn ddl(view: &SemanticViewRecord, name: &str) -> Result<String, RunError> {
    Ok(create_statement(name, &model_in(view)?))
}

/// The views of a schema that is cloned, as they are before.
pub fn in_clone_source(services: &Services, clone: &ClonedSchema<'_>) -> Result<Vec<SemanticViewRecord>, RunError> {
    Ok(services.catalog.semantic_views(clone.source.database(), Some(&clone.source.schema))?)
}

/// Copies the views of a schema into its clone.
pub fn copy_into_clone(
    services: &Services,
    clone: &ClonedSchema<'_>,
    views: &[SemanticViewRecord],
    owner: &str,
) -> Result<(), RunError> {
    let to = (clone.target.database(), clone.target.schema.as_str());
    Ok(services.catalog.copy_semantic_views(views, to, owner)?)
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

//! SHOW FUNCTIONS, PROCEDURES, MASKING POLICIES, ROW ACCESS POLICIES and TAGS: those that users have made, and of functions
//! also those of the dialect.

use firn_engine::RoutineDescription;
use firn_sql::command::{ListedFunctions, Scope};
use firn_sql::functions::{BuiltInFunction, FunctionClass, built_in_functions};
use firn_sql::routines::{Returns, RoutineKind, type_word};
use serde_json::json;

use super::listing::{Listing, Viewer, comment, instant, text, yes_no};
use crate::authorise::Secured;
use crate::run_error::RunError;

const COLUMNS: &str = "created_on:instant name schema_name is_builtin is_aggregate is_ansi min_num_arguments:integer \
    max_num_arguments:integer arguments description catalog_name is_table_function valid_for_clustering is_secure secrets \
    external_access_integrations";
const COLUMNS_OF_FUNCTIONS: &str = "is_external_function language is_memoizable is_data_metric";

const COLUMNS_OF_POLICIES: &str =
    "created_on:instant name database_name schema_name kind owner comment owner_role_type options";

fn policy_row(described: &RoutineDescription) -> Vec<Option<String>> {
    let routine = &described.routine;
    vec![
        instant(described.created_on_ms),
        text(&routine.name.name),
        text(routine.name.database()),
        text(routine.name.schema()),
        text(&routine.kind.word().replace(' ', "_")),
        text(&described.owner),
        comment(routine.comment.as_deref()),
        text("ROLE"),
        text(if routine.exempt_other_policies { r#"{"EXEMPT_OTHER_POLICIES":"TRUE"}"# } else { "" }),
    ]
}

const COLUMNS_OF_TAGS: &str = "created_on:instant name database_name schema_name owner comment allowed_values owner_role_type \
    propagate on_conflict";

fn tag_row(described: &RoutineDescription) -> Vec<Option<String>> {
    let routine = &described.routine;
    let values = &routine.tag.allowed_values;
    vec![
        instant(described.created_on_ms),
        text(&routine.name.name),
        text(routine.name.database()),
        text(routine.name.schema()),
        text(&described.owner),
        comment(routine.comment.as_deref()),
        (!values.is_empty()).then(|| json!(values).to_string()),
        text("ROLE"),
        None,
        None,
    ]
}

/// Built-in functions are those of the account; no database and no schema has them.
pub fn functions(viewer: &Viewer, scope: &Scope, listed: ListedFunctions) -> Result<Listing, RunError> {
    let mut listing = match listed {
        ListedFunctions::BuiltIn => Listing::of(&format!("{COLUMNS} {COLUMNS_OF_FUNCTIONS}")),
        ListedFunctions::All | ListedFunctions::OfUsers => routines(viewer, scope, RoutineKind::Function)?,
    };
    if listed != ListedFunctions::OfUsers && matches!(scope, Scope::Session | Scope::Account) {
        listing.rows.extend(built_in_functions().map(built_in_row));
    }
    Ok(listing)
}

fn built_in_row(function: BuiltInFunction) -> Vec<Option<String>> {
    let (is_aggregate, is_table) = (function.class == FunctionClass::Aggregate, function.class == FunctionClass::Table);
    vec![
        None,
        text(function.name),
        text(""),
        yes_no(true),
        yes_no(is_aggregate),
        yes_no(false),
        text(&function.arguments_min.to_string()),
        function.arguments_max.map(|most| most.to_string()),
        text(&function.signature),
        text(&function.description),
        text(""),
        yes_no(is_table),
        yes_no(false),
        yes_no(false),
        None,
        None,
        yes_no(false),
        text("SQL"),
        yes_no(false),
        yes_no(false),
    ]
}

pub fn routines(viewer: &Viewer, scope: &Scope, kind: RoutineKind) -> Result<Listing, RunError> {
    let (columns, description) = match kind {
        RoutineKind::Function => (format!("{COLUMNS} {COLUMNS_OF_FUNCTIONS}"), "user-defined function"),
        RoutineKind::Procedure => (COLUMNS.to_owned(), "user-defined procedure"),
        RoutineKind::MaskingPolicy | RoutineKind::RowAccessPolicy => (COLUMNS_OF_POLICIES.to_owned(), ""),
        RoutineKind::Tag => (COLUMNS_OF_TAGS.to_owned(), ""),
    };
    let mut listing = Listing::of(&columns);
    let namespace = &viewer.state.namespace;
    let (databases, schema): (Vec<String>, Option<String>) = match scope {
        Scope::Account => {
            (viewer.services.catalog.databases().into_iter().map(|database| database.name).collect(), None)
        }
        Scope::Database(name) => (vec![name.clone()], None),
        Scope::Schema(name) => (vec![name.database().to_owned()], Some(name.schema.clone())),
        _ => (namespace.database.iter().cloned().collect(), namespace.schema.clone()),
    };
    for database in databases {
        for described in viewer.session.routines(&database)? {
            let routine = &described.routine;
            let name = &routine.name;
            let wanted = routine.kind == kind && schema.as_deref().is_none_or(|schema| name.schema() == schema);
            if !wanted || !viewer.authority.sees(Secured::routine(&described))? {
                continue;
            }
            if kind == RoutineKind::Tag {
                listing.rows.push(tag_row(&described));
                continue;
            }
            if kind.is_policy() {
                listing.rows.push(policy_row(&described));
                continue;
            }
            let returned = match &routine.returns {
                Returns::Value(data_type) => type_word(data_type).to_owned(),
                Returns::Table(columns) => {
                    let columns: Vec<_> =
                        columns.iter().map(|(name, data_type)| format!("{name} {}", type_word(data_type))).collect();
                    format!("TABLE ({})", columns.join(", "))
                }
            };
            let mut row = vec![
                instant(described.created_on_ms),
                text(&name.name),
                text(name.schema()),
                yes_no(false),
                yes_no(false),
                yes_no(false),
                text(&routine.parameters_without_default().to_string()),
                text(&routine.parameters.len().to_string()),
                text(&format!("{}({}) RETURN {returned}", name.name, routine.signature())),
                comment(Some(routine.comment.as_deref().unwrap_or(description))),
                text(name.database()),
                yes_no(matches!(routine.returns, Returns::Table(_))),
                yes_no(false),
                yes_no(routine.secure),
                None,
                None,
            ];
            if kind == RoutineKind::Function {
                row.extend([yes_no(false), text("SQL"), yes_no(routine.memoizable), yes_no(false)]);
            }
            listing.rows.push(row);
        }
    }
    Ok(listing)
}

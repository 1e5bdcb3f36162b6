//! SHOW: each kind has its columns and its rows; the clauses that narrow them are the same for all.

mod account;
mod analyst;
mod containers;
mod grants;
mod history;
mod keys;
pub(crate) mod login_policies;
mod objects;
pub(crate) mod parameters;
mod resource_monitors;
mod routines;
mod semantic_items;
pub(crate) mod semantic_views;
mod stages;
pub(crate) mod transactions;
pub(crate) mod type_names;
mod unsupported;
mod variables;

pub(crate) use account::namespace_text;
use firn_engine::{Session, WireColumn};
use firn_sql::Failure;
use firn_sql::command::{GrantScope, ObjectKind, Scope, Show};
use firn_sql::routines::RoutineKind;
pub(crate) use keys::constraint_name;

use crate::authorise::Authority;
use crate::clock::now_ms;
use crate::local_rows::LocalRows;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const DAY_MS: i64 = 86_400_000;

/// Rows of a SHOW before LIKE, STARTS WITH and LIMIT.
struct Listing {
    columns: Vec<WireColumn>,
    rows: Vec<Vec<Option<String>>>,
}

/// What every kind's function is given.
struct Viewer<'a> {
    authority: Authority<'a>,
    services: &'a Services,
    session: &'a dyn Session,
    state: &'a SessionState,
}

pub fn show(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    command: &Show,
) -> Result<LocalRows, RunError> {
    let authority = Authority::new(&services.catalog, session, &state.role);
    let viewer = Viewer { authority, services, session, state };
    if let Scope::SchemaOrDatabase(name) = &command.scope {
        let scope = viewer.schema_or_database(name)?;
        return show(services, session, state, &Show { scope, ..command.clone() });
    }
    let mut listing = match command.kind {
        ObjectKind::Database => containers::databases(&viewer)?,
        ObjectKind::Schema => containers::schemas(&viewer, &command.scope)?,
        ObjectKind::Table => objects::tables(&viewer, &command.scope)?,
        ObjectKind::View => objects::views(&viewer, &command.scope)?,
        ObjectKind::SemanticView => semantic_views::semantic_views(&viewer, &command.scope)?,
        ObjectKind::SemanticItem(kind) => semantic_items::semantic_items(&viewer, &command.scope, kind)?,
        ObjectKind::Object => objects::tables_and_views(&viewer, &command.scope)?,
        ObjectKind::Column => objects::columns(&viewer, &command.scope)?,
        ObjectKind::Stage => stages::stages(&viewer, &command.scope)?,
        ObjectKind::FileFormat => stages::file_formats(&viewer, &command.scope)?,
        ObjectKind::Sequence => objects::sequences(&viewer, &command.scope)?,
        ObjectKind::PrimaryKey => keys::primary_keys(&viewer, &command.scope)?,
        ObjectKind::UniqueKey => keys::unique_keys(&viewer, &command.scope)?,
        ObjectKind::ImportedKey => keys::imported_keys(&viewer, &command.scope)?,
        ObjectKind::ExportedKey => keys::exported_keys(&viewer, &command.scope)?,
        ObjectKind::User => account::users(&viewer),
        ObjectKind::Role => account::roles(&viewer),
        ObjectKind::Warehouse => account::warehouses(&viewer),
        ObjectKind::Grant | ObjectKind::FutureGrant => match &command.scope {
            Scope::Grants(scope) => grants::grants(&viewer, scope)?,
            _ => grants::grants(&viewer, &GrantScope::OfCaller)?,
        },
        ObjectKind::DatabaseRole => account::database_roles(&viewer, &command.scope)?,
        ObjectKind::AccessToken => account::access_tokens(&viewer, &command.scope)?,
        ObjectKind::Integration => account::integrations(&viewer),
        ObjectKind::NetworkPolicy => account::network_policies(&viewer),
        ObjectKind::ResourceMonitor => resource_monitors::resource_monitors(&viewer),
        ObjectKind::LoginPolicy(kind) => login_policies::login_policies(&viewer, &command.scope, kind)?,
        ObjectKind::Parameter => parameters::parameters(&viewer, &command.scope)?,
        ObjectKind::Transaction => transactions::transactions(&viewer, &command.scope),
        ObjectKind::Lock => transactions::locks(&viewer, &command.scope),
        ObjectKind::MaterializedView => objects::materialized_views(&viewer, &command.scope)?,
        ObjectKind::AnalystFeedback => analyst::feedback(&viewer)?,
        ObjectKind::Variable => variables::variables(&viewer),
        ObjectKind::Function => routines::routines(&viewer, &command.scope, RoutineKind::Function)?,
        ObjectKind::Procedure => routines::routines(&viewer, &command.scope, RoutineKind::Procedure)?,
        ObjectKind::MaskingPolicy => routines::routines(&viewer, &command.scope, RoutineKind::MaskingPolicy)?,
        ObjectKind::RowAccessPolicy => routines::routines(&viewer, &command.scope, RoutineKind::RowAccessPolicy)?,
        ObjectKind::Tag => routines::routines(&viewer, &command.scope, RoutineKind::Tag)?,
        ObjectKind::Result => return Err(Failure::unsupported("SHOW RESULT").into()),
        ObjectKind::Unsupported(words) => unsupported::nothing(&viewer, &command.scope, words)?,
    };
    if command.history {
        history::add(&viewer, command, &mut listing)?;
    }
    Ok(listing.narrowed(command)?)
}

impl Listing {
    /// Columns are named with a space between them, `rows:integer created_on:instant name`; those that
    /// say nothing else are text.
    fn of(columns: &str) -> Self {
        let columns = columns.split_whitespace().map(|column| match column.split_once(':') {
            Some((name, "integer" | "number")) => WireColumn::integer(name),
            Some((name, _)) => WireColumn::instant(name),
            None => WireColumn::text(column),
        });
        Self { columns: columns.collect(), rows: Vec::new() }
    }

    fn add<const CELLS: usize>(&mut self, row: [Option<String>; CELLS]) {
        self.rows.push(row.into());
    }

    /// LIKE ignores case, STARTS WITH does not; FROM continues after the name it gives.
    fn narrowed(mut self, command: &Show) -> Result<LocalRows, Failure> {
        let name_column = self.columns.iter().position(|column| is_name_column(&column.name)).unwrap_or(0);
        let name = |row: &Vec<Option<String>>| row.get(name_column).cloned().flatten().unwrap_or_default();
        if let Some(pattern) = &command.like {
            self.rows.retain(|row| matches_pattern(&name(row).to_uppercase(), &pattern.to_uppercase()));
        }
        if let Some(start) = &command.starts_with {
            self.rows.retain(|row| name(row).starts_with(start.as_str()));
        }
        if let Some(from) = &command.from {
            self.rows.retain(|row| name(row).as_str() > from.as_str());
        }
        if let Some(limit) = command.limit {
            self.rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        if command.terse {
            self = self.terse();
        }
        Ok(LocalRows::new(self.columns, self.rows))
    }

    /// TERSE has the same columns for every kind; what a kind does not have is null.
    fn terse(self) -> Self {
        let mut listing = Self::of("created_on:instant name kind database_name schema_name");
        let places: Vec<Option<usize>> = listing
            .columns
            .iter()
            .map(|wanted| self.columns.iter().position(|column| column.name == wanted.name))
            .collect();
        let cell = |row: &[Option<String>], place: &Option<usize>| row.get((*place)?).cloned().flatten();
        listing.rows = self.rows.iter().map(|row| places.iter().map(|place| cell(row, place)).collect()).collect();
        listing
    }
}

fn is_name_column(name: &str) -> bool {
    matches!(name, "name" | "column_name" | "key" | "constraint_name" | "fk_name")
}

/// SQL's `%` and `_`, with `\` before either for itself.
fn matches_pattern(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    // After each pattern character: which lengths of the text it can have used up.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut characters = pattern.iter();
    while let Some(&character) = characters.next() {
        let mut next = vec![false; text.len() + 1];
        match character {
            '%' => {
                let mut open = false;
                for (length, slot) in next.iter_mut().enumerate() {
                    open |= reached[length];
                    *slot = open;
                }
            }
            '_' => next[1..].copy_from_slice(&reached[..text.len()]),
            _ => {
                let literal = if character == '\\' { characters.next().copied().unwrap_or('\\') } else { character };
                for length in 0..text.len() {
                    next[length + 1] = reached[length] && text[length] == literal;
                }
            }
        }
        reached = next;
    }
    reached[text.len()]
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

/// An instant of the contract: seconds since 1970 with three digits behind the point.
pub(crate) fn instant(milliseconds: i64) -> Option<String> {
    Some(format!("{}.{:03}", milliseconds.div_euclid(1_000), milliseconds.rem_euclid(1_000)))
}

/// How many units are left until then, begun ones included; nothing once it has come.
pub(crate) fn units_left(until_ms: Option<i64>, unit_ms: i64) -> Option<String> {
    let left_ms = until_ms?.saturating_sub(now_ms());
    (left_ms > 0).then(|| left_ms.unsigned_abs().div_ceil(unit_ms.unsigned_abs()).to_string())
}

fn yes_no(value: bool) -> Option<String> {
    text(if value { "Y" } else { "N" })
}

fn comment(value: Option<&str>) -> Option<String> {
    text(value.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn like_patterns() {
        let cases = [
            ("ORDERS", "ORDERS", true),
            ("ORDERS", "ORD%", true),
            ("ORDERS", "%ER%", true),
            ("ORDERS", "O_DERS", true),
            ("ORDERS", "O_DER", false),
            ("A%B", "A\\%B", true),
            ("AXB", "A\\%B", false),
            ("", "%", true),
            ("", "_", false),
        ];
        for (text, pattern, expected) in cases {
            assert_eq!(matches_pattern(text, pattern), expected, "{text} LIKE {pattern}");
        }
    }
}

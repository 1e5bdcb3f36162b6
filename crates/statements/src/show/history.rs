//! SHOW … HISTORY: dropped objects that may be restored are listed too, with the time of their DROP.

use firn_sql::command::{ObjectKind, Show};

use super::listing::{Listing, Viewer, instant};
use crate::run_error::RunError;

/// What a listing says of something that was dropped.
struct Gone {
    cells: Vec<(&'static str, Option<String>)>,
}

pub(super) fn add(viewer: &Viewer, command: &Show, listing: &mut Listing) -> Result<(), RunError> {
    let gone = match command.kind {
        ObjectKind::Database => databases(viewer)?,
        ObjectKind::Schema | ObjectKind::Table => within_databases(viewer, command)?,
        _ => return Ok(()),
    };
    let place = listing.columns.iter().position(|column| column.name == "retention_time");
    let place = place.map_or(listing.columns.len(), |place| place + 1);
    listing.columns.insert(place, firn_engine::WireColumn::instant("dropped_on"));
    listing.rows.iter_mut().for_each(|row| row.insert(place, None));
    for gone in gone {
        let cell = |name: &str| gone.cells.iter().find(|(known, _)| *known == name).and_then(|(_, cell)| cell.clone());
        listing.rows.push(listing.columns.iter().map(|column| cell(&column.name)).collect());
    }
    Ok(())
}

fn databases(viewer: &Viewer) -> Result<Vec<Gone>, RunError> {
    let dropped = viewer.services.databases.dropped(&viewer.services.catalog)?;
    let visible = dropped.into_iter().filter(|database| viewer.state.role.may_use_what_is_owned_by(&database.owner));
    Ok(visible
        .map(|database| Gone {
            cells: vec![
                ("created_on", instant(database.created_on_ms)),
                ("name", Some(database.name)),
                ("is_default", Some("N".to_owned())),
                ("is_current", Some("N".to_owned())),
                ("origin", Some(String::new())),
                ("owner", Some(database.owner)),
                ("comment", Some(database.comment.unwrap_or_default())),
                ("options", Some(String::new())),
                ("retention_time", Some(database.retention_days.to_string())),
                ("dropped_on", instant(database.dropped_on_ms)),
                ("kind", Some("STANDARD".to_owned())),
                ("owner_role_type", Some("ROLE".to_owned())),
            ],
        })
        .collect())
}

fn within_databases(viewer: &Viewer, command: &Show) -> Result<Vec<Gone>, RunError> {
    let mut gone = Vec::new();
    for database in viewer.databases_in(&command.scope)? {
        let schema = match command.kind {
            ObjectKind::Table => viewer.schema_in(&command.scope, &database)?,
            _ => None,
        };
        for object in viewer.session.dropped(&database)? {
            let wanted = object.kind == command.kind && schema.as_ref().is_none_or(|schema| *schema == object.schema);
            if !wanted || !viewer.state.role.may_use_what_is_owned_by(&object.owner) {
                continue;
            }
            gone.push(Gone {
                cells: vec![
                    ("created_on", instant(object.created_on_ms)),
                    ("name", Some(object.name)),
                    ("database_name", Some(database.clone())),
                    ("schema_name", Some(object.schema)),
                    ("kind", Some("TABLE".to_owned())),
                    ("is_default", Some("N".to_owned())),
                    ("is_current", Some("N".to_owned())),
                    ("comment", Some(object.comment.unwrap_or_default())),
                    ("owner", Some(object.owner)),
                    ("retention_time", Some(object.retention_days.to_string())),
                    ("dropped_on", instant(object.dropped_on_ms)),
                    ("owner_role_type", Some("ROLE".to_owned())),
                ],
            });
        }
    }
    Ok(gone)
}

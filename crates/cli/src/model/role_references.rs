//! References whose names tell a role: HOME_TEAM_ID of the key of TEAMS, MENTOR_ID and HANDLED_BY of people. Each is verified in
//! the data.

use firn_analyst::semantic_model::{LogicalTable, Relationship, SemanticModel};

use super::found_references::{join_by, open_columns, refers, relationship};
use super::guessed_keys::singular;
use super::personal_values::names_people;
use crate::server::Server;

/// Adds the relationships that roles suggest and the data show.
pub fn add(server: &Server, model: &mut SemanticModel) {
    let mut found = Vec::new();
    for table in &model.tables {
        for column in open_columns(table, &model.relationships) {
            if !is_filled(server, table, &column) {
                continue;
            }
            let known = model.relationships.iter().chain(&found);
            let referred: Vec<&str> = known.filter(|join| join.left_table == table.name).map(target_of).collect();
            let fits = |target: &&LogicalTable| refers(server, table, &column, target);
            let target = match named_by(model, table, &column).filter(fits) {
                Some(target) => Some(target),
                None => people_for(model, table, &column, &referred, &fits),
            };
            found.extend(target.map(|target| relationship(table, &column, target)));
        }
    }
    join_by(model, found);
}

fn target_of(join: &Relationship) -> &str {
    &join.right_table
}

/// The table whose key, or whose name with `id`, ends the name of the column; the longest where there are several.
fn named_by<'m>(model: &'m SemanticModel, table: &LogicalTable, column: &str) -> Option<&'m LogicalTable> {
    let ending = |target: &LogicalTable| {
        let [key] = target.primary_key.as_slice() else { return None };
        let by_table = format!("_{}_id", singular(&target.name));
        let by_key = if key == "id" { by_table.clone() } else { format!("_{key}") };
        let is_own_key = target.name == table.name && column == key;
        let fits = !is_own_key && (column.ends_with(&by_key) || column.ends_with(&by_table));
        fits.then(|| by_key.len().max(by_table.len()))
    };
    let named = model.tables.iter().filter_map(|target| Some((ending(target)?, target)));
    named.max_by_key(|(length, _)| *length).map(|(_, target)| target)
}

/// The only people that a role can be of. Those of the same table go first; those that the rows refer to already go last.
fn people_for<'m>(
    model: &'m SemanticModel,
    table: &LogicalTable,
    column: &str,
    referred: &[&str],
    fits: &dyn Fn(&&LogicalTable) -> bool,
) -> Option<&'m LogicalTable> {
    if !is_role_of_people(column) {
        return None;
    }
    let is_people = |target: &&LogicalTable| names_people(&target.name) && target.primary_key.len() == 1;
    let people: Vec<&LogicalTable> = model.tables.iter().filter(is_people).filter(fits).collect();
    let own = people.iter().find(|target| target.name == table.name);
    let is_new = |target: &&&LogicalTable| !referred.contains(&target.name.as_str());
    let new: Vec<&&LogicalTable> = people.iter().filter(is_new).collect();
    match (own, new.as_slice(), people.as_slice()) {
        (Some(own), ..) => Some(own),
        (None, [only], _) => Some(only),
        (None, [], [only]) => Some(only),
        _ => None,
    }
}

/// `commander_id`, `mentor`, `handled_by`.
fn is_role_of_people(column: &str) -> bool {
    let noun = column.strip_suffix("_id").unwrap_or(column);
    let is_deed = column.strip_suffix("_by").is_some_and(|verb| verb.ends_with("ed") || verb.ends_with("en"));
    is_deed || column.ends_with("_id") && names_people(noun)
}

/// Whether a column has any value: all of none are keys of every table.
fn is_filled(server: &Server, table: &LogicalTable, column: &str) -> bool {
    let Some(expression) = table.column_expression(column) else { return false };
    let sql = format!("SELECT COUNT({expression}) FROM {}", table.source.sql());
    let counted = server.rows_in(&sql, None, None);
    counted.is_ok_and(|found| matches!(found.rows.first().map(Vec::as_slice), Some([Some(count)]) if count != "0"))
}

#[cfg(test)]
mod tests {
    use super::{is_role_of_people, named_by};
    use firn_analyst::semantic_model::{LogicalTable, SemanticModel};

    #[test]
    fn roles_end_with_the_name_of_a_key() {
        let table = |name: &str, key: &str| LogicalTable {
            name: name.to_owned(),
            primary_key: vec![key.to_owned()],
            ..LogicalTable::default()
        };
        let tables = vec![table("teams", "team_id"), table("shops", "id"), table("matches", "match_id")];
        let model = SemanticModel { tables, ..SemanticModel::default() };
        let check = |own: usize, column: &str, expected: Option<&str>| {
            let found = named_by(&model, &model.tables[own], column).map(|table| table.name.as_str());
            assert_eq!(found, expected, "{column}");
        };
        check(2, "home_team_id", Some("teams"));
        check(2, "pickup_shop_id", Some("shops"));
        check(0, "parent_team_id", Some("teams"));
        check(0, "team_id", None);
        check(2, "grid", None);
    }

    #[test]
    fn roles_of_people_are_nouns_and_deeds() {
        for (column, expected) in [
            ("commander_id", true),
            ("mentor_id", true),
            ("sponsor_id", true),
            ("inspector_id", true),
            ("handled_by", true),
            ("written_by", true),
            ("order_id", false),
            ("stand_by", false),
            ("container_id", false),
        ] {
            assert_eq!(is_role_of_people(column), expected, "{column}");
        }
    }
}

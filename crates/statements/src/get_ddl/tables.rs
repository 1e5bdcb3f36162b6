//! The CREATE TABLE of a table.

use firn_engine::{ColumnDescription, ObjectDescription};
use firn_sql::command::{ConstraintKind, KeyRule, Persistence, TableConstraint};
use firn_sql::names::{display_identifier, quote_literal};
use firn_sql::shown_default;

use crate::policies::PolicyNames;

/// The prefix of generated names of keys.
const SYSTEM_NAME: &str = "SYS_CONSTRAINT_";

pub fn statement(object: &ObjectDescription, name: &str, policies: &PolicyNames<'_>) -> String {
    let kind = match object.persistence {
        Persistence::Permanent => "TABLE",
        Persistence::Transient => "TRANSIENT TABLE",
        Persistence::Temporary => "TEMPORARY TABLE",
    };
    let clustering = object.options.cluster_by.as_ref().map_or_else(String::new, |by| format!(" cluster by ({by})"));
    let columns = object.columns.iter().map(|described| {
        let tags = policies.tags(object.options.policies.tags_of_column(&described.name));
        format!("{}{}{tags}{}", column(described), masking(object, described, policies), column_comment(described))
    });
    let lines: Vec<String> = columns.chain(object.constraints.iter().map(constraint)).collect();
    let row_access = format!("{}{}", row_access(object, policies), policies.tags(&object.options.policies.tags));
    let comment = object.comment.as_ref().map_or_else(String::new, |text| format!("COMMENT={}\n", quote_literal(text)));
    format!("create or replace {kind} {name}{clustering} (\n{}\n){row_access}{comment};", lines.join(",\n"))
}

/// WITH MASKING POLICY of a column that has one.
pub fn masking(object: &ObjectDescription, column: &ColumnDescription, policies: &PolicyNames<'_>) -> String {
    let Some(mask) = object.options.policies.mask(&column.name) else { return String::new() };
    let using = if mask.columns.len() > 1 { format!(" USING ({})", names(&mask.columns)) } else { String::new() };
    format!(" WITH MASKING POLICY {}{using}", policies.shown(object, mask))
}

/// WITH ROW ACCESS POLICY of a table or view that has one.
pub fn row_access(object: &ObjectDescription, policies: &PolicyNames<'_>) -> String {
    let Some(attached) = &object.options.policies.row_access else { return String::new() };
    format!(" WITH ROW ACCESS POLICY {} ON ({})", policies.shown(object, attached), names(&attached.columns))
}

fn names(columns: &[String]) -> String {
    columns.iter().map(|column| display_identifier(column)).collect::<Vec<_>>().join(", ")
}

fn column(column: &ColumnDescription) -> String {
    let mut line = format!("\t{} {}", display_identifier(&column.name), column.data_type.full_name());
    if let Some(collation) = &column.collation {
        line.push_str(&format!(" COLLATE {}", quote_literal(collation)));
    }
    if column.not_null {
        line.push_str(" NOT NULL");
    }
    if let Some(numbering) = column.autoincrement {
        line.push_str(&format!(" autoincrement start {} increment {} order", numbering.start, numbering.increment));
    } else if let Some(default) = &column.default {
        line.push_str(&format!(" DEFAULT {}", shown_default(default)));
    }
    line
}

fn constraint(constraint: &TableConstraint) -> String {
    let name = constraint.name.as_deref().filter(|name| !name.starts_with(SYSTEM_NAME));
    let name = name.map_or_else(String::new, |name| format!("constraint {} ", display_identifier(name)));
    let columns = names(&constraint.columns);
    match &constraint.kind {
        ConstraintKind::PrimaryKey => format!("\t{name}primary key ({columns})"),
        ConstraintKind::Unique => format!("\t{name}unique ({columns})"),
        ConstraintKind::ForeignKey { table, columns: referenced, rules } => {
            let mut text = format!("\t{name}foreign key ({columns}) references {table}({})", names(referenced));
            for (event, rule) in [("update", rules.on_update), ("delete", rules.on_delete)] {
                if rule != KeyRule::NoAction {
                    text.push_str(&format!(" on {event} {}", rule.words().to_lowercase()));
                }
            }
            text
        }
    }
}

pub fn column_comment(column: &ColumnDescription) -> String {
    column.comment.as_ref().map_or_else(String::new, |text| format!(" COMMENT {}", quote_literal(text)))
}

pub fn comment(comment: Option<&str>) -> String {
    comment.map_or_else(String::new, |text| format!(" COMMENT={}", quote_literal(text)))
}

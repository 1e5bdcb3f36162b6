//! `*` and `t.*`, with ILIKE, EXCLUDE, REPLACE and RENAME.

use std::sync::Arc;

use firn_sql::COLUMNS_MAX;
use firn_sql::ast::{
    ExcludeSelectItem, Ident, ObjectName, ObjectNamePart, RenameSelectItem, SelectItemQualifiedWildcardKind,
    WildcardAdditionalOptions,
};

use super::Binder;
use crate::bound::OutputColumn;
use crate::error::BindError;
use crate::schema::SchemaError;
use crate::scope::{Columns, Scope, ScopeRelation};

impl Binder<'_> {
    /// Adds the columns of a wildcard; false if they are not known.
    pub(super) fn wildcard(
        &mut self,
        qualifier: Option<&SelectItemQualifiedWildcardKind>,
        options: &WildcardAdditionalOptions,
        columns: &mut Vec<OutputColumn>,
    ) -> Result<bool, SchemaError> {
        let Some(scope) = self.scopes.last() else { return Ok(false) };
        let all = match qualifier {
            None => scope.all_columns(),
            Some(SelectItemQualifiedWildcardKind::ObjectName(name)) => {
                let wanted = last_part(name).map(|last| last.value.as_str());
                // The columns of an outer query's relation may be shown too.
                let relations = self.scopes.iter().rev().flat_map(|scope| &scope.relations);
                let mut named = relations.filter(|relation| Some(relation.name.as_str()) == wanted);
                named.next().and_then(columns_of)
            }
            Some(SelectItemQualifiedWildcardKind::Expr(_)) => None,
        };
        let Some(mut all) = all else {
            self.replacements(options)?;
            return Ok(false);
        };
        self.check_excluded(&all, options);
        restrict(&mut all, options);
        if columns.len() + all.len() > COLUMNS_MAX {
            self.bound.errors.push(BindError::TooManyColumns { most: COLUMNS_MAX });
            return Ok(false);
        }
        for (name, column) in self.replacements(options)? {
            for known in all.iter_mut().filter(|known| *known.name == *name) {
                known.value = column.value.clone();
                known.origin = column.origin.clone();
            }
        }
        rename(&mut all, options);
        columns.append(&mut all);
        Ok(true)
    }

    fn check_excluded(&mut self, columns: &[OutputColumn], options: &WildcardAdditionalOptions) {
        for name in excluded(options).iter().filter_map(last_part) {
            if !columns.iter().any(|column| *column.name == *name.value) {
                self.bound.errors.push(BindError::invalid(std::slice::from_ref(name)));
            }
        }
    }

    fn replacements(
        &mut self,
        options: &WildcardAdditionalOptions,
    ) -> Result<Vec<(String, OutputColumn)>, SchemaError> {
        let mut replaced = Vec::new();
        for item in options.opt_replace.iter().flat_map(|replace| &replace.items) {
            let value = self.expression(&item.expr)?;
            let column = OutputColumn { name: Arc::from(""), value, origin: None };
            replaced.push((item.column_name.value.clone(), column));
        }
        Ok(replaced)
    }
}

impl Scope {
    /// Columns that a join merges are shown once, where their first relation has them.
    fn all_columns(&self) -> Option<Vec<OutputColumn>> {
        let mut all = Vec::new();
        for relation in &self.relations {
            for column in columns_of(relation)? {
                let merged = self
                    .join_columns
                    .iter()
                    .find(|merged| merged.name == *column.name && merged.relations.contains(&relation.id));
                match merged {
                    None => all.push(column),
                    Some(merged) if merged.relations.first() == Some(&relation.id) => all.push(OutputColumn {
                        value: merged.value.clone(),
                        origin: merged.origin.clone(),
                        name: column.name,
                    }),
                    Some(_) => {}
                }
            }
        }
        Some(all)
    }
}

fn columns_of(relation: &ScopeRelation) -> Option<Vec<OutputColumn>> {
    match relation.columns {
        Columns::Unknown => None,
        _ => Some((0..relation.columns.len()).filter_map(|index| relation.column(index)).collect()),
    }
}

fn restrict(columns: &mut Vec<OutputColumn>, options: &WildcardAdditionalOptions) {
    if let Some(ilike) = &options.opt_ilike {
        let pattern: Vec<char> = ilike.pattern.to_lowercase().chars().collect();
        columns.retain(|column| is_like(&column.name.to_lowercase().chars().collect::<Vec<_>>(), &pattern));
    }
    let excluded = excluded(options);
    if !excluded.is_empty() {
        let names: Vec<&str> = excluded.iter().filter_map(last_part).map(|last| last.value.as_str()).collect();
        columns.retain(|column| !names.contains(&&*column.name));
    }
}

fn excluded(options: &WildcardAdditionalOptions) -> &[ObjectName] {
    match &options.opt_exclude {
        Some(ExcludeSelectItem::Single(name)) => std::slice::from_ref(name),
        Some(ExcludeSelectItem::Multiple(names)) => names,
        None => &[],
    }
}

fn rename(columns: &mut [OutputColumn], options: &WildcardAdditionalOptions) {
    let renamed = match &options.opt_rename {
        Some(RenameSelectItem::Single(one)) => std::slice::from_ref(one),
        Some(RenameSelectItem::Multiple(several)) => several,
        None => return,
    };
    for column in columns {
        if let Some(item) = renamed.iter().find(|item| *item.ident.value == *column.name) {
            column.name = Arc::from(item.alias.value.as_str());
        }
    }
}

fn last_part(name: &ObjectName) -> Option<&Ident> {
    name.0.last().and_then(ObjectNamePart::as_ident)
}

/// `%` is any text, `_` any character.
fn is_like(text: &[char], pattern: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|skipped| is_like(&text[skipped..], rest)),
        Some((wanted, rest)) => text
            .split_first()
            .is_some_and(|(first, others)| (*wanted == '_' || wanted == first) && is_like(others, rest)),
    }
}

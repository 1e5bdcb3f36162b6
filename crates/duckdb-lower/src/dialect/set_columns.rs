//! The branches of a set operation, each in its own scope: `*` is expanded, texts are cast to the type of the other
//! branches, and numbers to a common scale in which none of them loses digits.

use firn_binder::{QueryScopes, SelectRelation};
use firn_engine::EngineError;
use firn_sql::ast::{
    ExcludeSelectItem, Expr, Ident, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    WildcardAdditionalOptions,
};
use firn_sql::command::DataType;

use super::build::{is_null, null, quoted};
use super::decimal_scale::DIGITS_MAX;
use super::implicit_casts::unify_kinds;
use super::join_constraints::merges_columns;
use super::kinds::Kind;
use super::numbers::decimal;
use super::set_branches::{columns_of, says_by_name};

pub(super) fn applies_to(query: &Query) -> bool {
    matches!(*query.body, SetExpr::SetOperation { .. })
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    let mut types = Vec::new();
    if let body @ SetExpr::SetOperation { .. } = &mut *query.body {
        Spelling { scopes }.branches(body, &mut types)?;
    }
    let by_name = matches!(&*query.body, SetExpr::SetOperation { set_quantifier, .. } if says_by_name(*set_quantifier));
    if !types.is_empty() && !by_name {
        read_texts(&mut query.body, &types);
        align(&mut query.body, &types);
    }
    Ok(())
}

struct Spelling<'scopes, 'lookup> {
    scopes: &'scopes QueryScopes<'lookup>,
}

impl Spelling<'_, '_> {
    /// Expands the wildcards of every branch, and collects the types of its columns.
    fn branches(&self, body: &mut SetExpr, types: &mut Vec<Vec<Option<DataType>>>) -> Result<(), EngineError> {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.branches(left, types)?;
                self.branches(right, types)
            }
            SetExpr::Query(query) if query.with.is_none() => self.branches(&mut query.body, types),
            SetExpr::Select(select) => {
                types.push(self.branch(select)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn branch(&self, select: &mut Select) -> Result<Vec<Option<DataType>>, EngineError> {
        let relations = self.scopes.relations(&select.from)?;
        if !merges_columns(&select.from) {
            spell_out(&mut select.projection, &relations);
        }
        let columns = self.scopes.columns(select)?.unwrap_or_default();
        Ok(columns.iter().map(|column| column.value.data_type.data_type().cloned()).collect())
    }
}

/// Expands wildcards, where all columns are known.
pub(super) fn spell_out(projection: &mut Vec<SelectItem>, relations: &[SelectRelation]) {
    let spelt = projection.iter().map(|item| match item {
        SelectItem::Wildcard(options) => columns_shown(relations, |_| true, options),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
            let wanted = &last_part(name)?.value;
            columns_shown(relations, |relation| relation.name == *wanted, options)
        }
        SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => Some(vec![item.clone()]),
        _ => None,
    });
    if let Some(spelt) = spelt.collect::<Option<Vec<_>>>() {
        *projection = spelt.into_iter().flatten().collect();
    }
}

fn columns_shown(
    relations: &[SelectRelation],
    is_shown: impl Fn(&SelectRelation) -> bool,
    options: &WildcardAdditionalOptions,
) -> Option<Vec<SelectItem>> {
    let excluded: Vec<&str> = match &options.opt_exclude {
        None => Vec::new(),
        Some(ExcludeSelectItem::Single(name)) => vec![&last_part(name)?.value],
        Some(ExcludeSelectItem::Multiple(names)) => {
            let last = |name| Some(last_part(name)?.value.as_str());
            names.iter().map(last).collect::<Option<_>>()?
        }
    };
    if !is_plain(options) {
        return None;
    }
    let mut shown = Vec::new();
    for relation in relations.iter().filter(|relation| is_shown(relation)) {
        let columns = relation.columns.as_ref()?;
        for (place, column) in columns.iter().enumerate() {
            let is_nameless = column.name.is_empty() || (relation.name.is_empty() && relations.len() > 1);
            if is_nameless || columns[..place].iter().any(|other| other.name == column.name) {
                return None;
            }
            if !excluded.contains(&&*column.name) {
                shown.push(SelectItem::UnnamedExpr(named(relations, relation, &column.name)));
            }
        }
    }
    (!shown.is_empty()).then_some(shown)
}

/// A star without REPLACE, RENAME and the like.
fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    options.opt_ilike.is_none()
        && options.opt_except.is_none()
        && options.opt_replace.is_none()
        && options.opt_rename.is_none()
}

fn last_part(name: &ObjectName) -> Option<&Ident> {
    name.0.last()?.as_ident()
}

/// A relation that is alone needs no name.
fn named(relations: &[SelectRelation], relation: &SelectRelation, column: &str) -> Expr {
    match relations.len() {
        1 => Expr::Identifier(quoted(column)),
        _ => Expr::CompoundIdentifier(vec![quoted(&relation.name), quoted(column)]),
    }
}

/// Casts the texts of a column to the type of the other branches.
fn read_texts(body: &mut SetExpr, types: &[Vec<Option<DataType>>]) {
    let is_text = |data_type: &Option<DataType>| matches!(data_type, Some(DataType::Varchar { .. }));
    let mixed = |place: usize| {
        let texts = types.iter().filter(|branch| branch.get(place).is_some_and(is_text)).count();
        (1..types.len()).contains(&texts)
    };
    if !(0..types.first().map_or(0, Vec::len)).any(mixed) {
        return;
    }
    for (place, values) in columns_of(body).into_iter().enumerate().filter(|(place, _)| mixed(*place)) {
        let of_branch = |(value, branch): (&&mut Expr, &Vec<Option<DataType>>)| match branch.get(place) {
            _ if is_null(value) => Some(Kind::Null),
            Some(Some(data_type)) => Some(Kind::of_type(data_type)),
            _ => None,
        };
        let kinds: Option<Vec<Kind>> = values.iter().zip(types).map(of_branch).collect();
        if let Some(kinds) = kinds.filter(|kinds| kinds.len() == values.len()) {
            unify_kinds(values, &kinds);
        }
    }
}

/// Casts the values of each column to their common scale, where the engine would use a smaller one.
fn align(body: &mut SetExpr, types: &[Vec<Option<DataType>>]) {
    for (place, values) in columns_of(body).into_iter().enumerate() {
        let types: Option<Vec<DataType>> = types.iter().map(|branch| branch.get(place).cloned().flatten()).collect();
        let Some(digits) = types.and_then(|types| types.iter().map(digits).collect::<Option<Vec<(u8, u8)>>>()) else {
            continue;
        };
        let (Some(whole), Some(scale)) =
            (digits.iter().map(|(whole, _)| *whole).max(), digits.iter().map(|(_, scale)| *scale).max())
        else {
            continue;
        };
        if whole + scale <= DIGITS_MAX || values.len() != digits.len() {
            continue;
        }
        for (value, _) in values.into_iter().zip(digits).filter(|(_, (_, own))| *own < scale) {
            *value = decimal(std::mem::replace(value, null()), scale);
        }
    }
}

/// Before and behind the point, as the engine keeps a number: its integers have 19.
pub(super) fn digits(data_type: &DataType) -> Option<(u8, u8)> {
    match data_type {
        DataType::Number { precision, scale } => Some((precision - scale, *scale)),
        DataType::Integer => Some((19, 0)),
        _ => None,
    }
}

//! The names that are visible in a select: the relations of FROM, the columns that USING merges, the aliases of the
//! select list and the parameters of lambdas. Scopes are on a stack, those of outer queries below.

use std::cell::OnceCell;
use std::sync::Arc;

use firn_sql::ast::Ident;
use foldhash::{HashMap, HashMapExt};

use crate::bound::{Node, Origin, OutputColumn, Reference, RelationId};
use crate::schema::RelationSchema;
use crate::types::{Type, ValueType};

/// Relations with more columns are searched by a hash table.
const SCANNED_COLUMNS_MAX: usize = 16;

/// The columns of a relation.
#[derive(Clone)]
pub(crate) enum Columns {
    Schema(Arc<dyn RelationSchema>),
    List(Arc<[OutputColumn]>),
    /// They are not known before the statement runs.
    Unknown,
}

impl Columns {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Schema(schema) => schema.column_count(),
            Self::List(columns) => columns.len(),
            Self::Unknown => 0,
        }
    }

    pub(crate) fn name(&self, index: usize) -> &str {
        match self {
            Self::Schema(schema) => schema.column(index).map(|column| column.name).unwrap_or_default(),
            Self::List(columns) => columns.get(index).map(|column| &*column.name).unwrap_or_default(),
            Self::Unknown => "",
        }
    }

    pub(crate) fn column(&self, index: usize) -> Option<OutputColumn> {
        match self {
            Self::List(columns) => columns.get(index).cloned(),
            Self::Schema(_) | Self::Unknown => {
                let (value, origin) = self.value(index)?;
                Some(OutputColumn { name: Arc::from(self.name(index)), value, origin })
            }
        }
    }

    /// The type of a column and where it comes from.
    fn value(&self, index: usize) -> Option<(ValueType, Option<Origin>)> {
        match self {
            Self::Schema(schema) => {
                let column = schema.column(index)?;
                let value = ValueType {
                    data_type: Type::Of(column.data_type.clone()),
                    nullable: column.nullable,
                    collation: column.collation.map(Arc::from),
                };
                Some((value, Some(Origin { relation: schema.clone(), column: index })))
            }
            Self::List(columns) => columns.get(index).map(|column| (column.value.clone(), column.origin.clone())),
            Self::Unknown => None,
        }
    }

    /// All of them, or `None` if they are not known.
    pub(crate) fn list(&self) -> Option<Arc<[OutputColumn]>> {
        match self {
            Self::Schema(schema) => Some((0..schema.column_count()).filter_map(|index| self.column(index)).collect()),
            Self::List(columns) => Some(columns.clone()),
            Self::Unknown => None,
        }
    }
}

pub(crate) struct ScopeRelation {
    pub(crate) id: RelationId,
    /// The alias, or the table's name.
    pub(crate) name: String,
    pub(crate) columns: Columns,
    /// True on the side of an outer join that may have no row.
    pub(crate) outer: bool,
    by_name: OnceCell<HashMap<String, Found>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Once(usize),
    Repeated,
}

impl ScopeRelation {
    pub(crate) fn new(id: RelationId, name: String, columns: Columns) -> Self {
        Self { id, name, columns, outer: false, by_name: OnceCell::new() }
    }

    /// A relation without an identity, which no reference points to.
    pub(crate) fn unnumbered(columns: Columns) -> Self {
        Self::new(RelationId(u32::MAX), String::new(), columns)
    }

    pub(crate) fn column(&self, index: usize) -> Option<OutputColumn> {
        let mut column = self.columns.column(index)?;
        column.value.nullable |= self.outer;
        Some(column)
    }

    fn value(&self, index: usize) -> Option<(ValueType, Option<Origin>)> {
        let (mut value, origin) = self.columns.value(index)?;
        value.nullable |= self.outer;
        Some((value, origin))
    }

    pub(crate) fn find(&self, name: &str) -> Lookup {
        let found = match self.columns.len() {
            ..=SCANNED_COLUMNS_MAX => {
                let mut same = (0..self.columns.len()).filter(|index| self.columns.name(*index) == name);
                match (same.next(), same.next()) {
                    (None, _) => None,
                    (Some(index), None) => Some(Found::Once(index)),
                    (Some(_), Some(_)) => Some(Found::Repeated),
                }
            }
            _ => self.by_name.get_or_init(|| self.index()).get(name).copied(),
        };
        match found {
            Some(Found::Once(column)) => Lookup::Column(column),
            Some(Found::Repeated) => Lookup::Ambiguous,
            None if matches!(self.columns, Columns::Unknown) => Lookup::Unknown,
            None => Lookup::Missing,
        }
    }

    fn index(&self) -> HashMap<String, Found> {
        let mut index = HashMap::with_capacity(self.columns.len());
        for column in 0..self.columns.len() {
            let entry = index.entry(self.columns.name(column).to_owned());
            entry.and_modify(|found| *found = Found::Repeated).or_insert(Found::Once(column));
        }
        index
    }
}

/// What a relation has under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    Column(usize),
    Ambiguous,
    Missing,
    /// The relation's columns are not known.
    Unknown,
}

/// A column of both sides of a join with USING or NATURAL.
pub(crate) struct JoinColumn {
    pub(crate) name: String,
    pub(crate) value: ValueType,
    pub(crate) origin: Option<Origin>,
    /// The relations whose columns it merges: the first one shows it in `*`, the others do not.
    pub(crate) relations: Vec<RelationId>,
}

pub(crate) struct Alias {
    pub(crate) name: String,
    /// `None` before its expression is bound.
    pub(crate) column: Option<OutputColumn>,
}

impl Alias {
    pub(crate) fn of(column: &OutputColumn) -> Self {
        Self { name: column.name.to_string(), column: Some(column.clone()) }
    }
}

#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) relations: Vec<ScopeRelation>,
    pub(crate) join_columns: Vec<JoinColumn>,
    pub(crate) aliases: Vec<Alias>,
    pub(crate) lambda_parameters: Vec<(String, ValueType)>,
    /// A subquery in FROM that is not LATERAL sees no relation of the scope it stands in.
    pub(crate) visible: Visible,
    /// Of a select with ROLLUP or its like.
    pub(crate) has_grouping_sets: bool,
    /// ORDER BY looks for aliases first.
    pub(crate) order: LookupOrder,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Visible {
    #[default]
    All,
    None,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LookupOrder {
    #[default]
    ColumnsFirst,
    AliasesFirst,
}

/// What a name means.
pub(crate) enum Resolved {
    Column(Node),
    Ambiguous,
    /// A relation or an alias in question is not known.
    Unknown,
    Missing,
}

impl Scope {
    pub(crate) fn resolve(&self, name: &[Ident]) -> Resolved {
        match (self.visible, self.resolve_visible(name)) {
            (Visible::All, resolved) => resolved,
            (Visible::None, Resolved::Missing) => Resolved::Missing,
            // The arguments of a user's table function are in a subquery that sees the relations before it.
            (Visible::None, _) => Resolved::Unknown,
        }
    }

    fn resolve_visible(&self, name: &[Ident]) -> Resolved {
        match name {
            [column] => self.resolve_column(&column.value),
            [.., relation, column] => self.resolve_qualified(&relation.value, &column.value),
            [] => Resolved::Unknown,
        }
    }

    fn resolve_column(&self, name: &str) -> Resolved {
        if let Some((_, value)) = self.lambda_parameters.iter().rev().find(|(parameter, _)| parameter == name) {
            return Resolved::column(value.clone(), None, Reference::LambdaParameter);
        }
        let columns = || self.resolve_in_relations(name);
        let aliases = || self.resolve_alias(name);
        match self.order {
            LookupOrder::ColumnsFirst => columns().or_else(aliases),
            LookupOrder::AliasesFirst => aliases().or_else(columns),
        }
    }

    fn resolve_in_relations(&self, name: &str) -> Resolved {
        if let Some(merged) = self.join_columns.iter().find(|merged| merged.name == name) {
            let others = self.relations.iter().filter(|relation| !merged.relations.contains(&relation.id));
            if others.clone().any(|relation| matches!(relation.find(name), Lookup::Column(_) | Lookup::Ambiguous)) {
                return Resolved::Ambiguous;
            }
            return Resolved::column(merged.value.clone(), merged.origin.clone(), Reference::JoinColumn);
        }
        let mut found = None;
        let (mut unknown, mut repeated) = (false, false);
        for relation in &self.relations {
            match relation.find(name) {
                Lookup::Column(_) if found.is_some() => return Resolved::Ambiguous,
                Lookup::Column(column) => found = Some((relation, column)),
                Lookup::Ambiguous => repeated = true,
                Lookup::Unknown => unknown = true,
                Lookup::Missing => {}
            }
        }
        match found {
            Some((relation, column)) => column_of(relation, column),
            // An alias of the select may be what is meant.
            None if unknown || (repeated && self.aliases.iter().any(|alias| alias.name == name)) => Resolved::Unknown,
            None if repeated => Resolved::Ambiguous,
            None => Resolved::Missing,
        }
    }

    fn resolve_alias(&self, name: &str) -> Resolved {
        let mut found = Resolved::Missing;
        for alias in self.aliases.iter().filter(|alias| alias.name == name) {
            found = match (&found, &alias.column) {
                (Resolved::Missing, Some(column)) => {
                    Resolved::column(column.value.clone(), column.origin.clone(), Reference::Alias)
                }
                // Which one of several is meant depends on the clause.
                _ => Resolved::Unknown,
            };
        }
        found
    }

    fn resolve_qualified(&self, relation: &str, column: &str) -> Resolved {
        let Some(relation) = self.relations.iter().find(|known| known.name == relation) else {
            return Resolved::Missing;
        };
        match relation.find(column) {
            Lookup::Column(column) => column_of(relation, column),
            Lookup::Ambiguous => Resolved::Ambiguous,
            Lookup::Unknown => Resolved::Unknown,
            Lookup::Missing => Resolved::Missing,
        }
    }

    /// `$1` is the first column of the only relation.
    pub(crate) fn resolve_position(&self, position: usize) -> Resolved {
        match (self.relations.as_slice(), position.checked_sub(1)) {
            ([relation], Some(index)) if index < relation.columns.len() => column_of(relation, index),
            ([relation], _) if !matches!(relation.columns, Columns::Unknown) => Resolved::Missing,
            _ => Resolved::Unknown,
        }
    }
}

impl Resolved {
    fn column(value: ValueType, origin: Option<Origin>, reference: Reference) -> Self {
        Self::Column(Node { value, origin, reference: Some(reference) })
    }

    fn or_else(self, next: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Missing => next(),
            found => found,
        }
    }
}

fn column_of(relation: &ScopeRelation, index: usize) -> Resolved {
    let Ok(column) = u32::try_from(index) else { return Resolved::Unknown };
    match relation.value(index) {
        Some((value, origin)) => Resolved::column(value, origin, Reference::Column { relation: relation.id, column }),
        None => Resolved::Unknown,
    }
}

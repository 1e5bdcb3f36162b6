//! What a logical table offers: dimensions, time dimensions, facts, metrics and named filters. Every `expr` is SQL over
//! the columns of the physical table, or over other names of the same logical table.

/// Something to group or filter by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dimension {
    pub name: String,
    pub synonyms: Vec<String>,
    pub description: Option<String>,
    pub expr: String,
    pub data_type: Option<String>,
    pub unique: bool,
    pub sample_values: Vec<String>,
    /// `sample_values` is the whole list of values.
    pub is_enum: bool,
    pub search_service: Option<SearchService>,
    /// The dimension is a condition by itself (the label `filter`).
    pub is_filter: bool,
    pub access_modifier: AccessModifier,
}

/// A search service that finds values of a dimension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchService {
    pub service: String,
    pub literal_column: Option<String>,
    pub database: Option<String>,
    pub schema: Option<String>,
}

/// A date or a point in time to group or filter by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimeDimension {
    pub name: String,
    pub synonyms: Vec<String>,
    pub description: Option<String>,
    pub expr: String,
    pub data_type: Option<String>,
    pub unique: bool,
    pub sample_values: Vec<String>,
    pub access_modifier: AccessModifier,
}

/// A number of each row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    pub name: String,
    pub synonyms: Vec<String>,
    pub description: Option<String>,
    pub expr: String,
    pub data_type: Option<String>,
    pub sample_values: Vec<String>,
    pub access_modifier: AccessModifier,
    pub default_aggregation: Option<DefaultAggregation>,
}

/// An aggregate with a name. At the level of the model its expression may use `table.metric`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metric {
    pub name: String,
    pub synonyms: Vec<String>,
    pub description: Option<String>,
    pub expr: String,
    pub data_type: Option<String>,
    pub access_modifier: AccessModifier,
    pub non_additive_dimensions: Vec<NonAdditiveDimension>,
    /// Names of relationships to join along, where several lead to the same table.
    pub using_relationships: Vec<String>,
}

/// A dimension a metric must not be summed over: the last (or first) value along it counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NonAdditiveDimension {
    pub table: Option<String>,
    pub dimension: String,
    pub sort_direction: SortDirection,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortDirection {
    #[default]
    Ascending,
    Descending,
}

/// A condition with a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedFilter {
    pub name: String,
    pub synonyms: Vec<String>,
    pub description: Option<String>,
    pub expr: String,
}

/// Whether an item may be asked for, or only used by other expressions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AccessModifier {
    #[default]
    Public,
    Private,
}

/// How a fact is summed up where the question does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultAggregation {
    Sum,
    Avg,
    Median,
    Min,
    Max,
    Count,
    CountDistinct,
}

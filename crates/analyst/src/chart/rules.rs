//! The table of rules: which fragments in a row make which fragment. Words without meaning may stand between them.

use super::Context;
use super::builders as b;
use super::fragment::{Fragment, Kind};
use crate::interpretation::operators::Operator as O;
use crate::interpretation::query::Function;

/// What may stand in one place of a rule.
#[derive(Debug, Clone, Copy)]
pub enum Slot {
    Table,
    Column,
    Value,
    Text,
    Number,
    Date,
    Period,
    Measure,
    Condition,
    Count,
    Aggregate,
    Extreme,
    /// A function or a superlative that stands for one.
    Function,
    Compare,
    CompareBy,
    OrMore,
    Between,
    Negation,
    Without,
    Each,
    Grain,
    OrderBy,
    Sorted,
    Superlative,
    SuperlativeBy,
    MostCommon,
    Top,
    Or,
    Either,
    Pattern,
    Distinct,
    AboveAverage,
    Multiple,
    Everything,
    Word(&'static [&'static str]),
}

impl Slot {
    pub fn takes(self, fragment: &Fragment) -> bool {
        match (self, &fragment.kind) {
            (Self::Table, Kind::Table(_))
            | (Self::Column, Kind::Column(_))
            | (Self::Value, Kind::Value(..))
            | (Self::Text, Kind::Text(_))
            | (Self::Number, Kind::Number(_))
            | (Self::Date, Kind::Date(_))
            | (Self::Period, Kind::Period(_))
            | (Self::Measure, Kind::Measure(_))
            | (Self::Condition, Kind::Condition(_)) => true,
            (Self::Word(words), Kind::Word(word)) => words.contains(&word.as_str()),
            (slot, Kind::Operator(operator)) => slot.takes_operator(*operator),
            _ => false,
        }
    }

    fn takes_operator(self, operator: O) -> bool {
        match self {
            Self::Count => operator == O::Count,
            Self::Aggregate => matches!(operator, O::Aggregate(_)),
            Self::Extreme => matches!(operator, O::Aggregate(Function::Maximum | Function::Minimum)),
            Self::Function => matches!(operator, O::Aggregate(_) | O::Superlative(_)),
            Self::Compare => matches!(operator, O::Compare(_)),
            Self::CompareBy => matches!(operator, O::CompareBy(_)),
            Self::OrMore => matches!(operator, O::OrMore(_)),
            Self::Between => operator == O::Between,
            Self::Negation => operator == O::Not,
            Self::Without => matches!(operator, O::Without | O::Not | O::Except),
            Self::Each => matches!(operator, O::Each | O::GroupBy),
            Self::Grain => matches!(operator, O::Grain(_)),
            Self::OrderBy => operator == O::OrderBy,
            Self::Sorted => matches!(operator, O::Sorted(_) | O::Alphabetical),
            Self::Superlative => matches!(operator, O::Superlative(_)),
            Self::SuperlativeBy => matches!(operator, O::SuperlativeBy(_)),
            Self::MostCommon => matches!(operator, O::MostCommon(_)),
            Self::Top => matches!(operator, O::Top(_)),
            Self::Or => operator == O::Or,
            Self::Either => operator == O::Either,
            Self::Pattern => matches!(operator, O::Contains | O::StartsWith | O::EndsWith),
            Self::Distinct => operator == O::Distinct,
            Self::AboveAverage => matches!(operator, O::AboveAverage(_)),
            Self::Multiple => operator == O::Multiple,
            Self::Everything => operator == O::Everything,
            _ => false,
        }
    }
}

/// Makes the fragments that a match stands for; none where the types do not fit.
pub type Builder = fn(&Context<'_>, &[&Fragment]) -> Vec<Kind>;

pub struct Rule {
    pub slots: &'static [Slot],
    pub cost: f32,
    pub build: Builder,
}

const fn rule(slots: &'static [Slot], cost: f32, build: Builder) -> Rule {
    Rule { slots, cost, build }
}

use Slot as S;

const BY: Slot = S::Word(&["by", "per"]);
const AND: Slot = S::Word(&["and", ",", "or", "to"]);

pub const RULES: &[Rule] = &[
    // Measures.
    rule(&[S::Aggregate, S::Column], 0.0, b::aggregate_of_column),
    rule(&[S::Column, S::Aggregate], 0.4, b::aggregate_behind_column),
    rule(&[S::Aggregate, S::Column, AND, S::Column], 0.0, b::aggregate_of_columns),
    rule(&[S::Aggregate, AND, S::Aggregate, S::Column], 0.0, b::aggregates_of_column),
    rule(&[S::Superlative, AND, S::Superlative, S::Column], 0.0, b::extremes_of_column),
    rule(&[S::Function, AND, S::Function, S::Column], 0.05, b::functions_of_column),
    rule(&[S::Function, AND, S::Function, AND, S::Function, S::Column], 0.0, b::functions_of_column),
    rule(&[S::SuperlativeBy, AND, S::SuperlativeBy], 0.1, b::extremes_by),
    rule(&[S::Count, S::Table, S::Column], 0.0, b::count_of_column_of),
    rule(&[S::Count, S::Table], 0.0, b::count_of_rows),
    rule(&[S::Count, S::Column], 0.1, b::count_of_column),
    rule(&[S::Count, S::Distinct, S::Column], 0.0, b::count_distinct),
    rule(&[S::Count], 0.3, b::count_of_main),
    rule(&[S::Superlative, S::Column], 0.1, b::extreme_of_column),
    rule(&[S::Aggregate, S::Measure], 0.2, b::measure_alone),
    // Conditions.
    rule(&[S::Column, S::Compare, S::Number], 0.0, b::column_compare_number),
    rule(&[S::Column, S::Number], 0.3, b::column_equals_number),
    rule(&[S::Column, S::Number, S::Or, S::Number], 0.0, b::column_either_number),
    rule(&[S::Column, S::Either, S::Number, S::Or, S::Number], 0.0, b::column_either_number),
    rule(&[S::Compare, S::Number, S::Column], 0.05, b::compare_number_column),
    rule(&[S::Compare, S::Number], 0.4, b::compare_year),
    rule(&[S::Between, S::Number, AND, S::Number], 0.4, b::between_years),
    rule(&[S::Number], 0.5, b::year_alone),
    rule(&[S::Condition, S::Or, S::Compare, S::Number], 0.0, b::or_compare_number),
    rule(&[S::Condition, S::Word(&["and", "but"]), S::Compare, S::Number], 0.05, b::and_compare_number),
    rule(&[S::Compare, S::Number, S::Table], 0.0, b::compare_number_rows),
    rule(&[S::Number, S::OrMore, S::Table], 0.0, b::number_or_more_rows),
    rule(&[S::Number, S::OrMore, S::Column], 0.05, b::number_or_more_column),
    rule(&[S::Column, S::Number, S::OrMore], 0.0, b::column_number_or_more),
    rule(&[S::Number, S::Table], 0.6, b::number_of_rows),
    rule(&[S::Multiple, S::Table], 0.0, b::multiple_rows),
    rule(&[S::Measure, S::Compare, S::Number], 0.0, b::measure_compare_number),
    rule(&[S::Compare, S::Number, S::Measure], 0.2, b::compare_number_measure),
    rule(&[S::Column, S::Compare, S::Date], 0.0, b::column_compare_date),
    rule(&[S::Column, S::Compare, S::Period], 0.0, b::column_compare_period),
    rule(&[S::Column, S::Period], 0.1, b::column_in_period),
    rule(&[S::Column, S::Date], 0.1, b::column_on_date),
    rule(&[S::Compare, S::Period], 0.1, b::compare_period),
    rule(&[S::Period], 0.2, b::in_period),
    rule(&[S::Column, S::Value], 0.0, b::column_value),
    rule(&[S::Value, S::Column], 0.0, b::value_column),
    rule(&[S::Value], 0.05, b::value_alone),
    rule(&[S::Column, S::Text], 0.05, b::column_text),
    rule(&[S::Table, S::Text], 0.2, b::rows_text),
    rule(&[S::Column, S::Negation, S::Value], 0.0, b::column_not_value),
    rule(&[S::Column, S::Compare, S::Value], 0.0, b::column_compare_value),
    rule(&[S::Column, S::Between, S::Number, AND, S::Number], 0.0, b::column_between),
    rule(&[S::Between, S::Number, AND, S::Number, S::Column], 0.2, b::between_column),
    rule(&[S::Column, S::Between, S::Date, AND, S::Date], 0.0, b::column_between_dates),
    rule(&[S::Column, S::Pattern, S::Text], 0.0, b::column_pattern),
    rule(&[S::Column, S::Pattern, S::Value], 0.1, b::column_pattern),
    rule(&[S::Pattern, S::Text, S::Column], 0.2, b::pattern_column),
    rule(&[S::CompareBy, S::Number], 0.0, b::compare_by_number),
    rule(&[S::AboveAverage, S::Column], 0.0, b::above_average),
    rule(&[S::Column, S::AboveAverage], 0.0, b::column_above_average),
    rule(&[S::Column, S::AboveAverage, S::Column], 0.0, b::column_above_average),
    rule(&[S::Column, S::Compare, S::Measure], 0.0, b::column_compare_measure),
    rule(&[S::CompareBy, S::Measure], 0.0, b::compare_by_measure),
    rule(&[S::Column, S::Compare, S::Column], 0.3, b::column_compare_column),
    rule(&[S::Column], 0.1, b::flag_column),
    rule(&[S::Column, S::Word(&["missing", "null", "empty", "unknown"])], 0.0, b::column_missing),
    rule(&[S::Negation, S::Condition], 0.0, b::not_condition),
    rule(&[S::Condition, S::Or, S::Condition], 0.0, b::either_condition),
    rule(&[S::Condition, S::Word(&["or", ",", "and"]), S::Value], 0.1, b::further_value),
    rule(&[S::Without, S::Table], 0.0, b::without_rows),
    rule(&[S::Without, S::Column], 0.2, b::without_column),
    rule(&[S::Without, S::Table, S::Condition], 0.0, b::without_rows_that),
    rule(&[S::Without, S::Condition, S::Table], 0.0, b::without_those_rows),
    // Groups.
    rule(&[S::Each, S::Column], 0.0, b::each_column),
    rule(&[S::Each, S::Table], 0.0, b::each_row),
    rule(&[BY, S::Column], 0.05, b::each_column),
    rule(&[BY, S::Table], 0.05, b::each_row),
    rule(&[S::Grain], 0.0, b::each_unit),
    // Orders.
    rule(&[S::Superlative, S::Column], 0.0, b::superlative_column),
    rule(&[S::Extreme, S::Column], 0.3, b::superlative_column),
    rule(&[S::Superlative, S::Table], 0.0, b::superlative_rows),
    rule(&[S::Superlative, S::Measure], 0.0, b::superlative_measure),
    rule(&[S::Measure, S::Superlative], 0.3, b::measure_superlative),
    rule(&[S::Column, S::Superlative], 0.3, b::column_superlative),
    rule(&[S::SuperlativeBy], 0.0, b::superlative_by),
    rule(&[S::SuperlativeBy, S::Column], 0.0, b::superlative_by_column),
    rule(&[S::Number, S::SuperlativeBy], 0.0, b::several_superlative_by),
    rule(&[S::Number, S::Superlative, S::Column], 0.0, b::several_superlative_column),
    rule(&[S::Number, S::Superlative, S::Table], 0.0, b::several_superlative_rows),
    rule(&[S::Top, S::Number], 0.0, b::top_number),
    rule(&[S::Word(&["first"]), S::Number], 0.2, b::first_number),
    rule(&[S::MostCommon, S::Column], 0.0, b::most_common),
    rule(&[S::Number, S::MostCommon, S::Column], 0.0, b::several_most_common),
    rule(&[S::MostCommon, S::Table], 0.1, b::most_common_rows),
    rule(&[S::OrderBy, S::Column, S::Sorted], 0.0, b::order_by_sorted),
    rule(&[S::OrderBy, S::Measure, S::Sorted], 0.0, b::order_by_sorted),
    rule(&[S::OrderBy, S::Column], 0.0, b::order_by),
    rule(&[S::OrderBy, S::Measure], 0.0, b::order_by),
    rule(&[S::OrderBy, S::Table], 0.2, b::order_by_rows),
    rule(&[S::Sorted, S::Column], 0.0, b::sorted_by),
    rule(&[S::Sorted, S::Measure], 0.0, b::sorted_by),
    rule(&[S::Column, S::Sorted], 0.1, b::column_sorted),
    rule(&[S::OrderBy, S::Sorted], 0.0, b::sorted_alone),
    rule(&[S::Sorted], 0.2, b::sorted_only),
    rule(&[S::Everything, S::Table], 0.0, b::everything_of),
];

//! What the judge looks at.

use std::collections::BTreeSet;

use super::ambiguity::ambiguity;
use super::locality::{Locality, locality};
use super::relations::relations;
use super::roles::roles;
use crate::accounting::{Accounting, Loss, Usage};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Expr, Function, Query};
use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex, TableId};

macro_rules! feature_list {
    ($($name:ident),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Feature { $($name),* }

        /// Their names, in the order of the values.
        pub const FEATURES: &[&str] = &[$(stringify!($name)),*];

        impl Feature {
            const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

feature_list! {
    UnusedContent, UnusedNumber, UnusedName, UnusedNegation, UnusedSuperlative, UnusedComparison, UnusedGrouping,
    UnusedAggregate, UnusedOrder, UnusedConnective, UnusedShape, ShareUsed,
    TableLinkLoss, ColumnLinkLoss, ValueLinkLoss, OperatorLoss,
    TablesUsed, ColumnsUsed, ValuesUsed,
    Joins, MultiplyingJoins, UnnamedTables, UnnamedBridges,
    Shown, UnnamedShown, UnnamedLabel, UnnamedKey, ShownTwiceNamed,
    UnnamedCompared, UnnamedGrouped, UnnamedOrdered, UnsaidText, UnsaidNumber, UnsaidDate,
    UnsaidCount, UnsaidAggregate, UnsaidOrder, UnsaidLimit, UnsaidGroup, UnsaidNegation, UnsaidDisjunction,
    UnsaidDistinct, SaidNotDistinct, DistinctOfUnique, DistinctPlural, UnsaidEverything, UnsaidShape,
    CountOfUnnamed, CountDistinct, Conditions, Havings, Nested, Intersections, Exceptions, Unions, Summaries, References,
    ColumnNearTable, ColumnNearOther, ColumnTableUnnamed, ValueNearColumn, ValueNearTable, ValueElsewhere,
    FunctionNear, FunctionFar, SuperlativeNear, SuperlativeFar, CompareNear, CompareFar,
    ShownBehindClause, ComparedBeforeClause, GroupNear, GroupFar, FirstNounShown, FirstNounHidden,
    LabelForRows, KeyForRows, EverythingForRows, ExtraColumnOfRows, SumOfText, AverageOfKey, OrderByText,
    NumberOnKey, NumberOnText, TiesKept, LimitOne,
    HeadColumnShown, HeadColumnHidden, HeadTableShown, RoleDeficit, GroupShown, GroupHidden, CountSaidHidden, CountShownUnsaid,
    Contradiction, DistinctWithoutJoin, DistinctWithJoin, DistinctOrdered, UnnamedMeasured, WhenAnswered, WhenMissed, WhereAnswered,
    WhereMissed, WhoAnswered, WhoMissed, OrUnsaid, ConditionsOverMentions, ShownOverMentions, KeysGrouped, OrderShown,
    SelectTables, HavingOfNamed, UnusedWeak,
    FromProcedure, FromChart, FromEdit, AgreedByProcedure,
    ExpectedShown, ExpectedPlain, ExpectedMeasures, ExpectedGroups, ExpectedOrder, ExpectedConditions, ExpectedJoins,
    ExpectedKinds, ExpectedRepeats, ExpectedSets,
    NameSplit, NearerSibling, CountOfNamesake, Division, FarValue, RoleNamed, RoleMissed,
    PatternMissed, AgreesShown, AgreesConditions, AgreesGroups, AgreesOrder, AgreesRepeats, AgreesSets, AgreesTables,
    ReadAlikeByStyles, ReadAlikeByChart, ChartRank,
    SharedParent, ListedAlike, ListedApart, FunctionOfBoth, FunctionOfOne, YearElsewhere,
    GroupedByHidden, GroupedEachHidden, LeftGroup, DateAsMeasure,
    SurpassedWhole, SurpassedShown, SurpassedConditions, SurpassedGroups, SurpassedOrder, SurpassedRepeats, SurpassedSets,
    SurpassedTables, SurpassedClearly, OutlinkedWhole, OutlinkedShown, OutlinkedConditions, OutlinkedOrder, OutlinkedTables,
}

/// The values of all features of one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    pub values: Vec<f32>,
}

impl Features {
    fn none() -> Self {
        Self { values: vec![0.0; Feature::ALL.len()] }
    }

    pub fn set(&mut self, feature: Feature, value: f32) {
        self.values[feature as usize] = value;
    }

    pub fn add(&mut self, feature: Feature, value: f32) {
        self.values[feature as usize] += value;
    }

    #[must_use]
    pub fn get(&self, feature: Feature) -> f32 {
        self.values[feature as usize]
    }
}

/// The features of a query as a reading of a question.
#[must_use]
pub fn features(
    index: &ModelIndex,
    lattice: &Lattice<'_>,
    query: &Query,
    usage: &Usage,
    accounting: &Accounting,
) -> Features {
    let mut found = Features::none();
    let said = Said::of(lattice, accounting);
    losses(accounting, &mut found);
    links(lattice, accounting, &mut found);
    unnamed(index, query, usage, &said, &mut found);
    unsaid(index, lattice, query, usage, &said, &mut found);
    shape(index, lattice, query, usage, &mut found);
    near(index, lattice, usage, accounting, &mut found);
    roles(index, lattice, query, usage, accounting, &mut found);
    ambiguity(index, lattice, query, usage, accounting, &mut found);
    relations(index, lattice, query, usage, accounting, &mut found);
    found
}

/// What the used words of the question name.
struct Said {
    tables: BTreeSet<TableId>,
    columns: BTreeSet<ColumnId>,
    texts: Vec<String>,
    numbers: usize,
    dates: usize,
    operators: Vec<Operator>,
}

impl Said {
    fn of(lattice: &Lattice<'_>, accounting: &Accounting) -> Self {
        let mut said = Self {
            tables: BTreeSet::new(),
            columns: BTreeSet::new(),
            texts: Vec::new(),
            numbers: 0,
            dates: 0,
            operators: Vec::new(),
        };
        for (number, _) in &accounting.used {
            match &lattice.items[*number].meaning {
                Meaning::Table(table) => {
                    said.tables.insert(*table);
                }
                Meaning::Column(column) => {
                    said.columns.insert(*column);
                }
                Meaning::Value(column, text) => {
                    said.columns.insert(*column);
                    said.texts.push(text.to_lowercase());
                }
                Meaning::Quoted(text) => said.texts.push(text.to_lowercase()),
                Meaning::Number(_) => said.numbers += 1,
                Meaning::Date(_) | Meaning::Period(_) => said.dates += 1,
                Meaning::Operator(operator) => said.operators.push(*operator),
            }
        }
        said
    }

    fn has(&self, wanted: impl Fn(&Operator) -> bool) -> bool {
        self.operators.iter().any(wanted)
    }
}

fn losses(accounting: &Accounting, found: &mut Features) {
    let of = |loss| accounting.count(loss) as f32;
    found.set(Feature::UnusedContent, of(Loss::Content));
    found.set(Feature::UnusedNumber, of(Loss::Number));
    found.set(Feature::UnusedName, of(Loss::Name));
    found.set(Feature::UnusedNegation, of(Loss::Negation));
    found.set(Feature::UnusedSuperlative, of(Loss::Superlative));
    found.set(Feature::UnusedComparison, of(Loss::Comparison));
    found.set(Feature::UnusedGrouping, of(Loss::Grouping));
    found.set(Feature::UnusedAggregate, of(Loss::Aggregate));
    found.set(Feature::UnusedOrder, of(Loss::Order));
    found.set(Feature::UnusedConnective, of(Loss::Connective));
    found.set(Feature::UnusedShape, of(Loss::Shape));
    found.set(Feature::UnusedWeak, accounting.unused_weak as f32);
    found.set(Feature::ShareUsed, accounting.share_used);
}

fn links(lattice: &Lattice<'_>, accounting: &Accounting, found: &mut Features) {
    for (number, said) in &accounting.used {
        let item = &lattice.items[*number];
        let loss = 1.0 - said * item.quality;
        match item.meaning {
            Meaning::Table(_) => {
                found.add(Feature::TableLinkLoss, loss);
                found.add(Feature::TablesUsed, 1.0);
            }
            Meaning::Column(_) => {
                found.add(Feature::ColumnLinkLoss, loss);
                found.add(Feature::ColumnsUsed, 1.0);
            }
            Meaning::Value(..) | Meaning::Quoted(_) => {
                found.add(Feature::ValueLinkLoss, loss);
                found.add(Feature::ValuesUsed, 1.0);
            }
            Meaning::Operator(_) => found.add(Feature::OperatorLoss, loss),
            Meaning::Number(_) | Meaning::Date(_) | Meaning::Period(_) => {}
        }
    }
}

/// Tables and columns of the query that no word names.
fn unnamed(index: &ModelIndex, query: &Query, usage: &Usage, said: &Said, found: &mut Features) {
    let of_columns: BTreeSet<TableId> = said.columns.iter().map(|column| index.columns[*column].table).collect();
    let is_named = |table: &TableId| said.tables.contains(table) || of_columns.contains(table);
    for table in usage.joined.iter().filter(|table| !is_named(table)) {
        let feature = if index.is_bridge(*table) { Feature::UnnamedBridges } else { Feature::UnnamedTables };
        found.add(feature, 1.0);
    }
    for expr in &query.select {
        let Expr::Column(column) = expr else { continue };
        if said.columns.contains(column) {
            continue;
        }
        let table = index.columns[*column].table;
        let feature = if index.label(table).contains(column) {
            Feature::UnnamedLabel
        } else if index.is_key(*column) {
            Feature::UnnamedKey
        } else {
            Feature::UnnamedShown
        };
        found.add(feature, 1.0);
    }
    // A semi-join compares references, as a join does; no word has to name them.
    let links = |column: &ColumnId| usage.nested > 0 && (index.is_key(*column) || index.is_reference(*column));
    let mut count = |feature, columns: &BTreeSet<ColumnId>| {
        let is_hidden = |column: &&ColumnId| !usage.selected.contains(column) && !links(column);
        let unnamed = columns.iter().filter(|column| !said.columns.contains(column) && is_hidden(column));
        found.add(feature, unnamed.count() as f32);
    };
    count(Feature::UnnamedCompared, &usage.compared);
    count(Feature::UnnamedGrouped, &usage.grouped);
    count(Feature::UnnamedOrdered, &usage.ordered);
    let uncounted = usage.counted.iter().filter(|table| !is_named(table));
    found.add(Feature::CountOfUnnamed, uncounted.count() as f32);
}

/// Operations of the query that no word asks for.
fn unsaid(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, usage: &Usage, said: &Said, found: &mut Features) {
    let lower = |(_, text): &&(ColumnId, String)| !said.texts.contains(&text.to_lowercase());
    found.set(Feature::UnsaidText, usage.texts.iter().filter(lower).count() as f32);
    let numbers = usage.numbers.len().saturating_sub(said.numbers + said.dates);
    let implied = said.has(|operator| matches!(operator, Operator::Multiple | Operator::Times(_) | Operator::Without));
    found.set(Feature::UnsaidNumber, numbers as f32 - f32::from(u8::from(implied && numbers > 0)));
    found.set(Feature::UnsaidDate, f32::from(u8::from(!usage.dates.is_empty() && said.dates + said.numbers == 0)));
    let mut flag = |feature, value: bool| found.set(feature, f32::from(u8::from(value)));
    let counts = |operator: &Operator| {
        matches!(
            operator,
            Operator::Count
                | Operator::CountTimes
                | Operator::Times(_)
                | Operator::Multiple
                | Operator::MostCommon(_)
                | Operator::Superlative(_)
                | Operator::Top(_)
                | Operator::Compare(_)
                | Operator::Without
                | Operator::Aggregate(Function::Average)
        )
    };
    flag(Feature::UnsaidCount, usage.counts() && !said.has(counts));
    let aggregates =
        |operator: &Operator| matches!(operator, Operator::Aggregate(_) | Operator::AboveAverage(_) | Operator::Count);
    let extremes = |operator: &Operator| {
        matches!(operator, Operator::Superlative(_) | Operator::SuperlativeBy(_) | Operator::Top(_))
    };
    let plain = |(function, _): &(Function, Option<ColumnId>)| {
        matches!(function, Function::Sum | Function::Average | Function::Maximum | Function::Minimum | Function::Median)
    };
    flag(Feature::UnsaidAggregate, usage.functions.iter().any(plain) && !said.has(aggregates) && !said.has(extremes));
    let orders = |operator: &Operator| {
        matches!(
            operator,
            Operator::OrderBy
                | Operator::Sorted(_)
                | Operator::SortedBy(_)
                | Operator::Alphabetical
                | Operator::MostCommon(_)
                | Operator::Grain(_)
                | Operator::Over(_)
                | Operator::GrowthExtreme(_)
                | Operator::RunningTotal
        )
    };
    let ordered = !usage.directions.is_empty();
    let maximum = |operator: &Operator| matches!(operator, Operator::Aggregate(Function::Maximum | Function::Minimum));
    flag(Feature::UnsaidOrder, ordered && !said.has(orders) && !said.has(extremes) && !said.has(maximum));
    let limits = |operator: &Operator| {
        matches!(operator, Operator::MostCommon(_) | Operator::GrowthExtreme(_))
            || extremes(operator)
            || maximum(operator)
    };
    flag(Feature::UnsaidLimit, !usage.limits.is_empty() && !said.has(limits));
    let groups = |operator: &Operator| {
        matches!(
            operator,
            Operator::Each | Operator::GroupBy | Operator::MostCommon(_) | Operator::Grain(_) | Operator::Over(_)
        )
    };
    let by = lattice.words.iter().any(|word| matches!(word.lower.as_str(), "by" | "per"));
    flag(
        Feature::UnsaidGroup,
        usage.is_grouped && !said.has(groups) && !by && usage.havings == 0 && usage.limits.is_empty(),
    );
    let negates = |operator: &Operator| {
        matches!(
            operator,
            Operator::Not | Operator::Without | Operator::Except | Operator::Compare(Comparison::NotEqual)
        )
    };
    flag(Feature::UnsaidNegation, usage.negations + usage.exceptions > 0 && !said.has(negates));
    let joins =
        |operator: &Operator| matches!(operator, Operator::Or | Operator::Either | Operator::And | Operator::Versus);
    flag(Feature::UnsaidDisjunction, usage.disjunctions + usage.unions > 0 && !said.has(joins));
    let shapes = |operator: &Operator| {
        matches!(
            operator,
            Operator::Share
                | Operator::Ratio
                | Operator::Versus
                | Operator::SamePeriodLastYear
                | Operator::Over(_)
                | Operator::Growth
                | Operator::GrowthExtreme(_)
                | Operator::RunningTotal
                | Operator::PeriodBefore(_)
                | Operator::Makes
        )
    };
    let shaped = usage.shares + usage.ratios + usage.growths + usage.running_totals + usage.periods_beside;
    flag(Feature::UnsaidShape, shaped > 0 && !said.has(shapes) && !by);
    let once = |operator: &Operator| matches!(operator, Operator::Distinct | Operator::Once);
    let repeats = !usage.is_grouped && !query.select.iter().any(Expr::is_aggregate);
    let unique = query
        .select
        .iter()
        .any(|expr| matches!(expr, Expr::Column(column) if index.columns[*column].unique && usage.multiplying == 0));
    let is_unsaid = query.distinct && !said.has(once);
    flag(Feature::DistinctWithoutJoin, is_unsaid && usage.joins == 0);
    flag(Feature::DistinctWithJoin, is_unsaid && usage.joins > 0);
    flag(Feature::DistinctOrdered, is_unsaid && !query.order.is_empty());
    flag(Feature::SaidNotDistinct, !query.distinct && repeats && said.has(once) && !unique);
    flag(Feature::UnsaidEverything, usage.everything && !said.has(|operator| *operator == Operator::Everything));
}

fn shape(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, usage: &Usage, found: &mut Features) {
    found.set(Feature::Joins, usage.joins as f32);
    found.set(Feature::MultiplyingJoins, usage.multiplying as f32);
    found.set(Feature::Shown, query.select.len() as f32);
    found.set(Feature::Conditions, usage.conditions as f32);
    found.set(Feature::Havings, usage.havings as f32);
    found.set(Feature::Nested, usage.nested as f32);
    found.set(Feature::Intersections, usage.intersections as f32);
    found.set(Feature::Exceptions, usage.exceptions as f32);
    found.set(Feature::Unions, usage.unions as f32);
    found.set(Feature::References, usage.references as f32);
    let mut flag = |feature, value: bool| found.set(feature, f32::from(u8::from(value)));
    flag(Feature::Summaries, usage.summary);
    flag(Feature::CountDistinct, usage.has_function(&[Function::CountDistinct]));
    flag(Feature::LimitOne, query.limit == Some(1));
    flag(
        Feature::TiesKept,
        query.limit.is_none() && usage.has_function(&[Function::Maximum, Function::Minimum]) && usage.nested > 0,
    );
    let of_kind = |wanted: fn(&ModelIndex, ColumnId) -> bool, functions: &[Function]| {
        usage.functions.iter().any(|(function, column)| {
            functions.contains(function) && column.is_some_and(|column| wanted(index, column))
        })
    };
    let is_text = |index: &ModelIndex, column: ColumnId| index.columns[column].data == DataKind::Text;
    let is_code = |index: &ModelIndex, column: ColumnId| index.is_key(column) || index.is_reference(column);
    flag(Feature::SumOfText, of_kind(is_text, &[Function::Sum, Function::Average]));
    flag(Feature::AverageOfKey, of_kind(is_code, &[Function::Sum, Function::Average, Function::Maximum]));
    let by_text = query.order.iter().any(|(expr, _)| matches!(expr, Expr::Column(column) if is_text(index, *column)));
    flag(Feature::OrderByText, by_text && query.limit.is_some());
    let numbers_said = lattice.items.iter().any(|item| matches!(item.meaning, Meaning::Number(_)));
    let on_key = usage.compared.iter().any(|column| is_code(index, *column)) && !usage.numbers.is_empty();
    flag(Feature::NumberOnKey, on_key && numbers_said && usage.nested == 0);
    let on_text = usage.compared.iter().any(|column| is_text(index, *column)) && !usage.numbers.is_empty();
    flag(Feature::NumberOnText, on_text && usage.texts.is_empty());
    rows_shown(index, lattice, query, found);
}

/// How the rows that are asked for are shown.
fn rows_shown(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Features) {
    let plain: Vec<ColumnId> = query
        .select
        .iter()
        .filter_map(|expr| if let Expr::Column(column) = expr { Some(*column) } else { None })
        .collect();
    let named = |column: &ColumnId| {
        lattice.items.iter().any(|item| matches!(&item.meaning, Meaning::Column(other) if other == column))
    };
    let is_label = |column: &ColumnId| index.label(index.columns[*column].table).contains(column);
    let mut flag = |feature, value: bool| found.set(feature, f32::from(u8::from(value)));
    flag(Feature::LabelForRows, plain.iter().any(|column| is_label(column) && !named(column)));
    flag(Feature::KeyForRows, plain.iter().any(|column| index.is_key(*column) && !named(column)));
    flag(Feature::EverythingForRows, query.select.iter().any(|expr| matches!(expr, Expr::Everything(_))));
    let extra = plain.len() > 1 && plain.iter().any(|column| !named(column));
    flag(Feature::ExtraColumnOfRows, extra);
}

fn near(index: &ModelIndex, lattice: &Lattice<'_>, usage: &Usage, accounting: &Accounting, found: &mut Features) {
    let Locality { counts } = locality(index, lattice, usage, accounting);
    for (feature, value) in counts {
        found.add(feature, value);
    }
}

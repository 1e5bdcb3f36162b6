//! The cheapest cover of a question's words by candidates that the query says. What no such candidate covers is unused, and
//! costs by what it says.

use super::explains::explains;
use super::usage::Usage;
use crate::interpretation::operators::Operator;
use crate::lattice::{Item, Lattice, Meaning, WordClass, word_class};
use crate::links::model_index::ModelIndex;

/// From this quality on words are a name, not like one.
const EXACT: f32 = 0.95;

/// What is lost with a word that the query does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    Nothing,
    /// A general noun that may be part of a name: `id`, `name`, `number`.
    Weak,
    Content,
    Number,
    Name,
    Negation,
    Superlative,
    Comparison,
    Grouping,
    Aggregate,
    Order,
    Connective,
    /// Shares, growth, running totals and the like.
    Shape,
}

impl Loss {
    fn cost(self) -> f32 {
        match self {
            Self::Nothing => 0.0,
            Self::Weak => 0.15,
            Self::Connective => 0.3,
            Self::Content | Self::Order | Self::Grouping => 1.0,
            Self::Aggregate | Self::Comparison => 1.2,
            Self::Number | Self::Name | Self::Negation | Self::Superlative | Self::Shape => 1.5,
        }
    }

    /// A reading that loses this cannot be sure.
    #[must_use]
    pub fn is_grave(self) -> bool {
        matches!(
            self,
            Self::Number
                | Self::Name
                | Self::Negation
                | Self::Superlative
                | Self::Comparison
                | Self::Grouping
                | Self::Aggregate
                | Self::Shape
        )
    }
}

/// Where the words of a question went.
#[derive(Debug, Clone, Default)]
pub struct Accounting {
    /// Items of the lattice that the query says, with how well.
    pub used: Vec<(usize, f32)>,
    /// Words that nothing of the query stands for.
    pub unused: Vec<(usize, Loss)>,
    /// General nouns that stand for nothing of the query.
    pub unused_weak: usize,
    /// Content of the question that is used, from 0 to 1.
    pub share_used: f32,
}

impl Accounting {
    #[must_use]
    pub fn count(&self, loss: Loss) -> usize {
        self.unused.iter().filter(|(_, other)| *other == loss).count()
    }

    /// The candidates of the lattice that the query says.
    #[must_use]
    pub fn used_items<'a>(&self, lattice: &'a Lattice<'_>) -> Vec<&'a Item> {
        self.used.iter().map(|(number, _)| &lattice.items[*number]).collect()
    }

    #[must_use]
    pub fn has_grave_loss(&self) -> bool {
        self.unused.iter().any(|(_, loss)| loss.is_grave())
    }
}

/// What is lost with each word, if it is not used. An operator of several words is lost with its first telling word.
#[must_use]
pub fn losses(lattice: &Lattice<'_>) -> Vec<Loss> {
    let mut losses: Vec<Loss> = lattice
        .classes
        .iter()
        .map(|class| match class {
            WordClass::Filler => Loss::Nothing,
            WordClass::Content => Loss::Content,
            WordClass::Number => Loss::Number,
            WordClass::Name => Loss::Name,
        })
        .collect();
    for item in &lattice.items {
        let Meaning::Operator(operator) = item.meaning else { continue };
        let telling = (item.start..item.end).find(|at| !is_opening(&lattice.words[*at].lower));
        // `over`, `after` and the like are prepositions as often as comparisons.
        if let Some(at) = telling.filter(|at| !is_preposition(&lattice.words[*at].lower)) {
            losses[at] = losses[at].max(loss_of(operator));
        }
    }
    for item in lattice.items.iter().filter(|item| is_name(item)) {
        for (loss, word) in losses[item.start..item.end].iter_mut().zip(&lattice.words[item.start..item.end]) {
            if *loss == Loss::Nothing && word_class::is_general_noun(&word.lower) {
                *loss = Loss::Weak;
            }
        }
    }
    lose_groups(lattice, &mut losses);
    losses
}

fn is_name(item: &Item) -> bool {
    matches!(item.meaning, Meaning::Table(_) | Meaning::Column(_))
}

/// `by full name`: the groups are lost with the name, however general its words are.
fn lose_groups(lattice: &Lattice<'_>, losses: &mut [Loss]) {
    for item in lattice.items.iter().filter(|item| is_name(item) && item.quality >= EXACT) {
        let is_behind = item.start.checked_sub(1).is_some_and(|at| opens_group(&lattice.words[at].lower));
        if is_behind && losses[item.start..item.end].iter().all(|loss| *loss <= Loss::Weak) {
            losses[item.end - 1] = Loss::Grouping;
        }
    }
}

/// Whether what follows the word is what things are grouped by.
#[must_use]
pub fn opens_group(lower: &str) -> bool {
    matches!(lower, "by" | "per")
}

/// Whether an operator that says nothing by itself stands where words are the name of a column: `full name`.
fn is_shadowed(lattice: &Lattice<'_>, item: &Item) -> bool {
    let is_silent = matches!(item.meaning, Meaning::Operator(operator) if loss_of(operator) == Loss::Nothing);
    let names_it =
        |other: &Item| (other.start, other.end) == (item.start, item.end) && is_name(other) && other.quality >= EXACT;
    is_silent && lattice.items.iter().any(names_it)
}

fn is_opening(lower: &str) -> bool {
    matches!(
        lower,
        "the"
            | "a"
            | "an"
            | "in"
            | "for"
            | "of"
            | "from"
            | "by"
            | "at"
            | "as"
            | "to"
            | "on"
            | "among"
            | "across"
            | "how"
            | "with"
            | "have"
            | "has"
            | "do"
            | "but"
            | "what"
            | "percent"
            | "all"
            | "listed"
            | "same"
            | "total"
    )
}

fn is_preposition(lower: &str) -> bool {
    matches!(
        lower,
        "over" | "under" | "through" | "since" | "until" | "outside" | "late" | "early" | "after" | "before"
    )
}

fn loss_of(operator: Operator) -> Loss {
    match operator {
        Operator::Not | Operator::Without | Operator::Except => Loss::Negation,
        Operator::Superlative(_)
        | Operator::SuperlativeBy(_)
        | Operator::MostCommon(_)
        | Operator::Top(_)
        | Operator::GrowthExtreme(_) => Loss::Superlative,
        Operator::Compare(_)
        | Operator::CompareBy(_)
        | Operator::OrMore(_)
        | Operator::Between
        | Operator::AboveAverage(_)
        | Operator::Multiple
        | Operator::Times(_)
        | Operator::Contains
        | Operator::StartsWith
        | Operator::EndsWith
        | Operator::Punctual(_) => Loss::Comparison,
        Operator::GroupBy | Operator::Grain(_) | Operator::Each => Loss::Grouping,
        Operator::Count | Operator::Aggregate(_) | Operator::CountTimes => Loss::Aggregate,
        Operator::OrderBy | Operator::Sorted(_) | Operator::SortedBy(_) | Operator::Alphabetical => Loss::Order,
        Operator::Or | Operator::Both | Operator::Either => Loss::Connective,
        Operator::Share
        | Operator::Ratio
        | Operator::Versus
        | Operator::SamePeriodLastYear
        | Operator::Over(_)
        | Operator::Growth
        | Operator::RunningTotal
        | Operator::PeriodBefore(_) => Loss::Shape,
        Operator::Distinct
        | Operator::Once
        | Operator::And
        | Operator::Everything
        | Operator::Full
        | Operator::Makes => Loss::Nothing,
    }
}

/// Accounts for every word of the question.
#[must_use]
pub fn account(index: &ModelIndex, lattice: &Lattice<'_>, losses: &[Loss], usage: &Usage) -> Accounting {
    let count = lattice.words.len();
    let explained = |item: &Item| if is_shadowed(lattice, item) { 0.0 } else { explains(index, usage, &item.meaning) };
    let said: Vec<f32> = lattice.items.iter().map(explained).collect();
    let mut costs = vec![0.0_f32; count + 1];
    let mut choices: Vec<Option<usize>> = vec![None; count];
    for at in (0..count).rev() {
        costs[at] = losses[at].cost() + costs[at + 1];
        for (number, item) in lattice.starting_at(at).filter(|(number, _)| said[*number] > 0.0) {
            let cost = covering_cost(item, said[number], losses) + costs[item.end];
            if cost < costs[at] {
                costs[at] = cost;
                choices[at] = Some(number);
            }
        }
    }
    collect(lattice, losses, &said, &choices)
}

/// A perfect link costs next to nothing; a weak one a part of what its words say.
fn covering_cost(item: &Item, said: f32, losses: &[Loss]) -> f32 {
    let content: f32 = losses[item.start..item.end].iter().map(|loss| loss.cost()).sum();
    content * (1.0 - said * item.quality) * 0.6 + 0.02
}

fn collect(lattice: &Lattice<'_>, losses: &[Loss], said: &[f32], choices: &[Option<usize>]) -> Accounting {
    let mut accounting = Accounting::default();
    let whole: f32 = losses.iter().map(|loss| loss.cost()).sum();
    let mut lost = 0.0;
    let mut at = 0;
    while at < choices.len() {
        match choices[at] {
            Some(number) => {
                accounting.used.push((number, said[number]));
                at = lattice.items[number].end;
            }
            None => {
                accounting.unused_weak += usize::from(losses[at] == Loss::Weak);
                if losses[at] > Loss::Weak {
                    accounting.unused.push((at, losses[at]));
                }
                if losses[at] != Loss::Nothing {
                    lost += losses[at].cost();
                }
                at += 1;
            }
        }
    }
    accounting.share_used = if whole > 0.0 { 1.0 - lost / whole } else { 0.0 };
    accounting
}

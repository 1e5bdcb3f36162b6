//! The PATTERN of a MATCH_RECOGNIZE as a program for the engine's matcher, which tries alternatives in their order:
//!
//! `c0` takes a row that satisfies symbol 0, `x0` takes one that is left out of the output, `s3,5` goes on at 3 and,
//! where that fails, at 5, `j3` goes on at 3, `b` and `e` hold at the beginning and the end of the partition, `m` is a
//! match.

use super::refusals::refuse;
use crate::Failure;
use crate::ast::{Ident, MatchRecognizePattern as Pattern, MatchRecognizeSymbol as Symbol, RepetitionQuantifier};
use crate::query_parts::same_name;

const STEPS_MAX: usize = 2_000;
const PERMUTED_MAX: usize = 5;
const SYMBOLS_MAX: usize = 64;

/// A pattern's program and the symbols it names, in the order of their numbers.
pub(super) struct Program {
    steps: Vec<String>,
    pub(super) symbols: Vec<Ident>,
    pub(super) leaves_rows_out: bool,
    pub(super) can_be_empty: bool,
}

impl Program {
    pub(super) fn of(pattern: &Pattern) -> Result<Self, Failure> {
        let can_be_empty = least(pattern) == 0;
        let mut program = Self { steps: Vec::new(), symbols: Vec::new(), leaves_rows_out: false, can_be_empty };
        program.add(pattern)?;
        program.step("m".to_owned())?;
        refuse(program.symbols.is_empty(), "PATTERN without a symbol")?;
        Ok(program)
    }

    pub(super) fn text(&self) -> String {
        self.steps.join(" ")
    }

    pub(super) fn number(&self, symbol: &Ident) -> Option<usize> {
        self.symbols.iter().position(|known| same_name(known, symbol))
    }

    fn step(&mut self, step: String) -> Result<usize, Failure> {
        refuse(self.steps.len() >= STEPS_MAX, "PATTERN of this size")?;
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn take(&mut self, symbol: &Symbol, letter: char) -> Result<(), Failure> {
        match symbol {
            Symbol::Start => self.step("b".to_owned()).map(drop),
            Symbol::End => self.step("e".to_owned()).map(drop),
            Symbol::Named(name) => {
                let number = match self.number(name) {
                    Some(number) => number,
                    None => {
                        refuse(self.symbols.len() >= SYMBOLS_MAX, "PATTERN with so many symbols")?;
                        self.symbols.push(name.clone());
                        self.symbols.len() - 1
                    }
                };
                self.step(format!("{letter}{number}")).map(drop)
            }
        }
    }

    fn add(&mut self, pattern: &Pattern) -> Result<(), Failure> {
        match pattern {
            Pattern::Symbol(symbol) => self.take(symbol, 'c'),
            Pattern::Exclude(symbol) => {
                self.leaves_rows_out = true;
                self.take(symbol, 'x')
            }
            Pattern::Concat(parts) => parts.iter().try_for_each(|part| self.add(part)),
            Pattern::Group(inside) => self.add(inside),
            Pattern::Permute(symbols) => {
                refuse(symbols.len() > PERMUTED_MAX, "PERMUTE of so many symbols")?;
                let orders = permutations(symbols.len());
                let one = |order: &Vec<usize>| {
                    Pattern::Concat(order.iter().map(|index| Pattern::Symbol(symbols[*index].clone())).collect())
                };
                self.alternatives(&orders.iter().map(one).collect::<Vec<_>>())
            }
            Pattern::Alternation(patterns) => self.alternatives(patterns),
            // A question mark right behind a quantifier makes it reluctant.
            Pattern::Repetition(inside, RepetitionQuantifier::AtMostOne) => match inside.as_ref() {
                Pattern::Repetition(repeated, quantifier) => self.repeat(repeated, quantifier, Greed::Reluctant),
                inside => self.repeat(inside, &RepetitionQuantifier::AtMostOne, Greed::Greedy),
            },
            Pattern::Repetition(inside, quantifier) => self.repeat(inside, quantifier, Greed::Greedy),
        }
    }

    fn alternatives(&mut self, patterns: &[Pattern]) -> Result<(), Failure> {
        let mut ends = Vec::new();
        for (index, pattern) in patterns.iter().enumerate() {
            if index + 1 == patterns.len() {
                self.add(pattern)?;
                continue;
            }
            let split = self.step(String::new())?;
            self.add(pattern)?;
            ends.push(self.step(String::new())?);
            self.steps[split] = format!("s{},{}", split + 1, self.steps.len());
        }
        for end in ends {
            self.steps[end] = format!("j{}", self.steps.len());
        }
        Ok(())
    }

    fn repeat(&mut self, inside: &Pattern, quantifier: &RepetitionQuantifier, greed: Greed) -> Result<(), Failure> {
        let (least, most) = bounds(quantifier);
        refuse(most.is_some_and(|most| most < least), "PATTERN with a range that is upside down")?;
        for _ in 0..least {
            self.add(inside)?;
        }
        let Some(most) = most else {
            let split = self.step(String::new())?;
            self.add(inside)?;
            self.step(format!("j{split}"))?;
            self.steps[split] = greed.split(split + 1, self.steps.len());
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.step(String::new())?);
            self.add(inside)?;
        }
        for split in splits {
            self.steps[split] = greed.split(split + 1, self.steps.len());
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Greed {
    Greedy,
    Reluctant,
}

impl Greed {
    fn split(self, more: usize, enough: usize) -> String {
        match self {
            Self::Greedy => format!("s{more},{enough}"),
            Self::Reluctant => format!("s{enough},{more}"),
        }
    }
}

fn bounds(quantifier: &RepetitionQuantifier) -> (u32, Option<u32>) {
    match *quantifier {
        RepetitionQuantifier::ZeroOrMore => (0, None),
        RepetitionQuantifier::OneOrMore => (1, None),
        RepetitionQuantifier::AtMostOne => (0, Some(1)),
        RepetitionQuantifier::Exactly(count) => (count, Some(count)),
        RepetitionQuantifier::AtLeast(least) => (least, None),
        RepetitionQuantifier::AtMost(most) => (0, Some(most)),
        RepetitionQuantifier::Range(least, most) => (least, Some(most)),
    }
}

/// The fewest rows that a pattern takes.
fn least(pattern: &Pattern) -> u64 {
    match pattern {
        Pattern::Symbol(Symbol::Named(_)) | Pattern::Exclude(Symbol::Named(_)) => 1,
        Pattern::Symbol(_) | Pattern::Exclude(_) => 0,
        Pattern::Permute(symbols) => symbols.len() as u64,
        Pattern::Concat(parts) => parts.iter().map(least).sum(),
        Pattern::Group(inside) => least(inside),
        Pattern::Alternation(patterns) => patterns.iter().map(least).min().unwrap_or(0),
        Pattern::Repetition(inside, RepetitionQuantifier::AtMostOne)
            if matches!(inside.as_ref(), Pattern::Repetition(..)) =>
        {
            least(inside)
        }
        Pattern::Repetition(inside, quantifier) => u64::from(bounds(quantifier).0).saturating_mul(least(inside)),
    }
}

/// All orders of the first numbers, those that change the last places first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..count {
        for rest in permutations(count - 1) {
            let rest = rest.into_iter().map(|index| if index >= first { index + 1 } else { index });
            all.push(std::iter::once(first).chain(rest).collect());
        }
    }
    all
}

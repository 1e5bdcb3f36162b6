//! Matches of a row pattern in one partition. The program is that of a PATTERN, whose alternatives are tried in their
//! order; which symbols a row satisfies does not depend on the match, so no place is tried twice.

use std::collections::HashSet;

use super::{Answer, Kind, Native};
use Kind::Text;

/// Places that may be tried in one partition.
const TRIES_MAX: u64 = 200_000_000;

pub(super) const FUNCTIONS: &[Native] = &[Native::new(c"__matches", &[Text, Text, Text, Text], Text, |row| {
    matches(row.text(0), row.text(1), row.text(2), row.text(3)).map(Answer::Text)
})];

#[derive(Clone, Copy)]
enum Step {
    Take { symbol: usize, left_out: bool },
    Split(usize, usize),
    Jump(usize),
    Begin,
    End,
    Match,
}

#[derive(Clone, Copy)]
enum Skip {
    PastLast,
    ToNext,
    ToFirst(usize),
    ToLast(usize),
}

/// A row of a match: the symbol it was taken for, and whether it is left out of the output.
type Taken = (usize, bool);

/// `[[row, match, symbol, place in the match, left out], …]`, all numbers from 1; a match without rows is at the row
/// where it was found, in place 0.
fn matches(program: &str, names: &str, skip: &str, satisfied: &str) -> Result<String, String> {
    let broken = || "firn:000603:a row pattern cannot be read".to_owned();
    let program = read_program(program).ok_or_else(broken)?;
    let names: Vec<String> = serde_json::from_str(names).map_err(|_| broken())?;
    let skip = read_skip(skip).ok_or_else(broken)?;
    let width = names.len();
    let satisfied = satisfied.as_bytes();
    if width == 0 || satisfied.len() % width != 0 {
        return Err(broken());
    }
    let mut search = Search { program: &program, satisfied, width, rows: satisfied.len() / width, tries: 0 };
    let mut found = Vec::new();
    let (mut start, mut number) = (0, 0_u64);
    while start < search.rows {
        let Some(taken) = search.longest_from(start)? else {
            start += 1;
            continue;
        };
        number += 1;
        if taken.is_empty() {
            found.push(serde_json::json!([start + 1, number, null, 0, false]));
            start += 1;
            continue;
        }
        for (place, (symbol, left_out)) in taken.iter().enumerate() {
            found.push(serde_json::json!([start + place + 1, number, names.get(*symbol), place + 1, left_out]));
        }
        start = next_start(start, &taken, skip)?;
    }
    serde_json::to_string(&found).map_err(|error| format!("firn:000603:{error}"))
}

fn next_start(start: usize, taken: &[Taken], skip: Skip) -> Result<usize, String> {
    let place = match skip {
        Skip::PastLast => return Ok(start + taken.len()),
        Skip::ToNext => return Ok(start + 1),
        Skip::ToFirst(symbol) => taken.iter().position(|(taken, _)| *taken == symbol),
        Skip::ToLast(symbol) => taken.iter().rposition(|(taken, _)| *taken == symbol),
    };
    match place {
        Some(0) => Err("firn:000603:AFTER MATCH SKIP cannot go to the first row of a match".to_owned()),
        Some(place) => Ok(start + place),
        None => Err("firn:000603:AFTER MATCH SKIP goes to a symbol that no row of the match has".to_owned()),
    }
}

struct Search<'a> {
    program: &'a [Step],
    satisfied: &'a [u8],
    width: usize,
    rows: usize,
    tries: u64,
}

impl Search<'_> {
    /// The preferred match that begins at a row.
    fn longest_from(&mut self, start: usize) -> Result<Option<Vec<Taken>>, String> {
        let mut tried: HashSet<(usize, usize)> = HashSet::new();
        // What is still to be tried: the next step, the next row, and how many rows were taken by then.
        let mut open = vec![(0_usize, start, 0_usize)];
        let mut taken: Vec<Taken> = Vec::new();
        while let Some((step, row, length)) = open.pop() {
            taken.truncate(length);
            self.tries += 1;
            if self.tries > TRIES_MAX {
                return Err("firn:000603:the row pattern takes too long in a partition of this size".to_owned());
            }
            if !tried.insert((step, row)) {
                continue;
            }
            match self.program.get(step).copied() {
                Some(Step::Match) => return Ok(Some(taken)),
                Some(Step::Take { symbol, left_out }) => {
                    if row < self.rows && self.satisfied[row * self.width + symbol.min(self.width - 1)] == b'1' {
                        taken.push((symbol, left_out));
                        open.push((step + 1, row + 1, length + 1));
                    }
                }
                Some(Step::Split(first, second)) => {
                    open.push((second, row, length));
                    open.push((first, row, length));
                }
                Some(Step::Jump(to)) => open.push((to, row, length)),
                Some(Step::Begin) if row == 0 => open.push((step + 1, row, length)),
                Some(Step::End) if row == self.rows => open.push((step + 1, row, length)),
                _ => {}
            }
        }
        Ok(None)
    }
}

fn read_program(text: &str) -> Option<Vec<Step>> {
    text.split(' ').map(read_step).collect()
}

fn read_step(text: &str) -> Option<Step> {
    let rest = text.get(1..)?;
    Some(match text.get(..1)? {
        "c" => Step::Take { symbol: rest.parse().ok()?, left_out: false },
        "x" => Step::Take { symbol: rest.parse().ok()?, left_out: true },
        "s" => {
            let (first, second) = rest.split_once(',')?;
            Step::Split(first.parse().ok()?, second.parse().ok()?)
        }
        "j" => Step::Jump(rest.parse().ok()?),
        "b" => Step::Begin,
        "e" => Step::End,
        "m" => Step::Match,
        _ => return None,
    })
}

fn read_skip(text: &str) -> Option<Skip> {
    let rest = text.get(1..)?;
    Some(match text.get(..1)? {
        "L" => Skip::PastLast,
        "N" => Skip::ToNext,
        "F" => Skip::ToFirst(rest.parse().ok()?),
        "T" => Skip::ToLast(rest.parse().ok()?),
        _ => return None,
    })
}

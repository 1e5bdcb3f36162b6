//! Matches of a row pattern in one partition. The program is that of a PATTERN, whose alternatives are tried in their
//! order; which symbols a row satisfies does not depend on the match, so no place is tried twice.

use super::native::Native;
use crate::definition::{Answer, Kind};
use Kind::Text;

/// Places that may be tried in one partition.
const TRIES_MAX: u64 = 20_000_000;
/// Rows that the matches of one partition may have together.
const FOUND_MAX: usize = 5_000_000;
/// Steps of the program times rows of a partition.
const PLACES_MAX: usize = 100_000_000;

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

/// `row,match,place in the match,left out,symbol;…`, all numbers from 1; a match without rows is at the row where it
/// was found, in place 0 and without a symbol.
fn matches(program: &str, names: &str, skip: &str, satisfied: &str) -> Result<String, String> {
    let broken = || "firn:000603:a row pattern cannot be read".to_owned();
    let program = read_program(program).ok_or_else(broken)?;
    let names: Vec<&str> = names.split(',').collect();
    let skip = read_skip(skip).ok_or_else(broken)?;
    let satisfied = satisfied.as_bytes();
    if !satisfied.len().is_multiple_of(names.len()) {
        return Err(broken());
    }
    let mut search = Search::new(&program, satisfied, names.len())?;
    let mut found: Vec<String> = Vec::new();
    let (mut start, mut number) = (0, 0_u64);
    while start < search.rows {
        let Some(taken) = search.longest_from(start)? else {
            start += 1;
            continue;
        };
        number += 1;
        if taken.is_empty() {
            found.push(format!("{},{number},0,0,", start + 1));
            start += 1;
            continue;
        }
        for (place, (symbol, left_out)) in taken.iter().enumerate() {
            let name = names.get(*symbol).copied().unwrap_or_default();
            found.push(format!("{},{number},{},{},{name}", start + place + 1, place + 1, u8::from(*left_out)));
        }
        if found.len() > FOUND_MAX {
            return Err("firn:000603:the matches of one partition have too many rows".to_owned());
        }
        start = next_start(start, &taken, skip)?;
    }
    Ok(found.join(";"))
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
    /// For every step and row, one more than the start from which it was tried last.
    tried: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(program: &'a [Step], satisfied: &'a [u8], width: usize) -> Result<Self, String> {
        let rows = satisfied.len() / width;
        let places = program.len().saturating_mul(rows + 1);
        if places > PLACES_MAX {
            return Err("firn:000603:the row pattern is too large for a partition of this size".to_owned());
        }
        Ok(Self { program, satisfied, width, rows, tries: 0, tried: vec![0; places] })
    }

    /// Whether the place was not tried from this start before.
    fn is_new(&mut self, step: usize, row: usize, start: usize) -> bool {
        let mark = u32::try_from(start + 1).unwrap_or(u32::MAX);
        match self.tried.get_mut(row * self.program.len() + step) {
            Some(last) if *last != mark => {
                *last = mark;
                true
            }
            _ => false,
        }
    }

    fn satisfies(&self, row: usize, symbol: usize) -> bool {
        row < self.rows && self.satisfied.get(row * self.width + symbol) == Some(&b'1')
    }

    /// The preferred match that begins at a row.
    fn longest_from(&mut self, start: usize) -> Result<Option<Vec<Taken>>, String> {
        // What is still to be tried: the next step, the next row, and how many rows were taken by then.
        let mut open = vec![(0_usize, start, 0_usize)];
        let mut taken: Vec<Taken> = Vec::new();
        while let Some((step, row, length)) = open.pop() {
            taken.truncate(length);
            self.tries += 1;
            if self.tries > TRIES_MAX {
                return Err("firn:001007:SQL execution error:\nMATCH_RECOGNIZE tries its pattern too often in a partition of this size; make it less ambiguous, or PARTITION BY more".to_owned());
            }
            if !self.is_new(step, row, start) {
                continue;
            }
            match self.program.get(step).copied() {
                Some(Step::Match) => return Ok(Some(taken)),
                Some(Step::Take { symbol, left_out }) if self.satisfies(row, symbol) => {
                    taken.push((symbol, left_out));
                    open.push((step + 1, row + 1, length + 1));
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

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn matches_are_listed_row_by_row() {
        // a+ b, over rows that satisfy a, a, b, none, b.
        let found = matches("c0 s0,2 c1 m", "A,B", "L", "1010010001");
        assert_eq!(found.as_deref(), Ok("1,1,1,0,A;2,1,2,0,A;3,1,3,0,B"));
        assert_eq!(matches("m", "A", "L", "00").as_deref(), Ok("1,1,0,0,;2,2,0,0,"));
        assert_eq!(matches("c0 m", "A", "L", "").as_deref(), Ok(""));
    }
}

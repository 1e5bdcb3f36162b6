//! Whether two results are the same: rows as a multiset or in order, columns in any order, numbers to 1e-6.

use std::cmp::Ordering;

const RELATIVE_DIFFERENCE: f64 = 1e-6;
/// Assignments of columns that are tried before giving up.
const ASSIGNMENTS_MAX: usize = 20_000;

type Row = Vec<Option<String>>;

/// Whether the order of the rows counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Any,
    AsGiven,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    /// The same after leaving out columns that were not asked for.
    SameWithMore,
    Different,
}

#[must_use]
pub fn compare(expected: &[Row], found: &[Row], order: Order) -> Verdict {
    if expected.len() != found.len() {
        return Verdict::Different;
    }
    let (Some(first), Some(other)) = (expected.first(), found.first()) else { return Verdict::Same };
    if other.len() < first.len() {
        return Verdict::Different;
    }
    let mut search = Search { expected, found, order, chosen: Vec::new(), left: ASSIGNMENTS_MAX };
    match (search.fits(first.len(), other.len()), other.len() == first.len()) {
        (true, true) => Verdict::Same,
        (true, false) => Verdict::SameWithMore,
        (false, _) => Verdict::Different,
    }
}

/// What makes two results differ, in words; empty where they are the same.
#[must_use]
pub fn difference(verdict: Verdict, expected: &[Row], found: &[Row]) -> String {
    let width = |rows: &[Row]| rows.first().map_or(0, Vec::len);
    let columns = || format!("{} columns expected, {} found", width(expected), width(found));
    match verdict {
        Verdict::Same => String::new(),
        Verdict::SameWithMore => format!("the same rows with further columns: {}", columns()),
        Verdict::Different if expected.len() != found.len() => {
            format!("{} rows expected, {} found{}", expected.len(), found.len(), first_others(expected, found))
        }
        Verdict::Different if width(found) < width(expected) => format!("columns are missing: {}", columns()),
        Verdict::Different => format!("other rows, or in another order{}", first_others(expected, found)),
    }
}

/// The first row that is expected and not found, and the first one that is found and not expected.
fn first_others(expected: &[Row], found: &[Row]) -> String {
    let cells = |row: &Row| {
        let mut cells = row.clone();
        cells.sort_by(compare_cells);
        cells
    };
    let is_in = |row: &Row, rows: &[Row]| {
        let wanted = cells(row);
        rows.iter()
            .any(|other| wanted.len() == other.len() && wanted.iter().zip(&cells(other)).all(|(l, r)| is_same(l, r)))
    };
    let shown = |row: &Row| row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(", ");
    let missing = expected.iter().find(|row| !is_in(row, found)).map(|row| format!("\nexpected: {}", shown(row)));
    let surplus = found.iter().find(|row| !is_in(row, expected)).map(|row| format!("\nfound: {}", shown(row)));
    [missing, surplus].into_iter().flatten().collect()
}

struct Search<'a> {
    expected: &'a [Row],
    found: &'a [Row],
    order: Order,
    /// For each expected column so far, a found one.
    chosen: Vec<usize>,
    left: usize,
}

impl Search<'_> {
    fn fits(&mut self, width: usize, found_width: usize) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if !self.rows_agree() {
            return false;
        }
        if self.chosen.len() == width {
            return true;
        }
        for candidate in 0..found_width {
            if !self.chosen.contains(&candidate) {
                self.chosen.push(candidate);
                if self.fits(width, found_width) {
                    return true;
                }
                self.chosen.pop();
            }
        }
        false
    }

    /// Whether the columns chosen so far give the same rows.
    fn rows_agree(&self) -> bool {
        let columns = self.chosen.len();
        let mut expected: Vec<Vec<&Option<String>>> =
            self.expected.iter().map(|row| row.iter().take(columns).collect()).collect();
        let mut found: Vec<Vec<&Option<String>>> =
            self.found.iter().map(|row| self.chosen.iter().filter_map(|column| row.get(*column)).collect()).collect();
        if self.order == Order::Any {
            expected.sort_by(|left, right| compare_rows(left, right));
            found.sort_by(|left, right| compare_rows(left, right));
        }
        expected.iter().zip(&found).all(|(left, right)| {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        })
    }
}

fn compare_rows(left: &[&Option<String>], right: &[&Option<String>]) -> Ordering {
    let mut cells = left.iter().zip(right).map(|(left, right)| compare_cells(left, right));
    cells.find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
}

fn compare_cells(left: &Option<String>, right: &Option<String>) -> Ordering {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

fn is_same(left: &Option<String>, right: &Option<String>) -> bool {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => {
            (left - right).abs() <= RELATIVE_DIFFERENCE * left.abs().max(right.abs()).max(f64::MIN_POSITIVE)
        }
        _ => left == right,
    }
}

fn number(cell: &Option<String>) -> Option<f64> {
    cell.as_deref()?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        let cell = |cell: &str| (cell != "-").then(|| cell.to_owned());
        let lines = text.split('|').filter(|line| !line.is_empty());
        lines.map(|line| line.split(',').map(cell).collect()).collect()
    }

    #[test]
    fn results_are_compared_by_what_they_say() {
        let check = |expected: &str, found: &str, order: Order, verdict: Verdict| {
            assert_eq!(compare(&rows(expected), &rows(found), order), verdict, "{expected} {found}");
        };
        check("1,a|2,b", "b,2|a,1", Order::Any, Verdict::Same);
        check("1,a|2,b", "b,2|a,1", Order::AsGiven, Verdict::Different);
        check("1,a|2,b", "b,1|a,2", Order::Any, Verdict::Different);
        check("1|1|2", "1|2|2", Order::Any, Verdict::Different);
        check("1.0000001", "1", Order::Any, Verdict::Same);
        check("1.01", "1", Order::Any, Verdict::Different);
        check("a", "x,a", Order::Any, Verdict::SameWithMore);
        check("a,x", "a", Order::Any, Verdict::Different);
        check("-", "0", Order::Any, Verdict::Different);
        check("", "", Order::Any, Verdict::Same);
        check("", "1", Order::Any, Verdict::Different);
    }

    #[test]
    fn a_difference_is_written_in_words() {
        let check = |expected: &str, found: &str, text: &str| {
            let (expected, found) = (rows(expected), rows(found));
            let verdict = compare(&expected, &found, Order::AsGiven);
            assert_eq!(difference(verdict, &expected, &found), text);
        };
        check("1,a", "a,1", "");
        check("a", "x,a", "the same rows with further columns: 1 columns expected, 2 found");
        check("1,a|2,b", "1,a", "2 rows expected, 1 found\nexpected: 2, b");
        check("1,a", "1", "columns are missing: 2 columns expected, 1 found");
        check("1|2", "2|1", "other rows, or in another order");
        check("1|-", "1|3", "other rows, or in another order\nexpected: NULL\nfound: 3");
    }
}

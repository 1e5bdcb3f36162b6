//! Names of columns for files whose readers find columns by name.

use std::collections::{HashMap, HashSet};

/// A name that one column has stays; of columns with one name the first has it, and each other one gets a number that makes a
/// name nobody has.
pub(super) fn unique_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut taken: HashSet<String> = names.clone().map(str::to_owned).collect();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut unique = |name: &'a str| {
        let count = seen.entry(name).and_modify(|count| *count += 1).or_insert(1);
        if *count == 1 {
            return name.to_owned();
        }
        loop {
            let numbered = format!("{name}_{count}");
            if taken.insert(numbered.clone()) {
                return numbered;
            }
            *count += 1;
        }
    };
    names.map(&mut unique).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_repeated_names_change() {
        let check = |given: &[&str], expected: &[&str]| {
            assert_eq!(unique_names(given.iter().copied()), expected, "{given:?}");
        };
        check(&["A", "B"], &["A", "B"]);
        check(&["A", "A", "A"], &["A", "A_2", "A_3"]);
        check(&["A", "A", "A_2"], &["A", "A_3", "A_2"]);
        check(&["A_2", "A", "A", "A_2"], &["A_2", "A", "A_3", "A_2_2"]);
        check(&["a", "A"], &["a", "A"]);
    }
}

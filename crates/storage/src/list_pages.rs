//! Follows a list of objects from page to page. A list that does not get on is refused: a token that was there before would begin
//! the same pages again, and pages without objects could follow each other for ever.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::listing::Page;

/// Pages without objects in a row. Markers of folders count as none.
const EMPTY_PAGES_MAX: usize = 100;
const TOKEN_BYTES_MAX: usize = 8 << 10;

#[derive(Default)]
pub(crate) struct ListPages {
    hasher: RandomState,
    /// Hashes of the tokens that were followed.
    followed: HashSet<u64>,
    empty_pages: usize,
}

impl ListPages {
    /// The token of the page after this one; `None` after the last.
    pub(crate) fn next(&mut self, page: &Page) -> Result<Option<String>, String> {
        let Some(token) = &page.next else { return Ok(None) };
        self.empty_pages = if page.objects.is_empty() { self.empty_pages + 1 } else { 0 };
        if self.empty_pages > EMPTY_PAGES_MAX {
            return Err(format!("its list goes on after {EMPTY_PAGES_MAX} pages without objects"));
        }
        if token.len() > TOKEN_BYTES_MAX {
            return Err(format!("a continuation token has more than {TOKEN_BYTES_MAX} bytes"));
        }
        match self.followed.insert(self.hasher.hash_one(token)) {
            true => Ok(Some(token.clone())),
            false => Err("its list repeats a continuation token".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(has_object: bool, next: Option<&str>) -> Page {
        let objects = if has_object { vec![Err("..".to_owned())] } else { Vec::new() };
        Page { objects, next: next.map(str::to_owned) }
    }

    #[test]
    fn lists_that_get_on_are_followed() {
        let mut pages = ListPages::default();
        for number in 0..1_000 {
            let token = number.to_string();
            let next = pages.next(&page(number % EMPTY_PAGES_MAX == 0, Some(&token)));
            assert_eq!(next, Ok(Some(token)));
        }
        assert_eq!(pages.next(&page(false, None)), Ok(None));
    }

    #[test]
    fn lists_that_do_not_are_refused() {
        let mut pages = ListPages::default();
        for token in ["a", "b", "c"] {
            assert_eq!(pages.next(&page(true, Some(token))), Ok(Some(token.to_owned())));
        }
        assert!(pages.next(&page(true, Some("a"))).is_err_and(|cause| cause.contains("repeats")));
        let mut pages = ListPages::default();
        let mut follow =
            || (0..=EMPTY_PAGES_MAX).try_for_each(|n| pages.next(&page(false, Some(&n.to_string()))).map(drop));
        assert!(follow().is_err_and(|cause| cause.contains("without objects")));
        let long = "x".repeat(TOKEN_BYTES_MAX + 1);
        assert!(ListPages::default().next(&page(true, Some(&long))).is_err());
    }
}

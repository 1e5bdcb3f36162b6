//! What links to downloads were made with: a link is good as long as the token that its maker showed, which is judged again when
//! the link is followed. Tokens stay in memory, and no longer than their links.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use firn_auth::TokenType;

/// Whoever makes more loses the oldest.
const LINKS_PER_USER_MAX: usize = 100;

/// A token as a request showed it.
#[derive(Clone)]
pub struct ShownToken {
    pub token: String,
    pub declared: Option<TokenType>,
}

#[derive(Default)]
pub struct LinkLogins(Mutex<Links>);

#[derive(Default)]
struct Links {
    last_number: u64,
    /// By user, the oldest first.
    made: HashMap<i64, VecDeque<MadeLink>>,
}

struct MadeLink {
    number: u64,
    expires_on_ms: i64,
    made_with: ShownToken,
}

impl LinkLogins {
    /// The number of a new link of a user.
    pub fn note(&self, user_id: i64, made_with: ShownToken, (now_ms, expires_on_ms): (i64, i64)) -> u64 {
        let mut links = self.links();
        links.forget_expired(now_ms);
        links.last_number += 1;
        let number = links.last_number;
        let of_user = links.made.entry(user_id).or_default();
        if of_user.len() >= LINKS_PER_USER_MAX {
            of_user.pop_front();
        }
        of_user.push_back(MadeLink { number, expires_on_ms, made_with });
        number
    }

    /// What a link of the user was made with.
    pub fn find(&self, user_id: i64, number: u64) -> Option<ShownToken> {
        let links = self.links();
        let found = links.made.get(&user_id)?.iter().find(|link| link.number == number)?;
        Some(found.made_with.clone())
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Links {
    fn forget_expired(&mut self, now_ms: i64) {
        self.made.retain(|_, of_user| {
            while of_user.front().is_some_and(|link| link.expires_on_ms <= now_ms) {
                of_user.pop_front();
            }
            !of_user.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(token: &str) -> ShownToken {
        ShownToken { token: token.to_owned(), declared: None }
    }

    #[test]
    fn links_are_forgotten_by_time_and_by_their_number() {
        let links = LinkLogins::default();
        let first = links.note(1, shown("a"), (0, 10));
        let token = |user_id: i64, number: u64| links.find(user_id, number).map(|shown| shown.token);
        assert_eq!(token(1, first).as_deref(), Some("a"));
        assert_eq!(token(2, first), None, "another user's");
        links.note(2, shown("b"), (10, 20));
        assert_eq!(token(1, first), None);
        let numbers: Vec<u64> = (0..=LINKS_PER_USER_MAX).map(|_| links.note(3, shown("c"), (10, 20))).collect();
        assert_eq!(token(3, numbers[0]), None);
        assert!(numbers[1..].iter().all(|number| token(3, *number).is_some()));
    }
}

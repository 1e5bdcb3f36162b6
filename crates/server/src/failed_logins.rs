//! Failed logins are slowed down, per address and claimed user. A right token is never held up, so that nobody can lock out
//! others who come from the same address; and what is counted is what the request claims, so that the wait says nothing of
//! who exists.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures that are answered at once: a client with an expired token tries a few times.
const FREE_FAILURES: u32 = 10;
const FIRST_DELAY: Duration = Duration::from_millis(50);
/// After this time without another failure everything is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(300);
const SOURCES_MAX: usize = 10_000;
/// Answers held back at a time for one address and user; more are refused at once.
const HELD_MAX: u32 = 16;

pub struct FailedLogins {
    delay_max: Duration,
    /// Users are remembered as hashes that nobody else can compute: the names may be long.
    hashing: RandomState,
    sources: Mutex<HashMap<Source, Failures>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    address: Option<IpAddr>,
    user: Option<u64>,
}

struct Failures {
    count: u32,
    held: u32,
    last: Instant,
}

/// What becomes of the answer to a failed login.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    AnswerAfter(Duration),
    /// Too many answers are held back already.
    TurnAway,
}

/// An answer that is held back, until it is sent or nobody waits for it.
struct HeldBack<'logins> {
    logins: &'logins FailedLogins,
    source: Source,
}

impl Drop for HeldBack<'_> {
    fn drop(&mut self) {
        self.logins.answered(self.source);
    }
}

impl FailedLogins {
    /// With no delay nothing is slowed down.
    pub fn new(delay_max: Duration) -> Self {
        Self { delay_max, hashing: RandomState::new(), sources: Mutex::default() }
    }

    pub fn source(&self, address: Option<IpAddr>, claimed_user: Option<&str>) -> Source {
        let user = claimed_user.map(|user| self.hashing.hash_one(user.to_ascii_uppercase()));
        Source { address: address.map(network), user }
    }

    /// Holds the answer to a failed login back. `false` where so many are held back that it is refused at once.
    pub async fn hold_back(&self, source: Source) -> bool {
        match self.count(source) {
            Verdict::AnswerAfter(delay) => {
                // Also when the client does not wait for its answer.
                let _held = HeldBack { logins: self, source };
                tokio::time::sleep(delay).await;
                true
            }
            Verdict::TurnAway => false,
        }
    }

    /// Counts a failure and says when to answer.
    fn count(&self, source: Source) -> Verdict {
        if self.delay_max.is_zero() {
            return Verdict::AnswerAfter(Duration::ZERO);
        }
        let mut sources = self.sources();
        make_room(&mut sources, source);
        let now = Instant::now();
        let failures = sources.entry(source).or_insert(Failures { count: 0, held: 0, last: now });
        if is_over(failures, now) {
            failures.count = 0;
        }
        failures.count = failures.count.saturating_add(1);
        failures.last = now;
        if failures.held >= HELD_MAX {
            return Verdict::TurnAway;
        }
        failures.held += 1;
        Verdict::AnswerAfter(delay(failures.count, self.delay_max))
    }

    fn answered(&self, source: Source) {
        if let Some(failures) = self.sources().get_mut(&source) {
            failures.held = failures.held.saturating_sub(1);
        }
    }

    fn sources(&self) -> MutexGuard<'_, HashMap<Source, Failures>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Doubles with every failure past the free ones.
fn delay(count: u32, delay_max: Duration) -> Duration {
    match count.checked_sub(FREE_FAILURES + 1) {
        None => Duration::ZERO,
        Some(doublings) => FIRST_DELAY.saturating_mul(1 << doublings.min(20)).min(delay_max),
    }
}

fn is_over(failures: &Failures, now: Instant) -> bool {
    now.duration_since(failures.last) > FORGOTTEN_AFTER
}

/// Whoever comes from many addresses pushes out the oldest, at the cost of starting from the beginning.
fn make_room(sources: &mut HashMap<Source, Failures>, source: Source) {
    if sources.len() < SOURCES_MAX || sources.contains_key(&source) {
        return;
    }
    let now = Instant::now();
    sources.retain(|_, failures| failures.held > 0 || !is_over(failures, now));
    while sources.len() >= SOURCES_MAX {
        let oldest = sources.iter().min_by_key(|(_, failures)| failures.last).map(|(source, _)| *source);
        let Some(oldest) = oldest else { return };
        sources.remove(&oldest);
    }
}

/// One host has at least 2^64 addresses of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const DELAY_MAX: Duration = Duration::from_secs(1);

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn waits_grow_per_address_and_claimed_user() {
        let logins = FailedLogins::new(DELAY_MAX);
        let fail = |from: &str, user: Option<&str>| {
            let source = logins.source(address(from), user);
            let verdict = logins.count(source);
            logins.answered(source);
            verdict
        };
        let delays: Vec<Verdict> = (0..20).map(|_| fail("10.0.0.1", Some("A"))).collect();
        assert_eq!(delays[9], Verdict::AnswerAfter(Duration::ZERO));
        assert_eq!(delays[10], Verdict::AnswerAfter(FIRST_DELAY));
        assert_eq!(delays[11], Verdict::AnswerAfter(FIRST_DELAY * 2));
        assert_eq!(delays[19], Verdict::AnswerAfter(DELAY_MAX));
        assert_eq!(fail("10.0.0.1", Some("a")), Verdict::AnswerAfter(DELAY_MAX), "names fold");
        for (from, user) in [("10.0.0.1", Some("B")), ("10.0.0.1", None), ("10.0.0.2", Some("A"))] {
            assert_eq!(fail(from, user), Verdict::AnswerAfter(Duration::ZERO), "{from} {user:?}");
        }
    }

    #[test]
    fn answers_held_back_and_sources_are_bounded() {
        let logins = FailedLogins::new(DELAY_MAX);
        let source = logins.source(address("2001:db8::1"), None);
        assert!(source == logins.source(address("2001:db8::2"), None), "one network");
        for _ in 0..HELD_MAX {
            assert_ne!(logins.count(source), Verdict::TurnAway);
        }
        assert_eq!(logins.count(source), Verdict::TurnAway);
        logins.answered(source);
        assert_ne!(logins.count(source), Verdict::TurnAway);
        for number in 0..SOURCES_MAX + 100 {
            logins.count(logins.source(address("10.0.0.1"), Some(&number.to_string())));
        }
        assert_eq!(logins.sources().len(), SOURCES_MAX);
    }
}

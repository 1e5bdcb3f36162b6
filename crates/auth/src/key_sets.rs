//! Key sets that issuers publish, fetched when a token needs them and cached for some time.
//!
//! However many tokens with unknown keys arrive, an address is asked at most twice a minute.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use firn_storage::CarefulResolver;
use jsonwebtoken::DecodingKey;
use serde::Deserialize;
use ureq::Agent;
use ureq::unversioned::transport::DefaultConnector;

const FRESH: Duration = Duration::from_secs(600);
/// A set that can't be renewed is used for this long.
const USABLE: Duration = Duration::from_secs(3_600);
const BETWEEN_FETCHES: Duration = Duration::from_secs(30);
const FETCH_WAIT: Duration = Duration::from_secs(5);
const BODY_BYTES_MAX: u64 = 256 << 10;
const SETS_MAX: usize = 100;
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=512;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetching {
    Allowed,
    Refused,
}

pub(crate) enum Found {
    Key(DecodingKey),
    /// The set is at hand and has no such key.
    None,
    /// The set must be fetched, and that was refused.
    NeedsFetch,
    Unavailable,
}

#[derive(Default)]
pub(crate) struct KeySets {
    sets: Mutex<HashMap<String, KeySet>>,
    /// Held while fetching, so that many requests make one fetch.
    fetching: Mutex<()>,
}

#[derive(Clone, Default)]
struct KeySet {
    keys: Vec<(Option<String>, DecodingKey)>,
    fetched: Option<Instant>,
    asked: Option<Instant>,
}

impl KeySets {
    /// The key of that id; without an id, the only key of the set.
    pub(crate) fn find(&self, url: &str, key_id: Option<&str>, fetching: Fetching) -> Found {
        let set = self.known(url);
        if let Some(found) = set.answer(key_id) {
            return found;
        }
        if fetching == Fetching::Refused {
            return Found::NeedsFetch;
        }
        let _one_at_a_time = self.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        let set = self.known(url);
        if let Some(found) = set.answer(key_id) {
            return found;
        }
        let set = set.renewed(fetch(url));
        let found = set.lookup(key_id);
        self.keep(url, set);
        found
    }

    fn known(&self, url: &str) -> KeySet {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).get(url).cloned().unwrap_or_default()
    }

    fn keep(&self, url: &str, set: KeySet) {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= SETS_MAX {
            sets.clear();
        }
        sets.insert(url.to_owned(), set);
    }
}

impl KeySet {
    /// The answer without asking the issuer; `None` when it is time to ask.
    fn answer(&self, key_id: Option<&str>) -> Option<Found> {
        let asked_lately = self.asked.is_some_and(|asked| asked.elapsed() < BETWEEN_FETCHES);
        let is_fresh = self.fetched.is_some_and(|fetched| fetched.elapsed() < FRESH);
        match self.lookup(key_id) {
            Found::Key(key) if is_fresh || asked_lately => Some(Found::Key(key)),
            other if asked_lately => Some(other),
            _ => None,
        }
    }

    fn lookup(&self, key_id: Option<&str>) -> Found {
        if self.fetched.is_none_or(|fetched| fetched.elapsed() >= USABLE) {
            return Found::Unavailable;
        }
        let key = match key_id {
            Some(_) => self.keys.iter().find(|(id, _)| id.as_deref() == key_id),
            None => self.keys.first().filter(|_| self.keys.len() == 1),
        };
        key.map_or(Found::None, |(_, key)| Found::Key(key.clone()))
    }

    fn renewed(self, fetched: Option<Published>) -> Self {
        let now = Some(Instant::now());
        match fetched {
            Some(published) => Self { keys: published.usable_keys(), fetched: now, asked: now },
            None => Self { asked: now, ..self },
        }
    }
}

#[derive(Deserialize)]
struct Published {
    keys: Vec<PublishedKey>,
}

#[derive(Deserialize)]
struct PublishedKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    n: Option<String>,
    e: Option<String>,
}

impl Published {
    /// RSA keys for signatures, of a size that is neither weak nor absurd.
    fn usable_keys(self) -> Vec<(Option<String>, DecodingKey)> {
        self.keys.into_iter().filter_map(|key| Some((key.kid.clone(), key.decoding_key()?))).collect()
    }
}

impl PublishedKey {
    fn decoding_key(&self) -> Option<DecodingKey> {
        if self.kty != "RSA" || self.usage.as_deref().is_some_and(|usage| usage != "sig") {
            return None;
        }
        let modulus = URL_SAFE_NO_PAD.decode(self.n.as_ref()?).ok()?;
        let exponent = URL_SAFE_NO_PAD.decode(self.e.as_ref()?).ok()?;
        let length = modulus.iter().skip_while(|byte| **byte == 0).count();
        MODULUS_BYTES.contains(&length).then(|| DecodingKey::from_rsa_raw_components(&modulus, &exponent))
    }
}

/// Follows no redirect: the administrator named an address, and that one is asked. Plain http is only
/// ever this machine, which no proxy leads to. Clouds serve the credentials of a machine at addresses that are not reached.
fn fetch(url: &str) -> Option<Published> {
    let config = Agent::config_builder().timeout_global(Some(FETCH_WAIT)).max_redirects(0);
    let config = if url.starts_with("http://") { config.proxy(None) } else { config };
    let agent = Agent::with_parts(config.build(), DefaultConnector::default(), CarefulResolver::default());
    let mut response = agent.get(url).call().ok()?;
    let body = response.body_mut().with_config().limit(BODY_BYTES_MAX).read_to_vec().ok()?;
    serde_json::from_slice(&body).ok()
}

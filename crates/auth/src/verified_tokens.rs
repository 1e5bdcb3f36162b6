//! A cache of tokens with a valid signature, so that it is not verified again for every request.
//!
//! An entry is only good for the snapshot of principals it was judged against: any change to users,
//! keys, roles or integrations clears the cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use firn_catalog::secrets::SecretHash;
use firn_catalog::{Caller, Principals};

use crate::TokenType;

const TOKENS_MAX: usize = 10_000;

#[derive(Clone)]
pub(crate) struct Verified {
    pub(crate) caller: Caller,
    pub(crate) token_type: TokenType,
    pub(crate) valid_until_ms: i64,
}

#[derive(Default)]
pub(crate) struct VerifiedTokens {
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    judged_against: Option<Arc<Principals>>,
    tokens: HashMap<SecretHash, Verified>,
}

impl VerifiedTokens {
    pub(crate) fn find(
        &self,
        principals: &Arc<Principals>,
        hash: &SecretHash,
        declared: Option<TokenType>,
        now_ms: i64,
    ) -> Option<Verified> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if !memory.judged_against.as_ref().is_some_and(|then| Arc::ptr_eq(then, principals)) {
            return None;
        }
        let verified = memory.tokens.get(hash)?;
        let is_good = now_ms < verified.valid_until_ms && declared.is_none_or(|kind| kind == verified.token_type);
        is_good.then(|| verified.clone())
    }

    pub(crate) fn remember(&self, principals: &Arc<Principals>, hash: SecretHash, verified: Verified, now_ms: i64) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if !memory.judged_against.as_ref().is_some_and(|then| Arc::ptr_eq(then, principals)) {
            memory.judged_against = Some(Arc::clone(principals));
            memory.tokens.clear();
        }
        if memory.tokens.len() >= TOKENS_MAX {
            memory.tokens.retain(|_, verified| now_ms < verified.valid_until_ms);
        }
        if memory.tokens.len() < TOKENS_MAX {
            memory.tokens.insert(hash, verified);
        }
    }
}

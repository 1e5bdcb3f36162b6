//! Determines the kind of a token and authenticates its user.

use std::sync::Arc;

use firn_catalog::secrets::{ACCESS_TOKEN_PREFIX, SESSION_TOKEN_PREFIX, SecretHash, hash_secret};
use firn_catalog::{Caller, Catalog, Principals};

use crate::jwt::Jwt;
use crate::key_sets::{Fetching, KeySets};
use crate::oauth::{self, Judgement};
use crate::verified_tokens::{Verified, VerifiedTokens};
use crate::{AuthError, TokenType, access_token, key_pair, session_token};

const TOKEN_BYTES_MAX: usize = 16 << 10;

pub struct Authenticator {
    catalog: Catalog,
    key_sets: KeySets,
    verified: VerifiedTokens,
}

impl Authenticator {
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog, key_sets: KeySets::default(), verified: VerifiedTokens::default() }
    }

    /// Who is behind the token. May fetch an issuer's keys and so block for some seconds.
    pub fn authenticate(&self, token: &str, declared: Option<TokenType>, now_ms: i64) -> Result<Caller, AuthError> {
        let judged = self.judge(token, declared, now_ms, Fetching::Allowed).unwrap_or(Err(AuthError::Unavailable));
        judged.and_then(|judged| judged.admitted(now_ms))
    }

    /// As `authenticate` but never blocks: `None` when an issuer's keys must be fetched first.
    pub fn authenticate_fast(
        &self,
        token: &str,
        declared: Option<TokenType>,
        now_ms: i64,
    ) -> Option<Result<Caller, AuthError>> {
        let judged = self.judge(token, declared, now_ms, Fetching::Refused)?;
        Some(judged.and_then(|judged| judged.admitted(now_ms)))
    }

    fn judge(
        &self,
        token: &str,
        declared: Option<TokenType>,
        now_ms: i64,
        fetching: Fetching,
    ) -> Option<Result<Judged, AuthError>> {
        if token.is_empty() {
            return Some(Err(AuthError::Missing));
        }
        if token.len() > TOKEN_BYTES_MAX {
            return Some(Err(declared.unwrap_or(TokenType::Oauth).refusal()));
        }
        let principals = self.catalog.principals();
        let hash = hash_secret(token);
        let by_access_token = || {
            let caller = access_token::authenticate(&principals, &hash, now_ms)?;
            Ok(Judged { caller, refusal: AuthError::BadAccessToken })
        };
        match declared {
            Some(TokenType::ProgrammaticAccessToken) => return Some(by_access_token()),
            None if token.starts_with(SESSION_TOKEN_PREFIX) => {
                let caller = session_token::authenticate(&self.catalog, &hash, now_ms);
                return Some(caller.map(|caller| Judged { caller, refusal: AuthError::BadSession }));
            }
            None if is_access_token(&principals, &hash, token) => return Some(by_access_token()),
            _ => {}
        }
        if let Some(verified) = self.verified.find(&principals, &hash, declared, now_ms) {
            return Some(Ok(verified.into()));
        }
        let verified = self.judge_jwt(token, declared, &principals, now_ms, fetching)?;
        Some(verified.map(|verified| self.let_in(&principals, hash, verified, now_ms)))
    }

    fn judge_jwt(
        &self,
        token: &str,
        declared: Option<TokenType>,
        principals: &Principals,
        now_ms: i64,
        fetching: Fetching,
    ) -> Option<Result<Verified, AuthError>> {
        let token_type = declared.unwrap_or_else(|| match key_pair::looks_like_key_pair(token) {
            true => TokenType::KeypairJwt,
            false => TokenType::Oauth,
        });
        let Some(jwt) = Jwt::parse(token) else {
            return Some(Err(token_type.refusal()));
        };
        if token_type == TokenType::KeypairJwt {
            return Some(key_pair::authenticate(&jwt, &self.catalog.account(), principals, now_ms));
        }
        match oauth::judge(&jwt, &self.catalog, principals, &self.key_sets, fetching, now_ms) {
            Judgement::Good(verified) => Some(Ok(verified)),
            Judgement::Bad => Some(Err(AuthError::BadOauth)),
            Judgement::Unavailable => Some(Err(AuthError::Unavailable)),
            Judgement::NeedsKeys => None,
        }
    }

    fn let_in(&self, principals: &Arc<Principals>, hash: SecretHash, verified: Verified, now_ms: i64) -> Judged {
        let judged = verified.clone().into();
        self.verified.remember(principals, hash, verified, now_ms);
        judged
    }
}

/// A token that is good as such; whether its user may come in is decided once for all kinds of tokens.
struct Judged {
    caller: Caller,
    /// The refusal of a user who is disabled, expired or locked: the same as that of a bad token of its kind.
    refusal: AuthError,
}

impl Judged {
    fn admitted(self, now_ms: i64) -> Result<Caller, AuthError> {
        match self.caller.user.barred_at(now_ms) {
            Some(_) => Err(self.refusal),
            None => Ok(self.caller),
        }
    }
}

impl From<Verified> for Judged {
    fn from(verified: Verified) -> Self {
        Self { refusal: verified.token_type.refusal(), caller: verified.caller }
    }
}

/// A secret given at the first start may look like anything, so a known one counts first.
fn is_access_token(principals: &Principals, hash: &SecretHash, token: &str) -> bool {
    principals.token_by_hash(hash).is_some() || token.starts_with(ACCESS_TOKEN_PREFIX) || !token.contains('.')
}

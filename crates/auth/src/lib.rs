//! From a bearer token to a `Caller`: key-pair tokens, OAuth tokens of registered issuers, access
//! tokens, and those of sessions that a password opened.
//!
//! A refusal never says why. Signature algorithms are pinned to RSA, and a token is judged against
//! the users, keys and roles of the very moment it is presented.

mod access_token;
mod authenticator;
mod error;
mod jwt;
mod key_pair;
mod key_sets;
mod oauth;
mod password;
mod session_token;
mod signer;
#[cfg(test)]
mod tests;
mod token_type;
mod verified_tokens;

pub use authenticator::Authenticator;
pub use error::AuthError;
pub use jwt::claimed_user;
pub use password::PasswordLogins;
pub use signer::Signer;
pub use token_type::TokenType;

//! The kinds of token, as the request's header names them.

use crate::AuthError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenType {
    KeypairJwt,
    Oauth,
    ProgrammaticAccessToken,
}

impl TokenType {
    /// Reads the header's value in any letter case.
    pub fn parse(value: &str) -> Result<Self, AuthError> {
        match value.trim().to_ascii_uppercase().as_str() {
            "KEYPAIR_JWT" => Ok(Self::KeypairJwt),
            "OAUTH" => Ok(Self::Oauth),
            "PROGRAMMATIC_ACCESS_TOKEN" => Ok(Self::ProgrammaticAccessToken),
            _ => Err(AuthError::UnknownTokenType),
        }
    }

    pub(crate) fn refusal(self) -> AuthError {
        match self {
            Self::KeypairJwt => AuthError::BadJwt,
            Self::Oauth => AuthError::BadOauth,
            Self::ProgrammaticAccessToken => AuthError::BadAccessToken,
        }
    }
}

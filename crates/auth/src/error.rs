//! Why authentication failed, reported in no more detail than the contract does.

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    #[error("The Authorization header with a bearer token is missing.")]
    Missing,
    #[error("The authorization token type is unknown.")]
    UnknownTokenType,
    #[error("JWT token is invalid.")]
    BadJwt,
    #[error("Invalid OAuth access token.")]
    BadOauth,
    #[error("Programmatic access token is invalid.")]
    BadAccessToken,
    #[error("The link to the file is invalid or has expired.")]
    BadLink,
    /// The issuer's keys can't be had, so nobody knows whether the token is good.
    #[error("Invalid OAuth access token.")]
    Unavailable,
}

impl AuthError {
    /// The contract's code; every one of them goes with 401.
    pub fn code(self) -> &'static str {
        match self {
            Self::BadJwt => "390144",
            Self::BadAccessToken => "394400",
            Self::Missing | Self::UnknownTokenType | Self::BadLink | Self::BadOauth | Self::Unavailable => "390303",
        }
    }
}

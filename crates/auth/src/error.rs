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
    /// Says nothing of whether there is such a user.
    #[error("Incorrect username or password was specified.")]
    BadPassword,
    #[error("The password must be changed: log in with `newPassword`.")]
    PasswordMustChange,
    /// The credentials are right, and the authentication policy lets nobody in by them.
    #[error("Authentication attempt rejected by the current authentication policy.")]
    RefusedByPolicy,
    #[error("Session no longer exists. New login required to access the service.")]
    BadSession,
    /// The issuer's keys cannot be fetched, so the token cannot be verified.
    #[error("Invalid OAuth access token.")]
    Unavailable,
}

impl AuthError {
    /// The contract's code; every one of them goes with 401.
    pub fn code(self) -> &'static str {
        match self {
            Self::BadJwt => "390144",
            Self::BadAccessToken => "394400",
            Self::BadPassword => "390100",
            Self::PasswordMustChange => "390106",
            Self::BadSession => "390111",
            Self::RefusedByPolicy => "390202",
            Self::Missing | Self::UnknownTokenType | Self::BadLink | Self::BadOauth | Self::Unavailable => "390303",
        }
    }
}

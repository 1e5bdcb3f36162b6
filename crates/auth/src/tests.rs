//! Tokens good, forged and stale, each judged as the server would.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

mod access_tokens;
mod barred_users;
mod key_pairs;
mod oauth_tokens;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use firn_catalog::{AccountOutcome, Caller, Catalog};
use firn_sql::command::{AccountCommand, CreateMode, Grantee, IfMissing, Property, PropertyValue, UserChange};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::EncodePublicKey;
use rsa::traits::PublicKeyParts;
use rsa::{RsaPrivateKey, RsaPublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{AuthError, Authenticator, TokenType};

const NOW_S: i64 = 1_800_000_000;
const NOW_MS: i64 = NOW_S * 1_000;

/// Making a key takes a while, so the tests share two.
static KEYS: LazyLock<[Key; 2]> = LazyLock::new(|| [Key::generate(2_048), Key::generate(2_048)]);

struct Key {
    private: RsaPrivateKey,
}

impl Key {
    fn generate(bits: usize) -> Self {
        Self { private: RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).unwrap() }
    }

    fn public_der(&self) -> Vec<u8> {
        RsaPublicKey::from(&self.private).to_public_key_der().unwrap().into_vec()
    }

    fn public_base64(&self) -> String {
        STANDARD.encode(self.public_der())
    }

    fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD.encode(Sha256::digest(self.public_der())))
    }

    fn sign_with(&self, header: &Header, claims: &Value) -> String {
        let der = self.private.to_pkcs1_der().unwrap();
        jsonwebtoken::encode(header, claims, &EncodingKey::from_rsa_der(der.as_bytes())).unwrap()
    }

    fn sign(&self, claims: &Value) -> String {
        self.sign_with(&Header::new(Algorithm::RS256), claims)
    }

    fn published(&self, key_id: &str) -> Value {
        let number = |bytes: Vec<u8>| URL_SAFE_NO_PAD.encode(bytes);
        json!({"kty": "RSA", "use": "sig", "kid": key_id,
               "n": number(self.private.n().to_bytes_be()), "e": number(self.private.e().to_bytes_be())})
    }
}

struct Server {
    catalog: Catalog,
    authenticator: Authenticator,
    _folder: TempDir,
}

impl Server {
    /// An account `ACME.EU` with user `ANN`, who holds role `ANALYST`.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let catalog = Catalog::open(folder.path()).unwrap();
        catalog.bootstrap("ACME.EU", Some("admin.token.given")).unwrap();
        let authenticator = Authenticator::new(catalog.clone());
        let server = Self { catalog, authenticator, _folder: folder };
        server.create_user("ANN", &[]);
        server.apply(&AccountCommand::CreateRole { name: "ANALYST".to_owned(), mode: CreateMode::New, comment: None });
        server.apply(&AccountCommand::GrantRole { role: "ANALYST".to_owned(), to: Grantee::User("ANN".to_owned()) });
        server
    }

    fn apply(&self, command: &AccountCommand) -> AccountOutcome {
        let principals = self.catalog.principals();
        let caller = Caller::new(principals.user("ADMIN").unwrap().clone(), None);
        let role = principals.active_role(&caller, None).unwrap();
        self.catalog.apply(&caller, &role, command).unwrap()
    }

    fn create_user(&self, name: &str, set: &[(&str, &str)]) {
        let properties = properties(set);
        self.apply(&AccountCommand::CreateUser { name: name.to_owned(), mode: CreateMode::New, properties });
    }

    fn alter_ann(&self, set: &[(&str, &str)]) {
        self.apply(&AccountCommand::AlterUser {
            name: "ANN".to_owned(),
            if_missing: IfMissing::Fail,
            change: UserChange::Set(properties(set)),
        });
    }

    fn authenticate(&self, token: &str, declared: Option<TokenType>, now_ms: i64) -> Result<Caller, AuthError> {
        self.authenticator.authenticate(token, declared, now_ms)
    }

    /// Presents the token now, undeclared; `Ok` holds the user's name and the role it is tied to.
    fn check(&self, what: &str, token: &str, expected: Result<(&str, Option<&str>), AuthError>) {
        let outcome = self.authenticate(token, None, NOW_MS);
        let actual = outcome.as_ref().map(|caller| (caller.user.name.as_str(), caller.role_restriction.as_deref()));
        assert_eq!(actual.map_err(|error| *error), expected, "{what}");
    }
}

fn properties(set: &[(&str, &str)]) -> Vec<Property> {
    let property = |(name, value): &(&str, &str)| Property {
        name: (*name).to_owned(),
        value: PropertyValue::Text((*value).to_owned()),
    };
    set.iter().map(property).collect()
}

/// `claims` with some of them replaced, or taken away where the replacement is null.
fn with(claims: &Value, changes: Value) -> Value {
    let mut claims = claims.as_object().unwrap().clone();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => claims.remove(name),
            value => claims.insert(name.clone(), value.clone()),
        };
    }
    Value::Object(claims)
}

#[test]
fn token_types_are_read_in_any_letter_case() {
    assert_eq!(TokenType::parse("keypair_jwt"), Ok(TokenType::KeypairJwt));
    assert_eq!(TokenType::parse("OAUTH"), Ok(TokenType::Oauth));
    assert_eq!(TokenType::parse("Programmatic_Access_Token"), Ok(TokenType::ProgrammaticAccessToken));
    assert_eq!(TokenType::parse("PASSWORD"), Err(AuthError::UnknownTokenType));
}

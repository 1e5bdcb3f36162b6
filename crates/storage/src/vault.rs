//! Credentials at rest: encrypted with a key in a separate file, so that the database file of a stage does not reveal
//! them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use firn_sql::external_storage::Credentials;

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;

/// What stands between the parts of credentials, which none of them holds.
const BETWEEN: char = '\n';

pub struct Vault {
    cipher: Aes256Gcm,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Vault")
    }
}

impl Vault {
    /// Reads the key, or makes one at the first start.
    pub fn open(file: &Path) -> io::Result<Self> {
        let key = match fs::read(file) {
            Ok(key) => key,
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_key(file)?,
            Err(error) => return Err(error),
        };
        let cipher = Aes256Gcm::new_from_slice(&key)
            .map_err(|_| io::Error::other(format!("`{}` is not the key that was written there", file.display())))?;
        Ok(Self { cipher })
    }

    pub fn seal(&self, credentials: &Credentials) -> io::Result<String> {
        let token = credentials.token.as_deref().unwrap_or_default();
        let text = [&credentials.key_id, token, &credentials.secret_key].join(&BETWEEN.to_string());
        let nonce = random::<NONCE_BYTES>()?;
        let sealed = self.cipher.encrypt(&Nonce::from(nonce), text.as_bytes());
        let sealed = sealed.map_err(|_| io::Error::other("credentials cannot be encrypted"))?;
        Ok(STANDARD_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// `None` for what was sealed with another key.
    pub fn reveal(&self, sealed: &str) -> Option<Credentials> {
        let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let text = String::from_utf8(self.cipher.decrypt(&Nonce::from(*nonce), sealed).ok()?).ok()?;
        let mut parts = text.splitn(3, BETWEEN);
        let (key_id, token, secret_key) = (parts.next()?, parts.next()?, parts.next()?);
        let token = Some(token.to_owned()).filter(|token| !token.is_empty());
        Some(Credentials { key_id: key_id.to_owned(), secret_key: secret_key.to_owned(), token })
    }
}

/// Readable by the server's own user alone.
fn make_key(file: &Path) -> io::Result<Vec<u8>> {
    let key = random::<KEY_BYTES>()?;
    let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    written.write_all(&key)?;
    written.sync_all()?;
    Ok(key.to_vec())
}

fn random<const BYTES: usize>() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_same_key_reveals() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let sealed = |token: Option<&str>| {
            let token = token.map(str::to_owned);
            let credentials = Credentials { key_id: "AK".to_owned(), secret_key: "se\ncret".to_owned(), token };
            let sealed = Vault::open(&file).unwrap().seal(&credentials).unwrap();
            assert!(!sealed.contains("cret") && Vault::open(&file).unwrap().reveal(&sealed) == Some(credentials));
            sealed
        };
        let first = sealed(None);
        assert_ne!(first, sealed(None), "the same text is sealed otherwise each time");
        sealed(Some("token"));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let other = Vault::open(&folder.path().join("other")).unwrap();
        assert_eq!(other.reveal(&first), None);
        assert_eq!(other.reveal("x"), None);
        fs::write(&file, "short").unwrap();
        assert!(Vault::open(&file).is_err());
    }
}

//! Keys made of passphrases.

use pbkdf2::pbkdf2_hmac;
use sha2::Sha256;
use zeroize::Zeroizing;

/// How often the passphrase is hashed for the key.
const ROUNDS: u32 = 10_000;

pub(super) type Key = [u8; 32];

/// The key of a passphrase and a salt. Rows of one call often share it, and deriving it is slow by design; it is wiped
/// from memory when the call ends.
pub struct DerivedKey {
    pub(super) passphrase: Zeroizing<String>,
    pub(super) salt: Vec<u8>,
    pub(super) key: Zeroizing<Key>,
}

impl DerivedKey {
    pub(super) fn new(passphrase: &str, salt: Vec<u8>) -> Self {
        let mut key = Zeroizing::new(Key::default());
        pbkdf2_hmac::<Sha256>(passphrase.as_bytes(), &salt, ROUNDS, key.as_mut_slice());
        Self { passphrase: Zeroizing::new(passphrase.to_owned()), salt, key }
    }
}

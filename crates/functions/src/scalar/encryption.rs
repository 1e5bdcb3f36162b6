//! ENCRYPT and DECRYPT with a passphrase, ENCRYPT_RAW and DECRYPT_RAW with a key: AES in the dialect's modes.
//!
//! What ENCRYPT makes is salt, initialisation vector, encrypted bytes and, for GCM, the tag.

use std::cell::RefCell;

use aes_gcm::aead::OsRng;
use aes_gcm::aead::rand_core::RngCore;
use firn_values::variant::objects::Members;
use firn_values::variant::{TypedText, Variant};
use sha2::{Digest, Sha256};

use super::{Answer, Evaluated, Kind, Native, Row};
use Kind::{Binary, Integer, Text};
use block_modes::{Cipher, Mode};

mod block_modes;

const SALT_BYTES: usize = 16;
const TAG_BYTES: usize = 16;
/// How often the passphrase is hashed for the key.
const ROUNDS: u32 = 10_000;
const FAILED: &str = "firn:100311:Decryption failed. Check encrypted data, key, AAD, or AEAD tag.";

pub(super) const FUNCTIONS: &[Native] = &[
    // A value, a passphrase, what is authenticated beside it, and the method.
    Native::new(c"firn_encrypt_bytes", &[Binary, Text, Binary, Text], Binary, encrypt).counting(),
    Native::new(c"firn_decrypt_bytes", &[Binary, Text, Binary, Text], Binary, decrypt),
    Native::new(c"firn_try_decrypt_bytes", &[Binary, Text, Binary, Text], Binary, |row| attempt(decrypt(row))),
    // A value, a key, a vector or none, what is authenticated, and the method; then the tag.
    Native::new(c"firn_encrypt_with_key", &[Binary, Binary, Binary, Integer, Binary, Text], Kind::Variant, encrypt_raw)
        .counting(),
    Native::new(c"firn_decrypt_with_key", &[Binary, Binary, Binary, Binary, Text, Binary], Binary, decrypt_raw),
    Native::new(c"firn_try_decrypt_with_key", &[Binary, Binary, Binary, Binary, Text, Binary], Binary, |row| {
        attempt(decrypt_raw(row))
    }),
];

/// What fails is NULL.
fn attempt(told: Evaluated) -> Evaluated {
    Ok(told.unwrap_or(Answer::Null))
}

fn random_bytes(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    OsRng.fill_bytes(&mut bytes);
    bytes
}

fn encrypt(row: &Row<'_>) -> Evaluated {
    let mode = Mode::read(row.text(3))?;
    mode.check_authenticated(row.bytes(2))?;
    let (salt, key) = key_for_encryption(row.text(1));
    let vector = random_bytes(mode.vector_bytes());
    let sealed = Cipher::new(&key, mode)?.encrypt(&vector, row.bytes(2), row.bytes(0))?;
    Ok(Answer::Bytes([salt.as_slice(), &vector, &sealed.bytes, &sealed.tag].concat()))
}

fn decrypt(row: &Row<'_>) -> Evaluated {
    let mode = Mode::read(row.text(3))?;
    mode.check_authenticated(row.bytes(2))?;
    let tag_bytes = if mode == Mode::Gcm { TAG_BYTES } else { 0 };
    let failed = || FAILED.to_owned();
    let (salt, rest) = row.bytes(0).split_at_checked(SALT_BYTES).ok_or_else(failed)?;
    let (vector, rest) = rest.split_at_checked(mode.vector_bytes()).ok_or_else(failed)?;
    let (bytes, tag) = rest.split_at_checked(rest.len().wrapping_sub(tag_bytes)).ok_or_else(failed)?;
    let key = key_for_decryption(row.text(1), salt);
    let opened = Cipher::new(&key, mode)?.decrypt(vector, row.bytes(2), bytes, tag);
    opened.map(Answer::Bytes).ok_or_else(failed)
}

fn encrypt_raw(row: &Row<'_>) -> Evaluated {
    let mode = Mode::read(row.text(5))?;
    mode.check_authenticated(row.bytes(4))?;
    let vector = match row.integer(3) == 1 {
        true => random_bytes(mode.vector_bytes()),
        false => row.bytes(2).to_vec(),
    };
    let cipher = Cipher::new(row.bytes(1), mode)?;
    let sealed = cipher.encrypt(mode.checked_vector(&vector)?, row.bytes(4), row.bytes(0))?;
    let mut members = Members::new();
    members.insert("ciphertext".to_owned(), binary(&sealed.bytes));
    members.insert("iv".to_owned(), binary(&vector));
    members.insert("tag".to_owned(), binary(&sealed.tag));
    Ok(Answer::Text(Variant::Object(members).to_json()))
}

fn binary(bytes: &[u8]) -> Variant {
    let text = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    Variant::Typed(TypedText { text, in_session_zone: false })
}

fn decrypt_raw(row: &Row<'_>) -> Evaluated {
    let mode = Mode::read(row.text(4))?;
    mode.check_authenticated(row.bytes(3))?;
    let cipher = Cipher::new(row.bytes(1), mode)?;
    let vector = mode.checked_vector(row.bytes(2))?;
    let opened = cipher.decrypt(vector, row.bytes(3), row.bytes(0), row.bytes(5));
    opened.map(Answer::Bytes).ok_or_else(|| FAILED.to_owned())
}

type Key = [u8; 32];

thread_local! {
    /// The last passphrase with its salt and key, for deriving a key is slow by design.
    static ENCRYPTING: RefCell<Option<(String, Vec<u8>, Key)>> = const { RefCell::new(None) };
    static DECRYPTING: RefCell<Option<(String, Vec<u8>, Key)>> = const { RefCell::new(None) };
}

fn key_for_encryption(passphrase: &str) -> (Vec<u8>, Key) {
    ENCRYPTING.with_borrow_mut(|last| match last {
        Some((known, salt, key)) if known == passphrase => (salt.clone(), *key),
        _ => {
            let salt = random_bytes(SALT_BYTES);
            let key = derived(passphrase.as_bytes(), &salt);
            *last = Some((passphrase.to_owned(), salt.clone(), key));
            (salt, key)
        }
    })
}

fn key_for_decryption(passphrase: &str, salt: &[u8]) -> Key {
    DECRYPTING.with_borrow_mut(|last| match last {
        Some((known, known_salt, key)) if known == passphrase && known_salt == salt => *key,
        _ => {
            let key = derived(passphrase.as_bytes(), salt);
            *last = Some((passphrase.to_owned(), salt.to_vec(), key));
            key
        }
    })
}

/// PBKDF2 with HMAC-SHA-256, of which one block is enough.
fn derived(passphrase: &[u8], salt: &[u8]) -> Key {
    let mac = Mac::new(passphrase);
    let mut block = mac.of(&[salt, &1_u32.to_be_bytes()].concat());
    let mut key = block;
    for _ in 1..ROUNDS {
        block = mac.of(&block);
        key.iter_mut().zip(block).for_each(|(byte, other)| *byte ^= other);
    }
    key
}

/// HMAC-SHA-256 under one key.
struct Mac {
    inner: Sha256,
    outer: Sha256,
}

impl Mac {
    fn new(key: &[u8]) -> Self {
        let mut block = [0_u8; 64];
        match block.get_mut(..key.len()) {
            Some(start) => start.copy_from_slice(key),
            None => block[..32].copy_from_slice(&Sha256::digest(key)),
        }
        Self {
            inner: Sha256::new_with_prefix(block.map(|byte| byte ^ 0x36)),
            outer: Sha256::new_with_prefix(block.map(|byte| byte ^ 0x5C)),
        }
    }

    fn of(&self, message: &[u8]) -> [u8; 32] {
        let inner = self.inner.clone().chain_update(message).finalize();
        self.outer.clone().chain_update(inner).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Mac;

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        let digest: String =
            Mac::new(b"Jefe").of(b"what do ya want for nothing?").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}

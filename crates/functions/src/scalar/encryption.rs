//! ENCRYPT and DECRYPT with a passphrase, ENCRYPT_RAW and DECRYPT_RAW with a key: AES in the dialect's modes.
//!
//! What ENCRYPT makes is salt, initialisation vector, encrypted bytes and, for GCM, the tag.

use aes_gcm::aead::OsRng;
use aes_gcm::aead::rand_core::RngCore;
use firn_values::variant::objects::Members;
use firn_values::variant::{TypedText, Variant};
use zeroize::Zeroizing;

use super::derived_key::{DerivedKey, Key};
use super::native::{CallMemory, Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Binary, Integer, Text};
use block_modes::{Cipher, Mode};

mod block_modes;

const SALT_BYTES: usize = 16;
const TAG_BYTES: usize = 16;
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

/// NULL instead of an error.
fn attempt(evaluated: Evaluated) -> Evaluated {
    Ok(evaluated.unwrap_or(Answer::Null))
}

fn random_bytes(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    OsRng.fill_bytes(&mut bytes);
    bytes
}

fn encrypt(row: &Row<'_>) -> Evaluated {
    let mode = Mode::read(row.text(3))?;
    mode.check_authenticated(row.bytes(2))?;
    let (salt, key) = key_for_encryption(row.text(1), row.memory);
    let vector = random_bytes(mode.vector_bytes());
    let sealed = Cipher::new(key.as_slice(), mode)?.encrypt(&vector, row.bytes(2), row.bytes(0))?;
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
    let key = key_for_decryption(row.text(1), salt, row.memory);
    let opened = Cipher::new(key.as_slice(), mode)?.decrypt(vector, row.bytes(2), bytes, tag);
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

/// The values of one call that are encrypted with one passphrase have one salt.
fn key_for_encryption(passphrase: &str, memory: &CallMemory) -> (Vec<u8>, Zeroizing<Key>) {
    let mut last = memory.derived_key.borrow_mut();
    let known = last.take().filter(|last| *last.passphrase == passphrase);
    let derived = last.insert(known.unwrap_or_else(|| DerivedKey::new(passphrase, random_bytes(SALT_BYTES))));
    (derived.salt.clone(), derived.key.clone())
}

fn key_for_decryption(passphrase: &str, salt: &[u8], memory: &CallMemory) -> Zeroizing<Key> {
    let mut last = memory.derived_key.borrow_mut();
    let known = last.take().filter(|last| *last.passphrase == passphrase && last.salt == salt);
    let derived = last.insert(known.unwrap_or_else(|| DerivedKey::new(passphrase, salt.to_vec())));
    derived.key.clone()
}

#[cfg(test)]
mod tests {
    use super::{CallMemory, DerivedKey, key_for_decryption, key_for_encryption};

    /// Computed with the PBKDF2-HMAC-SHA256 of another implementation.
    #[test]
    fn a_key_is_derived_by_the_standard() {
        let derived = DerivedKey::new("secret", b"0123456789abcdef".to_vec());
        let digits: String = derived.key.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, "eae9ac1e1cf4ca16fe60827f154802aec381fad2be806741fadbc8d8a3c81e7b");
    }

    #[test]
    fn a_key_is_shared_within_a_call_alone() {
        let call = CallMemory::default();
        let (salt, key) = key_for_encryption("a", &call);
        assert_eq!(key_for_encryption("a", &call), (salt.clone(), key.clone()));
        assert_ne!(key_for_encryption("b", &call).1, key);
        assert_ne!(key_for_encryption("a", &CallMemory::default()).0, salt);
        assert_eq!(key_for_decryption("a", &salt, &CallMemory::default()), key);
    }
}

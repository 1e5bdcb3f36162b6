//! AES and the ways of using it on more than one block.

use aes::cipher::block_padding::{NoPadding, Pkcs7};
use aes::cipher::consts::{U12, U16};
use aes::cipher::{
    AsyncStreamCipher, BlockCipher, BlockDecrypt, BlockDecryptMut, BlockEncrypt, BlockEncryptMut, BlockSizeUser,
    InnerIvInit, KeyInit, KeyIvInit, StreamCipher,
};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInPlace, AesGcm, Nonce, Tag};
use ctr::Ctr128BE;
use ofb::Ofb;

const BLOCK: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Ecb(Padding),
    Cbc(Padding),
    Gcm,
    Ctr,
    Ofb,
    Cfb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    Pkcs,
    None,
}

impl Mode {
    /// `AES-GCM`, `aes-cbc/pad:none`.
    pub(super) fn read(method: &str) -> Result<Self, String> {
        let refused =
            || format!("firn:100048:Invalid encryption method '{method}'; use AES with GCM, CBC, ECB, CTR, OFB or CFB");
        let written = method.to_ascii_uppercase().replace(' ', "");
        let (name, padding) = match written.split_once('/') {
            Some((name, "PAD:PKCS")) => (name, Some(Padding::Pkcs)),
            Some((name, "PAD:NONE")) => (name, Some(Padding::None)),
            Some(_) => return Err(refused()),
            None => (written.as_str(), None),
        };
        match (name, padding) {
            ("AES-ECB", padding) => Ok(Self::Ecb(padding.unwrap_or(Padding::Pkcs))),
            ("AES-CBC", padding) => Ok(Self::Cbc(padding.unwrap_or(Padding::Pkcs))),
            ("AES-GCM", None | Some(Padding::None)) => Ok(Self::Gcm),
            ("AES-CTR", None | Some(Padding::None)) => Ok(Self::Ctr),
            ("AES-OFB", None | Some(Padding::None)) => Ok(Self::Ofb),
            ("AES-CFB", None | Some(Padding::None)) => Ok(Self::Cfb),
            _ => Err(refused()),
        }
    }

    pub(super) fn vector_bytes(self) -> usize {
        match self {
            Self::Ecb(_) => 0,
            Self::Gcm => 12,
            _ => BLOCK,
        }
    }

    /// ECB needs no vector and overlooks one.
    pub(super) fn checked_vector(self, vector: &[u8]) -> Result<&[u8], String> {
        match self {
            Self::Ecb(_) => Ok(&[]),
            _ if vector.len() == self.vector_bytes() => Ok(vector),
            _ => Err(format!(
                "firn:100048:Invalid initialization vector of {} bytes; give {}",
                vector.len(),
                self.vector_bytes()
            )),
        }
    }

    /// Only GCM knows of more than the value itself.
    pub(super) fn check_authenticated(self, authenticated: &[u8]) -> Result<(), String> {
        match self {
            Self::Gcm => Ok(()),
            _ if authenticated.is_empty() => Ok(()),
            _ => Err("firn:100048:Additional authenticated data is supported by AES-GCM alone".to_owned()),
        }
    }
}

pub(super) struct Sealed {
    pub(super) bytes: Vec<u8>,
    /// Empty but for GCM.
    pub(super) tag: Vec<u8>,
}

/// AES with one of its lengths of keys.
trait Aes: BlockCipher + BlockEncrypt + BlockDecrypt + BlockSizeUser<BlockSize = U16> + KeyInit {}

impl Aes for Aes128 {}
impl Aes for Aes192 {}
impl Aes for Aes256 {}

pub(super) struct Cipher<'key> {
    key: &'key [u8],
    length: KeyLength,
    mode: Mode,
}

#[derive(Clone, Copy)]
enum KeyLength {
    Bits128,
    Bits192,
    Bits256,
}

impl<'key> Cipher<'key> {
    pub(super) fn new(key: &'key [u8], mode: Mode) -> Result<Self, String> {
        let length = match key.len() {
            16 => KeyLength::Bits128,
            24 => KeyLength::Bits192,
            32 => KeyLength::Bits256,
            length => return Err(format!("firn:100048:Invalid key of {length} bytes; give 16, 24 or 32")),
        };
        Ok(Self { key, length, mode })
    }

    pub(super) fn encrypt(&self, vector: &[u8], authenticated: &[u8], value: &[u8]) -> Result<Sealed, String> {
        check_length(self.mode, value)?;
        let Self { key, mode, .. } = *self;
        let sealed = match (mode, self.length) {
            (Mode::Gcm, KeyLength::Bits128) => sealed::<AesGcm<Aes128, U12>>(key, vector, authenticated, value),
            (Mode::Gcm, KeyLength::Bits192) => sealed::<AesGcm<Aes192, U12>>(key, vector, authenticated, value),
            (Mode::Gcm, KeyLength::Bits256) => sealed::<AesGcm<Aes256, U12>>(key, vector, authenticated, value),
            (_, KeyLength::Bits128) => encrypted::<Aes128>(mode, key, vector, value),
            (_, KeyLength::Bits192) => encrypted::<Aes192>(mode, key, vector, value),
            (_, KeyLength::Bits256) => encrypted::<Aes256>(mode, key, vector, value),
        };
        sealed.ok_or_else(|| "firn:100048:The value cannot be encrypted".to_owned())
    }

    /// `None` when the bytes were not made with this key.
    pub(super) fn decrypt(&self, vector: &[u8], authenticated: &[u8], bytes: &[u8], tag: &[u8]) -> Option<Vec<u8>> {
        let Self { key, mode, .. } = *self;
        match (mode, self.length) {
            (Mode::Gcm, KeyLength::Bits128) => opened::<AesGcm<Aes128, U12>>(key, vector, authenticated, bytes, tag),
            (Mode::Gcm, KeyLength::Bits192) => opened::<AesGcm<Aes192, U12>>(key, vector, authenticated, bytes, tag),
            (Mode::Gcm, KeyLength::Bits256) => opened::<AesGcm<Aes256, U12>>(key, vector, authenticated, bytes, tag),
            (_, KeyLength::Bits128) => decrypted::<Aes128>(mode, key, vector, bytes),
            (_, KeyLength::Bits192) => decrypted::<Aes192>(mode, key, vector, bytes),
            (_, KeyLength::Bits256) => decrypted::<Aes256>(mode, key, vector, bytes),
        }
    }
}

/// Without padding, only whole blocks can be encrypted.
fn check_length(mode: Mode, value: &[u8]) -> Result<(), String> {
    let whole_blocks = matches!(mode, Mode::Ecb(Padding::None) | Mode::Cbc(Padding::None));
    if whole_blocks && !value.len().is_multiple_of(BLOCK) {
        let length = value.len();
        return Err(format!(
            "firn:100048:A value of {length} bytes needs padding; its length is no multiple of {BLOCK}"
        ));
    }
    Ok(())
}

/// A cipher that is used block by block is in the mode ECB.
fn encrypted<C: Aes>(mode: Mode, key: &[u8], vector: &[u8], value: &[u8]) -> Option<Sealed> {
    let cipher = C::new_from_slice(key).ok()?;
    let bytes = match mode {
        Mode::Ecb(Padding::Pkcs) => cipher.encrypt_padded_vec_mut::<Pkcs7>(value),
        Mode::Ecb(Padding::None) => cipher.encrypt_padded_vec_mut::<NoPadding>(value),
        Mode::Cbc(padding) => {
            let cbc = cbc::Encryptor::inner_iv_slice_init(cipher, vector).ok()?;
            match padding {
                Padding::Pkcs => cbc.encrypt_padded_vec_mut::<Pkcs7>(value),
                Padding::None => cbc.encrypt_padded_vec_mut::<NoPadding>(value),
            }
        }
        Mode::Cfb => {
            let mut bytes = value.to_vec();
            cfb_mode::Encryptor::inner_iv_slice_init(cipher, vector).ok()?.encrypt(&mut bytes);
            bytes
        }
        Mode::Ctr | Mode::Ofb => key_stream_applied::<C>(mode, key, vector, value)?,
        Mode::Gcm => return None,
    };
    Some(Sealed { bytes, tag: Vec::new() })
}

fn decrypted<C: Aes>(mode: Mode, key: &[u8], vector: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let cipher = C::new_from_slice(key).ok()?;
    match mode {
        Mode::Ecb(Padding::Pkcs) => cipher.decrypt_padded_vec_mut::<Pkcs7>(bytes).ok(),
        Mode::Ecb(Padding::None) => cipher.decrypt_padded_vec_mut::<NoPadding>(bytes).ok(),
        Mode::Cbc(padding) => {
            let cbc = cbc::Decryptor::inner_iv_slice_init(cipher, vector).ok()?;
            match padding {
                Padding::Pkcs => cbc.decrypt_padded_vec_mut::<Pkcs7>(bytes).ok(),
                Padding::None => cbc.decrypt_padded_vec_mut::<NoPadding>(bytes).ok(),
            }
        }
        Mode::Cfb => {
            let mut value = bytes.to_vec();
            cfb_mode::Decryptor::inner_iv_slice_init(cipher, vector).ok()?.decrypt(&mut value);
            Some(value)
        }
        Mode::Ctr | Mode::Ofb => key_stream_applied::<C>(mode, key, vector, bytes),
        Mode::Gcm => None,
    }
}

/// CTR and OFB decrypt as they encrypt. `None` where the counter would begin again.
fn key_stream_applied<C: Aes>(mode: Mode, key: &[u8], vector: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = bytes.to_vec();
    match mode {
        Mode::Ctr => Ctr128BE::<C>::new_from_slices(key, vector).ok()?.try_apply_keystream(&mut out).ok()?,
        _ => Ofb::<C>::new_from_slices(key, vector).ok()?.try_apply_keystream(&mut out).ok()?,
    }
    Some(out)
}

fn sealed<C: AeadInPlace<NonceSize = U12> + KeyInit>(
    key: &[u8],
    vector: &[u8],
    authenticated: &[u8],
    value: &[u8],
) -> Option<Sealed> {
    let vector: [u8; 12] = vector.try_into().ok()?;
    let mut bytes = value.to_vec();
    let tag =
        C::new_from_slice(key).ok()?.encrypt_in_place_detached(&Nonce::from(vector), authenticated, &mut bytes).ok()?;
    Some(Sealed { bytes, tag: tag.to_vec() })
}

fn opened<C>(key: &[u8], vector: &[u8], authenticated: &[u8], bytes: &[u8], tag: &[u8]) -> Option<Vec<u8>>
where
    C: AeadInPlace<NonceSize = U12, TagSize = U16> + KeyInit,
{
    let (vector, tag): ([u8; 12], [u8; BLOCK]) = (vector.try_into().ok()?, tag.try_into().ok()?);
    let mut value = bytes.to_vec();
    let cipher = C::new_from_slice(key).ok()?;
    cipher.decrypt_in_place_detached(&Nonce::from(vector), authenticated, &mut value, &Tag::from(tag)).ok()?;
    Some(value)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::{Cipher, Mode};

    fn bytes(hexadecimal: &str) -> Vec<u8> {
        (0..hexadecimal.len())
            .step_by(2)
            .map(|place| u8::from_str_radix(&hexadecimal[place..place + 2], 16).unwrap())
            .collect()
    }

    /// The first blocks of NIST SP 800-38A, with a key of 128 bits.
    #[test]
    fn the_modes_are_those_of_the_standard() {
        let key = bytes("2b7e151628aed2a6abf7158809cf4f3c");
        let value = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
        for (method, vector, expected) in [
            ("AES-ECB/pad:none", "", "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"),
            (
                "AES-CBC/pad:none",
                "000102030405060708090a0b0c0d0e0f",
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
            ),
            (
                "AES-CFB",
                "000102030405060708090a0b0c0d0e0f",
                "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b",
            ),
            (
                "AES-OFB",
                "000102030405060708090a0b0c0d0e0f",
                "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825",
            ),
            (
                "AES-CTR",
                "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
            ),
        ] {
            let cipher = Cipher::new(&key, Mode::read(method).unwrap()).unwrap();
            let vector = bytes(vector);
            let sealed = cipher.encrypt(&vector, &[], &value).unwrap();
            assert_eq!(sealed.bytes, bytes(expected), "{method}");
            assert_eq!(cipher.decrypt(&vector, &[], &sealed.bytes, &[]).unwrap(), value, "{method}");
        }
    }

    /// Every mode, every length of keys, and values that fill no whole block; a truncated or changed value is refused where
    /// the mode is authenticated or padded.
    #[test]
    fn what_was_encrypted_comes_back() {
        for method in ["AES-ECB", "AES-CBC", "AES-CFB", "AES-OFB", "AES-CTR", "AES-GCM"] {
            let mode = Mode::read(method).unwrap();
            for (key_bytes, value_bytes) in [(16, 0), (24, 5), (32, 16), (32, 47)] {
                let (key, vector) = (vec![7; key_bytes], vec![9; mode.vector_bytes()]);
                let (cipher, value) = (Cipher::new(&key, mode).unwrap(), vec![1; value_bytes]);
                let sealed = cipher.encrypt(&vector, &[], &value).unwrap();
                let open = |bytes: &[u8]| cipher.decrypt(&vector, &[], bytes, &sealed.tag);
                assert_eq!(open(&sealed.bytes), Some(value), "{method}");
                if matches!(mode, Mode::Ecb(_) | Mode::Cbc(_)) {
                    assert_eq!(open(&sealed.bytes[1..]), None, "{method}");
                    assert_eq!(open(&[]), None, "{method}");
                }
            }
        }
    }

    #[test]
    fn without_padding_only_whole_blocks_are_encrypted() {
        let mode = Mode::read("AES-CBC/pad:none").unwrap();
        let refused = Cipher::new(&[0; 16], mode).unwrap().encrypt(&[0; 16], &[], &[1; 15]).err();
        assert!(refused.unwrap().contains("A value of 15 bytes needs padding"));
    }
}

//! AES and the ways of using it on more than one block.

use aes::cipher::{BlockDecrypt, BlockEncrypt};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::consts::U12;
use aes_gcm::{AeadInPlace, AesGcm, KeyInit, Nonce, Tag};

const BLOCK: usize = 16;

type Block = [u8; BLOCK];

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

pub(super) struct Cipher<'key> {
    key: &'key [u8],
    block: BlockCipher,
    mode: Mode,
}

enum BlockCipher {
    Bits128(Aes128),
    Bits192(Aes192),
    Bits256(Aes256),
}

impl<'key> Cipher<'key> {
    pub(super) fn new(key: &'key [u8], mode: Mode) -> Result<Self, String> {
        let refused = || format!("firn:100048:Invalid key of {} bytes; give 16, 24 or 32", key.len());
        let block = match key.len() {
            16 => Aes128::new_from_slice(key).map(BlockCipher::Bits128),
            24 => Aes192::new_from_slice(key).map(BlockCipher::Bits192),
            32 => Aes256::new_from_slice(key).map(BlockCipher::Bits256),
            _ => return Err(refused()),
        };
        Ok(Self { key, block: block.map_err(|_| refused())?, mode })
    }

    pub(super) fn encrypt(&self, vector: &[u8], authenticated: &[u8], value: &[u8]) -> Result<Sealed, String> {
        let bytes = match self.mode {
            Mode::Gcm => {
                return self
                    .seal(vector, authenticated, value)
                    .ok_or_else(|| "firn:100048:The value cannot be encrypted".to_owned());
            }
            Mode::Ecb(padding) => self.by_blocks(&padded(value, padding)?, None),
            Mode::Cbc(padding) => self.by_blocks(&padded(value, padding)?, Some(block_of(vector))),
            Mode::Ctr => self.counted(vector, value),
            Mode::Ofb => self.fed_back(vector, value, |_, key_stream| *key_stream),
            Mode::Cfb => self.fed_back(vector, value, |encrypted, _| *encrypted),
        };
        Ok(Sealed { bytes, tag: Vec::new() })
    }

    /// `None` when the bytes were not made with this key.
    pub(super) fn decrypt(&self, vector: &[u8], authenticated: &[u8], bytes: &[u8], tag: &[u8]) -> Option<Vec<u8>> {
        match self.mode {
            Mode::Gcm => self.open(vector, authenticated, bytes, tag),
            Mode::Ecb(padding) => unpadded(self.back_from_blocks(bytes, None)?, padding),
            Mode::Cbc(padding) => unpadded(self.back_from_blocks(bytes, Some(block_of(vector)))?, padding),
            Mode::Ctr => Some(self.counted(vector, bytes)),
            Mode::Ofb => Some(self.fed_back(vector, bytes, |_, key_stream| *key_stream)),
            Mode::Cfb => Some(self.fed_forward(vector, bytes)),
        }
    }

    fn seal(&self, vector: &[u8], authenticated: &[u8], value: &[u8]) -> Option<Sealed> {
        match &self.block {
            BlockCipher::Bits128(_) => sealed::<AesGcm<Aes128, U12>>(self.key, vector, authenticated, value),
            BlockCipher::Bits192(_) => sealed::<AesGcm<Aes192, U12>>(self.key, vector, authenticated, value),
            BlockCipher::Bits256(_) => sealed::<AesGcm<Aes256, U12>>(self.key, vector, authenticated, value),
        }
    }

    fn open(&self, vector: &[u8], authenticated: &[u8], bytes: &[u8], tag: &[u8]) -> Option<Vec<u8>> {
        match &self.block {
            BlockCipher::Bits128(_) => opened::<AesGcm<Aes128, U12>>(self.key, vector, authenticated, bytes, tag),
            BlockCipher::Bits192(_) => opened::<AesGcm<Aes192, U12>>(self.key, vector, authenticated, bytes, tag),
            BlockCipher::Bits256(_) => opened::<AesGcm<Aes256, U12>>(self.key, vector, authenticated, bytes, tag),
        }
    }

    fn encrypt_block(&self, block: &mut Block) {
        match &self.block {
            BlockCipher::Bits128(cipher) => cipher.encrypt_block(block.into()),
            BlockCipher::Bits192(cipher) => cipher.encrypt_block(block.into()),
            BlockCipher::Bits256(cipher) => cipher.encrypt_block(block.into()),
        }
    }

    fn decrypt_block(&self, block: &mut Block) {
        match &self.block {
            BlockCipher::Bits128(cipher) => cipher.decrypt_block(block.into()),
            BlockCipher::Bits192(cipher) => cipher.decrypt_block(block.into()),
            BlockCipher::Bits256(cipher) => cipher.decrypt_block(block.into()),
        }
    }

    /// Whole blocks, each alone or, with a vector, mixed with the one before.
    fn by_blocks(&self, bytes: &[u8], vector: Option<Block>) -> Vec<u8> {
        let mut before = vector;
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.chunks(BLOCK) {
            let mut block = block_of(piece);
            mix(&mut block, before.as_ref());
            self.encrypt_block(&mut block);
            out.extend_from_slice(&block);
            before = before.map(|_| block);
        }
        out
    }

    fn back_from_blocks(&self, bytes: &[u8], vector: Option<Block>) -> Option<Vec<u8>> {
        if !bytes.len().is_multiple_of(BLOCK) {
            return None;
        }
        let mut before = vector;
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.chunks(BLOCK) {
            let mut block = block_of(piece);
            self.decrypt_block(&mut block);
            mix(&mut block, before.as_ref());
            out.extend_from_slice(&block);
            before = before.map(|_| block_of(piece));
        }
        Some(out)
    }

    fn counted(&self, vector: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut counter = u128::from_be_bytes(block_of(vector));
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.chunks(BLOCK) {
            let mut key_stream = counter.to_be_bytes();
            self.encrypt_block(&mut key_stream);
            out.extend(piece.iter().zip(key_stream).map(|(byte, key)| byte ^ key));
            counter = counter.wrapping_add(1);
        }
        out
    }

    /// `next` says which block the following one's key stream is made from.
    fn fed_back(&self, vector: &[u8], bytes: &[u8], next: fn(&Block, &Block) -> Block) -> Vec<u8> {
        let mut feed = block_of(vector);
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.chunks(BLOCK) {
            let mut key_stream = feed;
            self.encrypt_block(&mut key_stream);
            let mixed: Vec<u8> = piece.iter().zip(key_stream).map(|(byte, key)| byte ^ key).collect();
            feed = next(&block_of(&mixed), &key_stream);
            out.extend(mixed);
        }
        out
    }

    fn fed_forward(&self, vector: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut feed = block_of(vector);
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.chunks(BLOCK) {
            self.encrypt_block(&mut feed);
            out.extend(piece.iter().zip(feed).map(|(byte, key)| byte ^ key));
            feed = block_of(piece);
        }
        out
    }
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
    C: AeadInPlace<NonceSize = U12, TagSize = aes_gcm::aead::consts::U16> + KeyInit,
{
    let (vector, tag): ([u8; 12], [u8; BLOCK]) = (vector.try_into().ok()?, tag.try_into().ok()?);
    let mut value = bytes.to_vec();
    let cipher = C::new_from_slice(key).ok()?;
    cipher.decrypt_in_place_detached(&Nonce::from(vector), authenticated, &mut value, &Tag::from(tag)).ok()?;
    Some(value)
}

/// A piece as a block; what it lacks is zero.
fn block_of(piece: &[u8]) -> Block {
    let mut block = [0; BLOCK];
    let length = piece.len().min(BLOCK);
    block[..length].copy_from_slice(&piece[..length]);
    block
}

fn mix(block: &mut Block, other: Option<&Block>) {
    if let Some(other) = other {
        block.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
    }
}

fn padded(value: &[u8], padding: Padding) -> Result<Vec<u8>, String> {
    let missing = BLOCK - value.len() % BLOCK;
    match padding {
        Padding::Pkcs => Ok([value, &vec![missing as u8; missing]].concat()),
        Padding::None if missing == BLOCK => Ok(value.to_vec()),
        Padding::None => Err(format!(
            "firn:100048:A value of {} bytes needs padding; its length is no multiple of {BLOCK}",
            value.len()
        )),
    }
}

fn unpadded(mut value: Vec<u8>, padding: Padding) -> Option<Vec<u8>> {
    if padding == Padding::None {
        return Some(value);
    }
    let count = usize::from(*value.last()?);
    let start = value.len().checked_sub(count).filter(|_| (1..=BLOCK).contains(&count))?;
    let whole = value[start..].iter().all(|byte| usize::from(*byte) == count);
    value.truncate(start);
    whole.then_some(value)
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
}

//! The key that links to staged files are signed with; it lives as long as the process.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::error::CatalogError;

const BLOCK_BYTES: usize = 64;

pub(crate) struct LinkKey([u8; 32]);

impl std::fmt::Debug for LinkKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("LinkKey")
    }
}

impl LinkKey {
    pub(crate) fn generate() -> Result<Self, CatalogError> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self(bytes))
    }

    /// HMAC with SHA-256, in hexadecimal digits.
    pub(crate) fn sign(&self, text: &str) -> String {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK_BYTES];
            block.iter_mut().zip(self.0).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text.as_bytes()).finalize();
        let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
        outer.iter().fold(String::new(), |mut digits, byte| {
            // Writing to a text never fails.
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_hmac() {
        // RFC 4231, test case 2, with its short key filled up with zeros as the standard does.
        let mut key = [0_u8; 32];
        key[..4].copy_from_slice(b"Jefe");
        let signature = LinkKey(key).sign("what do ya want for nothing?");
        assert_eq!(signature, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}

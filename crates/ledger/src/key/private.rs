//! Private keys.

use std::fmt;

use ed25519_dalek::pkcs8::DecodePrivateKey;
use ed25519_dalek::pkcs8::spki::der::zeroize::Zeroizing;
use ed25519_dalek::{Signer as _, SigningKey};
use referee_syntax::base64;

use super::{KeyError, PublicKey, form};

/// Bytes before the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410; without the public key, which old versions
/// of openssl reject).
const PKCS8_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// First and last line of a PEM block with a private key.
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// Maximum number of characters of a pasted key that are examined: more than any key has, and as many as a line
/// of PEM may have.
const PASTED_CHARACTERS: usize = 128;

/// A signing key. Its bytes are wiped when it is dropped.
pub struct PrivateKey {
    key: SigningKey,
    public: PublicKey,
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PrivateKey").field("id", &self.public.id()).finish_non_exhaustive()
    }
}

impl PrivateKey {
    fn new(key: SigningKey) -> Self {
        let public = PublicKey::new(key.verifying_key());
        Self { key, public }
    }

    /// Generates a random key.
    ///
    /// # Errors
    /// Fails if the system provides no random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0_u8; 32]);
        getrandom::fill(&mut seed[..]).map_err(|_| KeyError::NoChance)?;
        Ok(Self::new(SigningKey::from_bytes(&seed)))
    }

    /// Reads a key from unencrypted PKCS#8 in PEM.
    ///
    /// # Errors
    /// Fails for any other text, with an error that says what it is and how to create the right key.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        SigningKey::from_pkcs8_pem(text).map(Self::new).map_err(|_| {
            let (found, needed) = form::of_private(text);
            KeyError::Form { path: None, found, needed }
        })
    }

    /// Reads a key as people paste it into a form field or a header: PEM with or without its line breaks, only
    /// the line between the first and the last, or all of it encoded in base64 once more.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pem`].
    pub fn from_pasted(text: &str) -> Result<Self, KeyError> {
        let whole = base64::decode(text.trim()).map(Zeroizing::new);
        let unpacked = whole.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let text = unpacked.filter(|text| text.contains(BEGIN)).unwrap_or(text);
        let body = text.split_once(BEGIN).map_or(text, |(_, rest)| rest);
        let body = body.split_once(END).map_or(body, |(body, _)| body);
        // Large enough for any key of this type, so that no copy is left behind by a reallocation.
        let mut pem = Zeroizing::new(String::with_capacity(512));
        pem.push_str(BEGIN);
        pem.push('\n');
        pem.extend(body.chars().filter(|character| !character.is_whitespace()).take(PASTED_CHARACTERS));
        pem.push('\n');
        pem.push_str(END);
        pem.push('\n');
        Self::from_pem(&pem)
    }

    /// Returns the key as PKCS#8 in PEM, for its file.
    pub(super) fn to_pem(&self) -> Zeroizing<String> {
        let mut der = Zeroizing::new([0_u8; 48]);
        der[..PKCS8_PREFIX.len()].copy_from_slice(&PKCS8_PREFIX);
        der[PKCS8_PREFIX.len()..].copy_from_slice(self.key.as_bytes());
        // Large enough, so that no copy is left behind by a reallocation.
        let mut text = Zeroizing::new(String::with_capacity(256));
        text.push_str("-----BEGIN PRIVATE KEY-----\n");
        text.push_str(&Zeroizing::new(base64::encode(&der[..])));
        text.push_str("\n-----END PRIVATE KEY-----\n");
        text
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs bytes. The signature is deterministic.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.key.sign(bytes).to_bytes().to_vec()
    }
}

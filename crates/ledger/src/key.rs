//! Signing keys: Ed25519 (RFC 8032), the private key as PKCS#8 and the public key as SPKI, both in PEM, as
//! openssl and cosign read and write them (design, "Signature").
//!
//! A private key is read from a file outside the workspace or from an inherited pipe ([`mod@file`]), or stays
//! in an agent that signs ([`agent`]). Its bytes are wiped from memory, and never shown, logged or written
//! anywhere but to the file that a person asks for.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ed25519_dalek::pkcs8::DecodePublicKey;
use ed25519_dalek::{Signature, VerifyingKey};
use referee_model::id::{Digest, IdError};
use referee_syntax::base64;

pub use self::private::PrivateKey;

pub mod agent;
pub mod file;
mod form;
mod private;

/// Bytes before the 32 bytes of an Ed25519 key in SPKI (RFC 8410).
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Reason why a key cannot be used. No message contains any part of a private key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The key has another form than the one needed.
    #[error("{} holds {found}, and {needed}", shown(path.as_deref()))]
    Form {
        /// Path of the file. `None`: the key did not come from a file.
        path: Option<PathBuf>,
        found: &'static str,
        /// The form needed, and how to create it.
        needed: String,
    },
    #[error("the key {} cannot be {operation}: {source}", path.display())]
    Io {
        /// The operation that failed, as a participle.
        operation: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The key is inside the workspace, where agents can read it.
    #[error(
        "the key {} is in {}, where agents can write: move it to a directory outside, such as ~/.config/referee",
        path.display(),
        workspace.display()
    )]
    InReach {
        path: PathBuf,
        /// The workspace that contains the key.
        workspace: PathBuf,
    },
    /// Other users can read the file, or it belongs to another user.
    #[error("the key {} {problem}: `chmod 600` it, and make it yours", path.display())]
    Open { path: PathBuf, problem: &'static str },
    /// The path is not a file that can contain a key.
    #[error("the key {} {problem}", path.display())]
    NotAFile {
        path: PathBuf,
        /// The problem, and what to do.
        problem: &'static str,
    },
    #[error("{} already exists, and a key is never overwritten: choose another path, or move it away", path.display())]
    Exists { path: PathBuf },
    /// The system's random number generator failed.
    #[error("cannot create a key: the system's random number generator failed")]
    NoChance,
    /// The key agent has no such key, or more than one, or violates the protocol.
    #[error("the agent {0}")]
    Agent(String),
}

impl KeyError {
    pub(crate) fn io<E: Into<io::Error>>(operation: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source: source.into() }
    }

    /// Adds the path of the file to a [`KeyError::Form`].
    fn at(self, file: &Path) -> Self {
        match self {
            Self::Form { found, needed, .. } => Self::Form { path: Some(file.to_path_buf()), found, needed },
            other => other,
        }
    }
}

fn shown(path: Option<&Path>) -> String {
    path.map_or_else(|| "the key".to_owned(), |path| path.display().to_string())
}

/// Id of a key: SHA-256 of its public key in SPKI form. It is a name and proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(Digest);

impl KeyId {
    /// Creates an id from a digest.
    pub fn from_digest(digest: Digest) -> Self {
        Self(digest)
    }

    pub fn digest(self) -> Digest {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for KeyId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Digest::parse(text).map(Self)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    key: VerifyingKey,
    id: KeyId,
}

impl PublicKey {
    fn new(key: VerifyingKey) -> Self {
        let id = KeyId(Digest::of(spki(&key)));
        Self { key, id }
    }

    /// Creates a key from its 32 bytes. Returns `None` if they are not a valid key, or a weak one that fits
    /// signatures nobody made.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        VerifyingKey::from_bytes(bytes).ok().filter(|key| !key.is_weak()).map(Self::new)
    }

    pub fn from_spki(der: &[u8]) -> Option<Self> {
        let key: &[u8; 32] = der.strip_prefix(&SPKI_PREFIX)?.try_into().ok()?;
        Self::from_bytes(key)
    }

    /// Parses a public key in SPKI form, PEM-encoded.
    ///
    /// # Errors
    /// Fails for anything else, with an error that names the form found.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_public_key_pem(text).ok().filter(|key| !key.is_weak());
        key.map(Self::new).ok_or_else(|| KeyError::Form {
            path: None,
            found: form::of_public(text),
            needed: form::PUBLIC_NEEDED.to_owned(),
        })
    }

    /// Returns the key in SPKI form, PEM-encoded.
    pub fn to_pem(&self) -> String {
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", base64::encode(&self.spki()))
    }

    pub fn spki(&self) -> Vec<u8> {
        spki(&self.key)
    }

    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Returns whether a signature of these bytes is this key's. Signatures that verifiers disagree about are
    /// rejected.
    pub(crate) fn fits(&self, signed: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|signature| self.key.verify_strict(signed, &signature).is_ok())
    }
}

fn spki(key: &VerifyingKey) -> Vec<u8> {
    [&SPKI_PREFIX[..], key.as_bytes()].concat()
}

#[cfg(test)]
mod tests;

//! The key that the servers of a fleet share, so that each can verify what another one handed out.

use referee_model::id::Digest;
use referee_syntax::{base64, hex};
use ring::hmac;

/// Least size of a key, in bytes.
const LEAST: usize = 32;

/// Version of what is handed out. Another one is refused.
const VERSION: &str = "1";

/// A key. What it authenticates for one purpose is worth nothing for another.
#[derive(Debug, Clone)]
pub struct SessionKey(hmac::Key);

/// What something is authenticated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Session,
    SignIn,
    State,
    Nonce,
    Verifier,
    Token,
    Audit,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::SignIn => "sign-in",
            Self::State => "state",
            Self::Nonce => "nonce",
            Self::Verifier => "verifier",
            Self::Token => "token",
            Self::Audit => "audit",
        }
    }

    fn message(self, content: &[u8]) -> Vec<u8> {
        [format!("referee {} {VERSION}\n", self.name()).as_bytes(), content].concat()
    }
}

impl SessionKey {
    /// Creates a key.
    ///
    /// # Errors
    /// Fails if it is too short to be random enough.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < LEAST {
            return Err(format!("a session key has {LEAST} bytes at least: make one with `openssl rand {LEAST}`"));
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, bytes)))
    }

    /// Returns what only holders of the key can make of a text.
    pub(crate) fn tag(&self, purpose: Purpose, content: &[u8]) -> String {
        hex::encode(hmac::sign(&self.0, &purpose.message(content)).as_ref())
    }

    /// Returns whether a tag is that of a text, in constant time.
    pub(crate) fn is_tag(&self, purpose: Purpose, content: &[u8], tag: &str) -> bool {
        let tag = hex::decode(tag).unwrap_or_default();
        hmac::verify(&self.0, &purpose.message(content), &tag).is_ok()
    }

    /// Returns what stands for a token, and does not reveal it.
    pub(crate) fn mark(&self, token: Digest) -> Digest {
        Digest::of(self.tag(Purpose::Token, token.to_string().as_bytes()))
    }

    /// Returns a text that holds content and authenticates it. It hides nothing.
    pub(crate) fn seal(&self, purpose: Purpose, content: &[u8]) -> String {
        format!("{VERSION}.{}.{}", base64::encode_for_url(content), self.tag(purpose, content))
    }

    /// Returns the content of a text that was sealed for the purpose. `None`: it was not.
    pub(crate) fn open(&self, purpose: Purpose, text: &str) -> Option<Vec<u8>> {
        let (content, tag) = text.strip_prefix(VERSION)?.strip_prefix('.')?.split_once('.')?;
        let content = base64::decode(content)?;
        self.is_tag(purpose, &content, tag).then_some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SessionKey {
        SessionKey::new(&[byte; LEAST]).unwrap()
    }

    #[test]
    fn what_was_sealed_is_opened_by_the_same_key_for_the_same_purpose_and_nothing_else_is() {
        let sealed = key(1).seal(Purpose::Session, b"{}");
        assert_eq!(key(1).open(Purpose::Session, &sealed), Some(b"{}".to_vec()));
        assert_eq!(key(2).open(Purpose::Session, &sealed), None);
        assert_eq!(key(1).open(Purpose::SignIn, &sealed), None);
        let (content, tag) = sealed.rsplit_once('.').unwrap();
        for forged in [
            String::new(),
            content.to_owned(),
            format!("{content}."),
            format!("{content}.{}", &tag[1..]),
            format!("1.e30x.{tag}"),
            sealed.replacen('1', "2", 1),
            format!("{sealed}0"),
        ] {
            assert_eq!(key(1).open(Purpose::Session, &forged), None, "{forged}");
        }
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused() {
        assert!(SessionKey::new(&[7; LEAST - 1]).is_err() && SessionKey::new(b"").is_err());
    }
}

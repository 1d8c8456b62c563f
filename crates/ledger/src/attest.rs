//! Creates and opens signed envelopes (DSSE 1.0.2). They attest runs, and sign what a person decides about the gate
//! (waivers, locks).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::attestation::draft::Draft;
use crate::attestation::envelope::{self, Envelope, EnvelopeError, Signature};
use crate::attestation::statement;
use crate::attestation::verdict::SignerDocument;
use referee_model::id::Digest;
use referee_syntax::base64;

use crate::error::LedgerError;
use crate::key::agent::AgentKey;
use crate::key::{KeyId, PrivateKey, PublicKey};

#[derive(Debug)]
pub struct Signer {
    source: Source,
}

/// Location of a signer's private key.
#[derive(Debug)]
enum Source {
    Key(PrivateKey),
    Agent(AgentKey),
}

impl From<PrivateKey> for Signer {
    fn from(key: PrivateKey) -> Self {
        Self { source: Source::Key(key) }
    }
}

impl From<AgentKey> for Signer {
    fn from(key: AgentKey) -> Self {
        Self { source: Source::Agent(key) }
    }
}

impl Signer {
    /// Returns the signer's public key.
    pub fn public(&self) -> &PublicKey {
        match &self.source {
            Source::Key(key) => key.public(),
            Source::Agent(key) => key.public(),
        }
    }

    /// Returns the signer's description for a statement.
    pub fn document(&self) -> SignerDocument {
        let public = self.public();
        SignerDocument { key_id: public.id().digest(), public_key: base64::encode(&public.spki()) }
    }

    /// Signs bytes. The signature is valid for the signer's own public key.
    fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, LedgerError> {
        match &self.source {
            Source::Key(key) => Ok(key.sign(bytes)),
            Source::Agent(key) => Ok(key.sign(bytes)?),
        }
    }
}

/// Signs bytes of a named type. Returns the envelope as JSON on one line, without a line end.
///
/// # Errors
/// Fails if a key agent does not sign.
pub fn sign(payload_type: &str, payload: &[u8], signer: &Signer) -> Result<Vec<u8>, LedgerError> {
    let signed = envelope::pre_authentication_encoding(payload_type, payload);
    let signature = Signature { key_hint: Some(signer.public().id().to_string()), bytes: signer.sign(&signed)? };
    let envelope =
        Envelope { payload_type: payload_type.to_owned(), payload: payload.to_vec(), signatures: vec![signature] };
    Ok(envelope.line())
}

/// A payload that is signed by at least one known key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Payload: exactly the bytes that were verified.
    pub payload: Vec<u8>,
    /// Keys with a valid signature, sorted and without duplicates; never empty.
    pub signers: Vec<KeyId>,
}

/// Reason why an envelope is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum AttestationError {
    /// The text is not an envelope.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    #[error("expected {wanted:?}, found {found:?}")]
    Type {
        /// Payload type that the envelope declares.
        found: String,
        wanted: String,
    },
    #[error("it is not signed")]
    Unsigned,
    /// A signature that claims to be from a known key is invalid.
    #[error("invalid signature by key {key}: the signed content was changed, or another key signed it")]
    Broken { key: KeyId },
    /// No signature is valid for a known key.
    #[error("it is signed by {}, and not by a trusted key", by.join(", "))]
    UnknownKey {
        /// Key ids that the signatures claim. They are hints only, and must not decide anything.
        by: Vec<String>,
    },
}

/// Opens an envelope of a named type, and returns its payload if at least one of the keys has signed it. Each
/// signature is verified against every key, whatever its hint says.
///
/// # Errors
/// Fails if no signature is valid for one of the keys.
pub fn open(envelope: &[u8], payload_type: &str, keys: &[PublicKey]) -> Result<Opened, AttestationError> {
    let envelope = Envelope::read(envelope)?;
    if envelope.payload_type != payload_type {
        return Err(AttestationError::Type { found: envelope.payload_type, wanted: payload_type.to_owned() });
    }
    let signers = verify(&envelope, keys);
    if signers.is_empty() {
        return Err(unsigned(&envelope, keys));
    }
    Ok(Opened { payload: envelope.payload, signers })
}

/// Returns those of these keys that have signed an envelope, each once, sorted.
pub fn verify(envelope: &Envelope, keys: &[PublicKey]) -> Vec<KeyId> {
    let signed = envelope.signed_bytes();
    let has_signed = |key: &&PublicKey| envelope.signatures.iter().any(|found| key.fits(&signed, &found.bytes));
    let signers: BTreeSet<KeyId> = keys.iter().filter(has_signed).map(PublicKey::id).collect();
    signers.into_iter().collect()
}

/// Returns the error for an envelope without a valid known signature, as specific as the key hints allow.
fn unsigned(envelope: &Envelope, keys: &[PublicKey]) -> AttestationError {
    let hints = || envelope.signatures.iter().map(|signature| signature.key_hint.as_deref().unwrap_or_default());
    let known = keys.iter().map(PublicKey::id).find(|key| hints().any(|hint| hint == key.to_string()));
    match known {
        _ if envelope.signatures.is_empty() => AttestationError::Unsigned,
        Some(key) => AttestationError::Broken { key },
        None => {
            let shown =
                |hint: &str| if hint.is_empty() { "a key without a name".to_owned() } else { format!("{hint:?}") };
            AttestationError::UnknownKey { by: hints().map(shown).collect() }
        }
    }
}

/// Statements about a run, to be signed when it is sealed, and their signer.
#[derive(Debug, Clone)]
pub struct Attestation {
    pub draft: Draft,
    pub signer: Arc<Signer>,
}

impl Attestation {
    /// Returns the lines of `attestation.intoto.jsonl` for the run with this seal.
    pub(crate) fn lines(&self, seal: Digest) -> Result<Vec<u8>, LedgerError> {
        let statements = self.draft.statements(seal).map_err(|error| LedgerError::Unusable {
            path: referee_model::evidence_name::ATTESTATION.into(),
            reason: error.to_string(),
        })?;
        let mut lines = Vec::new();
        for payload in statements {
            lines.extend(sign(statement::PAYLOAD_TYPE, &payload, &self.signer)?);
            lines.push(b'\n');
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "application/vnd.referee.test+json";

    fn signer() -> Signer {
        PrivateKey::generate().unwrap().into()
    }

    #[test]
    fn what_was_signed_is_opened_by_the_key_that_signed_it_and_by_no_other() {
        let (one, other) = (signer(), signer());
        let line = sign(KIND, b"{}", &one).unwrap();
        let opened = open(&line, KIND, &[other.public().clone(), one.public().clone()]).unwrap();
        assert_eq!((opened.payload, opened.signers), (b"{}".to_vec(), vec![one.public().id()]));
        assert!(matches!(open(&line, KIND, &[other.public().clone()]), Err(AttestationError::UnknownKey { .. })));
        assert!(matches!(open(&line, KIND, &[]), Err(AttestationError::UnknownKey { .. })));
        assert!(matches!(open(&line, "text/plain", &[one.public().clone()]), Err(AttestationError::Type { .. })));
    }

    #[test]
    fn keys_are_counted_and_not_signatures_and_hints_decide_nothing() {
        let (one, other) = (signer(), signer());
        let mut envelope = Envelope::read(&sign(KIND, b"{}", &one).unwrap()).unwrap();
        // The same key three times, with different hints.
        let again = |hint: Option<String>| Signature { key_hint: hint, bytes: envelope.signatures[0].bytes.clone() };
        let copies = [again(None), again(Some(other.public().id().to_string()))];
        envelope.signatures.extend(copies);
        let keys = [one.public().clone(), other.public().clone(), one.public().clone()];
        assert_eq!(verify(&envelope, &keys), [one.public().id()]);
        // A second key makes two.
        let second = Envelope::read(&sign(KIND, b"{}", &other).unwrap()).unwrap();
        envelope.signatures.extend(second.signatures);
        assert_eq!(verify(&envelope, &keys).len(), 2);
    }

    #[test]
    fn a_change_of_type_payload_or_signature_is_found_and_the_key_is_named() {
        let signer = signer();
        let keys = [signer.public().clone()];
        let sealed = Envelope::read(&sign(KIND, b"{\"a\":1}", &signer).unwrap()).unwrap();
        let changed = |change: &dyn Fn(&mut Envelope)| {
            let mut envelope = sealed.clone();
            change(&mut envelope);
            open(&envelope.line(), &envelope.payload_type, &keys)
        };
        assert!(changed(&|_| {}).is_ok());
        assert!(changed(&|envelope| envelope.signatures[0].key_hint = Some("another".to_owned())).is_ok());
        let broken = |change: &dyn Fn(&mut Envelope)| {
            let error = changed(change).unwrap_err();
            assert!(matches!(error, AttestationError::Broken { key } if key == keys[0].id()), "{error}");
        };
        broken(&|envelope| envelope.payload[5] ^= 1);
        broken(&|envelope| envelope.payload_type.push('x'));
        broken(&|envelope| envelope.signatures[0].bytes[10] ^= 1);
        broken(&|envelope| envelope.signatures[0].bytes.push(0));
        assert!(matches!(changed(&|envelope| envelope.signatures.clear()), Err(AttestationError::Unsigned)));
    }

    #[test]
    fn one_signature_over_one_text_is_always_the_same() {
        let signer = signer();
        assert_eq!(sign(KIND, b"x", &signer).unwrap(), sign(KIND, b"x", &signer).unwrap());
    }
}

//! DSSE 1.0.2 envelopes: bytes of a named type, with signatures over both.

use std::borrow::Cow;

use referee_model::limit;
use referee_syntax::base64;
use serde::{Deserialize, Serialize};

/// Why bytes are not a valid envelope.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// Not JSON, or JSON of another shape.
    #[error("it is not a DSSE envelope: {0}")]
    Shape(#[from] serde_json::Error),
    /// The payload or a signature is not in base64.
    #[error("`{key}` of the envelope is not base64")]
    Encoding { key: &'static str },
    /// The envelope is larger than the limit.
    #[error("the envelope is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: u64 },
    /// The envelope has more signatures than the limit.
    #[error("the envelope has more than {limit} signatures")]
    TooManySignatures { limit: usize },
}

/// Bytes of a named type with signatures over both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    pub payload_type: String,
    pub payload: Vec<u8>,
    pub signatures: Vec<Signature>,
}

/// One signature of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// A hint at the key. It is not signed itself, so no decision may depend on it.
    pub key_hint: Option<String>,
    pub bytes: Vec<u8>,
}

/// The envelope as JSON. Unknown keys are ignored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EnvelopeDocument<'a> {
    #[serde(borrow)]
    payload: Cow<'a, str>,
    #[serde(borrow)]
    payload_type: Cow<'a, str>,
    signatures: Vec<SignatureDocument>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SignatureDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keyid: Option<String>,
    sig: String,
}

/// Returns the bytes that are signed: payload and type with their lengths, so that neither can be taken for the
/// other (DSSE 1.0.2, "PAE").
pub fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

impl Envelope {
    /// Parses an envelope. Its signatures are not verified.
    pub fn read(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        if bytes.len() as u64 > limit::ENVELOPE_BYTES {
            return Err(EnvelopeError::TooLarge { limit_bytes: limit::ENVELOPE_BYTES });
        }
        let document: EnvelopeDocument<'_> = serde_json::from_slice(bytes)?;
        if document.signatures.len() > limit::ENVELOPE_SIGNATURES {
            return Err(EnvelopeError::TooManySignatures { limit: limit::ENVELOPE_SIGNATURES });
        }
        let signature = |found: SignatureDocument| {
            let bytes = decoded("sig", &found.sig)?;
            Ok(Signature { key_hint: found.keyid, bytes })
        };
        Ok(Self {
            payload: decoded("payload", &document.payload)?,
            payload_type: document.payload_type.into_owned(),
            signatures: document.signatures.into_iter().map(signature).collect::<Result<_, EnvelopeError>>()?,
        })
    }

    /// Serializes an envelope on one line, without the line break, in standard base64 with padding.
    pub fn line(&self) -> Vec<u8> {
        let signature = |signature: &Signature| SignatureDocument {
            keyid: signature.key_hint.clone(),
            sig: base64::encode(&signature.bytes),
        };
        let document = EnvelopeDocument {
            payload: Cow::Owned(base64::encode(&self.payload)),
            payload_type: Cow::Borrowed(&self.payload_type),
            signatures: self.signatures.iter().map(signature).collect(),
        };
        // It consists of strings only, so serializing cannot fail.
        serde_json::to_vec(&document).unwrap_or_default()
    }

    /// Returns the bytes that the signatures cover.
    pub fn signed_bytes(&self) -> Vec<u8> {
        pre_authentication_encoding(&self.payload_type, &self.payload)
    }
}

/// Decodes base64 in either alphabet, with or without padding (DSSE 1.0.2, "Parsing rules").
fn decoded(key: &'static str, text: &str) -> Result<Vec<u8>, EnvelopeError> {
    base64::decode(text).ok_or(EnvelopeError::Encoding { key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_that_are_signed_are_those_of_the_protocols_own_example() {
        assert_eq!(
            pre_authentication_encoding("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
        assert_eq!(pre_authentication_encoding("", b""), b"DSSEv1 0  0 ");
        // Lengths are in bytes.
        assert_eq!(pre_authentication_encoding("é", "ü".as_bytes()), "DSSEv1 2 é 2 ü".as_bytes());
    }

    #[test]
    fn an_envelope_is_read_in_either_alphabet_with_padding_or_without_and_unknown_keys_are_passed_over() {
        // The bytes of the payload are chosen so that the two alphabets differ.
        for payload in ["+/+/+w==", "+/+/+w", "-_-_-w==", "-_-_-w"] {
            let text = format!(
                r#"{{"new":{{"a":1}},"payloadType":"t","payload":"{payload}","signatures":[{{"sig":"AQ","cert":"x"}}]}}"#
            );
            let envelope = Envelope::read(text.as_bytes()).unwrap();
            assert_eq!(envelope.payload, [0xfb, 0xff, 0xbf, 0xfb], "{payload}");
            assert_eq!(envelope.signatures, [Signature { key_hint: None, bytes: vec![1] }]);
        }
    }

    #[test]
    fn an_envelope_is_read_as_it_was_written() {
        let envelope = Envelope {
            payload_type: "application/x".to_owned(),
            payload: (0..=255).collect(),
            signatures: vec![
                Signature { key_hint: Some("k".to_owned()), bytes: vec![7; 64] },
                Signature { key_hint: None, bytes: Vec::new() },
            ],
        };
        assert_eq!(Envelope::read(&envelope.line()).unwrap(), envelope);
        assert!(!envelope.line().contains(&b'\n'));
    }

    #[test]
    fn what_is_no_envelope_is_refused() {
        let signatures = vec![r#"{"sig":"AQ=="}"#; limit::ENVELOPE_SIGNATURES + 1].join(",");
        for (text, part) in [
            ("", "not a"),
            ("[]", "not a"),
            (r#"{"payloadType":"t","signatures":[]}"#, "missing field `payload`"),
            (r#"{"payload":"","payloadType":"t"}"#, "missing field `signatures`"),
            (r#"{"payload":"","payloadType":"t","signatures":[{}]}"#, "missing field `sig`"),
            // Two payloads: it is ambiguous which one is meant.
            (r#"{"payload":"","payload":"QQ==","payloadType":"t","signatures":[]}"#, "duplicate field"),
            (r#"{"payload":"Q Q=","payloadType":"t","signatures":[]}"#, "`payload` of the envelope is not base64"),
            (r#"{"payload":"+_+_","payloadType":"t","signatures":[]}"#, "not base64"),
            (r#"{"payload":"QR==","payloadType":"t","signatures":[]}"#, "not base64"),
            (r#"{"payload":"","payloadType":"t","signatures":[{"sig":"*"}]}"#, "`sig` of the envelope"),
            (r#"{"payload":"","payloadType":"t","signatures":[]} more"#, "trailing"),
            (&format!(r#"{{"payload":"","payloadType":"t","signatures":[{signatures}]}}"#), "more than 16 signatures"),
        ] {
            let error = Envelope::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

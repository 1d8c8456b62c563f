//! The keys of approvers, and envelopes that they signed.

use referee_model::time::Timestamp;

use crate::attest::{self, AttestationError};
use crate::key::PublicKey;
use crate::state::State;
use crate::trust::{Role, TrustStore};

#[derive(Debug, Default)]
pub struct Approvers {
    known: Vec<(PublicKey, String)>,
    /// Why there are no approvers, if there are none.
    absent: Option<String>,
}

/// An envelope whose signature was verified.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) payload: Vec<u8>,
    /// Id of the key that signed the envelope.
    pub(crate) key: String,
    pub(crate) approver: String,
}

impl Approvers {
    /// Reads the keys that are trusted as approvers at a time from the trust store. If it cannot be read there
    /// are none.
    pub fn load(state: Option<&State>, at: Timestamp) -> Self {
        let nobody = |reason: String| Self { known: Vec::new(), absent: Some(reason) };
        let Some(state) = state else { return nobody("there is no state directory, so no key is trusted".to_owned()) };
        let store = match TrustStore::read(state) {
            Ok(store) => store,
            Err(error) => return nobody(format!("the trust store cannot be read: {error}")),
        };
        let may = store.entries().filter(|entry| entry.is(Role::Approver, at));
        let known: Vec<_> = may.map(|entry| (entry.key.clone(), entry.name.clone())).collect();
        let absent = known.is_empty().then(|| "no key is trusted to approve".to_owned());
        Self { known, absent }
    }

    /// Opens an envelope that an approver signed. Its content is not parsed before the signature is verified.
    pub(crate) fn open(&self, envelope: &[u8], payload_type: &str) -> Result<Opened, String> {
        let keys: Vec<PublicKey> = self.known.iter().map(|(key, _)| key.clone()).collect();
        let opened = attest::open(envelope, payload_type, &keys).map_err(|error| self.refusal(&error))?;
        let by = self.known.iter().find(|(key, _)| opened.signers.contains(&key.id()));
        let (key, approver) = by.ok_or("its signature is nobody's")?;
        Ok(Opened { payload: opened.payload, key: key.id().to_string(), approver: approver.clone() })
    }

    /// Returns the approver who signed this text, by an envelope that holds exactly this text. None: no
    /// approver signed it.
    pub fn who_approved(&self, envelope: &[u8], payload_type: &str, text: &[u8]) -> Option<String> {
        self.open(envelope, payload_type).ok().filter(|opened| opened.payload == text).map(|opened| opened.approver)
    }

    fn refusal(&self, error: &AttestationError) -> String {
        match (error, &self.absent) {
            (AttestationError::Envelope(_) | AttestationError::Type { .. }, _) => {
                format!("it is not a signed envelope of that kind: {error}")
            }
            (_, Some(absent)) => absent.clone(),
            (_, None) => format!("its signature is not that of a key that is trusted to approve: {error}"),
        }
    }
}

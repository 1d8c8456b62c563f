//! Keys that are held by an SSH agent, which is asked for its keys and for signatures (the SSH agent protocol,
//! draft-ietf-sshm-ssh-agent, 3.5 and 3.6). The caller provides the connection.

use std::fmt;
use std::io;
use std::sync::Arc;

use referee_syntax::base64;
use sha2::{Digest as _, Sha256};

use super::{KeyError, PublicKey};

/// Sends a request to the agent and returns its answer, both without the length prefix.
pub type Exchange = Arc<dyn Fn(&[u8]) -> io::Result<Vec<u8>> + Send + Sync>;

const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;

/// The only supported key type.
const KIND: &[u8] = b"ssh-ed25519";

/// Minimum number of digits of a key's id that may be used to name it.
const ID_DIGITS: usize = 8;

#[derive(Clone)]
pub struct AgentKey {
    public: PublicKey,
    /// The public key in the agent's encoding.
    blob: Vec<u8>,
    comment: String,
    exchange: Exchange,
}

impl fmt::Debug for AgentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AgentKey").field("id", &self.public.id()).finish_non_exhaustive()
    }
}

impl AgentKey {
    /// Finds the named key of an agent: by its fingerprint (`SHA256:…`, as `ssh-add -l` prints it), its
    /// comment, or the first eight or more digits of its id. An empty name selects the only key.
    ///
    /// # Errors
    /// Fails if the agent does not answer, and if no key or more than one matches.
    pub fn find(wanted: &str, exchange: &Exchange) -> Result<Self, KeyError> {
        let keys = list(exchange)?;
        let mut meant = keys.iter().filter(|key| key.is_called(wanted));
        match (meant.next(), meant.next()) {
            (Some(key), None) => Ok(key.clone()),
            (None, _) if keys.is_empty() => Err(KeyError::Agent(
                "holds no Ed25519 key: add one, such as by `ssh-keygen -t ed25519 -f FILE` and `ssh-add FILE`"
                    .to_owned(),
            )),
            (None, _) => Err(KeyError::Agent(format!("holds no key {wanted:?}; it holds {}", told(&keys)))),
            (Some(_), Some(_)) => Err(KeyError::Agent(format!(
                "holds more than one key that may be meant: name one by its fingerprint; it holds {}",
                told(&keys)
            ))),
        }
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the fingerprint in the format of `ssh-add -l`.
    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", base64::encode_unpadded(&Sha256::digest(&self.blob)))
    }

    fn is_called(&self, name: &str) -> bool {
        let by_id = name.len() >= ID_DIGITS && self.public.id().to_string().starts_with(name);
        name.is_empty() || name == self.comment || name == self.fingerprint() || by_id
    }

    /// Lets the agent sign bytes, and verifies the signature with the public key.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, KeyError> {
        let mut request = vec![SIGN_REQUEST];
        put(&mut request, &self.blob)?;
        put(&mut request, bytes)?;
        request.extend_from_slice(&0_u32.to_be_bytes());
        let answer = ask(&self.exchange, &request)?;
        let signature = answer.strip_prefix(&[SIGN_RESPONSE]).and_then(|mut rest| {
            let mut signature = take(&mut rest)?;
            let kind = take(&mut signature)?;
            (kind == KIND).then(|| take(&mut signature)).flatten()
        });
        match signature {
            Some(signature) if self.public.fits(bytes, signature) => Ok(signature.to_vec()),
            Some(_) => Err(KeyError::Agent("gave a signature that its own key does not fit".to_owned())),
            None => Err(KeyError::Agent(format!(
                "did not sign by {}: it refused, or was asked in vain",
                self.fingerprint()
            ))),
        }
    }
}

/// Lists the Ed25519 keys of an agent.
pub fn list(exchange: &Exchange) -> Result<Vec<AgentKey>, KeyError> {
    let answer = ask(exchange, &[REQUEST_IDENTITIES])?;
    let junk = || KeyError::Agent("does not answer as SSH agents do".to_owned());
    let mut rest = answer.strip_prefix(&[IDENTITIES_ANSWER]).ok_or_else(junk)?;
    let mut keys = Vec::new();
    for _ in 0..number(&mut rest).ok_or_else(junk)? {
        let (blob, comment) = (take(&mut rest).ok_or_else(junk)?, take(&mut rest).ok_or_else(junk)?);
        if let Some(public) = public(blob) {
            let comment = String::from_utf8_lossy(comment).into_owned();
            keys.push(AgentKey { public, blob: blob.to_vec(), comment, exchange: Arc::clone(exchange) });
        }
    }
    Ok(keys)
}

/// Reads a public key in the agent's encoding. None: it is of another type.
fn public(mut blob: &[u8]) -> Option<PublicKey> {
    let kind = take(&mut blob)?;
    let key = take(&mut blob)?;
    (kind == KIND && blob.is_empty()).then_some(())?;
    PublicKey::from_bytes(key.try_into().ok()?)
}

fn told(keys: &[AgentKey]) -> String {
    let told: Vec<String> = keys.iter().map(|key| format!("{} ({:?})", key.fingerprint(), key.comment)).collect();
    told.join(", ")
}

fn ask(exchange: &Exchange, request: &[u8]) -> Result<Vec<u8>, KeyError> {
    exchange(request).map_err(|error| KeyError::Agent(format!("cannot be asked: {error}")))
}

/// Appends bytes with a length prefix.
fn put(request: &mut Vec<u8>, bytes: &[u8]) -> Result<(), KeyError> {
    let length = u32::try_from(bytes.len())
        .map_err(|_| KeyError::Agent("cannot be asked to sign so much at once".to_owned()))?;
    request.extend_from_slice(&length.to_be_bytes());
    request.extend_from_slice(bytes);
    Ok(())
}

/// Takes a 4-byte number from the front. None: there are too few bytes.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let (number, left) = rest.split_first_chunk::<4>()?;
    *rest = left;
    Some(u32::from_be_bytes(*number))
}

/// Takes length-prefixed bytes from the front. None: there are too few bytes.
fn take<'bytes>(rest: &mut &'bytes [u8]) -> Option<&'bytes [u8]> {
    let mut ahead = *rest;
    let length = usize::try_from(number(&mut ahead)?).ok()?;
    let (taken, left) = ahead.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

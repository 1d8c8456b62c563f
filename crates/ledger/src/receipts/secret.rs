//! Keyed digests: environment variables hold secrets, and the plain digest of a short one could be guessed.

use referee_model::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::chance::chance;
use crate::directory::{Directory, PRIVATE};
use crate::error::LedgerError;
use crate::state::{Area, State};

/// Name of the key file.
const SECRET: &str = "secret";

/// Length of the key in bytes.
const KEY_BYTES: usize = 32;

/// Block length of SHA-256 in bytes.
const BLOCK_BYTES: usize = 64;

/// Returns the digest of a text, keyed with a secret in the state directory (HMAC-SHA-256, RFC 2104).
///
/// # Errors
/// Fails if the key can be neither read nor created.
pub fn keyed(state: &State, text: &[u8]) -> Result<Digest, LedgerError> {
    let area = state.open_area(Area::Receipts)?;
    let key = match area.read_at_most(SECRET, KEY_BYTES as u64)? {
        Some(key) => key,
        None => make(&area)?,
    };
    if key.len() != KEY_BYTES {
        let reason = format!("it holds {} bytes, and {KEY_BYTES} are written", key.len());
        return Err(LedgerError::Unreadable { path: area.path().join(SECRET), reason });
    }
    Ok(authenticated(&key, text))
}

/// Creates the key; if another process created one first, returns that.
fn make(area: &Directory) -> Result<Vec<u8>, LedgerError> {
    let key = chance::<KEY_BYTES>(&area.path().join(SECRET))?;
    if area.put_new(SECRET, &key, Some(PRIVATE))? {
        return Ok(key.to_vec());
    }
    Ok(area.read_at_most(SECRET, KEY_BYTES as u64)?.unwrap_or_default())
}

fn authenticated(key: &[u8], text: &[u8]) -> Digest {
    let padded = |with: u8| {
        let mut block = [with; BLOCK_BYTES];
        for (byte, of_key) in block.iter_mut().zip(key) {
            *byte ^= of_key;
        }
        block
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
    Digest::from_bytes(Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // RFC 4231, test cases 1 and 2.
        let of = |key: &[u8], text: &[u8]| authenticated(key, text).to_string();
        assert_eq!(of(&[0x0b; 20], b"Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        assert_eq!(
            of(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn the_key_is_made_once_for_this_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let first = keyed(&state, b"a").unwrap();
        assert_eq!(keyed(&state, b"a").unwrap(), first);
        assert_ne!(keyed(&state, b"b").unwrap(), first);
        let file = state.path().join("receipts/secret");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(&file, "short").unwrap();
        assert!(keyed(&state, b"a").is_err());
        std::fs::remove_file(&file).unwrap();
        assert_ne!(keyed(&state, b"a").unwrap(), first);
    }
}

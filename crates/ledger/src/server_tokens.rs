//! Tokens of `referee serve` that were created by name. Only their SHA-256 is kept, in the user's state directory.

use referee_model::access::{self, Role, TokenList, TokenRecord};
use referee_model::id::Digest;
use referee_model::time::Timestamp;
use referee_syntax::hex;

use crate::chance::chance;
use crate::directory::{Directory, PRIVATE};
use crate::error::LedgerError;
use crate::lock;
use crate::state::{Area, State};

/// File name of the list in the state directory.
const LIST: &str = "tokens.json";
const LOCK: &str = "tokens.lock";
/// Number of random bytes in a token.
const CHANCE: usize = 32;
/// Beginning of every token that is created by name, by which programs that look for secrets know it.
pub const BEGINNING: &str = "referee_";
/// Maximum number of tokens.
const AT_MOST: usize = 256;

/// A token to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken<'typed> {
    pub name: &'typed str,
    pub role: Role,
    /// When it ends. None: it does not end by itself.
    pub until: Option<Timestamp>,
    pub now: Timestamp,
}

/// Creates a token, and returns it. It is not kept, so it can never be returned again.
///
/// # Errors
/// Fails if the name is none, or that of another token, if the end has passed, and if the list cannot be written.
pub fn create(state: &State, new: &NewToken<'_>) -> Result<String, LedgerError> {
    let directory = state.open_area(Area::Doors)?;
    let path = directory.path().join(LIST);
    let unusable = |reason: String| LedgerError::Unusable { path: path.clone(), reason };
    access::check_token_name(new.name).map_err(unusable)?;
    let _lock = lock::of_file(&directory, LOCK)?;
    let mut list = TokenList { tokens: read(state)? };
    if list.tokens.iter().any(|token| token.name == new.name) {
        return Err(unusable(format!("there is a token `{}` already: choose another name, or revoke it", new.name)));
    }
    if list.tokens.len() >= AT_MOST {
        return Err(unusable(format!("there are {AT_MOST} tokens already: revoke some")));
    }
    let chance = chance::<CHANCE>(&path)?;
    let text = format!("{BEGINNING}{}", hex::encode(&chance));
    let record = TokenRecord {
        name: new.name.to_owned(),
        sha256: Digest::of(&text),
        role: new.role,
        created: new.now,
        until: new.until,
    };
    if record.is_over(new.now) {
        return Err(unusable(format!("the token `{}` would be over already", new.name)));
    }
    list.tokens.push(record);
    write(&directory, &list)?;
    Ok(text)
}

/// Returns the tokens, in the order of their creation. A list that cannot be read is an error, never an empty one.
///
/// # Errors
/// Fails if the list cannot be read.
pub fn read(state: &State) -> Result<Vec<TokenRecord>, LedgerError> {
    let list = state.read(Area::Doors, LIST, |bytes| access::TOKENS.decode::<TokenList>(bytes))?;
    Ok(list.unwrap_or_default().tokens)
}

/// Removes a token. Returns false if there is none with this name.
///
/// # Errors
/// Fails if the list cannot be read or written.
pub fn revoke(state: &State, name: &str) -> Result<bool, LedgerError> {
    let directory = state.open_area(Area::Doors)?;
    let _lock = lock::of_file(&directory, LOCK)?;
    let mut list = TokenList { tokens: read(state)? };
    let before = list.tokens.len();
    list.tokens.retain(|token| token.name != name);
    if list.tokens.len() == before {
        return Ok(false);
    }
    write(&directory, &list)?;
    Ok(true)
}

fn write(directory: &Directory, list: &TokenList) -> Result<(), LedgerError> {
    let path = directory.path().join(LIST);
    let bytes =
        access::TOKENS.encode(list).map_err(|error| LedgerError::Unusable { path, reason: error.to_string() })?;
    directory.replace_as(LIST, &bytes, Some(PRIVATE)).map(drop)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn state() -> (tempfile::TempDir, State) {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        (outside, state)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millisecond(second * 1_000)
    }

    fn new(name: &str) -> NewToken<'_> {
        NewToken { name, role: Role::Viewer, until: Some(at(20)), now: at(10) }
    }

    #[test]
    fn a_token_is_returned_once_and_its_digest_is_kept() {
        let (_outside, state) = state();
        assert_eq!(read(&state).unwrap(), []);
        let text = create(&state, &new("ci")).unwrap();
        assert_eq!(text.len(), BEGINNING.len() + 2 * CHANCE);
        crate::server_credentials::check_token(&text).unwrap();
        let kept = read(&state).unwrap();
        assert_eq!((kept[0].name.as_str(), kept[0].sha256, kept[0].role), ("ci", Digest::of(&text), Role::Viewer));
        assert_eq!((kept[0].created, kept[0].until), (at(10), Some(at(20))));
        let file = state.area(Area::Doors).unwrap().join(LIST);
        let written = std::fs::read_to_string(&file).unwrap();
        assert!(!written.contains(&text) && !written.contains(&text[BEGINNING.len()..]), "{written}");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_token_is_gone_once_it_is_revoked_and_its_name_is_free() {
        let (_outside, state) = state();
        let first = create(&state, &new("ci")).unwrap();
        create(&state, &new("other")).unwrap();
        assert!(create(&state, &new("ci")).is_err());
        assert!(revoke(&state, "ci").unwrap() && !revoke(&state, "ci").unwrap());
        let kept = read(&state).unwrap();
        assert!(kept.len() == 1 && kept[0].name == "other");
        assert_ne!(create(&state, &new("ci")).unwrap(), first);
    }

    #[test]
    fn what_is_no_token_is_not_created() {
        let (_outside, state) = state();
        for bad in [NewToken { until: Some(at(10)), ..new("ci") }, new(""), new("a b"), new("../x")] {
            assert!(create(&state, &bad).is_err(), "{bad:?}");
        }
        assert_eq!(read(&state).unwrap(), []);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_no_empty_list() {
        let (_outside, state) = state();
        create(&state, &new("ci")).unwrap();
        let file = state.area(Area::Doors).unwrap().join(LIST);
        for junk in ["", "{}", "[]", "{\"tokens_version\":\"9.0.0\",\"tokens\":[]}"] {
            std::fs::write(&file, junk).unwrap();
            assert!(read(&state).is_err() && create(&state, &new("x")).is_err() && revoke(&state, "ci").is_err());
            assert_eq!(std::fs::read_to_string(&file).unwrap(), junk);
        }
    }
}

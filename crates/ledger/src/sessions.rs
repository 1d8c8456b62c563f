//! Agent sessions, as observed by hooks.
//!
//! ```text
//! <state>/sessions/<key>.json      a session; the key is a digest of the host and its id of the session
//! <state>/sessions/sessions.lock   lock for changing one
//! ```
//!
//! A session that is missing, invalid or written by a newer Referee counts as new: its work is judged, and its budget
//! is a fresh one. Losing a session never lets anything pass.

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::hook::AgentHost;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::session::{KIND, Session};
use referee_model::time::Timestamp;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock;
use crate::state::{Area, State};

/// The lock over all sessions.
const LOCK: &str = "sessions.lock";

/// File extension of sessions.
const EXTENSION: &str = ".json";

/// Minimum time that a session is kept after it was last seen, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Identifies a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey(Digest);

impl SessionKey {
    /// Returns the key of a session with an id from its host. It does not depend on the project.
    pub fn of(host: AgentHost, id: &str) -> Self {
        Self::digest(host, "session", id.as_bytes())
    }

    /// Returns the key of a session in a project other than the one that it began in.
    pub fn elsewhere(host: AgentHost, id: &str, project: &Path) -> Self {
        use std::os::unix::ffi::OsStrExt;
        let rest = [id.as_bytes(), project.as_os_str().as_bytes()].join(&0);
        Self::digest(host, "elsewhere", &rest)
    }

    /// Returns the common key of all sessions of a project without an id from the host.
    pub fn unnamed(host: AgentHost, project: &Path) -> Self {
        use std::os::unix::ffi::OsStrExt;
        Self::digest(host, "unknown", project.as_os_str().as_bytes())
    }

    fn digest(host: AgentHost, kind: &str, rest: &[u8]) -> Self {
        Self(Digest::of([group(host).as_bytes(), kind.as_bytes(), rest].join(&0)))
    }

    fn name(&self) -> String {
        format!("{}{EXTENSION}", self.0)
    }
}

/// Returns the name of a group of hosts that run each other's hooks, and so may report one session under each
/// other's name.
fn group(host: AgentHost) -> &'static str {
    match host {
        AgentHost::Claude | AgentHost::Copilot | AgentHost::VsCode => "claude",
        AgentHost::Codex | AgentHost::Gemini | AgentHost::Qwen | AgentHost::OpenCode | AgentHost::Cursor => {
            host.as_str()
        }
    }
}

/// Returns the record of a session. Returns `None` if there is no readable one.
///
/// # Errors
/// Fails on an I/O error, and if the path is not a file.
pub fn read(state: &State, key: &SessionKey) -> Result<Option<Session>, LedgerError> {
    state.look_into(Area::Sessions)?.map_or(Ok(None), |directory| look(&directory, &key.name()))
}

/// Returns whether a session is recorded under this key, readable or not.
///
/// # Errors
/// Fails on an I/O error.
pub fn is_there(state: &State, key: &SessionKey) -> Result<bool, LedgerError> {
    let directory = state.look_into(Area::Sessions)?;
    directory.map_or(Ok(false), |directory| Ok(directory.mode(&key.name())?.is_some()))
}

/// Changes the record of a session under the lock: `change` gets the current record and returns the new one
/// with an answer for the caller. Old sessions are removed to make room for a new one.
///
/// # Errors
/// Fails on an I/O error, if the path is not a file, or if there are too many sessions of the last day.
pub fn change<Answer>(
    state: &State,
    key: &SessionKey,
    now: Timestamp,
    change: impl FnOnce(Option<Session>) -> (Session, Answer),
) -> Result<Answer, LedgerError> {
    let directory = state.open_area(Area::Sessions)?;
    let _lock = lock::of_file(&directory, LOCK)?;
    let name = key.name();
    let before = look(&directory, &name)?;
    if before.is_none() {
        make_room(&directory, now)?;
    }
    let (after, answer) = change(before.clone());
    if before.as_ref() != Some(&after) {
        let bytes = laid_out(after).map_err(LedgerError::io("write", &directory.path().join(&name)))?;
        directory.replace(&name, &bytes)?;
    }
    Ok(answer)
}

/// Serializes a session. If the result would be too large to be read again, the counts of its workers are
/// dropped.
fn laid_out(session: Session) -> Result<Vec<u8>, serde_json::Error> {
    let bytes = KIND.encode(&session)?;
    let is_too_large = u64::try_from(bytes.len()).is_ok_and(|length| length > limit::SESSION_BYTES);
    if is_too_large { KIND.encode(&Session { workers: BTreeMap::new(), ..session }) } else { Ok(bytes) }
}

fn look(directory: &Directory, name: &str) -> Result<Option<Session>, LedgerError> {
    match directory.read_at_most(name, limit::SESSION_BYTES) {
        Ok(bytes) => Ok(bytes.and_then(|bytes| KIND.decode(&bytes).ok())),
        Err(LedgerError::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes the oldest sessions if there are too many. Sessions of the last day stay; unreadable ones count as oldest.
fn make_room(directory: &Directory, now: Timestamp) -> Result<(), LedgerError> {
    let mut names = directory.names_of(Kind::File)?;
    names.retain(|name| name.strip_suffix(EXTENSION).is_some_and(|stem| Digest::parse(stem).is_ok()));
    let excess = (names.len() + 1).saturating_sub(limit::SESSIONS_KEPT);
    if excess == 0 {
        return Ok(());
    }
    let mut aged = Vec::with_capacity(names.len());
    for name in names {
        let last_seen = look(directory, &name)?.map(|session| session.last_seen);
        aged.push((last_seen, name));
    }
    aged.sort();
    let is_of_today = |seen: Option<Timestamp>| seen.is_some_and(|seen| now.milliseconds_since(seen) < DAY_MS);
    let kept = aged.len();
    let mut gone = 0;
    for (_, name) in aged.into_iter().take(excess).take_while(|(seen, _)| !is_of_today(*seen)) {
        directory.discard(&name)?;
        gone += 1;
    }
    if kept - gone >= limit::SESSIONS_AT_MOST {
        let reason = format!("more than {} sessions began within a day", limit::SESSIONS_AT_MOST);
        return Err(LedgerError::Unusable { path: directory.path().to_path_buf(), reason });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use referee_model::session::{Beginning, StopGuard};

    use super::*;

    fn session(id: &str, seen: Timestamp) -> Session {
        Session {
            host: AgentHost::Claude,
            id: Some(id.to_owned()),
            project: PathBuf::from("/work"),
            first_seen: seen,
            last_seen: seen,
            beginning: Beginning::Unknown,
            failed_before: false,
            guard: StopGuard::fresh(seen),
            workers: BTreeMap::new(),
        }
    }

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_millisecond(hour * 60 * 60 * 1000)
    }

    fn keep(state: &State, id: &str, seen: Timestamp) {
        let key = SessionKey::of(AgentHost::Claude, id);
        change(state, &key, seen, |_| (session(id, seen), ())).unwrap();
    }

    fn is_kept(state: &State, id: &str) -> bool {
        read(state, &SessionKey::of(AgentHost::Claude, id)).unwrap().is_some()
    }

    #[test]
    fn a_session_is_found_by_host_and_id_alone_and_changed_in_place() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let key = SessionKey::of(AgentHost::Claude, "a");
        assert_eq!(read(&state, &key).unwrap(), None);
        assert!(!state.path().join("sessions").exists(), "looking makes nothing");
        keep(&state, "a", at(1));
        let later = change(&state, &key, at(2), |found| {
            let found = found.unwrap();
            (Session { last_seen: at(2), ..found.clone() }, found.last_seen)
        });
        assert_eq!(later.unwrap(), at(1));
        assert_eq!(read(&state, &key).unwrap().unwrap().last_seen, at(2));
        for host in [AgentHost::Copilot, AgentHost::VsCode] {
            assert_eq!(SessionKey::of(host, "a"), key, "they run the hooks of Claude Code");
        }
        for other in [
            SessionKey::of(AgentHost::Codex, "a"),
            SessionKey::of(AgentHost::Claude, "b"),
            SessionKey::unnamed(AgentHost::Claude, Path::new("a")),
            SessionKey::elsewhere(AgentHost::Claude, "a", Path::new("/other")),
        ] {
            assert_eq!(read(&state, &other).unwrap(), None, "{other:?}");
        }
    }

    #[test]
    fn junk_is_no_session_and_what_is_no_file_is_an_error() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        keep(&state, "a", at(1));
        let key = SessionKey::of(AgentHost::Claude, "a");
        let file = state.path().join("sessions").join(key.name());
        let whole = fs::read(&file).unwrap();
        for junk in [&b""[..], b"{", &whole[..whole.len() / 2], &vec![b' '; 5 * 1024 * 1024]] {
            fs::write(&file, junk).unwrap();
            assert_eq!(read(&state, &key).unwrap(), None);
        }
        keep(&state, "a", at(2));
        assert!(is_kept(&state, "a"), "it is written again");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(read(&state, &key).is_err());
    }

    #[test]
    fn the_oldest_sessions_go_but_none_of_the_last_day() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let directory = state.open_area(Area::Sessions).unwrap();
        let put = |id: &str, seen| {
            let name = SessionKey::of(AgentHost::Claude, id).name();
            fs::write(directory.path().join(name), KIND.encode(&session(id, seen)).unwrap()).unwrap();
        };
        put("old", at(1));
        put("older", at(0));
        (0..limit::SESSIONS_KEPT - 2).for_each(|number| put(&format!("young {number}"), at(100)));
        keep(&state, "new", at(101));
        assert!(!is_kept(&state, "older") && is_kept(&state, "old") && is_kept(&state, "new"));
        keep(&state, "newer", at(101));
        assert!(!is_kept(&state, "old"));
        keep(&state, "newest", at(101));
        assert!(["newest", "newer", "new", "young 0"].iter().all(|id| is_kept(&state, id)), "all are of today");
    }
}

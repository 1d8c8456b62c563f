//! Environment variables of programs that are not checks: agents and planners. They need keys of their own, so
//! unlike checks they inherit the caller's variables rather than a selection.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use referee_ledger::State;

/// Prefix of Referee's own variables, none of which is passed on.
const OURS: &[u8] = b"REFEREE_";

/// Referee's variables that lead to keys, state and held-out checks, or grant access to the server. Other
/// variables with the same values are not passed on either.
const SECRET: [&str; 4] = ["REFEREE_KEY", "REFEREE_STATE_DIR", "REFEREE_HELD_OUT", "REFEREE_TOKEN"];

/// Prefix of the name of a key that the SSH agent holds.
const AGENT_KEY: &[u8] = b"agent:";

/// The variables that lead to an SSH agent; the first one is its socket.
const SSH_AGENT: [&str; 2] = ["SSH_AUTH_SOCK", "SSH_AGENT_PID"];

/// Returns the variables that a program inherits: all of the caller's except `REFEREE_*` and those that lead to
/// `secrets`, to keys, to the state directory or to held-out checks. If the SSH agent signs for Referee, the
/// variables that lead to it are left out as well: a program that reaches it could sign verdicts.
pub(crate) fn inherited(
    caller: &[(OsString, OsString)],
    secrets: &[PathBuf],
    state: &State,
) -> BTreeMap<OsString, OsString> {
    let value_of = |name: &str| caller.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str());
    let named = secrets.iter().map(|path| path.as_os_str()).chain(SECRET.iter().filter_map(|name| value_of(name)));
    let mut hidden: Vec<&OsStr> = named.chain([state.path().as_os_str()]).filter(|value| !value.is_empty()).collect();
    let signs_by_agent = hidden.iter().any(|value| value.as_bytes().starts_with(AGENT_KEY));
    if signs_by_agent {
        hidden.extend(value_of(SSH_AGENT[0]));
    }
    let is_ours = |name: &OsString| {
        name.as_bytes().starts_with(OURS) || (signs_by_agent && SSH_AGENT.iter().any(|own| name == own))
    };
    let passed = caller.iter().filter(|(name, value)| !is_ours(name) && !hidden.contains(&value.as_os_str()));
    passed.cloned().collect()
}

/// Returns the caller's directory for temporary files.
pub(super) fn temporary(caller: &[(OsString, OsString)]) -> PathBuf {
    let named = caller.iter().find(|(name, _)| name == "TMPDIR").map(|(_, value)| PathBuf::from(value));
    named.filter(|path| path.is_absolute()).unwrap_or_else(|| PathBuf::from("/tmp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_nothing_of_keys_and_state() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().canonicalize().unwrap().join("state")).unwrap();
        let at_state = state.path().to_str().unwrap();
        let caller = [
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "its own"),
            ("REFEREE_KEY", "/keys/other.pem"),
            ("REFEREE_KEY_PASSPHRASE", "x"),
            ("REFEREE_HELD_OUT", "/held"),
            ("REFEREE_EXECUTION", "exec-outer"),
            ("MY_SIGNING_KEY_FILE", "/keys/key.pem"),
            ("MY_OTHER_KEY_FILE", "/keys/other.pem"),
            ("MY_STATE", at_state),
            ("MY_SOCKET", "/agent"),
            ("SSH_AUTH_SOCK", "/agent"),
            ("SSH_AGENT_PID", "7"),
            ("EMPTY", ""),
        ];
        let caller = caller.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let names = |key: &str| {
            let passed = inherited(&caller, &[PathBuf::from(key), PathBuf::new()], &state);
            passed.into_keys().filter_map(|name| name.into_string().ok()).collect::<Vec<_>>()
        };
        let all = ["ANTHROPIC_API_KEY", "EMPTY", "MY_SOCKET", "PATH", "SSH_AGENT_PID", "SSH_AUTH_SOCK"];
        assert_eq!(names("/keys/key.pem"), all);
        assert_eq!(names("agent:ci"), ["ANTHROPIC_API_KEY", "EMPTY", "MY_SIGNING_KEY_FILE", "PATH"]);
    }

    #[test]
    fn temporary_files_lie_where_the_caller_says() {
        let named = |value: &str| temporary(&[("TMPDIR".into(), value.into())]);
        assert_eq!(named("/own"), PathBuf::from("/own"));
        for none in ["", "relative"] {
            assert_eq!(named(none), PathBuf::from("/tmp"));
        }
    }
}

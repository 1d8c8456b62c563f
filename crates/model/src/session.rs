//! An agent's session as observed by hooks: the state at its beginning, and how often its stops were refused.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::hook::AgentHost;
use crate::id::Digest;
use crate::loop_guard::{LoopLimit, LoopState};
use crate::time::Timestamp;

/// Name and version of the document of a [`Session`].
pub const KIND: Kind = Kind { name: "a session", key: "sessionVersion", version: "2.0.0" };

/// A session of an agent in an enrolled project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Session {
    /// The host of the session.
    pub host: AgentHost,
    /// The host's id of the session. None: the host passed none.
    pub id: Option<String>,
    /// Path of the project's directory.
    #[serde(serialize_with = "crate::serial::lossy")]
    pub project: PathBuf,
    /// Time of the first event.
    pub first_seen: Timestamp,
    /// Time of the last recorded event.
    pub last_seen: Timestamp,
    /// State of the workspace at the beginning of the session.
    pub beginning: Beginning,
    /// Whether the tree at the beginning had been judged before and had not passed.
    pub failed_before: bool,
    /// Guard against endless refusals.
    pub guard: StopGuard,
    /// Guards of the session's subagents and tasks, by kind and id, so that none uses up another one's budget. At
    /// most [`crate::limit::SESSION_WORKERS`] have one of their own.
    pub workers: BTreeMap<String, StopGuard>,
}

/// State of the workspace at the beginning of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Beginning {
    /// Not known: no hook ran when the session began in this project, or the tree could not be observed.
    Unknown,
    /// Recorded before the agent can have changed anything.
    Known(WorkspaceState),
}

/// State of a workspace: if it is equal to an earlier one, nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceState {
    /// Digest of the inputs of the project and of its tasks' workspaces.
    pub tree: Digest,
    /// State of the specification.
    pub specification: SpecificationState,
}

/// State of a specification, for detecting changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum SpecificationState {
    /// The specification loads; digest of the file.
    Loads(Digest),
    /// The specification does not load; digest of the error message.
    Fails(Digest),
}

/// Guard that prevents a session from being refused endlessly (ruling 24; attack "loop exhaustion").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopGuard {
    /// Start of the agent's current work: a person's last prompt, or the last refusal.
    pub since: Timestamp,
    /// Time at which the last counted stop was answered. A hook that started before it belongs to the same stop,
    /// since hosts may start several hooks for one stop.
    pub answered: Option<Timestamp>,
    /// Time of the last counted stop, as stated by the host.
    pub stopped: Option<Timestamp>,
    /// Number of counted stops since a person's last prompt or the last pass.
    pub refusals: u32,
    /// How the last stop was refused.
    pub refusal: Refusal,
    /// State of the guard.
    pub standing: GuardStanding,
}

/// State of a session's guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum GuardStanding {
    /// Stops that do not pass are refused.
    Open(LoopState),
    /// A limit was reached: turns may end although nothing has passed.
    Escalated {
        /// The limit that was reached.
        limit: LoopLimit,
        /// Time at which it was reached.
        at: Timestamp,
    },
}

impl StopGuard {
    /// Creates a guard with a full budget, starting now.
    pub fn fresh(now: Timestamp) -> Self {
        Self {
            since: now,
            answered: None,
            stopped: None,
            refusals: 0,
            refusal: Refusal::default(),
            standing: GuardStanding::Open(LoopState::default()),
        }
    }
}

/// How a stop is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Refusal {
    /// Whether the agent must change its approach, since the current one makes no progress.
    pub replan: bool,
    /// Whether the next stop that does not pass may end the turn, without another refusal.
    pub last: bool,
}

/// Decision on a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopDecision {
    /// The work passed: the turn ends.
    Passed,
    /// The stop is refused.
    Refused(Refusal),
    /// The turn may end without a pass: a person is needed.
    Escalated {
        /// The limit that was reached.
        limit: LoopLimit,
        /// Time at which it was reached.
        at: Timestamp,
    },
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fingerprint::Fingerprint;
    use crate::progress::{Progress, Snapshot};

    fn sample(standing: GuardStanding) -> Session {
        let at = Timestamp::from_millisecond;
        Session {
            host: AgentHost::Cursor,
            id: Some("one".to_owned()),
            project: PathBuf::from("/work"),
            first_seen: at(0),
            last_seen: at(3_000),
            beginning: Beginning::Known(WorkspaceState {
                tree: Digest::from_bytes([1; 32]),
                specification: SpecificationState::Fails(Digest::from_bytes([2; 32])),
            }),
            failed_before: true,
            workers: BTreeMap::from([("subagent a".to_owned(), StopGuard::fresh(at(500)))]),
            guard: StopGuard {
                since: at(1_000),
                answered: Some(at(2_000)),
                stopped: Some(at(1_900)),
                refusals: 3,
                refusal: Refusal { replan: true, last: false },
                standing,
            },
        }
    }

    fn open() -> GuardStanding {
        let print = Fingerprint::version_1(Digest::from_bytes([3; 32]));
        let last =
            Snapshot { passed: false, first_failure: Some(print), failures: BTreeSet::from([print]), reached: 2 };
        let progress = Progress { same_error_repeats: 1, no_progress_streak: 2, equal_snapshots: 3, last: Some(last) };
        let began = Some(Timestamp::from_millisecond(500));
        GuardStanding::Open(LoopState { replans: 1, loops: 4, began, progress })
    }

    #[test]
    fn a_session_is_read_as_it_was_written_and_its_words_are_those_of_the_model() {
        let at = Timestamp::from_millisecond(9_000);
        let escalated = LoopLimit::ALL.map(|limit| GuardStanding::Escalated { limit, at });
        for standing in escalated.into_iter().chain([open()]) {
            let session = sample(standing);
            let bytes = KIND.encode(&session).unwrap();
            assert_eq!(KIND.decode::<Session>(&bytes).unwrap(), session);
            if let GuardStanding::Escalated { limit, .. } = session.guard.standing {
                assert!(String::from_utf8(bytes).unwrap().contains(&format!("\"limit\": \"{}\"", limit.as_str())));
            }
        }
        let unknown = Session { beginning: Beginning::Unknown, id: None, ..sample(open()) };
        assert_eq!(KIND.decode::<Session>(&KIND.encode(&unknown).unwrap()).unwrap(), unknown);
    }

    #[test]
    fn what_is_no_session_is_refused() {
        let text = String::from_utf8(KIND.encode(&sample(open())).unwrap()).unwrap();
        for (wrong, part) in [
            (text.replace("\"2.0.0\"", "\"3.0.0\""), "use a newer Referee"),
            (text.replace("\"cursor\"", "\"elsewhere\""), "unknown variant"),
            (text.replace("\"refusals\"", "\"forged\""), "unknown field"),
            (text.replace("\"open\"", "\"closed\""), "unknown variant"),
            (text[..text.len() / 2].to_owned(), "cannot read"),
            (String::new(), "cannot read"),
        ] {
            let error = KIND.decode::<Session>(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

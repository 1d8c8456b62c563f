//! A session of an agent, as hooks saw it: what it found when it began, and how often its end was refused.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::hook::AgentHost;
use crate::id::Digest;
use crate::loop_guard::{LoopLimit, LoopState};
use crate::time::Timestamp;

/// The document of a [`Session`].
pub const KIND: Kind = Kind { name: "a session", key: "sessionVersion", version: "2.0.0" };

/// A session of an agent in an enrolled project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Session {
    /// The host.
    pub host: AgentHost,
    /// The host's id of it. None: the host told none.
    pub id: Option<String>,
    /// The project's directory.
    #[serde(serialize_with = "crate::serial::lossy")]
    pub project: PathBuf,
    /// When its first event came.
    pub first_seen: Timestamp,
    /// When its last event came that was written down.
    pub last_seen: Timestamp,
    /// What it found.
    pub beginning: Beginning,
    /// Whether the tree that it found had been judged before, and had not passed.
    pub failed_before: bool,
    /// What keeps it from going round for ever.
    pub guard: StopGuard,
    /// The same for each of the agents that it started and of its tasks, by kind and id: none of them uses up what another
    /// has. At most [`crate::limit::SESSION_WORKERS`] have one of their own.
    pub workers: BTreeMap<String, StopGuard>,
}

/// What a session found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Beginning {
    /// Not known: it was not there when the session began in this project, or the tree could not be observed.
    Unknown,
    /// Taken down before the agent can have changed anything.
    Known(WorkspaceState),
}

/// What an agent stands on: where it is the same again, nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceState {
    /// Digest over the inputs of the project, and of the workspaces of its tasks.
    pub tree: Digest,
    /// The specification.
    pub specification: SpecificationState,
}

/// A specification, as far as it tells whether it is the same again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum SpecificationState {
    /// It loads; the digest is that of the file.
    Loads(Digest),
    /// It does not load; the digest is that of what the complaint says.
    Fails(Digest),
}

/// What keeps a session from being sent back for ever (ruling 24; attack "loop exhaustion").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopGuard {
    /// When the agent's present work began: with a person's last word, or when it was last sent back.
    pub since: Timestamp,
    /// When the last stop that was counted got its answer. A hook that began before is about the same stop: hosts may start
    /// several for one.
    pub answered: Option<Timestamp>,
    /// When the last stop that was counted happened, by its host.
    pub stopped: Option<Timestamp>,
    /// Stops that were counted since a person spoke, or since a pass.
    pub refusals: u32,
    /// How the last of them was sent back.
    pub refusal: Refusal,
    /// How it stands.
    pub standing: GuardStanding,
}

/// How the guard of a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum GuardStanding {
    /// Stops that do not pass are sent back.
    Open(LoopState),
    /// A limit was reached: turns may end, and nothing has passed.
    Escalated {
        /// The limit.
        limit: LoopLimit,
        /// When it was reached.
        at: Timestamp,
    },
}

impl StopGuard {
    /// A fresh budget, from now on.
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

/// How an agent is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Refusal {
    /// Whether going on in the same way brings nothing.
    pub replan: bool,
    /// Whether the next stop that does not pass may end the turn: the agent hears no more of it.
    pub last: bool,
}

/// What is decided at a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopDecision {
    /// It passed: the turn ends.
    Passed,
    /// The agent is sent back.
    Refused(Refusal),
    /// The turn may end without a pass: a person is needed.
    Escalated {
        /// The limit that was reached.
        limit: LoopLimit,
        /// When.
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

//! What is kept of a session of an agent, in the user's state folder: what it found when it began, and how often its end was
//! refused.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_model::hook::AgentHost;
use referee_model::id::Digest;
use referee_model::loop_guard::LoopLimit;
use referee_model::session::{Beginning, Ground, GuardStanding, Refusal, Session, SpecificationGround, StopGuard};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::form;
use crate::loop_state::LoopStateDocument;

const KIND: Kind = Kind { name: "a session", key: "sessionVersion", version: "1.0.0" };

/// A session of an agent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee session of an agent")]
pub(crate) struct SessionDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    session_version: String,
    /// The host, as it is typed.
    host: String,
    /// The host's id of the session. Null: it told none.
    id: Option<String>,
    /// The project's folder.
    project: String,
    /// When its first event came.
    first_seen: Timestamp,
    /// When its last event came that was written down.
    last_seen: Timestamp,
    /// What it found when it began. Null: that is not known.
    beginning: Option<GroundDocument>,
    /// Whether the tree that it found had been judged before, and had not passed.
    failed_before: bool,
    /// What keeps it from being sent back for ever.
    guard: GuardDocument,
    /// The same for each of the agents that it started and of its tasks, by kind and id.
    workers: BTreeMap<String, GuardDocument>,
}

/// What an agent stands on.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GroundDocument {
    /// Digest over the inputs.
    tree: Digest,
    /// Whether the specification loads.
    specification_loads: bool,
    /// Digest of the specification, or of the complaint about it.
    specification: Digest,
}

/// What keeps a session from being sent back for ever.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GuardDocument {
    /// When the agent's present work began.
    since: Timestamp,
    /// When the last stop that was counted got its answer. Null: none was.
    answered: Option<Timestamp>,
    /// When the last stop that was counted happened, by its host. Null: none was, or the host does not say.
    stopped: Option<Timestamp>,
    /// Stops that were counted since a person spoke, or since a pass.
    refusals: u32,
    /// Whether the last of them asked for another way.
    replan: bool,
    /// Whether the last of them said that it was the last.
    last: bool,
    /// How often it was sent back. Null: a limit was reached.
    turns: Option<LoopStateDocument>,
    /// The limit that was reached. Null: none was.
    escalated: Option<EscalationDocument>,
}

/// A limit that was reached.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EscalationDocument {
    /// Which.
    limit: LimitWord,
    /// When.
    at: Timestamp,
}

/// The limits of a loop.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LimitWord {
    SameError,
    NoProgress,
    MaxLoops,
    MaxRuntime,
}

/// Lays a session out.
///
/// # Errors
/// Fails only for values that JSON cannot hold.
pub fn to_bytes(session: &Session) -> Result<Vec<u8>, serde_json::Error> {
    crate::to_bytes(&document(session))
}

/// Reads a session.
///
/// # Errors
/// Fails where it is none, or of another version.
pub fn read(bytes: &[u8]) -> Result<Session, DocumentError> {
    let document: SessionDocument = KIND.read(bytes)?;
    let known = AgentHost::ALL.into_iter().find(|host| host.as_str() == document.host);
    let host = known.ok_or_else(|| KIND.content(format!("no host is called \"{}\"", document.host)))?;
    let workers = document.workers.into_iter().map(|(worker, guard)| Ok((worker, read_guard(guard)?)));
    Ok(Session {
        host,
        id: document.id,
        project: PathBuf::from(document.project),
        first_seen: document.first_seen,
        last_seen: document.last_seen,
        beginning: document.beginning.map_or(Beginning::Unknown, |ground| Beginning::Known(ground.into())),
        failed_before: document.failed_before,
        guard: read_guard(document.guard)?,
        workers: workers.collect::<Result<_, DocumentError>>()?,
    })
}

fn read_guard(document: GuardDocument) -> Result<StopGuard, DocumentError> {
    let GuardDocument { since, answered, stopped, refusals, replan, last, turns, escalated } = document;
    let standing = match (turns, escalated) {
        (Some(turns), None) => GuardStanding::Open(turns.into()),
        (None, Some(EscalationDocument { limit, at })) => GuardStanding::Escalated { limit: limit.into(), at },
        _ => return Err(KIND.content("either `turns` or `escalated` is needed")),
    };
    Ok(StopGuard { since, answered, stopped, refusals, refusal: Refusal { replan, last }, standing })
}

fn guard(guard: &StopGuard) -> GuardDocument {
    let (turns, escalated) = match &guard.standing {
        GuardStanding::Open(state) => (Some(state.into()), None),
        GuardStanding::Escalated { limit, at } => (None, Some(EscalationDocument { limit: (*limit).into(), at: *at })),
    };
    let StopGuard { since, answered, stopped, refusals, refusal: Refusal { replan, last }, .. } = *guard;
    GuardDocument { since, answered, stopped, refusals, replan, last, turns, escalated }
}

fn document(session: &Session) -> SessionDocument {
    SessionDocument {
        session_version: KIND.version.to_owned(),
        host: session.host.as_str().to_owned(),
        id: session.id.clone(),
        project: session.project.to_string_lossy().into_owned(),
        first_seen: session.first_seen,
        last_seen: session.last_seen,
        beginning: match &session.beginning {
            Beginning::Unknown => None,
            Beginning::Known(ground) => Some(ground.into()),
        },
        failed_before: session.failed_before,
        guard: guard(&session.guard),
        workers: session.workers.iter().map(|(worker, kept)| (worker.clone(), guard(kept))).collect(),
    }
}

impl From<&Ground> for GroundDocument {
    fn from(ground: &Ground) -> Self {
        let (specification_loads, specification) = match ground.specification {
            SpecificationGround::Loads(digest) => (true, digest),
            SpecificationGround::Fails(digest) => (false, digest),
        };
        Self { tree: ground.tree, specification_loads, specification }
    }
}

impl From<GroundDocument> for Ground {
    fn from(document: GroundDocument) -> Self {
        let GroundDocument { tree, specification_loads, specification: digest } = document;
        let specification =
            if specification_loads { SpecificationGround::Loads(digest) } else { SpecificationGround::Fails(digest) };
        Self { tree, specification }
    }
}

impl From<LoopLimit> for LimitWord {
    fn from(limit: LoopLimit) -> Self {
        match limit {
            LoopLimit::SameError => Self::SameError,
            LoopLimit::NoProgress => Self::NoProgress,
            LoopLimit::Loops => Self::MaxLoops,
            LoopLimit::Duration => Self::MaxRuntime,
        }
    }
}

impl From<LimitWord> for LoopLimit {
    fn from(word: LimitWord) -> Self {
        match word {
            LimitWord::SameError => Self::SameError,
            LimitWord::NoProgress => Self::NoProgress,
            LimitWord::MaxLoops => Self::Loops,
            LimitWord::MaxRuntime => Self::Duration,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_model::fingerprint::Fingerprint;
    use referee_model::loop_guard::LoopState;
    use referee_model::progress::{Progress, Snapshot};

    use super::*;
    use crate::validator::Validator;

    fn sample(standing: GuardStanding) -> Session {
        let at = Timestamp::from_millisecond;
        Session {
            host: AgentHost::Cursor,
            id: Some("one".to_owned()),
            project: PathBuf::from("/work"),
            first_seen: at(0),
            last_seen: at(3_000),
            beginning: Beginning::Known(Ground {
                tree: Digest::from_bytes([1; 32]),
                specification: SpecificationGround::Fails(Digest::from_bytes([2; 32])),
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
        let schema = Validator::new(&crate::schema::schema("session").unwrap()).unwrap();
        let at = Timestamp::from_millisecond(9_000);
        let escalated = LoopLimit::ALL.map(|limit| GuardStanding::Escalated { limit, at });
        for standing in escalated.into_iter().chain([open()]) {
            let session = sample(standing);
            let bytes = to_bytes(&session).unwrap();
            assert_eq!(read(&bytes).unwrap(), session);
            let value = serde_json::from_slice(&bytes).unwrap();
            assert!(schema.complaints(&value, 10).0.is_empty(), "{value:#}");
            if let GuardStanding::Escalated { limit, .. } = session.guard.standing {
                assert!(String::from_utf8(bytes).unwrap().contains(&format!("\"limit\": \"{}\"", limit.as_str())));
            }
        }
        let unknown = Session { beginning: Beginning::Unknown, id: None, ..sample(open()) };
        assert_eq!(read(&to_bytes(&unknown).unwrap()).unwrap(), unknown);
    }

    #[test]
    fn what_is_no_session_is_refused() {
        let text = String::from_utf8(to_bytes(&sample(open())).unwrap()).unwrap();
        for (wrong, part) in [
            (text.replace("\"1.0.0\"", "\"2.0.0\""), "use a newer Referee"),
            (text.replace("\"cursor\"", "\"elsewhere\""), "no host is called"),
            (text.replace("\"turns\"", "\"forged\""), "unknown field"),
            (
                text.replace(
                    "\"escalated\": null",
                    "\"escalated\": {\"limit\":\"same_error\",\"at\":\"2026-01-01T00:00:00.000Z\"}",
                ),
                "either",
            ),
            (text[..text.len() / 2].to_owned(), "cannot be read"),
            (String::new(), "cannot be read"),
        ] {
            let error = read(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

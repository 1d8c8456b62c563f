//! What is kept of a session of an agent, in the user's state folder.

use referee_model::document::Kind;

/// The document, of a [`referee_model::session::Session`].
pub const KIND: Kind = Kind { name: "a session", key: "sessionVersion", version: "2.0.0" };

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::PathBuf;

    use referee_model::fingerprint::Fingerprint;
    use referee_model::hook::AgentHost;
    use referee_model::id::Digest;
    use referee_model::loop_guard::{LoopLimit, LoopState};
    use referee_model::progress::{Progress, Snapshot};
    use referee_model::session::{Beginning, Ground, GuardStanding, Refusal, Session, SpecificationGround, StopGuard};
    use referee_model::time::Timestamp;

    use super::*;

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
            (text[..text.len() / 2].to_owned(), "cannot be read"),
            (String::new(), "cannot be read"),
        ] {
            let error = KIND.decode::<Session>(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

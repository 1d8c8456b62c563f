//! `loop.json` of an agent's run.

use referee_model::document::Kind;

/// The document, of a [`referee_model::agent_run::AgentLoop`].
pub const KIND: Kind = Kind { name: "the loop of a run", key: "loopVersion", version: "1.0.0" };

#[cfg(test)]
mod tests {
    use referee_model::agent_run::AgentLoop;
    use referee_model::fingerprint::Fingerprint;
    use referee_model::id::Digest;
    use referee_model::loop_guard::LoopState;
    use referee_model::progress::{Progress, Snapshot};
    use referee_model::time::Timestamp;

    use super::*;

    #[test]
    fn a_loop_goes_on_where_it_was() {
        let print = Fingerprint::version_1(Digest::from_bytes([3; 32]));
        let last = Snapshot { passed: false, first_failure: Some(print), failures: [print].into(), reached: 4 };
        let progress = Progress { same_error_repeats: 2, no_progress_streak: 1, equal_snapshots: 2, last: Some(last) };
        let state = LoopState { replans: 1, loops: 2, began: Some(Timestamp::from_millisecond(9)), progress };
        for state in [LoopState::default(), state] {
            let written = AgentLoop {
                after_turn: 2,
                written_at: Timestamp::from_millisecond(10),
                spent_ms: 60_000,
                feedback: "mend it".to_owned(),
                reports: Vec::new(),
                state,
            };
            let bytes = KIND.encode(&written).unwrap();
            assert_eq!(KIND.decode::<AgentLoop>(&bytes).unwrap(), written);
            let text = String::from_utf8(bytes).unwrap();
            for junk in ["{}", "null", &text.replace("1.0.0", "1.9.0"), &text.replace("loops", "loop")] {
                assert!(KIND.decode::<AgentLoop>(junk.as_bytes()).is_err(), "{junk}");
            }
        }
    }
}

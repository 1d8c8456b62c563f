//! `loop.json` of an agent's run: what a turn that did not pass leaves for the next one, so that a run that was cut off
//! counts on where it was (ruling 24).

use referee_model::loop_guard::LoopState;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::form;
use crate::loop_state::LoopStateDocument;
use crate::number::Count;

const KIND: Kind = Kind { name: "the loop of a run", key: "loopVersion", version: "1.0.0" };

/// What a turn left for the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Referee loop of an agent's run")]
pub struct AgentLoop {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    loop_version: String,
    /// The turn that is counted in already.
    pub after_turn: u32,
    /// When it was written.
    pub written_at: Timestamp,
    /// Milliseconds of work until then; time in which the run lay dead is none.
    #[schemars(with = "Count")]
    pub spent_ms: u64,
    /// What the next turn is told.
    pub feedback: String,
    /// The sealed reports that it may read, absolute, the one to begin with first.
    pub reports: Vec<String>,
    /// How far the loop has come.
    state: LoopStateDocument,
}

impl AgentLoop {
    /// Takes down where a loop stands.
    pub fn new(after_turn: u32, written_at: Timestamp, state: &LoopState) -> Self {
        Self {
            loop_version: KIND.version.to_owned(),
            after_turn,
            written_at,
            spent_ms: 0,
            feedback: String::new(),
            reports: Vec::new(),
            state: state.into(),
        }
    }

    /// Returns where the loop stands.
    pub fn state(&self) -> LoopState {
        self.state.clone().into()
    }
}

/// Reads it.
///
/// # Errors
/// Fails where it is none, or of another version.
pub fn read(bytes: &[u8]) -> Result<AgentLoop, DocumentError> {
    KIND.read(bytes)
}

#[cfg(test)]
mod tests {
    use referee_model::fingerprint::Fingerprint;
    use referee_model::id::Digest;
    use referee_model::progress::{Progress, Snapshot};

    use super::*;

    #[test]
    fn a_loop_goes_on_where_it_was() {
        let print = Fingerprint::version_1(Digest::from_bytes([3; 32]));
        let last = Snapshot { passed: false, first_failure: Some(print), failures: [print].into(), reached: 4 };
        let progress = Progress { same_error_repeats: 2, no_progress_streak: 1, equal_snapshots: 2, last: Some(last) };
        let state = LoopState { replans: 1, loops: 2, began: Some(Timestamp::from_millisecond(9)), progress };
        for state in [LoopState::default(), state] {
            let written = AgentLoop {
                spent_ms: 60_000,
                feedback: "mend it".to_owned(),
                ..AgentLoop::new(2, Timestamp::from_millisecond(10), &state)
            };
            let bytes = crate::to_bytes(&written).unwrap();
            let found = read(&bytes).unwrap();
            assert_eq!((&found, found.state()), (&written, state));
            let text = String::from_utf8(bytes).unwrap();
            for junk in ["{}", "null", &text.replace("1.0.0", "1.9.0"), &text.replace("loops", "loop")] {
                assert!(read(junk.as_bytes()).is_err(), "{junk}");
            }
        }
    }
}

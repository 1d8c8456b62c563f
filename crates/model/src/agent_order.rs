//! `order.json` of an agent's run: what was ordered, so that a run that was cut off can go on as it began.

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::Digest;
use crate::time::Timestamp;

/// What was ordered. It holds the agent's command as it was typed, so it is kept in the user's state directory alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentOrder {
    /// The run.
    pub run_id: String,
    /// When it was ordered.
    pub ordered_at: Timestamp,
    /// The directory that relative paths start from, absolute.
    pub directory: String,
    /// What was ordered, as words behind the program's name: what was typed and what the environment said, paths absolute,
    /// the trusted commit by its id.
    pub arguments: Vec<String>,
    /// The prompt as it was given, not yet filled. Null: none was given.
    pub prompt: Option<String>,
    /// The specification as it was when the run began: the agent may not change it.
    pub specification: Vec<PinnedFile>,
    /// The held-out specification as it was then. Null: there is none.
    pub held_out: Option<PinnedFile>,
}

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinnedFile {
    /// Where it lies, absolute.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
}

impl AgentOrder {
    /// Its document.
    pub const KIND: Kind = Kind { name: "the order of a run", key: "orderVersion", version: "1.0.0" };

    /// An order of nothing yet.
    pub fn new(run_id: String, ordered_at: Timestamp) -> Self {
        Self {
            run_id,
            ordered_at,
            directory: String::new(),
            arguments: Vec::new(),
            prompt: None,
            specification: Vec::new(),
            held_out: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_it_was_written_and_junk_is_refused() {
        let order = AgentOrder {
            directory: "/work".to_owned(),
            arguments: vec!["agent".to_owned(), "run".to_owned(), "--".to_owned(), "claude".to_owned()],
            prompt: Some("{{DIAGNOSTICS}}".to_owned()),
            specification: vec![PinnedFile {
                path: "/work/referee.yaml".to_owned(),
                sha256: Digest::from_bytes([7; 32]),
            }],
            held_out: Some(PinnedFile { path: "/held/referee.yaml".to_owned(), sha256: Digest::from_bytes([8; 32]) }),
            ..AgentOrder::new("run-1".to_owned(), Timestamp::from_millisecond(5))
        };
        let bytes = AgentOrder::KIND.encode(&order).unwrap();
        assert_eq!(AgentOrder::KIND.decode::<AgentOrder>(&bytes).unwrap(), order);
        let text = String::from_utf8(bytes.clone()).unwrap();
        for junk in ["", "{}", "[]", &text.replace("1.0.0", "2.0.0"), &text.replace("runId", "runID"), &text[..90]] {
            assert!(AgentOrder::KIND.decode::<AgentOrder>(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}

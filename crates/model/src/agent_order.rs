//! `order.json`: the request that started an agent run, kept so that an interrupted run can be resumed unchanged.

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::Digest;
use crate::time::Timestamp;

/// The request that started an agent run. Contains the agent's command line as typed, so it is stored only in the
/// user's state directory and, where workers run the agent, in the depot through which its turns go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentOrder {
    /// Id of the run.
    pub run_id: String,
    /// Time at which the run was requested.
    pub ordered_at: Timestamp,
    /// Absolute directory that relative paths are resolved against.
    pub directory: String,
    /// Command-line arguments after the program's name, from the command line and the environment, with absolute
    /// paths and with the trusted commit as a commit id.
    pub arguments: Vec<String>,
    /// The prompt as given, before placeholders are filled in. Null: no prompt was given.
    pub prompt: Option<String>,
    /// The specification files as they were when the run began; the agent may not change them.
    pub specification: Vec<PinnedFile>,
    /// The held-out specification as it was when the run began. Null: there is none.
    pub held_out: Option<PinnedFile>,
}

/// A file with the digest of its content at one point in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinnedFile {
    /// Absolute path of the file.
    pub path: String,
    /// SHA-256 of the file's bytes.
    pub sha256: Digest,
}

impl AgentOrder {
    /// Name and version of the document.
    pub const KIND: Kind = Kind { name: "the order of a run", key: "orderVersion", version: "1.0.0" };

    /// Creates an order without arguments, prompt or specification.
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

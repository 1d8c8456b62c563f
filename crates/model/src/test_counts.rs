//! How many tests each check of a task ran at most: `test-counts/<HASH>.json` in the state folder.
//!
//! It is kept there, and not with the evidence alone, because whoever works in the workspace can remove the evidence.

use std::collections::BTreeMap;

use crate::circumstances::protection::TrustedBaseline;
use crate::id::TaskId;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "the record of test counts", key: "testCountsVersion", version: "1.0.0" };

/// How many tests each check of a task ran at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestCountsDocument {
    /// Version of this format.
    test_counts_version: String,
    /// The task.
    pub task: TaskId,
    /// What the work was checked against then, as [`since`] names it.
    pub since: String,
    /// The number of tests, by the name of the check.
    pub counts: BTreeMap<String, u64>,
}

impl TestCountsDocument {
    /// Makes a record that knows of no run yet.
    pub fn new(task: TaskId, since: String) -> Self {
        Self { test_counts_version: KIND.version.to_owned(), task, since, counts: BTreeMap::new() }
    }

    /// Notes that a check ran so many tests.
    pub fn add(&mut self, check: &str, count: u64) {
        let best = self.counts.entry(check.to_owned()).or_default();
        *best = count.max(*best);
    }

    /// Lays a record out.
    ///
    /// # Errors
    /// Fails only for what JSON cannot hold.
    pub fn render(&self) -> Result<Vec<u8>, serde_json::Error> {
        document::to_bytes(self)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Fails for bytes that are none.
    pub fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        KIND.read(bytes)
    }
}

/// Names what work is checked against; empty where nothing is protected.
pub fn since(baseline: Option<&TrustedBaseline>) -> String {
    match baseline {
        None => String::new(),
        Some(TrustedBaseline::Lock { digest, .. }) => format!("lock {digest}"),
        Some(TrustedBaseline::Git { commit, .. }) => format!("commit {commit}"),
    }
}

//! Highest number of tests that each check of a task ran, stored where removal of evidence does not reach:
//!
//! ```text
//! <state>/test-counts/<sha256 of the evidence root and the task>.json   one task
//! ```
//!
//! An unreadable record is an error.

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::document::Kind;
use referee_model::id::TaskId;
use referee_model::run_context::protection::TrustedBaseline;
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::state::{Area, State};
use crate::state_record::Key;

const KIND: Kind = Kind { name: "the record of test counts", key: "testCountsVersion", version: "1.0.0" };

/// Highest number of tests that each check of a task ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestCounts {
    pub task: TaskId,
    /// What the work was checked against then, as [`since`] names it.
    pub since: String,
    /// Number of tests, by name of the check.
    pub counts: BTreeMap<String, u64>,
}

impl TestCounts {
    /// Creates an empty record.
    pub fn new(task: TaskId, since: String) -> Self {
        Self { task, since, counts: BTreeMap::new() }
    }

    /// Records the number of tests that a check ran.
    pub fn add(&mut self, check: &str, count: u64) {
        let best = self.counts.entry(check.to_owned()).or_default();
        *best = count.max(*best);
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

/// Reads the record of a task. Returns `None` if there is none.
///
/// # Errors
/// Fails if the record exists and cannot be read.
pub fn read(state: &State, root: &Path, task: &TaskId) -> Result<Option<TestCounts>, LedgerError> {
    key(root, task).read(state, |bytes| KIND.decode::<TestCounts>(bytes), |record| record.task.as_str())
}

/// Writes the record of a task.
///
/// # Errors
/// Fails if the record cannot be written.
pub fn keep(state: &State, root: &Path, record: &TestCounts) -> Result<(), LedgerError> {
    key(root, &record.task).write(state, KIND.encode(record))
}

fn key<'a>(root: &'a Path, task: &'a TaskId) -> Key<'a> {
    Key { area: Area::TestCounts, root, id: task.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_of_one_task_of_one_root_and_junk_is_no_record() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().canonicalize().unwrap().join("state")).unwrap();
        let (root, one, two) = (directory.path(), TaskId::parse("T001").unwrap(), TaskId::parse("T002").unwrap());
        assert_eq!(read(&state, root, &one).unwrap(), None);
        let mut record = TestCounts::new(one.clone(), String::new());
        for count in [4, 7, 5] {
            record.add("unit", count);
        }
        keep(&state, root, &record).unwrap();
        assert_eq!(read(&state, root, &one).unwrap().unwrap().counts["unit"], 7);
        assert_eq!(read(&state, root, &two).unwrap(), None);
        assert_eq!(read(&state, &root.join("other"), &one).unwrap(), None);
        let file = state.area(Area::TestCounts).unwrap().join(key(root, &one).name());
        std::fs::write(file, "junk").unwrap();
        assert!(read(&state, root, &one).is_err(), "it must not look like none");
    }
}

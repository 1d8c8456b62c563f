//! How many tests each check of a task ran at most, out of reach of whoever removes evidence:
//!
//! ```text
//! <state>/test-counts/<sha256 of the evidence root and the task>.json   one task
//! ```
//!
//! A record that cannot be read is an error.

use std::path::Path;

use referee_model::id::TaskId;
use referee_model::test_counts::TestCountsDocument;

use crate::error::LedgerError;
use crate::state::{Area, State};
use crate::state_record::Key;

/// Reads what is known of a task. None: nothing is.
///
/// # Errors
/// Fails where the record is there and cannot be read.
pub fn read(state: &State, root: &Path, task: &TaskId) -> Result<Option<TestCountsDocument>, LedgerError> {
    key(root, task).read(state, TestCountsDocument::read, |record| record.task.as_str())
}

/// Keeps what is known of a task.
///
/// # Errors
/// Fails where it cannot be written.
pub fn keep(state: &State, root: &Path, record: &TestCountsDocument) -> Result<(), LedgerError> {
    key(root, &record.task).write(state, record.render())
}

fn key<'a>(root: &'a Path, task: &'a TaskId) -> Key<'a> {
    Key { area: Area::TestCounts, root, id: task.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_of_one_task_of_one_root_and_junk_is_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(&folder.path().canonicalize().unwrap().join("state")).unwrap();
        let (root, one, two) = (folder.path(), TaskId::parse("T001").unwrap(), TaskId::parse("T002").unwrap());
        assert_eq!(read(&state, root, &one).unwrap(), None);
        let mut record = TestCountsDocument::new(one.clone(), String::new());
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

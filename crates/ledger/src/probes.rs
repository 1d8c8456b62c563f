//! What is kept of probes, in the state directory, out of reach of whoever changes the workspace: the evidence of their runs, and
//! the defects that the checks of a task are known to report.
//!
//! ```text
//! <state>/probes/<workspace>/                                     evidence of runs at the gate
//! <state>/probes/<workspace>-learned/                             evidence of the runs by which a set was learned
//! <state>/probe-sets/<sha256 of the workspace and the task>.json  a set
//! ```

use std::path::{Path, PathBuf};

use referee_model::id::{Digest, TaskId};
use referee_model::probe_set::{KIND, ProbeSet};

use crate::error::LedgerError;
use crate::state::{Area, State, make_private, place_name};
use crate::state_record::Key;

/// Which runs of probes evidence is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeEvidence {
    Gate,
    Learned,
}

/// Returns the directory that holds the evidence of a workspace's probes. It is the user's alone.
///
/// # Errors
/// Fails where it cannot be made, or where a link or a file stands in its place.
pub fn evidence_root(state: &State, workspace: &Path, evidence: ProbeEvidence) -> Result<PathBuf, LedgerError> {
    let end = match evidence {
        ProbeEvidence::Gate => "",
        ProbeEvidence::Learned => "-learned",
    };
    let folder = state.area(Area::Probes)?.join(place_name(workspace) + end);
    make_private(&folder)?;
    Ok(folder)
}

/// Reads the set of a task, with its digest. None: none was learned.
///
/// # Errors
/// Fails where it is there and cannot be read.
pub fn set(state: &State, workspace: &Path, task: &TaskId) -> Result<Option<(ProbeSet, Digest)>, LedgerError> {
    let read = |bytes: &[u8]| KIND.decode::<ProbeSet>(bytes).map(|set| (set, Digest::of(bytes)));
    key(workspace, task).read(state, read, |(set, _)| set.task.as_str())
}

/// Keeps a set in place of the one before.
///
/// # Errors
/// Fails where it cannot be written.
pub fn keep(state: &State, workspace: &Path, set: &ProbeSet) -> Result<(), LedgerError> {
    key(workspace, &set.task).write(state, KIND.encode(set))
}

fn key<'a>(workspace: &'a Path, task: &'a TaskId) -> Key<'a> {
    Key { area: Area::ProbeSets, root: workspace, id: task.as_str() }
}

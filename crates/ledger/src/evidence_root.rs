//! An evidence root, and the directories for it in the user's state directory, outside the workspace.

use std::path::Path;

use referee_model::id::TaskId;

use crate::directory::Directory;
use crate::error::LedgerError;
use crate::paths;
use crate::state::{Area, State, place_name};

/// Number of digest characters of a root's path that name its directories in the state directory.
const KEY_CHARACTERS: usize = 32;

/// An evidence root, with its directories elsewhere.
#[derive(Debug)]
pub(crate) struct EvidenceRoot {
    pub(crate) root: Directory,
    outside: Option<Outside>,
}

/// The directories for an evidence root in the state directory.
#[derive(Debug)]
struct Outside {
    /// The chain heads. None: nothing was kept yet, and the root is only read.
    heads: Option<Directory>,
    /// The runs that are being written.
    staging: Option<Directory>,
    /// Whether new runs are written to `staging`: only if they can be moved to the root in one step.
    takes_runs: bool,
}

impl EvidenceRoot {
    /// Opens an evidence root for writing.
    pub(crate) fn to_write(root: Directory, state: Option<&State>) -> Result<Self, LedgerError> {
        let Some(state) = state else { return Ok(Self { root, outside: None }) };
        let key = key(root.path())?;
        let heads = state.open_area(Area::Chains)?.make_unsynced(&key)?;
        let staging = state.open_area(Area::Staging)?.make_unsynced(&key)?;
        let takes_runs = staging.can_move_to(&root);
        Ok(Self { root, outside: Some(Outside { heads: Some(heads), staging: Some(staging), takes_runs }) })
    }

    /// Opens an evidence root for reading. No directory is created.
    pub(crate) fn to_read(root: Directory, state: Option<&State>) -> Result<Self, LedgerError> {
        let Some(state) = state else { return Ok(Self { root, outside: None }) };
        let key = key(root.path())?;
        let find = |area| -> Result<_, LedgerError> {
            Ok(state.look_into(area)?.map(|area| area.child(&key)).transpose()?.flatten())
        };
        let outside = Outside { heads: find(Area::Chains)?, staging: find(Area::Staging)?, takes_runs: false };
        Ok(Self { root, outside: Some(outside) })
    }

    /// Returns the directory of the chain heads. None: none are kept.
    pub(crate) fn heads(&self) -> Option<&Directory> {
        self.outside.as_ref()?.heads.as_ref()
    }

    /// Opens the directory in which new runs of a task are written, creating it if it is missing.
    pub(crate) fn runs(&self, task: &TaskId) -> Result<Directory, LedgerError> {
        match self.staging_outside() {
            Some(staging) => staging.make_unsynced(task.as_str()),
            None => self.root.make_unsynced(paths::STAGING)?.make_unsynced(task.as_str()),
        }
    }

    /// Opens the directory in which new runs of a task are written. None: it does not exist.
    pub(crate) fn runs_if_any(&self, task: &TaskId) -> Result<Option<Directory>, LedgerError> {
        match self.staging_outside() {
            Some(staging) => staging.child(task.as_str()),
            None => self.runs_inside(task),
        }
    }

    /// Opens all directories that may hold runs of a task that are, or were, being written.
    pub(crate) fn all_runs(&self, task: &TaskId) -> Result<Vec<Directory>, LedgerError> {
        let outside = self.outside.as_ref().and_then(|outside| outside.staging.as_ref());
        let outside = outside.map(|staging| staging.child(task.as_str())).transpose()?.flatten();
        Ok(self.runs_inside(task)?.into_iter().chain(outside).collect())
    }

    fn staging_outside(&self) -> Option<&Directory> {
        self.outside.as_ref().filter(|outside| outside.takes_runs)?.staging.as_ref()
    }

    fn runs_inside(&self, task: &TaskId) -> Result<Option<Directory>, LedgerError> {
        self.root.descend(&[paths::STAGING, task.as_str()])
    }
}

/// Returns the name of a root's directories in the state directory. Two roots never share a name, and links in
/// the path make no difference.
fn key(root: &Path) -> Result<String, LedgerError> {
    let whole = std::fs::canonicalize(root).map_err(LedgerError::io("find", root))?;
    Ok(place_name(&whole).chars().take(KEY_CHARACTERS).collect())
}

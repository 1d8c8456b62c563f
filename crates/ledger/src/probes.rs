//! Where the evidence of probes is kept: in the state directory, out of reach of whoever changes the workspace.

use std::path::{Path, PathBuf};

use crate::error::LedgerError;
use crate::state::{Area, State, make_private, place_name};

/// Returns the directory that holds all evidence of a workspace's probes. It is the user's alone.
///
/// # Errors
/// Fails where it cannot be made, or where a link or a file stands in its place.
pub fn evidence_root(state: &State, workspace: &Path) -> Result<PathBuf, LedgerError> {
    let folder = state.area(Area::Probes)?.join(place_name(workspace));
    make_private(&folder)?;
    Ok(folder)
}

//! Targets of links among the inputs: a link is an input by its target path alone, and the file that it leads
//! to need not be one.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::id::Digest;

use super::hashed;
use crate::error::LedgerError;
use crate::tree::Snapshot;

/// Largest link target that is hashed, in bytes.
const TARGET_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the digests of the files outside the inputs that a workspace's links lead to, by the path of each
/// link. None: one of them cannot be digested, because it is a directory or a large file.
///
/// # Errors
/// Fails if a file that a link leads to cannot be read.
pub fn links(workspace: &Path, inputs: &Snapshot) -> Result<Option<BTreeMap<String, Digest>>, LedgerError> {
    let mut found = BTreeMap::new();
    let root = workspace.canonicalize().map_err(LedgerError::io("look at", workspace))?;
    for link in inputs.links() {
        let target = match root.join(link).canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                found.insert(link.to_string_lossy().into_owned(), Digest::of(b"nothing"));
                continue;
            }
            Err(_) => return Ok(None),
        };
        let is_input = |inside: &Path| inputs.digest_of(inside).is_some() || inputs.holds_below(inside);
        if target.strip_prefix(&root).is_ok_and(is_input) {
            continue;
        }
        if !target.metadata().is_ok_and(|facts| facts.is_file() && facts.len() <= TARGET_BYTES) {
            return Ok(None);
        }
        let content = hashed(&target)?.to_string();
        let parts = [target.as_os_str().as_bytes(), b"\0", content.as_bytes()];
        found.insert(link.to_string_lossy().into_owned(), Digest::of(parts.concat()));
    }
    Ok(Some(found))
}

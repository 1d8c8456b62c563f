//! Files of a project that define scripts and targets.

use std::path::Path;

use crate::read;

/// Maximum size of a file that is read, in bytes.
const FILE_BYTES: u64 = 1024 * 1024;

/// Returns the text of a file. None: it does not exist, is too large, or is not text.
pub(super) fn text(path: &Path) -> Option<String> {
    let bytes = read::file(path, FILE_BYTES).ok()?;
    let small = u64::try_from(bytes.len()).is_ok_and(|length| length <= FILE_BYTES);
    if small { String::from_utf8(bytes).ok() } else { None }
}

//! Files of a project that say what its commands stand for.

use std::path::Path;

use crate::read;

/// Largest file that is looked into, in bytes.
const FILE_BYTES: u64 = 1024 * 1024;

/// Returns a file's text. None: there is none, it is too large, or it is no text.
pub(super) fn text(path: &Path) -> Option<String> {
    let bytes = read::file(path, FILE_BYTES).ok()?;
    let small = u64::try_from(bytes.len()).is_ok_and(|length| length <= FILE_BYTES);
    if small { String::from_utf8(bytes).ok() } else { None }
}

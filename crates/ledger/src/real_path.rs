//! Paths with their links resolved.

use std::path::{Path, PathBuf};

/// Resolves the links in the part of a path that exists; the rest is appended as it is.
pub fn real_path(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, std::fs::canonicalize(above).ok()?)));
    let Some((above, whole)) = there else { return path.to_path_buf() };
    match path.strip_prefix(above) {
        Ok(rest) if rest.as_os_str().is_empty() => whole,
        Ok(rest) => whole.join(rest),
        Err(_) => whole,
    }
}

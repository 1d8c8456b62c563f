//! Lexical path operations, without access to the file system.

use std::path::{Component, Path, PathBuf};

/// Returns a path without `.` and `..`, resolved lexically: symbolic links are not followed.
pub fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(straight.pop()),
            other => straight.push(other),
        }
    }
    straight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_made_straight_as_they_are_written() {
        for (path, expected) in [("/work/a/../b", "/work/b"), ("/work/../../x", "/x"), ("/work/./c", "/work/c")] {
            assert_eq!(straight(Path::new(path)), Path::new(expected));
        }
    }
}

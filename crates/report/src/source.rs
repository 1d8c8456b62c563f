//! Access to lines of source code.

/// Source files that tools refer to. Implemented by crates that may read files; this one opens none.
pub trait SourceLines {
    /// Returns a line of a file, which is named as a tool printed it. `line` is 1-based. None: there is no such
    /// file or line, or it must not be read.
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

//! Where lines of source come from.

/// The sources that tools speak of. Whoever may read files implements it; this room opens none.
pub trait SourceLines {
    /// Returns the 1-based line of a file that is named as a tool printed it. None: there is no such file or line, or it
    /// must not be read.
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

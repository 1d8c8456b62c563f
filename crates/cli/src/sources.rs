//! Lines of the source files that findings name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use referee_model::reading::Reading;

/// Maximum size of a source file for excerpts, in bytes.
const SOURCE_BYTES: u64 = 4 * 1024 * 1024;

/// The source files that findings name, read once for excerpts.
pub(crate) struct Sources {
    workspace: PathBuf,
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    /// Creates the set for files in this directory; its path must be canonical.
    pub(crate) fn new(workspace: &Path) -> Self {
        Self { workspace: workspace.to_owned(), files: HashMap::new() }
    }

    /// Reads the files that a reading names, at most `most`.
    pub(crate) fn load(&mut self, reading: &Reading, most: usize) {
        let of_findings = reading.diagnostics.iter().filter_map(|found| found.file.as_deref());
        let of_tests = reading.tests.iter().flat_map(|tests| &tests.failures);
        for file in of_findings.chain(of_tests.filter_map(|failure| failure.file.as_deref())) {
            if most <= self.files.len() {
                return;
            }
            if !self.files.contains_key(file) {
                self.files.insert(file.to_owned(), self.read(file).unwrap_or_default());
            }
        }
    }

    /// Reads a file that a tool named, if it is in the workspace: a tool's output is not trusted.
    fn read(&self, file: &str) -> Option<Vec<String>> {
        let path = std::fs::canonicalize(self.workspace.join(file)).ok()?;
        let about = std::fs::metadata(&path).ok()?;
        if !path.starts_with(&self.workspace) || !about.is_file() || about.len() > SOURCE_BYTES {
            return None;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).ok()?).into_owned();
        Some(text.lines().map(str::to_owned).collect())
    }
}

impl referee_report::SourceLines for Sources {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        self.files.get(file)?.get(index).cloned()
    }
}

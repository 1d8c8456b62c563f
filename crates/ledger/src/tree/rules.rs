//! Git's ignore rules: those of `.gitignore` files, and of a repository's `info/exclude`. The user's own git
//! configuration is not used, so that a tree has the same inputs for every user.

use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::open;

/// Name of a rules file.
pub(super) const FILE_NAME: &[u8] = b".gitignore";

/// Largest rules file that is read, in bytes; git reads no more either.
const RULES_BYTES: u64 = 100 * 1024 * 1024;

/// The rules of one file, for paths relative to its directory.
#[derive(Debug)]
pub(super) struct Rules(Gitignore);

impl Rules {
    /// Parses a rules file. None: it has no rules.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut builder = GitignoreBuilder::new("");
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // As in git, a line that is not a valid pattern matches nothing.
            let _ = builder.add_line(None, &String::from_utf8_lossy(line));
        }
        let rules = builder.build().ok()?;
        (!rules.is_empty()).then_some(Self(rules))
    }

    /// Reads the `.gitignore` of a directory below the root. A link in its place is not followed, as in git.
    pub(super) fn of_directory(root: BorrowedFd<'_>, directory: &[u8]) -> Option<Self> {
        let path = if directory.is_empty() { FILE_NAME.to_vec() } else { [directory, b"/", FILE_NAME].concat() };
        let file = File::from(open::file(root, &path).ok()?);
        let is_file = file.metadata().ok()?.is_file();
        let mut text = Vec::new();
        if is_file {
            file.take(RULES_BYTES).read_to_end(&mut text).ok()?;
        }
        Self::parse(&text)
    }

    /// Returns whether the rules ignore a path (true) or re-include it (false). None: no rule matches.
    pub(super) fn ignore(&self, path: &[u8], is_directory: bool) -> Option<bool> {
        match self.0.matched(open::path(path), is_directory) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_speaks_of_a_path_decides() {
        let rules = Rules::parse(b"\xef\xbb\xbf*.log\r\n!keep.log\n/build/\n# note\n\nsub/*.tmp\n").unwrap();
        for (path, is_directory, ignored) in [
            ("a.log", false, Some(true)),
            ("deep/a.log", false, Some(true)),
            ("keep.log", false, Some(false)),
            ("build", true, Some(true)),
            ("build", false, None),
            ("deep/build", true, None),
            ("sub/x.tmp", false, Some(true)),
            ("x.tmp", false, None),
        ] {
            assert_eq!(rules.ignore(path.as_bytes(), is_directory), ignored, "{path}");
        }
        assert!(Rules::parse(b"# only a note\n\n").is_none());
    }
}

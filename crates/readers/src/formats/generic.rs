//! The last resort: `file:line:column: severity: message`, as printed by GCC and many small tools. It counts
//! only if no other tool claims anything.

use crate::prelude::*;
use crate::shapes::gnu::{Carets, Heading};

/// Output that no other tool reads.
pub(crate) static TOOL: Tool = Tool::new("generic", &[], Role::Lint)
    .lines(&[LineFormat::new(
        &[": error: ", ": warning: ", ": fatal error: ", ": note: ", "In file included from "],
        |_| Box::new(Generic { carets: Carets::new("generic", "generic/text", takes) }),
    )])
    .last_resort();

struct Generic {
    carets: Carets,
}

/// Accepts a file whose name has no blanks, unless its path is absolute, and which a dot or slash distinguishes
/// from a word or a time.
fn takes(heading: &Heading<'_>) -> bool {
    let file = heading.file();
    let base = memchr::memrchr2(b'/', b'\\', file.as_bytes()).map_or(file, |at| &file[at + 1..]);
    let is_whole = file.starts_with('/') || file.get(1..3) == Some(":\\");
    let has_extension = base.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=10).contains(&extension.len())
            && extension.starts_with(|first: char| first.is_ascii_alphabetic())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    });
    (is_whole || memchr::memchr2(b' ', b'\t', file.as_bytes()).is_none())
        && (has_extension || file.contains('/'))
        && !memchr::memchr_iter(b':', file.as_bytes()).any(|at| file[at..].starts_with("://"))
}

impl LineReader for Generic {
    fn line(&mut self, line: &Line<'_>) -> Use {
        self.carets.line(line)
    }

    fn sleeps(&self) -> bool {
        self.carets.is_idle()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let findings = self.carets.finish();
        let found = 0 < findings.counts.errors + findings.counts.warnings;
        found.then(|| Candidate::of("text", findings).confidence(Confidence::LastResort))
    }
}

//! Summaries of rustc and Cargo, and Cargo's status lines.

use crate::prelude::*;

/// ``could not compile `demo` (lib) due to 2 previous errors; 1 warning emitted``, `aborting due to previous error`.
static FAILED: Pattern = Pattern::new(
    r"^(?:could not (?:compile|document) `[^`]*`.*|aborting) due to (?:(?<errors>\d+) )?previous errors?(?:; (?<warnings>\d+) warnings? emitted)?",
);

/// `` `demo` (lib test) generated 3 warnings (2 duplicates) ``, `2 warnings emitted`.
static WARNED: Pattern = Pattern::new(
    r"^(?:`[^`]*` \([^)]*\) generated (?<warnings>\d+) warnings?(?: \((?:(?<duplicates>\d+) duplicates?)?.*)?|(?<warnings2>\d+) warnings? emitted)",
);

/// `   Compiling demo v0.1.0 (/project)`: a verb that ends at column 12.
static STATUS: Pattern = Pattern::new(
    r"^(?:   Compiling [\w-]+ v\d|    Checking [\w-]+ v\d|    Finished (?:`[\w-]+` profile|[\w-]+ \[|[\w-]+ (?:target|profile)))",
);

/// A final count: of errors, of warnings, or of both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) errors: u64,
    pub(super) warnings: u64,
}

/// Parses the message of a heading without a location: a final count, or a line that only repeats that
/// something failed. Returns `None` if it is a finding.
pub(super) fn sum(level: Level, message: &str) -> Option<Sum> {
    match level {
        Level::Error => {
            if let Some(found) = FAILED.find(message) {
                return Some(Sum { errors: found.count("errors").unwrap_or(1), warnings: found.number("warnings") });
            }
            repeats(message).then(|| Sum { errors: u64::from(message.starts_with("could not ")), warnings: 0 })
        }
        Level::Warning => {
            if let Some(found) = WARNED.find(message) {
                let warnings = found.number("warnings").saturating_sub(found.number("duplicates"));
                return Some(Sum { errors: 0, warnings });
            }
            let repeats = message.starts_with("build failed, waiting for other jobs")
                || message.contains(" tests were not run due to ");
            repeats.then(Sum::default)
        }
        Level::Info => None,
    }
}

/// Whether an error only reports that there were errors or that tests failed.
fn repeats(message: &str) -> bool {
    static REPEATED: Pattern = Pattern::new(
        r"^(?:could not (?:compile|document) `|build failed|(?:test|doctest|bench) failed, to rerun pass|test run failed|command `cargo test --no-run|creating test list failed|some tests failed|1 target failed:$|Recipe failed$)",
    );
    REPEATED.is_match(message) || message.ends_with(" targets failed:")
}

/// Whether a line is Cargo's status of compiling a package.
pub(super) fn is_building(text: &str) -> bool {
    (text.starts_with("   Compiling ") || text.starts_with("    Checking ")) && is_status(text)
}

/// Whether a line is a status line of Cargo.
pub(super) fn is_status(text: &str) -> bool {
    text.starts_with("   ") && STATUS.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_counts_are_no_findings() {
        for (level, message, counts) in [
            (Level::Error, "could not compile `a` (lib) due to 12 previous errors", Some((12, 0))),
            (
                Level::Error,
                "could not compile `a` (lib test) due to 1 previous error; 3 warnings emitted",
                Some((1, 3)),
            ),
            (Level::Error, "aborting due to previous error", Some((1, 0))),
            (Level::Error, "aborting due to 2 previous errors; 1 warning emitted", Some((2, 1))),
            (Level::Error, "could not compile `a` (bin \"a\")", Some((1, 0))),
            (Level::Error, "test failed, to rerun pass `--lib`", Some((0, 0))),
            (Level::Error, "3 targets failed:", Some((0, 0))),
            (Level::Warning, "`a` (lib) generated 28 warnings", Some((0, 28))),
            (
                Level::Warning,
                "`a` (lib test) generated 3 warnings (2 duplicates) (run `cargo fix --lib -p a` to apply 1 suggestion)",
                Some((0, 1)),
            ),
            (Level::Warning, "2 warnings emitted", Some((0, 2))),
            (Level::Warning, "unused import: `std::io`", None),
            (Level::Error, "linking with `cc` failed: exit status: 1", None),
        ] {
            let read = sum(level, message).map(|sum| (sum.errors, sum.warnings));
            assert_eq!(read, counts, "{message}");
        }
    }

    #[test]
    fn cargo_says_what_it_does() {
        for text in [
            "   Compiling demo v0.1.0 (/project)",
            "    Checking demo v0.1.0 (/project)",
            "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.02s",
            "    Finished dev [unoptimized + debuginfo] target(s) in 0.02s",
        ] {
            assert!(is_status(text), "{text}");
        }
        assert!(!is_status("    Finished in 0.03 seconds"));
        assert!(!is_status("   Compiling 3 files with Solc 0.8.1"));
    }
}

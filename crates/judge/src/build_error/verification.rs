//! Structured errors of verification reports.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::build_error::{BuildError, BuildErrorType, ContextValue, FailedPhase, bare_name};
use referee_model::time::Timestamp;
use referee_model::verification::{VerificationCheck, VerificationReport};
use referee_syntax::ansi;

use super::Options;
use super::tail::tail;

/// Creates the structured error of a verification report (seed 2, `fromVerificationReport`).
///
/// The first failed check of a failed level, in stored order, that has a known name determines the type, the
/// tail and the counts (ruling 21). Without a known name the type is `unknown`, and the first failed check
/// provides the rest. Directories of files are removed from the error.
pub fn of_verification_report(
    report: &VerificationReport,
    file: Option<&str>,
    agent_file: Option<&str>,
    failed_at: Timestamp,
    options: Options,
) -> BuildError {
    let known = report.failed_checks().find_map(|(level, check)| Some((level, check, kind(&check.name)?)));
    let first = report.failed_checks().next().map(|(level, check)| (level, check, BuildErrorType::Unknown));
    let deciding = known.or(first);
    let kind = deciding.map_or(BuildErrorType::Unknown, |(_, _, kind)| kind);
    let counts = deciding.map(|(_, check, _)| Counts::of(check)).unwrap_or_default();
    let mut context = counts.context();
    context.insert("duration".to_owned(), ContextValue::Number(report.duration_ms));
    if let Some((level, check, _)) = deciding {
        context.insert("level".to_owned(), ContextValue::text(&level.name));
        context.insert("check".to_owned(), ContextValue::text(&check.name));
    }
    BuildError {
        kind,
        message: message(kind, &counts),
        exit_code: None,
        stdout_tail: deciding.map(|(_, check, _)| tail(&check.output, options.tail_lines)).unwrap_or_default(),
        stderr_tail: String::new(),
        agent_result_file: agent_file.and_then(bare_name),
        verification_file: file.and_then(bare_name),
        context,
        failed_at,
        phase: Some(FailedPhase::Verification),
    }
}

/// Returns the type by a check's name. None: the name is not known.
///
/// | name               | type             |
/// |--------------------|------------------|
/// | typecheck          | typecheck_failed |
/// | lint, eslint       | lint_failed      |
/// | test, vitest, jest | test_failed      |
/// | blackbox           | blackbox_failed  |
/// | ci                 | ci_failed        |
fn kind(check: &str) -> Option<BuildErrorType> {
    Some(match check {
        "typecheck" => BuildErrorType::TypecheckFailed,
        "lint" | "eslint" => BuildErrorType::LintFailed,
        "test" | "vitest" | "jest" => BuildErrorType::TestFailed,
        "blackbox" => BuildErrorType::BlackboxFailed,
        "ci" => BuildErrorType::CiFailed,
        _ => return None,
    })
}

fn message(kind: BuildErrorType, counts: &Counts) -> String {
    match counts.type_errors {
        Some((errors @ 1.., files)) => format!("{} ({errors} errors in {files} files)", kind.description()),
        _ => kind.description().to_owned(),
    }
}

/// Counts in the output of a check.
#[derive(Debug, Default)]
struct Counts {
    /// Number of TypeScript errors, and of files with such errors. None: there are none.
    type_errors: Option<(u64, u64)>,
    /// First number before the word `failed`; may be 0.
    failed_tests: Option<u64>,
}

impl Counts {
    fn of(check: &VerificationCheck) -> Self {
        let plain = ansi::strip(&check.output);
        let errors = type_errors(&plain);
        let files: BTreeSet<&str> = plain.split('\n').filter_map(type_script_file).collect();
        Self { type_errors: (0 < errors).then_some((errors, files.len() as u64)), failed_tests: failed_tests(&plain) }
    }

    fn context(&self) -> BTreeMap<String, ContextValue> {
        let errors = self.type_errors.map(|(errors, _)| ("errorCount", errors));
        let files = self.type_errors.map(|(_, files)| ("fileCount", files));
        let failed = self.failed_tests.map(|failed| ("failedTests", failed));
        let counts = [errors, files, failed].into_iter().flatten();
        counts.map(|(key, count)| (key.to_owned(), ContextValue::Number(count))).collect()
    }
}

/// Counts occurrences of `error TS` followed by digits.
fn type_errors(text: &str) -> u64 {
    let after = text.split("error TS").skip(1);
    after.filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit())).count() as u64
}

/// Returns the file at the beginning of a line: the longest part without spaces that ends in `.ts` or `.tsx`.
fn type_script_file(line: &str) -> Option<&str> {
    let word = line.split(char::is_whitespace).next()?;
    let (stem, rest) = word.rsplit_once(".ts").filter(|(stem, _)| !stem.is_empty())?;
    let length = stem.len() + ".ts".len() + usize::from(rest.starts_with('x'));
    word.get(..length)
}

/// Returns the first number followed by ` failed`. A number out of range counts as the maximum.
fn failed_tests(text: &str) -> Option<u64> {
    text.match_indices(" failed").find_map(|(at, _)| {
        let before = &text[..at];
        let digits = &before[before.trim_end_matches(|last: char| last.is_ascii_digit()).len()..];
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_files_are_counted_as_the_seed_counts_them() {
        let two =
            "src/a.ts(1,2): error TS2304: No.\nsrc/b.tsx(3,4): error TS2339: No.\nsrc/a.ts(9,9): error TS1: No.\n";
        for (output, errors, failed) in [
            (two, Some((3, 2)), None),
            ("\u{1b}[96msrc/a.ts\u{1b}[0m:1:2 - \u{1b}[91merror\u{1b}[0m TS2304: No.", Some((1, 1)), None),
            ("error TS18003: No inputs were found.", Some((1, 0)), None),
            ("error TS: none\nerror TSX", None, None),
            ("  src/indented.ts(1,1): error TS1: No.", Some((1, 0)), None),
            ("3 failed, 10 passed", None, Some(3)),
            ("Tests: 12 failed | 1 passed\n 7 failed", None, Some(12)),
            ("0 failed", None, Some(0)),
            ("it failed", None, None),
            (" failed", None, None),
            ("99999999999999999999999 failed", None, Some(u64::MAX)),
            ("", None, None),
        ] {
            let check = VerificationCheck {
                name: "test".to_owned(),
                passed: false,
                output: output.to_owned(),
                duration_ms: None,
            };
            let counts = Counts::of(&check);
            assert_eq!((counts.type_errors, counts.failed_tests), (errors, failed), "{output:?}");
        }
    }

    #[test]
    fn a_file_is_the_longest_start_of_a_line_that_ends_like_type_script() {
        for (line, file) in [
            ("src/foo.ts(45,3): error", Some("src/foo.ts")),
            ("a.tsx:1:2 - error", Some("a.tsx")),
            ("a.ts(1,1):see.b.ts", Some("a.ts(1,1):see.b.ts")),
            (".ts", None),
            ("ß.ts", Some("ß.ts")),
            ("", None),
            (" a.ts", None),
            ("a.js", None),
        ] {
            assert_eq!(type_script_file(line), file, "{line:?}");
        }
    }
}

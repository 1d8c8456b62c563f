//! Whether findings account for a non-zero exit code: what ruling 9 asks before policy (ruling 10) may forgive it.

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, Reading};

use super::case::Case;
use super::exit_code;
use crate::policy::Weighed;
use crate::role;

/// Linters that fail for errors alone, by their manuals, and the options that make warnings fail, too.
const LINTERS_FAILING_FOR_ERRORS: &[(&str, &[&str])] = &[
    ("eslint", &[MAX_WARNINGS]),
    ("stylelint", &[MAX_WARNINGS]),
    ("oxlint", &[MAX_WARNINGS, "--deny-warnings"]),
    ("xo", &[MAX_WARNINGS]),
    ("solhint", &[MAX_WARNINGS]),
    ("biome", &["--error-on-warnings"]),
    ("yamllint", &["--strict", "-s"]),
    ("ansible-lint", &["--strict"]),
    ("tslint", &[]),
    ("htmlhint", &[]),
    ("psalm", &[]),
    ("clippy", &[]),
    ("clang-tidy", &[]),
];

/// The one option whose value is the number of warnings that do not fail yet.
const MAX_WARNINGS: &str = "--max-warnings";

/// Whether the tool's own findings account for its non-zero exit code: only then may policy forgive it.
///
/// All of these must hold:
/// - the tool's own reader read them;
/// - the tool alone could set the code, and the code is none that says that the work was not done;
/// - there is something for which the tool fails: see [`has_reason_to_fail`];
/// - nothing that was read says that the tool could not work: see [`could_not_work`];
/// - where nothing that was read counts, the reading is known to be whole: what was not read could be what failed.
///   (Under NEVER it would not count either.)
pub(super) fn is_explained(case: &Case<'_>, code: i32, weighed: &Weighed) -> bool {
    let whole = case.reading.notes.is_empty();
    has_reason_to_fail(case)
        && !could_not_work(case, code)
        && (whole || weighed.findings || weighed.ignored_entirely)
        && case.is_own_reading()
        && role::exit_is_of_tool(case.command)
        && !exit_code::says_not_done(case.tool(), code)
}

/// Whether the tool fails for what was read.
///
/// | tool                                    | fails for                                                 |
/// |-----------------------------------------|-----------------------------------------------------------|
/// | a type checker, a compiler              | errors                                                    |
/// | a formatter                             | errors, warnings (files that are not formatted)           |
/// | a linter that fails for errors alone    | errors; warnings by option, and where they exceed a limit |
/// | any other linter                        | errors, warnings, remarks                                 |
fn has_reason_to_fail(case: &Case<'_>) -> bool {
    let counts = &case.reading.counts;
    if counts.errors > 0 {
        return true;
    }
    match case.told.role {
        Role::Typecheck | Role::Compile => false,
        Role::Format => counts.warnings > 0,
        _ => match LINTERS_FAILING_FOR_ERRORS.iter().find(|(name, _)| case.tool() == Some(*name)) {
            Some((_, options)) => counts.warnings > 0 && options.iter().any(|option| warnings_fail(case, option)),
            None => counts.warnings > 0 || counts.infos > 0,
        },
    }
}

/// Whether the command gives an option by which the warnings that were read make the tool fail.
fn warnings_fail(case: &Case<'_>, option: &str) -> bool {
    role::option_values(case.command, option).iter().any(|value| match value.parse::<i64>() {
        // A negative limit is none.
        Ok(limit) if option == MAX_WARNINGS => {
            u64::try_from(limit).is_ok_and(|limit| case.reading.counts.warnings > limit)
        }
        // Another option takes no number, and what a variable holds is not known here.
        _ => true,
    })
}

/// Whether what was read says that the tool could not do its work, beside whatever it found.
///
/// - tsc: an error that speaks of its options, its configuration or its inputs.
/// - prettier, exit code 2: it could not read something. Only a file that cannot be parsed is a finding of its own; the
///   rest of what it says then is noted by its reader.
fn could_not_work(case: &Case<'_>, code: i32) -> bool {
    match case.tool() {
        Some("tsc") => tsc_could_not_work(case.reading),
        Some("prettier") => code == 2 && (case.reading.counts.errors == 0 || !case.reading.notes.is_empty()),
        _ => false,
    }
}

fn tsc_could_not_work(reading: &Reading) -> bool {
    let errors = || reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    // Not every finding is kept. TS5xxx outside of a source file are of this kind.
    let unkept = reading.counts.by_rule.iter().any(|(code, counts)| {
        let kept = errors().filter(|found| found.code.as_deref() == Some(code)).count() as u64;
        is_in_group(code, "5") && counts.errors > kept
    });
    unkept || errors().any(speaks_of_configuration)
}

/// Whether the tool found nothing because it could not work: all errors of tsc are about its options, its configuration or
/// its inputs, and stand in no file.
pub(super) fn only_unable(case: &Case<'_>) -> bool {
    let reading = case.reading;
    let mut errors = reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    let is_whole = reading.counts.errors > 0 && reading.counts.errors == errors.clone().count() as u64;
    case.tool() == Some("tsc") && is_whole && errors.all(|found| found.file.is_none() && speaks_of_configuration(found))
}

/// Whether an error of tsc speaks of the compiler's own options, configuration or inputs: it names no file and has a code
/// of those groups (such as TS5058, TS6053, TS18003), or it stands in a JSON file, as a broken `tsconfig.json`.
fn speaks_of_configuration(found: &Diagnostic) -> bool {
    match &found.file {
        Some(file) => file.to_ascii_lowercase().ends_with(".json"),
        None => found.code.as_deref().is_some_and(|code| ["5", "6", "18"].iter().any(|group| is_in_group(code, group))),
    }
}

/// Whether a code of tsc is of a group: its digits before the last three.
fn is_in_group(code: &str, group: &str) -> bool {
    code.strip_prefix("TS").and_then(|digits| digits.strip_prefix(group)).is_some_and(|rest| rest.len() == 3)
}

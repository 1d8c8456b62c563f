//! Whether findings explain a non-zero exit code, which ruling 9 requires before policy (ruling 10) may forgive it.

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Excerpt, Level, Reading};
use referee_syntax::ansi;
use referee_syntax::cut::first_line;

use super::case::Case;
use super::exit_code;
use crate::policy::Weighed;
use crate::role;

/// Linters that fail only for errors, by their manuals, and the options that make them fail for warnings, too.
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

/// The only option whose value is a tolerated number of warnings.
const MAX_WARNINGS: &str = "--max-warnings";

/// Returns whether the tool's own findings explain its non-zero exit code: only then may policy forgive it.
///
/// All of these are required:
/// - they are the tool's own, see [`Case::is_own_report`];
/// - the tool alone could set the code, and the code is none that says that the work was not done;
/// - there is a reason for which the tool fails: see [`has_reason_to_fail`];
/// - nothing that was read says that the tool could not work: see [`could_not_work`];
/// - where nothing that was read counts, the reading is known to be whole: what was not read could be what failed.
///   (Under NEVER it would not count either.)
pub(super) fn is_explained(case: &Case<'_>, code: i32, weighed: &Weighed) -> bool {
    let whole = case.reading.notes.is_empty();
    has_reason_to_fail(case)
        && !could_not_work(case, code)
        && (whole || weighed.findings || weighed.ignored_entirely)
        && case.is_own_report()
        && role::exit_is_of_tool(case.command)
        && !exit_code::says_not_done(case.tool(), code)
}

/// Returns whether the tool reports, by exit code or beside its findings, that it did not do all its work.
pub(super) fn is_unfinished(case: &Case<'_>, code: i32) -> bool {
    code != 0 && (could_not_work(case, code) || exit_code::says_not_done(case.tool(), code))
}

/// Prefixes of findings by which tools report their own crash: compilers of any language, mypy, rustc.
const CRASHES: [&str; 3] = ["internal compiler error", "INTERNAL ERROR --", "the compiler unexpectedly panicked"];

/// First words of a compiler's report of its own crash: javac, and compilers built on LLVM.
const CRASH_LINES: [&str; 2] = ["An exception has occurred in the compiler", "PLEASE submit a bug report to "];

/// Python exceptions about the examined code.
const OF_SYNTAX: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];

/// Maximum number of quoted characters.
const QUOTED: usize = 200;

/// Returns the words in which a failed tool reports that it did not do its work. Then its findings do not
/// count, whatever policy says (ruling 10).
///
/// | what was read                                                       | of                |
/// |---------------------------------------------------------------------|-------------------|
/// | a finding that is its own crash                                     | any               |
/// | the end of an uncaught exception of Node or Python ends a stream    | any               |
/// | javac's or LLVM's request for a report of their crash               | any               |
/// | exit code 2, and no error in a line of a source                     | mypy              |
/// | exit codes 2 to 4: its command line, the system, a crash            | javac             |
/// | errors of the driver alone, without a file                          | gcc, clang        |
pub(super) fn not_done(case: &Case<'_>, code: i32) -> Option<String> {
    if code == 0 {
        return None;
    }
    let errors = || case.reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    let said = |found: &Diagnostic| match &found.file {
        Some(file) => first_line(&format!("{file}: {}", found.message), QUOTED),
        None => first_line(&found.message, QUOTED),
    };
    if let Some(crash) = errors().find(|found| CRASHES.iter().any(|words| found.message.starts_with(words))) {
        return Some(said(crash));
    }
    let excerpts = &case.reading.excerpts;
    if let Some(said) = [&excerpts.stderr, &excerpts.stdout].into_iter().find_map(crash_at_end) {
        return Some(said);
    }
    let is_whole = errors().count() as u64 == case.reading.counts.errors;
    let is_of_tool = match case.tool() {
        Some("mypy") => code == 2 && is_whole && !errors().any(stands_in_source),
        Some("javac") => matches!(code, 2..=4),
        Some("gcc" | "clang") => is_whole && errors().all(is_of_driver),
        _ => false,
    };
    errors().next().filter(|_| is_of_tool).map(said)
}

/// Returns whether a finding of mypy is in a source file: mypy also reports errors of its command line and
/// configuration.
fn stands_in_source(found: &Diagnostic) -> bool {
    let is_configuration = |file: &str| [".ini", ".cfg", ".toml"].iter().any(|end| file.ends_with(end));
    found.line.is_some() && found.file.as_deref().is_some_and(|file| !is_configuration(file))
}

/// Returns whether an error is one of a C compiler's driver about its command line, such as a missing source.
fn is_of_driver(found: &Diagnostic) -> bool {
    let is_of_linker = found.message.starts_with("linker command failed");
    matches!(found.tool.as_str(), "gcc" | "clang") && found.file.is_none() && !is_of_linker
}

/// Returns the message of the exception at the end of a stream that ended the program.
fn crash_at_end(excerpt: &Excerpt) -> Option<String> {
    let text = ansi::strip(excerpt.end());
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && !is_of_launcher(line)).collect();
    let (last, before) = lines.split_last()?;
    if last.trim_end().strip_prefix("Node.js v").is_some_and(is_version) {
        let stack = before.iter().rposition(|line| !line.starts_with([' ', '}']))?;
        return Some(first_line(before[stack], QUOTED));
    }
    if is_traceback(before) && !OF_SYNTAX.iter().any(|name| last.starts_with(name)) {
        return Some(first_line(last, QUOTED));
    }
    let asks = lines.iter().find(|line| CRASH_LINES.iter().any(|words| line.starts_with(words)));
    asks.map(|line| first_line(line, QUOTED))
}

/// Returns whether a line was added by a package manager to the output of a failed script.
fn is_of_launcher(line: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["npm ", "error Command failed", "info Visit", " ELIFECYCLE", "error: script "];
    BEGINNINGS.iter().any(|words| line.starts_with(words))
}

fn is_version(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Returns whether lines end in the frames of a Python traceback, so that the next line is the exception.
fn is_traceback(lines: &[&str]) -> bool {
    let frames = lines.iter().rev().take_while(|line| line.starts_with("  ")).count();
    let heading = lines.len().checked_sub(frames + 1).map(|at| lines[at]);
    frames > 0 && heading.is_some_and(|line| line.starts_with("Traceback (most recent call last):"))
}

/// Returns whether the reading has a reason for which the tool fails.
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

/// Returns whether the command has an option by which the reported warnings make the tool fail.
fn warnings_fail(case: &Case<'_>, option: &str) -> bool {
    role::option_values(case.command, option).iter().any(|value| match value.parse::<i64>() {
        // A negative limit means none.
        Ok(limit) if option == MAX_WARNINGS => {
            u64::try_from(limit).is_ok_and(|limit| case.reading.counts.warnings > limit)
        }
        // Other options take no number, and the values of variables are not known here.
        _ => true,
    })
}

/// Returns whether the reading shows that the tool could not do its work, beside its findings.
///
/// - tsc: an error that speaks of its options, its configuration or its inputs.
/// - prettier, exit code 2: it could not read something. Only a file that cannot be parsed is a finding of its own; the
///   rest of what it says then is noted by its reader.
/// - go vet, golangci-lint, staticcheck: a package does not compile. They exit with 1 as for what they find, and have not
///   looked at that package.
fn could_not_work(case: &Case<'_>, code: i32) -> bool {
    let has_rule = |rule: &str| case.reading.counts.by_rule.contains_key(rule);
    match case.tool() {
        Some("tsc") => tsc_could_not_work(case.reading),
        Some("govet") => {
            // Vet's findings have no rule by which dropped ones could be recognized.
            !case.reading.keeps_all_findings() || case.reading.diagnostics.iter().any(|found| found.tool == "go-build")
        }
        Some("golangci-lint") => has_rule("typecheck"),
        Some("staticcheck") => has_rule("compile") || has_rule("config"),
        Some("prettier") => code == 2 && (case.reading.counts.errors == 0 || !case.reading.notes.is_empty()),
        _ => false,
    }
}

fn tsc_could_not_work(reading: &Reading) -> bool {
    let errors = || reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    // Not every finding was kept. TS5xxx outside of a source file are of this kind.
    let unkept = reading.counts.by_rule.iter().any(|(code, counts)| {
        let kept = errors().filter(|found| found.code.as_deref() == Some(code)).count() as u64;
        is_in_group(code, "5") && counts.errors > kept
    });
    unkept || errors().any(speaks_of_configuration)
}

/// Returns whether the tool has no findings because it could not work: all errors of tsc are about its options,
/// its configuration or its inputs, and are in no file.
pub(super) fn only_unable(case: &Case<'_>) -> bool {
    let reading = case.reading;
    let mut errors = reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    let is_whole = reading.counts.errors > 0 && reading.counts.errors == errors.clone().count() as u64;
    case.tool() == Some("tsc") && is_whole && errors.all(|found| found.file.is_none() && speaks_of_configuration(found))
}

/// Returns whether an error of tsc is about the compiler's own options, configuration or inputs: it names no
/// file and has a code of those groups (such as TS5058, TS6053, TS18003), or it is in a JSON file, such as a
/// broken `tsconfig.json`.
fn speaks_of_configuration(found: &Diagnostic) -> bool {
    match &found.file {
        Some(file) => file.to_ascii_lowercase().ends_with(".json"),
        None => found.code.as_deref().is_some_and(|code| ["5", "6", "18"].iter().any(|group| is_in_group(code, group))),
    }
}

/// Returns whether a code of tsc is in a group: its digits before the last three.
fn is_in_group(code: &str, group: &str) -> bool {
    code.strip_prefix("TS").and_then(|digits| digits.strip_prefix(group)).is_some_and(|rest| rest.len() == 3)
}

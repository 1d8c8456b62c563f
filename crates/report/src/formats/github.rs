//! GitHub workflow commands: findings and failed tests become annotations of the lines concerned.

use std::io::{self, Write};

use referee_model::limit::MESSAGE_BYTES;
use referee_model::reading::{Diagnostic, Level, Reading, TestFailure};
use referee_model::report::Report;
use referee_syntax::count::count;

use super::check::{self, Check};
use crate::untrusted;

/// Maximum number of annotations of one level that GitHub shows for one step.
const ANNOTATIONS: usize = 10;

/// Writes a reading, with one command for each finding and failed test.
pub fn write(reading: &Reading, out: &mut dyn Write) -> io::Result<()> {
    for found in &reading.diagnostics {
        of_diagnostic(found, out)?;
    }
    for failure in reading.tests.iter().flat_map(|tests| &tests.failures) {
        of_failure(failure, out)?;
    }
    Ok(())
}

/// Writes runs: what blocks first, and of each level no more than GitHub shows. A notice says how many annotations are
/// left out.
pub(crate) fn write_runs(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let annotations = annotations(reports);
    let number = |level: Level| annotations.iter().filter(|(other, _)| *other == level).count();
    let levels = [Level::Error, Level::Warning, Level::Info];
    let is_cut = levels.into_iter().any(|level| number(level) > ANNOTATIONS);
    let mut left_out = 0;
    for level in levels {
        // The notice about the rest is one of those that are shown.
        let shown = if is_cut && level == Level::Info { ANNOTATIONS - 1 } else { ANNOTATIONS };
        for (_, line) in annotations.iter().filter(|(other, _)| *other == level).take(shown) {
            out.write_all(line.as_bytes())?;
        }
        left_out += number(level).saturating_sub(shown);
    }
    if left_out > 0 {
        let message = format!("{} left out here: see the summary", count(left_out, "annotation"));
        out.write_all(annotation(Level::Info, None, &[], "Referee", &message).as_bytes())?;
    }
    Ok(())
}

/// Returns the annotations of runs, with their levels: what blocks without a finding, then the findings and failed
/// tests of checks that block, then those of the other checks.
fn annotations(reports: &[&Report]) -> Vec<(Level, String)> {
    let checks: Vec<Check<'_>> = reports.iter().flat_map(|report| check::all(report)).collect();
    let (blocking, others): (Vec<&Check<'_>>, Vec<_>) = checks.iter().partition(|check| check.status.is_failure());
    let of_checks = blocking.iter().filter(|check| check.is_unexplained()).map(|check| of_check(check));
    let of_tools = blocking.iter().chain(&others).flat_map(|check| of_tools(check));
    of_checks.map(|line| (Level::Error, line)).chain(of_tools).collect()
}

fn of_check(check: &Check<'_>) -> String {
    let title = untrusted::line(&check.title());
    let message = harmless(&format!("{} ({})", check.message, check.outcome()));
    annotation(Level::Error, None, &[], &title, &message)
}

/// Returns the annotations of the findings and failed tests of a check.
fn of_tools(check: &Check<'_>) -> Vec<(Level, String)> {
    let highest = check.highest_level();
    let findings = check.reading.into_iter().flat_map(|reading| &reading.diagnostics).map(|found| {
        let level = found.level.max(highest);
        let (title, message) = (untrusted::line(&title(found)), harmless(&found.message));
        let file = found.file.as_deref().map(untrusted::line);
        (level, annotation(level, file.as_deref(), &numbers(found), &title, &message))
    });
    let failures = check.failures().iter().map(|failure| {
        let message = harmless(&format!("{}: {}", failure.name, failure.message));
        let file = failure.file.as_deref().map(untrusted::line);
        let numbers = numbers_of_failure(failure);
        (highest, annotation(highest, file.as_deref(), &numbers, title_of_failure(failure), &message))
    });
    findings.chain(failures).collect()
}

/// Returns the beginning of a text in which control characters are shown instead of being obeyed by whoever follows
/// the log.
fn harmless(text: &str) -> String {
    untrusted::lines(text, MESSAGE_BYTES)
}

fn of_diagnostic(found: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let (file, numbers) = (found.file.as_deref(), numbers(found));
    write_command(command(found.level), file, &numbers, &title(found), &found.message, out)
}

fn of_failure(failure: &TestFailure, out: &mut dyn Write) -> io::Result<()> {
    let message = format!("{}: {}", failure.name, failure.message);
    let (file, numbers) = (failure.file.as_deref(), numbers_of_failure(failure));
    write_command("error", file, &numbers, title_of_failure(failure), &message, out)
}

fn title(found: &Diagnostic) -> String {
    match &found.code {
        Some(code) => format!("{} {code}", found.tool),
        None => found.tool.clone(),
    }
}

fn title_of_failure(failure: &TestFailure) -> &'static str {
    if failure.suite { "tests did not run" } else { "failed test" }
}

/// Returns the numbers that place a finding in its file.
fn numbers(found: &Diagnostic) -> [(&'static str, Option<u32>); 4] {
    [("line", found.line), ("endLine", found.end_line), ("col", found.column), ("endColumn", found.end_column)]
}

/// Returns the numbers that place a failed test in its file.
fn numbers_of_failure(failure: &TestFailure) -> [(&'static str, Option<u32>); 2] {
    [("line", failure.line), ("col", failure.column)]
}

/// Returns the command that makes an annotation of a level.
fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    }
}

/// Returns an annotation of one line, or of no particular line.
pub(crate) fn annotation(
    level: Level,
    file: Option<&str>,
    numbers: &[(&str, Option<u32>)],
    title: &str,
    message: &str,
) -> String {
    let mut line = Vec::new();
    // Writing into memory cannot fail.
    let _ = write_command(command(level), file, numbers, title, message, &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

fn write_command(
    command: &str,
    file: Option<&str>,
    numbers: &[(&str, Option<u32>)],
    title: &str,
    message: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "::{command} title={}", property(title))?;
    if let Some(file) = file {
        write!(out, ",file={}", property(file))?;
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(out, ",{name}={number}")?;
            }
        }
    }
    writeln!(out, "::{}", data(message))
}

/// Escapes a message, so that text of a tool cannot end it and start a command of its own.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use referee_model::report::ActionHistory;
    use referee_syntax::line::is_deceptive;

    use super::*;
    use crate::human::fixture::runs;

    fn written(reports: &[&Report]) -> String {
        let mut out = Vec::new();
        write_runs(reports, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn lines_of(text: &str, command: &str) -> usize {
        text.lines().filter(|line| line.starts_with(&format!("::{command} title="))).count()
    }

    #[test]
    fn a_message_cannot_give_commands() {
        let failure = TestFailure {
            name: "adds".to_owned(),
            file: Some("a,b:c.js".to_owned()),
            line: Some(3),
            message: "100%\n::error::forged\r".to_owned(),
            ..TestFailure::default()
        };
        let mut out = Vec::new();
        of_failure(&failure, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "::error title=failed test,file=a%2Cb%3Ac.js,line=3::adds: 100%25%0A::error::forged%0D\n");
    }

    #[test]
    fn what_blocks_without_a_finding_comes_first_and_then_the_findings() {
        let text = written(&[&runs::failing()]);
        let built = "::error title=STEP.6 built::dist/server.js does not exist (VALIDATION_FAILURE)\n";
        let types = "::error title=tsc TS2345,file=src/routes.ts,line=39,col=84,endColumn=94::Argument of type";
        let places = [built, types, "::error title=failed test,", "::warning title=prettier,"];
        let places = places.map(|line| text.find(line).unwrap_or_else(|| panic!("no {line} in {text}")));
        assert!(places[0] == 0 && places.is_sorted(), "{places:?} in {text}");
        assert_eq!(["error", "warning", "notice"].map(|command| lines_of(&text, command)), [7, 8, 0]);
        assert_eq!(written(&[&runs::passing()]), "");
    }

    #[test]
    fn a_run_that_did_not_pass_is_never_without_an_error() {
        for (report, title) in [
            (runs::timed_out(), "STEP.1 contract"),
            (runs::prerequisite_failed(), "PREREQ.1 install"),
            (runs::blocked(), "VERDICT the task passes"),
        ] {
            let text = written(&[&report]);
            assert!(text.starts_with(&format!("::error title={title}::")), "{text}");
        }
    }

    #[test]
    fn findings_of_a_check_that_does_not_block_are_no_errors() {
        let mut report = runs::failing();
        let ActionHistory::Ran(types) = &mut report.actions[1].history else { unreachable!("it ran") };
        types.judgement.blocking = false;
        let text = written(&[&report]);
        assert!(text.contains("::warning title=tsc TS2345,") && !text.contains("::error title=tsc"), "{text}");
    }

    #[test]
    fn no_more_annotations_are_written_than_are_shown() {
        let mut report = runs::failing();
        let ActionHistory::Ran(types) = &mut report.actions[1].history else { unreachable!("it ran") };
        let found = types.reading.diagnostics[0].clone();
        types.reading.diagnostics = vec![found.clone(); 14];
        types.reading.diagnostics.extend(vec![Diagnostic { level: Level::Info, ..found }; 12]);
        let text = written(&[&report]);
        assert_eq!(["error", "warning", "notice"].map(|command| lines_of(&text, command)), [10, 8, 10]);
        // 20 errors and 12 notices, of which 10 and 9 are shown.
        assert!(text.ends_with("::notice title=Referee::13 annotations left out here: see the summary\n"), "{text}");
    }

    #[test]
    fn text_of_tools_begins_no_command_and_is_not_obeyed() {
        let evil = "x\n::set-output name=decision::PASS\r::stop-commands::y\u{1b}]0;owned\u{7}\u{202e}%0A::error::z";
        let text = written(&[&runs::hostile(evil, &evil.repeat(1000))]);
        let all: usize = ["error", "warning", "notice"].map(|command| lines_of(&text, command)).iter().sum();
        assert_eq!(text.lines().count(), all, "{text}");
        assert_eq!(text.chars().find(|character| *character != '\n' && is_deceptive(*character)), None);
    }
}

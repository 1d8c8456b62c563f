//! Test Anything Protocol, version 14 (testanything.org): a test point for each check. Several tasks are subtests, each
//! with a test point for its decision.

use std::io::{self, Write};

use referee_model::limit::MESSAGE_BYTES;
use referee_model::report::Report;
use referee_model::verdict::Decision;
use referee_syntax::{ansi, cut};

use super::check::{self, Check, Note, Status};
use crate::{untrusted, wording};

/// Indentation of the test points of a run that is the only one.
const TOP: &str = "";

/// Indentation of a subtest.
const SUBTEST: &str = "    ";

/// Writes the runs as one document.
pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "TAP version 14")?;
    match reports {
        [only] => write_run(only, out)?,
        tasks => write_subtests(tasks, out)?,
    }
    match reports.iter().find_map(|report| Some((report, check::early_end(report)?))) {
        Some((report, reason)) => writeln!(out, "Bail out! {}", one_line(&format!("{}: {reason}", report.plan.task))),
        None => Ok(()),
    }
}

/// Writes the checks of the only run.
fn write_run(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let checks = check::all(report);
    writeln!(out, "1..{}", checks.len())?;
    write_checks(&checks, TOP, out)
}

fn write_subtests(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "1..{}", reports.len())?;
    for (report, number) in reports.iter().zip(1..) {
        let name = task_name(report);
        // The comment has to match the description, and harnesses differ in whether they unescape it.
        if !name.contains('\\') {
            writeln!(out, "# Subtest: {name}")?;
        }
        let checks = check::all(report);
        writeln!(out, "{SUBTEST}1..{}", checks.len())?;
        write_checks(&checks, SUBTEST, out)?;
        write_decision(report, number, out)?;
    }
    Ok(())
}

fn write_checks(checks: &[Check<'_>], indentation: &str, out: &mut dyn Write) -> io::Result<()> {
    for (check, number) in checks.iter().zip(1..) {
        write_check(check, number, indentation, out)?;
    }
    Ok(())
}

fn write_check(check: &Check<'_>, number: usize, indentation: &str, out: &mut dyn Write) -> io::Result<()> {
    let result = result(!check.status.is_failure());
    let description = one_line(&check.title());
    write!(out, "{indentation}{result} {number} - {description}")?;
    match &check.status {
        Status::Passed => writeln!(out),
        Status::Skipped(reason) => writeln!(out, " # SKIP {}", one_line(reason)),
        Status::PassedWithRemark | Status::Failed | Status::Errored => {
            writeln!(out)?;
            write_diagnostics(check, indentation, out)
        }
    }
}

/// Writes the YAML block of a check.
fn write_diagnostics(check: &Check<'_>, indentation: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{indentation}  ---")?;
    writeln!(out, "{indentation}  message: {}", quoted(check.message)?)?;
    writeln!(out, "{indentation}  outcome: {}", quoted(check.outcome())?)?;
    writeln!(out, "{indentation}  durationMs: {}", check.duration_ms())?;
    writeln!(out, "{indentation}  attempts: {}", check.attempts)?;
    write_notes("findings", check.finding_notes(), indentation, out)?;
    write_notes("failedTests", check.failure_notes(), indentation, out)?;
    writeln!(out, "{indentation}  ...")
}

/// Writes the decision on a task as a test point.
fn write_decision(report: &Report, number: usize, out: &mut dyn Write) -> io::Result<()> {
    let decision = report.verdict.decision;
    writeln!(out, "{} {number} - {}", result(decision == Decision::Pass), task_name(report))?;
    if decision == Decision::Pass {
        return Ok(());
    }
    let reasons = report.verdict.reasons.iter().map(|reason| Note { place: None, message: reason.clone() });
    writeln!(out, "  ---")?;
    writeln!(out, "  decision: {}", quoted(wording::decision(decision).0)?)?;
    write_notes("reasons", reasons, TOP, out)?;
    writeln!(out, "  ...")
}

/// Writes a list of messages; nothing if it is empty. Each item is a mapping: in a list of strings, the YAML reader of
/// Perl's harness takes a string with a colon for a key.
fn write_notes(key: &str, notes: impl Iterator<Item = Note>, indentation: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut notes = notes.peekable();
    if notes.peek().is_some() {
        writeln!(out, "{indentation}  {key}:")?;
    }
    for note in notes {
        let message = quoted(&note.message)?;
        match &note.place {
            Some(place) => {
                writeln!(out, "{indentation}    - place: {}", quoted(place)?)?;
                writeln!(out, "{indentation}      message: {message}")?;
            }
            None => writeln!(out, "{indentation}    - message: {message}")?,
        }
    }
    Ok(())
}

fn result(is_ok: bool) -> &'static str {
    if is_ok { "ok" } else { "not ok" }
}

fn task_name(report: &Report) -> String {
    one_line(&check::task_name(report))
}

/// Returns a description or a reason, which is one line, and in which a `#` would begin a directive.
fn one_line(text: &str) -> String {
    untrusted::line(text).trim().replace('\\', r"\\").replace('#', r"\#")
}

/// Returns a JSON string, which is a YAML string too. What YAML cannot hold is replaced, and a long text is cut.
fn quoted(text: &str) -> io::Result<String> {
    let text = cut::bytes(text, MESSAGE_BYTES);
    let plain = ansi::strip(&text).replace(is_not_yaml, "\u{fffd}");
    Ok(untrusted::json(&serde_json::to_string(&plain)?))
}

/// Whether parsers of YAML refuse a character, or the pair of surrogates that is its escape in JSON.
fn is_not_yaml(character: char) -> bool {
    matches!(character, '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use referee_syntax::line::is_deceptive;

    use super::*;
    use crate::human::fixture::{run_context, runs};

    fn written(reports: &[&Report]) -> String {
        let mut out = Vec::new();
        write(reports, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_blocks_is_not_ok_with_its_findings_and_failed_tests() {
        let text = written(&[&runs::failing()]);
        assert!(text.starts_with("TAP version 14\n1..7\nok 1 - PREREQ.1 install\nnot ok 2 - STEP.1 types\n"), "{text}");
        let findings = r#"
not ok 2 - STEP.1 types
  ---
  message: "1 tsc error (BLOCK_ON_ERRORS_ALWAYS)"
  outcome: "VALIDATION_FAILURE"
  durationMs: 1240
  attempts: 1
  findings:
    - place: "src/routes.ts:39:84"
      message: "error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'."
  ...
not ok 3 - STEP.2 contract
"#;
        assert!(text.contains(findings), "{text}");
        let failure = r#"
  failedTests:
    - place: "tests/quotes.contract.test.ts:88:29"
      message: "GET /api/v1/quotes › lists all quotes: expect(received).toBe(expected) // Object.is equality\n\n"#;
        assert!(text.contains(failure), "{text}");
        let without_place = "\n    - message: \"GET /api/v1/customers/:id/quotes › lists the customer's quotes: ";
        assert!(text.contains(without_place), "{text}");
        assert!(!text.contains("Bail out!") && !text.contains("TODO"), "{text}");
    }

    #[test]
    fn what_does_not_block_is_ok_with_a_message_and_what_did_not_run_is_skipped() {
        let text = written(&[&runs::failing()]);
        let remark = "\nok 5 - STEP.4 format\n  ---\n  message: \"1 prettier warning (WARN_ONLY)\"\n";
        assert!(text.contains(remark), "{text}");
        let skipped = "\nok 6 - STEP.5 bundle # SKIP it needs STEP.1, which did not pass\nnot ok 7 - STEP.6 built\n";
        assert!(text.contains(skipped), "{text}");
        let text = written(&[&run_context::retried()]);
        assert!(text.contains("\nok 1 - STEP.1 unit\nnot ok 2 - STEP.2 contract\n"), "{text}");
        assert!(text.contains("  attempts: 3\n") && text.contains("\nok 3 - STEP.3 red\n  ---\n"), "{text}");
    }

    #[test]
    fn several_tasks_are_subtests_with_the_decision_as_test_point() {
        let text = written(&[&runs::failing(), &runs::passing()]);
        let start = "TAP version 14\n1..2\n# Subtest: T001 Quote service\n    1..7\n    ok 1 - PREREQ.1 install\n";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("    not ok 2 - STEP.1 types\n      ---\n      message: "), "{text}");
        assert!(text.contains("\nnot ok 1 - T001 Quote service\n  ---\n  decision: \"FAIL\"\n  reasons:\n"), "{text}");
        assert!(text.contains("\n    1..3\n    ok 1 - STEP.1 types\n"), "{text}");
        assert!(text.ends_with("    ok 3 - STEP.3 smoke\nok 2 - T001 Quote service\n"), "{text}");
    }

    #[test]
    fn a_name_that_is_escaped_is_in_no_comment() {
        let mut report = runs::passing();
        report.plan.title = "C# service".to_owned();
        let text = written(&[&report, &runs::passing()]);
        assert!(text.contains("\nok 1 - T001 C\\# service\n# Subtest: T001 Quote service\n"), "{text}");
        assert_eq!(text.matches("# Subtest").count(), 1, "{text}");
    }

    #[test]
    fn a_run_that_does_not_pass_without_a_failed_check_is_not_ok() {
        let text = written(&[&run_context::conditions()]);
        let expected = r#"TAP version 14
1..2
ok 1 - STEP.1 types
not ok 2 - VERDICT the task passes
  ---
  message: "2 of 4 success conditions are not met"
  outcome: "FAIL"
  durationMs: 0
  attempts: 0
  ...
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn a_run_that_ended_early_bails_out() {
        let text = written(&[&runs::interrupted()]);
        assert!(text.ends_with("\nBail out! T001: the run was interrupted by SIGINT\n"), "{text}");
        let text = written(&[&runs::passing(), &runs::blocked()]);
        let end = "\nBail out! T001: Referee itself failed: the output pipe could not be made: too many open files\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn no_run_is_an_empty_plan() {
        assert_eq!(written(&[]), "TAP version 14\n1..0\n");
    }

    #[test]
    fn text_of_tools_is_no_line_or_directive_of_its_own() {
        let evil = "a # TODO b\\\r\nok 99 - c\n  ...\nBail out! d\u{1b}[31m\u{0}\u{85}\u{2028}\u{fffe}\u{e0041}";
        let text = written(&[&runs::hostile(evil, &"x".repeat(1 << 20))]);
        let starts = ["TAP version 14", "1..2", "not ok 1 - STEP.1 ", "not ok 2 - STEP.2 ", "  "];
        assert!(text.lines().all(|line| starts.iter().any(|start| line.starts_with(start))), "{text}");
        assert!(text.contains(r"not ok 1 - STEP.1 lint a \# TODO b\\ ok 99 - c"), "{text}");
        assert_eq!(text.lines().filter(|line| *line == "  ...").count(), 2, "{text}");
        assert!(!text.chars().any(|character| character != '\n' && is_deceptive(character)), "{text}");
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            let value = line.split_once(": ").map_or("", |(_, value)| value);
            assert!(!value.starts_with('"') || serde_json::from_str::<String>(value).is_ok(), "{line}");
            assert!(!line.contains(is_not_yaml), "{line}");
        }
        assert!(text.len() < 100_000, "{}", text.len());
    }
}

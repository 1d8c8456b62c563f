//! Runs as Markdown, for the summary of a job or a merge request: the decision, the checks, and what blocks with its
//! findings and failed tests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use referee_model::evidence_name;
use referee_model::reading::{Diagnostic, Reading, TestFailure};
use referee_model::report::Report;
use referee_model::run_context::{WaiverState, WaiverUse};
use referee_model::verdict::Decision;
use referee_syntax::count::count;
use referee_syntax::{cut, duration, markdown};

use super::check::{self, Check, Status};
use crate::{untrusted, wording};

/// Maximum size of a summary, in bytes. GitHub accepts 1 MiB for each step.
const BYTES: usize = 900 * 1024;

/// Part of the size that is kept for the last line, in bytes.
const LAST_LINE_BYTES: usize = 1024;

/// Part of the size that is kept for the next step and the evidence of each run, in bytes.
const END_BYTES: usize = 4 * 1024;

/// Maximum number of findings of one check that are shown; all are counted.
const FINDINGS: usize = 20;

/// Maximum number of failed tests of one check that are shown; all are counted.
const FAILURES: usize = 20;

/// Maximum number of entries of any other list; all are counted.
const ENTRIES: usize = 50;

/// Maximum length of a name, in characters.
const NAME_CHARACTERS: usize = 120;

/// Maximum length of a sentence, a path or the message of a finding, in characters.
const SENTENCE_CHARACTERS: usize = 500;

/// Maximum length of the message of a failed test, in bytes.
const MESSAGE_BYTES: usize = 2 * 1024;

/// Writes the runs as one summary.
pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let mut summary = Summary::default();
    for (number, report) in (1..).zip(reports) {
        // What a run does not use of its share is left to those after it.
        let share = (BYTES - LAST_LINE_BYTES) / reports.len() * number;
        summary.add_run(report, share);
    }
    out.write_all(summary.finished().as_bytes())
}

/// A summary of limited size.
#[derive(Default)]
struct Summary {
    text: String,
    /// Numbers of the parts that did not fit, by kind.
    left_out: BTreeMap<&'static str, usize>,
}

impl Summary {
    /// Adds as much of a run as fits into a summary of this size.
    fn add_run(&mut self, report: &Report, bytes_max: usize) {
        let checks = check::all(report);
        let details_max = bytes_max.saturating_sub(END_BYTES);
        self.add(&heading(report), "decision", details_max);
        self.add(&reasons(report), "list of reasons", details_max);
        // The other half is for what blocks.
        let table_max = details_max.saturating_sub(self.text.len()) / 2;
        self.add(&table(&checks, table_max), "table", details_max);
        let blocking: Vec<&Check<'_>> = checks.iter().filter(|check| check.status.is_failure()).collect();
        // After the first one that does not fit, the others are only counted, so that they are not rendered in vain.
        let shown = blocking.iter().take_while(|check| self.push(&section(check), details_max)).count();
        self.leave_out("blocking check", blocking.len() - shown);
        self.add(&remarks(&checks), "list of remarks", details_max);
        self.add(&skipped(&checks), "list of skipped checks", details_max);
        self.add(&end(report), "next step", bytes_max);
    }

    /// Adds a part if the summary stays within a number of bytes, and counts it as left out otherwise.
    fn add(&mut self, part: &str, kind: &'static str, bytes_max: usize) {
        if !self.push(part, bytes_max) {
            self.leave_out(kind, 1);
        }
    }

    /// Adds a part if the summary stays within a number of bytes. Returns whether it does.
    fn push(&mut self, part: &str, bytes_max: usize) -> bool {
        let fits = self.text.len().saturating_add(part.len()) <= bytes_max;
        if fits {
            self.text.push_str(part);
        }
        fits
    }

    fn leave_out(&mut self, kind: &'static str, number: usize) {
        if number > 0 {
            *self.left_out.entry(kind).or_default() += number;
        }
    }

    /// Returns the text, which says what did not fit.
    fn finished(mut self) -> String {
        if !self.left_out.is_empty() {
            let kinds = self.left_out.iter().map(|(kind, number)| format!("{kind} ({number})"));
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            let _ = writeln!(self.text, "Left out, because the summary would be too long: {kinds}.");
        }
        self.text
    }
}

fn heading(report: &Report) -> String {
    let verdict = &report.verdict;
    let sign = match verdict.decision {
        Decision::Pass => "✓",
        Decision::Fail => "✗",
        Decision::Blocked => "!",
    };
    let name = literal(&check::task_name(report), NAME_CHARACTERS);
    format!("## {sign} {}: {name}\n\n", wording::decision(verdict.decision).0)
}

/// Returns a list of what qualifies the decision, and of the reasons that no section of a check tells.
fn reasons(report: &Report) -> String {
    let Report { run, verdict, actions, .. } = report;
    let reduced = report.is_reduced().then(|| {
        let profile = run.scope.profile.as_str();
        format!("This was a reduced run (profile {profile}), which never counts as done.")
    });
    let waivers = verdict.waivers.iter().filter(|used| used.state == WaiverState::Applied).map(WaiverUse::sentence);
    let baseline = verdict.baseline.as_ref().map(ToString::to_string);
    let mut reasons: Vec<String> = reduced.into_iter().chain(waivers).chain(baseline).collect();
    let blocking = actions.iter().filter_map(|each| {
        let ran = each.ran().filter(|ran| ran.judgement.blocking)?;
        Some(ran.verdict_reason(&each.action))
    });
    let told: BTreeSet<String> = blocking.chain(reasons.iter().cloned()).collect();
    reasons.extend(verdict.reasons.iter().filter(|reason| !told.contains(*reason)).cloned());
    list(reasons.iter().map(|reason| literal(reason, SENTENCE_CHARACTERS)))
}

/// Returns a table of the checks, of which no more rows are shown than fit into this size.
fn table(checks: &[Check<'_>], bytes_max: usize) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let mut table = "| | Check | Outcome | Duration |\n|---|---|---|---:|\n".to_owned();
    let mut shown = 0;
    for check in checks {
        let time = check.span.map_or_else(String::new, |span| duration::short(span.duration_ms));
        let row = format!("| {} | {} | {} | {time} |\n", check.status.sign(), title(check), outcome(check));
        if table.len() + row.len() > bytes_max {
            break;
        }
        table.push_str(&row);
        shown += 1;
    }
    table.push('\n');
    if shown < checks.len() {
        let _ = writeln!(table, "and {} more\n", checks.len() - shown);
    }
    table
}

/// Returns the section of a check that blocks: why, what its output names, and what to do. Of a check whose findings
/// are partly known from a baseline, only the new ones are shown.
fn section(check: &Check<'_>) -> String {
    let (Some(judgement), Some(reading)) = (check.judgement, check.reading) else { return String::new() };
    let mut text = format!("### {} {}: {}\n\n", check.status.sign(), title(check), outcome(check));
    if !check.message.is_empty() {
        let _ = writeln!(text, "{}\n", literal(check.message, SENTENCE_CHARACTERS));
    }
    let compared = judgement.baseline.as_ref().filter(|standing| standing.new.total() > 0);
    let shown = compared.map_or(Cow::Borrowed(reading), |standing| Cow::Owned(standing.new_of(reading)));
    text.push_str(&findings(&shown));
    text.push_str(&failures(&shown));
    if let Some(known) = compared.and_then(|standing| standing.known.said()) {
        let _ = writeln!(text, "Not shown, because the baseline has them: {known}.\n");
    }
    if !check.advice.is_empty() {
        let _ = writeln!(text, "**Help:** {}\n", literal(check.advice, SENTENCE_CHARACTERS));
    }
    text
}

/// Returns a list of the findings, most severe first.
fn findings(reading: &Reading) -> String {
    let mut sorted: Vec<&Diagnostic> = reading.diagnostics.iter().collect();
    sorted.sort_by_key(|found| found.level);
    let all = reading.counts.total().max(sorted.len() as u64);
    bounded_list(sorted.into_iter().map(finding), FINDINGS, all)
}

fn finding(found: &Diagnostic) -> String {
    let place = found.file.as_deref().map(|file| code(&wording::place(file, found.line, found.column)));
    let level = found.level.as_str().to_owned();
    let rule = found.code.as_deref().map(code).filter(|rule| !rule.is_empty());
    let parts: Vec<String> = place.into_iter().chain([level]).chain(rule).collect();
    format!("{}: {}", parts.join(" "), literal(&found.message, SENTENCE_CHARACTERS))
}

/// Returns the failed tests with their messages.
fn failures(reading: &Reading) -> String {
    let Some(tests) = &reading.tests else { return String::new() };
    let mut text = String::new();
    for failure in tests.failures.iter().take(FAILURES) {
        text.push_str(&failed_test(failure));
    }
    let shown = tests.failures.len().min(FAILURES) as u64;
    let rest = tests.counts.failed.max(tests.failures.len() as u64) - shown;
    if rest > 0 && shown > 0 {
        let _ = writeln!(text, "and {rest} more\n");
    }
    text
}

fn failed_test(failure: &TestFailure) -> String {
    let lead = if failure.suite { "Did not run:" } else { "Failed:" };
    let mut text = format!("{lead} **{}**", literal(&failure.name, SENTENCE_CHARACTERS));
    if let Some(file) = &failure.file {
        let _ = write!(text, " {}", code(&wording::place(file, failure.line, failure.column)));
    }
    text.push_str("\n\n");
    if !failure.message.trim().is_empty() {
        text.push_str(&block(&failure.message));
    }
    text
}

/// Returns a folded list of what did not go well and does not block.
fn remarks(checks: &[Check<'_>]) -> String {
    let is_remark = |check: &Check<'_>| match check.status {
        Status::PassedWithRemark => true,
        Status::Passed => check.is_flaky(),
        Status::Failed | Status::Errored | Status::Skipped(_) => false,
    };
    let remarks: Vec<&Check<'_>> = checks.iter().filter(|check| is_remark(check)).collect();
    if remarks.is_empty() {
        return String::new();
    }
    let number = count(remarks.len(), "remark");
    let entries = remarks.into_iter().map(|check| {
        let (title, outcome) = (title(check), outcome(check));
        format!("{title}: {outcome}: {}", literal(check.message, SENTENCE_CHARACTERS))
    });
    format!("<details>\n<summary>{number}</summary>\n\n{}</details>\n\n", list(entries))
}

/// Returns a list of the checks that did not run, with the reasons.
fn skipped(checks: &[Check<'_>]) -> String {
    let entries = checks.iter().filter_map(|check| match &check.status {
        Status::Skipped(reason) => Some(format!("{}: {}", title(check), literal(reason, SENTENCE_CHARACTERS))),
        Status::Passed | Status::PassedWithRemark | Status::Failed | Status::Errored => None,
    });
    match list(entries) {
        entries if entries.is_empty() => entries,
        entries => format!("### Skipped checks\n\n{entries}"),
    }
}

/// Returns the next step, and where the evidence is.
fn end(report: &Report) -> String {
    let Report { plan, run, verdict, .. } = report;
    let next = match verdict.decision {
        Decision::Pass if report.is_reduced() => "run the whole task: a reduced run never counts as done",
        Decision::Pass | Decision::Fail | Decision::Blocked => wording::next_step(verdict.agent_action),
    };
    let path = plan.evidence_root.join(plan.task.as_str()).join(evidence_name::EXECUTION_REPORT);
    let evidence = code(&path.strip_prefix(&plan.workspace).unwrap_or(&path).display().to_string());
    format!("**Next step:** {next}.\n\n**Evidence:** {evidence} of the run {}\n\n", code(run.execution.as_str()))
}

fn title(check: &Check<'_>) -> String {
    format!("{} {}", check.id, literal(check.name, NAME_CHARACTERS))
}

fn outcome(check: &Check<'_>) -> &'static str {
    let alone = if check.status.is_failure() { "not met" } else { "skipped" };
    check.judgement.map_or(alone, wording::outcome)
}

/// Returns a list of the first entries, with the number of the others.
fn list(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    let all = entries.len() as u64;
    bounded_list(entries.into_iter(), ENTRIES, all)
}

/// Returns a list of the first entries, with the number of the others out of all.
fn bounded_list(entries: impl Iterator<Item = String>, shown_max: usize, all: u64) -> String {
    let mut list = String::new();
    let mut rest = all;
    for entry in entries.take(shown_max) {
        let _ = writeln!(list, "- {entry}");
        rest = rest.saturating_sub(1);
    }
    if rest > 0 {
        let _ = writeln!(list, "- and {rest} more");
    }
    if all > 0 {
        list.push('\n');
    }
    list
}

/// Returns a text as one line that Markdown shows literally, and that mentions nobody: an invisible character follows
/// each `@`, because a mention is looked for after escapes are resolved.
fn literal(text: &str, characters_max: usize) -> String {
    markdown::escaped(&untrusted::line(text), characters_max).replace('@', "@&#8203;")
}

/// Returns a text as a code span.
fn code(text: &str) -> String {
    let line = cut::characters(untrusted::line(text).trim(), SENTENCE_CHARACTERS);
    if line.is_empty() {
        return line;
    }
    let fence = "`".repeat(backticks(&line) + 1);
    // A blank beside the fence is not part of the code.
    let blank = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{line}{blank}{fence}")
}

/// Returns the beginning of a text as a fenced block.
fn block(text: &str) -> String {
    let lines = untrusted::lines(text.trim_end(), MESSAGE_BYTES);
    let fence = "`".repeat((backticks(&lines) + 1).max(3));
    format!("{fence}text\n{lines}\n{fence}\n\n")
}

/// Returns the length of the longest run of backticks.
fn backticks(text: &str) -> usize {
    text.split(|character: char| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use referee_model::report::ActionHistory;
    use referee_syntax::line::is_deceptive;

    use super::*;
    use crate::human::fixture::{run_context, runs};

    fn written(reports: &[&Report]) -> String {
        let mut out = Vec::new();
        write(reports, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_failing_run_is_told_from_the_decision_to_the_next_step() {
        let page = written(&[&runs::failing()]);
        let places = [
            "## ✗ FAIL: T001 Quote service\n\n- STEP.5 bundle never ran",
            "| ✓ | PREREQ.1 install | passed | 1.2 s |\n| ✗ | STEP.1 types | problems found | 1.2 s |\n",
            "| ! | STEP.4 format | problems found | 1.2 s |\n| – | STEP.5 bundle | skipped |  |\n",
            "### ✗ STEP.1 types: problems found\n\n1 tsc error (BLOCK\\_ON\\_ERRORS\\_ALWAYS)\n\n",
            "- `src/routes.ts:39:84` error `TS2345`: Argument of type 'string' is not assignable",
            "**Help:** Fix the types, starting with src/routes.ts:39.\n",
            "Failed: **GET /api/v1/quotes › lists all quotes** `tests/quotes.contract.test.ts:88:29`\n\n```text\n",
            "Expected: 200\nReceived: 404\n```\n",
            "Did not run: **tests/server.test.ts**",
            "### ✗ STEP.6 built: not as expected\n\ndist/server.js does not exist\n",
            "<details>\n<summary>1 remark</summary>\n\n- STEP.4 format: problems found: 1 prettier warning",
            "### Skipped checks\n\n- STEP.5 bundle: it needs STEP.1, which did not pass\n",
            "**Next step:** implement what the failed checks ask for, then run again.\n",
            "**Evidence:** `evidence/T001/execution-report.json` of the run `exec-20261121T090524123Z-1f3a9c04`\n",
        ];
        let places = places.map(|text| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}")));
        assert!(places.is_sorted(), "{places:?} in {page}");
        // The reason of a blocking check is in its section alone.
        assert_eq!(page.matches("1 tsc error").count(), 1, "{page}");
    }

    #[test]
    fn a_passing_run_is_short() {
        let page = written(&[&runs::passing()]);
        assert!(page.starts_with("## ✓ PASS: T001 Quote service\n\n- all 3 steps passed\n\n| | Check |"), "{page}");
        assert!(!page.contains("###") && !page.contains("<details>"), "{page}");
    }

    #[test]
    fn a_run_without_a_blocking_check_says_why_it_did_not_pass() {
        let page = written(&[&runs::blocked()]);
        assert!(page.starts_with("## ! BLOCKED: T001 Quote service\n\n- Referee itself failed: the"), "{page}");
        assert!(page.contains("- STEP.1 types: Referee itself failed before it\n"), "{page}");
    }

    #[test]
    fn a_reduced_run_is_never_said_to_be_done() {
        let page = written(&[&run_context::reduced()]);
        assert!(page.contains("which never counts as done") && !page.contains("may be called done"), "{page}");
    }

    #[test]
    fn retries_and_expected_failures_are_remarks() {
        let page = written(&[&run_context::retried()]);
        let entries = ["- STEP.1 unit: passed when tried again", "- STEP.3 red: failed as expected"];
        for text in ["<summary>2 remarks</summary>"].into_iter().chain(entries) {
            assert!(page.contains(text), "no {text} in {page}");
        }
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let mut report = runs::failing();
        let ActionHistory::Ran(types) = &mut report.actions[1].history else { unreachable!("it ran") };
        types.reading.diagnostics = vec![types.reading.diagnostics[0].clone(); FINDINGS + 5];
        types.reading.counts.errors = 1_000;
        let ActionHistory::Ran(contract) = &mut report.actions[2].history else { unreachable!("it ran") };
        let tests = contract.reading.tests.as_mut().unwrap();
        tests.failures = vec![tests.failures[0].clone(); FAILURES + 1];
        let page = written(&[&report]);
        assert_eq!(page.matches("- `src/routes.ts:39:84`").count(), FINDINGS);
        assert_eq!(page.matches("Failed: **GET").count(), FAILURES);
        assert!(page.contains("\n- and 980 more\n") && page.contains("\nand 1 more\n"), "{page}");
    }

    #[test]
    fn a_summary_has_a_limited_size_and_says_what_is_left_out() {
        let mut report = runs::failing();
        let ActionHistory::Ran(contract) = &mut report.actions[2].history else { unreachable!("it ran") };
        let tests = contract.reading.tests.as_mut().unwrap();
        let failure = TestFailure { message: "x".repeat(8_000), ..tests.failures[0].clone() };
        tests.failures = vec![failure; FAILURES];
        report.actions = vec![report.actions[2].clone(); 400];
        report.actions.iter_mut().for_each(|action| action.action.name = "|".repeat(2_000));
        let page = written(&[&report, &runs::passing(), &report]);
        assert!(page.len() <= BYTES, "{} bytes", page.len());
        assert_eq!(page.matches("**Next step:**").count(), 3);
        assert!(page.contains("| ✓ | STEP.1 types | passed | 1.2 s |"));
        let last = page.lines().last().unwrap();
        assert!(last.starts_with("Left out, because the summary would be too long: blocking check ("), "{last}");
        assert!(written(&[&report; 500]).len() <= BYTES);
    }

    #[test]
    fn code_ends_where_its_fence_does() {
        for (text, shown) in [
            ("src/a.ts:3", "`src/a.ts:3`"),
            ("a`b", "``a`b``"),
            ("`a```", "```` `a``` ````"),
            ("a\n\u{1b}[31mb|<x>", "`a b|<x>`"),
            (" \n", ""),
        ] {
            assert_eq!(code(text), shown, "{text:?}");
        }
        assert_eq!(block("a\r\n```\n# b\n\n"), "````text\na\n```\n# b\n````\n\n");
        assert_eq!(block("a\rb\u{0}"), "```text\na b\\u{0}\n```\n\n");
    }

    #[test]
    fn a_literal_text_means_nothing() {
        for (text, shown) in [
            ("3 of 4 tests failed", "3 of 4 tests failed"),
            ("a | `b` <c> & @root", "a \\| \\`b\\` \\<c\\> \\& @&#8203;root"),
            ("- [x] done\n# heading", "\\- \\[x\\] done # heading"),
            ("![i](https://example.com)", "\\!\\[i\\](https\\://example.com)"),
            ("\u{1b}[31mred\u{202e}", "red\\\\u{202e}"),
        ] {
            assert_eq!(literal(text, 100), shown, "{text:?}");
        }
    }

    #[test]
    fn text_of_tools_leaves_neither_its_line_nor_its_block() {
        let evil = "|@root <img src=x>`\u{1b}[31m\u{202e}\n# forged\n</details>\n- [x] done\n````\n";
        let page = written(&[&runs::hostile(evil, &format!("{evil}{}", "x".repeat(1 << 20)))]);
        assert!(page.len() < 256 * 1024, "{} bytes", page.len());
        assert_eq!(page.chars().find(|character| *character != '\n' && is_deceptive(*character)), None);
        let mut fence: Option<&str> = None;
        for line in page.lines() {
            match fence {
                Some(open) => fence = (line != open).then_some(open),
                None if line.starts_with("```") => fence = Some(line.trim_end_matches("text")),
                None => {
                    let is_forged = ["# forged", "</details>", "- [x]"].iter().any(|begin| line.starts_with(begin));
                    assert!(!is_forged, "{line}");
                }
            }
            if line.starts_with("| ") {
                assert_eq!(line.replace("\\|", "").matches('|').count(), 5, "{line}");
            }
            if line.starts_with(['|', '#']) && fence.is_none() {
                assert!(!line.contains("@root") && !line.contains(" <img"), "{line}");
            }
        }
        assert_eq!(fence, None, "{page}");
    }
}

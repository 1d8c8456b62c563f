//! All tasks of one specification, and their overall result.

use std::io::{self, Write};

use referee_model::report::{SuiteReport, SuiteTask};
use referee_model::selection::Profile;
use referee_model::verdict::Decision;
use referee_syntax::count::{count, list};
use referee_syntax::duration;

use crate::human::scope;
use crate::page::{Line, Page, width};
use crate::style::{Style, Tone, Verbosity};
use crate::wording;

/// Column at which values of the closing lines start.
const VALUES: usize = 10;

/// Maximum number of lines of one sentence.
const SENTENCE_LINES: usize = 4;

/// Maximum number of unrequested tasks that are named; the report lists all of them.
const LEFT_OUT_NAMED: usize = 10;

/// Maximum number of reasons that are shown without `--verbose`.
const REASONS: usize = 10;

/// Writes a line for each task, and the overall decision. `evidence` is the path of the suite report, as shown to
/// people.
pub fn write(report: &SuiteReport, evidence: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if style.verbosity > Verbosity::Quiet {
        page.blank()?;
        tasks(report, &mut page)?;
        page.blank()?;
    }
    decision(report, evidence, &mut page)
}

fn tasks(report: &SuiteReport, page: &mut Page<'_>) -> io::Result<()> {
    let words = report.tasks.iter().map(|task| width(wording::decision(task.verdict.decision).0));
    let word_columns = words.max().unwrap_or(0);
    let id_columns = report.tasks.iter().map(|task| width(task.task.as_str())).max().unwrap_or(0);
    for task in &report.tasks {
        let (word, _) = wording::decision(task.verdict.decision);
        let (tone, sign) = mark(task.verdict.decision, page);
        let id_column = width(sign) + 1 + word_columns + 2;
        let mut line = Line::new()
            .then(tone, sign)
            .word(tone, word)
            .padded_to(id_column)
            .then(Tone::Faint, task.task.as_str())
            .padded_to(id_column + id_columns + 2)
            .then(Tone::Strong, &task.title);
        if let Some(reduced) = reduced(task) {
            line = line.word(Tone::Faint, page.signs().dot).word(Tone::Warning, &reduced);
        }
        let taken = Line::new().then(Tone::Faint, &duration::short(task.duration_ms));
        page.line_and_right(line, taken)?;
    }
    Ok(())
}

fn mark(decision: Decision, page: &Page<'_>) -> (Tone, &'static str) {
    let signs = page.signs();
    match decision {
        Decision::Pass => (Tone::Good, signs.good),
        Decision::Fail => (Tone::Bad, signs.bad),
        Decision::Blocked => (Tone::Warning, signs.unknown),
    }
}

/// Returns in which way a run was reduced. None: it was not.
fn reduced(task: &SuiteTask) -> Option<String> {
    task.scope.reduced.then(|| match task.scope.profile {
        Profile::Strict => "reduced run".to_owned(),
        profile => format!("reduced run, profile {}", profile.as_str()),
    })
}

/// Writes the decision, the reasons against a pass, and the path of the report.
fn decision(report: &SuiteReport, evidence: &str, page: &mut Page<'_>) -> io::Result<()> {
    let (word, tone) = wording::decision(report.decision);
    let passed = report.tasks.iter().filter(|task| task.verdict.decision == Decision::Pass).count();
    let counts = format!("{passed} of {} passed", count(report.tasks.len(), "task"));
    let title = Line::new().then(tone, &format!(" {word} ")).word(Tone::Strong, &report.title);
    page.line(title.word(Tone::Faint, page.signs().dot).word(Tone::Faint, &counts))?;
    partial(report, page)?;
    let is_quiet = page.style().verbosity == Verbosity::Quiet;
    if report.decision != Decision::Pass {
        reasons(report, page)?;
    }
    if !is_quiet {
        let taken = duration::short(report.ended.milliseconds_since(report.started));
        page.line(label("time").then(Tone::Plain, &taken))?;
        next(report, page)?;
    }
    // Never cut, because a person copies it.
    page.paragraph(label("report"), VALUES, Tone::Place, evidence, usize::MAX)
}

/// Writes that not everything was run, if so: tasks that were not requested, and reduced runs.
fn partial(report: &SuiteReport, page: &mut Page<'_>) -> io::Result<()> {
    let reduced = report.tasks.iter().filter(|task| task.scope.reduced).count() as u64;
    let of_reduced = match reduced {
        0 => None,
        1 => Some("the run of 1 task was a reduced one: it never counts as done".to_owned()),
        _ => Some(format!("the runs of {reduced} tasks were reduced ones: they never count as done")),
    };
    for text in left_out(report).into_iter().chain(of_reduced) {
        page.item(2, (Tone::Warning, page.signs().warning), Tone::Warning, &text, SENTENCE_LINES)?;
    }
    Ok(())
}

/// Returns which tasks were not requested. None: all were.
fn left_out(report: &SuiteReport) -> Option<String> {
    if report.left_out.is_empty() {
        return None;
    }
    let all = report.tasks.len() + report.left_out.len();
    let names = list(&report.left_out, LEFT_OUT_NAMED);
    let were = if report.left_out.len() == 1 { "was" } else { "were" };
    Some(format!(
        "{} of {}; {names} {were} not asked for: this never counts as done",
        report.tasks.len(),
        count(all, "task")
    ))
}

/// Writes what is missing where everything that ran passed, but not everything was run (ruling 17).
fn next(report: &SuiteReport, page: &mut Page<'_>) -> io::Result<()> {
    let is_whole = report.left_out.is_empty() && !report.tasks.iter().any(|task| task.scope.reduced);
    if report.decision != Decision::Pass || is_whole {
        return Ok(());
    }
    let profile = report.tasks.iter().map(|task| task.scope.profile).max().unwrap_or_default();
    page.paragraph(label("next"), VALUES, Tone::Plain, scope::next_step(profile), SENTENCE_LINES)
}

fn reasons(report: &SuiteReport, page: &mut Page<'_>) -> io::Result<()> {
    let shown = page.shown(report.reasons.len(), REASONS);
    for reason in report.reasons.iter().take(shown) {
        page.item(2, (Tone::Faint, page.signs().bullet), Tone::Plain, reason, SENTENCE_LINES)?;
    }
    page.left_to_report(2, report.reasons.len(), shown)
}

fn label(name: &str) -> Line {
    Line::new().then(Tone::Faint, name).padded_to(VALUES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{ascii, colored, plain, quiet, run_context};
    use referee_model::id::TaskId;
    use referee_model::selection::Scope;

    fn told(decision: Decision) -> impl Fn(Style, &mut dyn Write) -> io::Result<()> {
        move |style, out| write(&run_context::suite(decision), "evidence/suite-report.json", &style, out)
    }

    #[test]
    fn a_suite_is_a_table_of_tasks_and_one_decision() {
        insta::assert_snapshot!(plain(100, told(Decision::Fail)));
        insta::assert_snapshot!(colored(100, told(Decision::Fail)));
        insta::assert_snapshot!(ascii(60, told(Decision::Fail)));
        insta::assert_snapshot!(plain(100, told(Decision::Pass)));
        insta::assert_snapshot!(quiet(100, told(Decision::Pass)));
    }

    #[test]
    fn tasks_that_were_not_asked_for_are_told_in_every_verbosity() {
        let mut report = run_context::suite(Decision::Pass);
        report.tasks[0].scope = Scope::default();
        let page = |report: &SuiteReport| {
            let told = |style, out: &mut dyn Write| write(report, "evidence/suite-report.json", &style, out);
            (plain(120, told), quiet(120, told))
        };
        let (whole, short) = page(&report);
        assert!(![whole, short].iter().any(|text| text.contains("never counts") || text.contains("whole run")));
        let task = |number: usize| TaskId::parse(format!("T{number:03}")).unwrap();
        report.left_out = vec![task(3)];
        let (long, short) = page(&report);
        for text in [&long, &short] {
            assert!(text.contains("1 of 2 tasks; T003 was not asked for: this never counts as done"), "{text}");
        }
        assert!(long.contains("a whole run is needed"), "{long}");
        report.tasks[0].scope.reduced = true;
        report.left_out = (3..15).map(task).collect();
        let (long, _) = page(&report);
        insta::assert_snapshot!(long);
    }

    #[test]
    fn a_suite_that_did_not_pass_tells_of_tasks_that_were_not_asked_for_all_the_same() {
        let mut report = run_context::suite(Decision::Fail);
        report.left_out = vec![TaskId::parse("T004").unwrap()];
        let told = |style, out: &mut dyn Write| write(&report, "evidence/suite-report.json", &style, out);
        for text in [plain(100, told), quiet(100, told)] {
            assert!(text.contains("3 of 4 tasks; T004 was not asked for: this never counts as done"), "{text}");
            assert!(!text.contains("a whole run is needed"), "{text}");
        }
    }
}

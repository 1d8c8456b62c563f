//! What differs between two runs of a task, as shown at a terminal.

use std::io::{self, Write};

use referee_model::reading::{Level, TestStatus};
use referee_syntax::duration;

use crate::page::{Line, Page};
use crate::run_comparison::{
    ComparedRun, Difference, DifferenceKind, FlakyBecause, FlakyCheck, InputsComparison, RunComparison, SlowerAction,
};
use crate::style::{Style, Tone};
use crate::wording;

/// Maximum number of entries of a section that are shown; the rest is counted.
const SHOWN: usize = 50;

/// Maximum number of lines of one message.
const LINES_MAX: usize = 4;

/// Column of the continuation lines of an entry.
const FURTHER: usize = 4;

/// Column at which values of the head start.
const VALUES: usize = 9;

/// Writes both runs, and what is new, gone, flaky and slower.
pub fn write(comparison: &RunComparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    head("before", &comparison.before, &mut page)?;
    head("after", &comparison.after, &mut page)?;
    let inputs = match comparison.inputs {
        InputsComparison::Same => "the same files",
        InputsComparison::Different => "other files",
        InputsComparison::Unknown => "not known to be the same",
    };
    let specification = if comparison.same_specification { "" } else { ", another specification" };
    row("inputs", Line::new().then(Tone::Plain, &format!("{inputs}{specification}")), &mut page)?;
    section("New", &comparison.new, &mut page, |entry, page| difference(entry, Tone::Bad, page))?;
    section("Gone", &comparison.gone, &mut page, |entry, page| difference(entry, Tone::Good, page))?;
    section("Flaky", &comparison.flaky, &mut page, flaky)?;
    section("Slower", &comparison.slower, &mut page, slower)?;
    page.blank()?;
    for note in &comparison.notes {
        page.paragraph(Line::new().then(Tone::Faint, "note: "), FURTHER, Tone::Plain, note, LINES_MAX)?;
    }
    let limit = comparison.slower_than;
    let limit = format!("slower: by more than {} % and {}", limit.percent, duration::exact(limit.milliseconds));
    let sums = [
        format!("{} new", comparison.new.len()),
        format!("{} gone", comparison.gone.len()),
        format!("{} flaky", comparison.flaky.len()),
        format!("{} slower", comparison.slower.len()),
    ];
    page.line(Line::new().then(Tone::Strong, &sums.join(", ")).word(Tone::Faint, &format!("({limit})")))
}

fn head(name: &str, run: &ComparedRun, page: &mut Page<'_>) -> io::Result<()> {
    let (word, tone) = wording::decision(run.decision);
    let reduced = if run.reduced { ", reduced" } else { "" };
    let line = Line::new().then(tone, word).then(Tone::Plain, reduced).word(Tone::Plain, run.execution_id.as_str());
    row(name, line.word(Tone::Faint, page.signs().dot).word(Tone::Place, &run.directory), page)
}

fn row(name: &str, line: Line, page: &mut Page<'_>) -> io::Result<()> {
    page.line(Line::new().then(Tone::Faint, name).padded_to(VALUES).followed_by(line))
}

/// Writes a section, if it has an entry.
fn section<Entry>(
    name: &str,
    entries: &[Entry],
    page: &mut Page<'_>,
    write: impl Fn(&Entry, &mut Page<'_>) -> io::Result<()>,
) -> io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(Line::new().then(Tone::Strong, name))?;
    entries.iter().take(SHOWN).try_for_each(|entry| write(entry, page))?;
    match entries.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => page.line(Line::indented(2).then(Tone::Faint, &format!("and {more} more (--format json lists all)"))),
    }
}

fn difference(entry: &Difference, tone: Tone, page: &mut Page<'_>) -> io::Result<()> {
    let what = match (entry.kind, entry.severity) {
        (DifferenceKind::Finding, Level::Warning) => "warning",
        (DifferenceKind::Finding, _) => "error",
        (DifferenceKind::Test, _) => "test",
        (DifferenceKind::Action, _) => "failure",
    };
    let mut lead = named(entry.action_id.as_str(), &entry.action_name).word(tone, what);
    if let Some(file) = &entry.file {
        lead = lead.word(Tone::Place, &wording::place(file, entry.line, entry.column));
    }
    if let Some(code) = &entry.code {
        lead = lead.word(tone, code);
    }
    let status = entry.status.map(|status| match status {
        TestStatus::Passed => "passes now",
        TestStatus::Failed => "fails in another way",
        TestStatus::Skipped => "is skipped now",
    });
    let message = status.unwrap_or(&entry.message);
    page.paragraph(lead.then(Tone::Plain, "  "), FURTHER, Tone::Plain, message, LINES_MAX)
}

fn flaky(entry: &FlakyCheck, page: &mut Page<'_>) -> io::Result<()> {
    let because = match entry.because {
        FlakyBecause::PassedWhenRetried => "passed only when tried again",
        FlakyBecause::OtherResultOfSameInputs => "passed in one run and failed in the other, over the same files",
    };
    let mut lead = named(entry.action_id.as_str(), &entry.action_name);
    if let Some(test) = &entry.test {
        lead = lead.word(Tone::Warning, test);
    }
    page.paragraph(lead.then(Tone::Plain, "  "), FURTHER, Tone::Plain, because, LINES_MAX)
}

fn slower(entry: &SlowerAction, page: &mut Page<'_>) -> io::Result<()> {
    let (before, after) = (duration::short(entry.before), duration::short(entry.after));
    let percent = u128::from(entry.after.saturating_sub(entry.before)) * 100 / u128::from(entry.before.max(1));
    let line = named(entry.action_id.as_str(), &entry.action_name);
    page.line(line.then(Tone::Plain, &format!("  {before}, now {after} (+{percent} %)")))
}

fn named(id: &str, name: &str) -> Line {
    Line::indented(2).then(Tone::Faint, id).word(Tone::Strong, name)
}

#[cfg(test)]
mod tests {
    use referee_model::id::{ActionId, ExecutionId, TaskId};
    use referee_model::time::Timestamp;
    use referee_model::verdict::Decision;

    use super::*;
    use crate::human::fixture::plain;
    use crate::run_comparison::SlowerThan;

    fn run(name: &str, decision: Decision) -> ComparedRun {
        ComparedRun {
            execution_id: ExecutionId::parse(name).unwrap(),
            ended_at: Timestamp::from_millisecond(0),
            decision,
            reduced: false,
            directory: format!("evidence/{name}"),
        }
    }

    fn entry(kind: DifferenceKind, message: &str) -> Difference {
        Difference {
            kind,
            action_id: ActionId::parse("STEP.2").unwrap(),
            action_name: "lint".to_owned(),
            file: Some("src/a.ts".to_owned()),
            line: Some(3),
            column: None,
            code: Some("no-console".to_owned()),
            severity: Level::Warning,
            message: message.to_owned(),
            status: None,
        }
    }

    fn comparison() -> RunComparison {
        let flaky = |test: Option<&str>, because| FlakyCheck {
            action_id: ActionId::parse("STEP.1").unwrap(),
            action_name: "unit".to_owned(),
            test: test.map(str::to_owned),
            because,
        };
        RunComparison {
            task_id: TaskId::parse("T001").unwrap(),
            before: run("exec-1", Decision::Pass),
            after: run("exec-2", Decision::Fail),
            inputs: InputsComparison::Different,
            same_specification: false,
            new: vec![entry(DifferenceKind::Finding, "Unexpected console statement.")],
            gone: vec![
                Difference { status: Some(TestStatus::Passed), ..entry(DifferenceKind::Test, "expected 1") },
                Difference { file: None, ..entry(DifferenceKind::Action, "exit code 1") },
            ],
            flaky: vec![
                flaky(None, FlakyBecause::PassedWhenRetried),
                flaky(Some("adds"), FlakyBecause::OtherResultOfSameInputs),
            ],
            slower: vec![SlowerAction {
                action_id: ActionId::parse("STEP.1").unwrap(),
                action_name: "unit".to_owned(),
                before: 1_000,
                after: 3_500,
            }],
            slower_than: SlowerThan { percent: 25, milliseconds: 500 },
            notes: vec!["STEP.4 slow did not run after".to_owned()],
        }
    }

    #[test]
    fn what_differs_is_told_in_sections_and_summed_up() {
        let text = plain(100, |style, out| write(&comparison(), &style, out));
        for line in [
            "before   PASS exec-1",
            "inputs   other files, another specification",
            "New",
            "  STEP.2 lint warning src/a.ts:3 no-console  Unexpected console statement.",
            "  STEP.2 lint test src/a.ts:3 no-console  passes now",
            "  STEP.2 lint failure no-console  exit code 1",
            "  STEP.1 unit  passed only when tried again",
            "note: STEP.4 slow did not run after",
        ] {
            assert!(text.lines().any(|told| told.starts_with(line)), "{line}:\n{text}");
        }
        assert!(text.contains("(+250 %)"), "{text}");
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("1 new, 2 gone, 2 flaky, 1 slower (slower: by more than 25 % and "), "{last}");
    }

    #[test]
    fn runs_without_a_difference_have_no_sections() {
        let equal =
            RunComparison { new: Vec::new(), gone: Vec::new(), flaky: Vec::new(), slower: Vec::new(), ..comparison() };
        let text = plain(100, |style, out| write(&equal, &style, out));
        assert!(!text.contains("New") && text.contains("0 new, 0 gone, 0 flaky, 0 slower"), "{text}");
    }

    #[test]
    fn hostile_text_stays_text() {
        let evil = "\u{1b}[2J\u{202e}x\r\nPASS";
        let hostile = RunComparison { new: vec![entry(DifferenceKind::Test, evil)], ..comparison() };
        let text = plain(80, |style, out| write(&hostile, &style, out));
        assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text:?}");
    }
}

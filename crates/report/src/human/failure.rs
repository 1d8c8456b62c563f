//! A failed action in a few lines: why, where, and what to do.

use std::io;

use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Plan};
use referee_model::reading::Reading;
use referee_model::record::{Facts, ServiceRecord};
use referee_model::report::Ran;
use referee_syntax::count::count;

use crate::human::finding::{Findings, diagnostic_line, most_severe};
use crate::page::{Line, Page};
use crate::source::SourceLines;
use crate::style::{Tone, Verbosity};
use crate::wording;

mod connection;
mod file;
mod http;
mod interaction;
mod output;
mod service;
pub(crate) mod specification;

/// Column at which details of an action start.
const INDENT: usize = 2;

/// Column of the continuation lines of a paragraph.
const FURTHER: usize = 4;

/// Maximum number of lines of one sentence of Referee or of the specification.
const SENTENCE_LINES: usize = 6;

/// Context for describing failures.
pub(crate) struct Telling<'telling> {
    pub(crate) plan: &'telling Plan,
    /// Services that became ready, each with how it ended.
    pub(crate) services: &'telling [ServiceRecord],
    pub(crate) sources: &'telling dyn SourceLines,
    /// Path of the report, as shown to people.
    pub(crate) evidence: &'telling str,
}

/// Maximum number of lines or entries of each kind; the rest is counted, and the file that holds it is named.
struct Bounds {
    findings: usize,
    brief_findings: usize,
    message_lines: usize,
    output_lines: usize,
}

impl Bounds {
    fn of(verbosity: Verbosity) -> Self {
        match verbosity {
            Verbosity::Quiet | Verbosity::Normal => {
                Self { findings: 5, brief_findings: 3, message_lines: 6, output_lines: 10 }
            }
            Verbosity::Verbose => Self { findings: 50, brief_findings: 25, message_lines: 40, output_lines: 60 },
        }
    }
}

impl Telling<'_> {
    /// Writes a failed action: in detail where it blocks, briefly otherwise.
    ///
    /// Where a baseline excuses a part of what blocks, only the new part is shown.
    pub(crate) fn write(&self, action: &Action, ran: &Ran, page: &mut Page<'_>) -> io::Result<()> {
        let new = new_alone(ran);
        let ran = new.as_ref().unwrap_or(ran);
        let bounds = Bounds::of(page.style().verbosity);
        heading(action, ran, page)?;
        if !ran.judgement.reason.is_empty() {
            page.paragraph(Line::indented(INDENT), INDENT, Tone::Plain, &ran.judgement.reason, SENTENCE_LINES)?;
        }
        what_ran(action, ran, page)?;
        attempts(ran, page)?;
        if ran.judgement.blocking || page.style().verbosity == Verbosity::Verbose {
            self.details(action, ran, &bounds, page)?;
            advice(ran, page)?;
        } else {
            self.brief_details(action, &ran.reading, &bounds, page)?;
        }
        if page.style().verbosity == Verbosity::Verbose {
            let by_option = ran.judgement.policy.as_ref().map(|policy| policy.decided_by.as_str());
            let by_option = by_option.map_or(String::new(), |option| format!(", policy decided by {option}"));
            let rule = format!("judged by {}{by_option}", ran.judgement.rule.as_str());
            page.line(Line::indented(INDENT).then(Tone::Faint, &rule))?;
        }
        page.blank()
    }

    fn details(&self, action: &Action, ran: &Ran, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
        match &ran.record.facts {
            Facts::Command(facts) => {
                if let Some(container) = &facts.container {
                    let lead = Line::indented(INDENT).then(Tone::Faint, "container").then(Tone::Plain, " ");
                    let text = wording::observed::container(container);
                    page.paragraph(lead, FURTHER, Tone::Plain, &text, SENTENCE_LINES)?;
                }
                self.read(action, ran, bounds, page)
            }
            Facts::File(facts) => file::write(facts, bounds, page),
            Facts::Glob(facts) => file::write_glob(&action.work, facts, bounds, page),
            Facts::Http(facts) => {
                http::write(&action.work, facts, bounds, page)?;
                self.output(ran, bounds, page)
            }
            Facts::Service(facts) => {
                service::write(facts, page)?;
                self.output(ran, bounds, page)
            }
            Facts::Interaction(facts) => {
                self.interaction(&action.work, facts, bounds, page)?;
                self.output(ran, bounds, page)
            }
            Facts::NotExecuted => specification::write(self.plan, &action.id, &ran.judgement.reason, page),
        }
    }

    /// Writes what was read from the output of a command.
    fn read(&self, action: &Action, ran: &Ran, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
        let reading = &ran.reading;
        let outcome = ran.judgement.cause.unwrap_or(ran.judgement.outcome);
        let findings = Findings { sources: self.sources, message_lines: bounds.message_lines };
        let failures = reading.tests.as_ref().map_or(&[][..], |tests| &tests.failures);
        for failure in failures.iter().take(bounds.findings) {
            page.blank()?;
            findings.test(failure, page)?;
        }
        let failed = reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        self.more(failed, failures.len(), bounds.findings, &evidence_name::test_results(&action.id), page)?;

        let mut is_apart = true;
        for diagnostic in most_severe(&reading.diagnostics, bounds.findings) {
            if is_apart {
                page.blank()?;
            }
            is_apart = findings.diagnostic(diagnostic, page)?;
        }
        self.more_findings(&action.id, reading, bounds.findings, page)?;

        let is_explained = !failures.is_empty() || !reading.diagnostics.is_empty();
        if !is_explained || matches!(outcome, Outcome::ExecutionError | Outcome::Timeout) {
            self.output(ran, bounds, page)
        } else {
            leftovers(reading, page)
        }
    }

    fn brief_details(
        &self,
        action: &Action,
        reading: &Reading,
        bounds: &Bounds,
        page: &mut Page<'_>,
    ) -> io::Result<()> {
        for diagnostic in most_severe(&reading.diagnostics, bounds.brief_findings) {
            page.line(diagnostic_line(diagnostic).then(Tone::Plain, &diagnostic.message))?;
        }
        self.more_findings(&action.id, reading, bounds.brief_findings, page)?;
        let failures = reading.tests.as_ref().map_or(&[][..], |tests| &tests.failures);
        for failure in failures.iter().take(bounds.brief_findings) {
            page.line(Line::indented(INDENT).then(Tone::Plain, &failure.name))?;
        }
        let failed = reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        self.more(failed, failures.len(), bounds.brief_findings, &evidence_name::test_results(&action.id), page)
    }

    /// Writes how many findings are not shown, and which file holds them.
    fn more_findings(&self, action: &ActionId, reading: &Reading, shown: usize, page: &mut Page<'_>) -> io::Result<()> {
        let (all, kept) = (reading.counts.total(), reading.diagnostics.len());
        self.more(all, kept, shown, &evidence_name::diagnostics(action), page)
    }

    fn more(&self, all: u64, kept: usize, shown: usize, file: &str, page: &mut Page<'_>) -> io::Result<()> {
        let rest = all.max(kept as u64).saturating_sub(kept.min(shown) as u64);
        if rest == 0 || kept == 0 {
            return Ok(());
        }
        let lead = Line::indented(INDENT).then(Tone::Faint, page.signs().ellipsis).then(Tone::Plain, " ");
        let text = format!("and {rest} more in {}", self.file(file));
        page.paragraph(lead, FURTHER, Tone::Faint, &text, SENTENCE_LINES)
    }

    /// Returns the path of a file beside the report, as shown to people.
    fn file(&self, name: &str) -> String {
        self.evidence.rsplit_once('/').map_or(name.to_owned(), |(directory, _)| format!("{directory}/{name}"))
    }
}

/// Returns the action's result with only the new part of its reading. None: it does not block, or no baseline
/// excuses a part of it.
fn new_alone(ran: &Ran) -> Option<Ran> {
    let standing =
        ran.judgement.baseline.as_ref().filter(|standing| ran.judgement.blocking && standing.new.total() > 0)?;
    Some(Ran { reading: standing.new_of(&ran.reading), ..ran.clone() })
}

fn heading(action: &Action, ran: &Ran, page: &mut Page<'_>) -> io::Result<()> {
    let judgement = &ran.judgement;
    let signs = page.signs();
    let (tone, sign) = wording::sign(judgement, signs);
    let mut line = Line::new()
        .then(tone, sign)
        .word(Tone::Faint, action.id.as_str())
        .word(Tone::Strong, &action.name)
        .word(Tone::Faint, signs.dot)
        .word(tone, wording::outcome(judgement));
    if let Some(cause) = judgement.cause {
        line = line.then(Tone::Plain, ": ").then(tone, wording::outcome_alone(cause));
    }
    let gravity =
        wording::severity(judgement.severity).into_iter().chain((!judgement.blocking).then_some("does not block"));
    for word in gravity {
        line = line.word(Tone::Faint, signs.dot).word(Tone::Faint, word);
    }
    page.line(line)
}

/// Writes what the action did, with how it ended or what it observed.
fn what_ran(action: &Action, ran: &Ran, page: &mut Page<'_>) -> io::Result<()> {
    let (start, what) = wording::asked::work(&action.work);
    let end = wording::observed::facts(&ran.record.facts);
    let lead = Line::indented(INDENT).then(Tone::Faint, &start).then(Tone::Plain, " ");
    let whole = lead.clone().then(Tone::Place, &what).word(Tone::Faint, page.signs().dot).word(Tone::Faint, &end);
    if whole.width() <= page.columns() {
        return page.line(whole);
    }
    page.paragraph(lead, FURTHER, Tone::Place, &what, SENTENCE_LINES)?;
    page.paragraph(Line::indented(FURTHER), FURTHER, Tone::Faint, &end, SENTENCE_LINES)
}

/// Writes the attempts before the last one.
fn attempts(ran: &Ran, page: &mut Page<'_>) -> io::Result<()> {
    for attempt in &ran.earlier {
        let name = format!("attempt {}:", attempt.record.attempt);
        let lead = Line::indented(INDENT).then(Tone::Faint, &name).then(Tone::Plain, " ");
        let came_out = wording::outcome(&attempt.judgement);
        let text = match attempt.judgement.reason.as_str() {
            "" => came_out.to_owned(),
            reason => format!("{came_out}, {reason}"),
        };
        page.paragraph(lead, FURTHER, Tone::Faint, &text, SENTENCE_LINES)?;
    }
    Ok(())
}

/// Writes the lines that no reader recognized, where they are wanted.
fn leftovers(reading: &Reading, page: &mut Page<'_>) -> io::Result<()> {
    let leftovers = &reading.leftovers;
    if leftovers.lines == 0 || page.style().verbosity < Verbosity::Verbose {
        return Ok(());
    }
    page.blank()?;
    let text = format!("{} not understood, the last of them:", count(leftovers.lines, "line"));
    page.line(Line::indented(INDENT).then(Tone::Faint, &text))?;
    for line in &leftovers.last {
        page.line(Line::indented(FURTHER).then(Tone::Faint, line))?;
    }
    Ok(())
}

fn advice(ran: &Ran, page: &mut Page<'_>) -> io::Result<()> {
    let judgement = &ran.judgement;
    let outcome = judgement.cause.unwrap_or(judgement.outcome);
    let causes = match outcome {
        Outcome::ExecutionError | Outcome::Timeout => &judgement.possible_causes[..],
        _ => &[],
    };
    if causes.is_empty() && judgement.advice.is_empty() {
        return Ok(());
    }
    page.blank()?;
    if !causes.is_empty() {
        page.line(Line::indented(INDENT).then(Tone::Faint, "It may be that:"))?;
    }
    for cause in causes {
        page.item(INDENT, (Tone::Faint, page.signs().bullet), Tone::Plain, cause, SENTENCE_LINES)?;
    }
    if !judgement.advice.is_empty() {
        let lead = Line::indented(INDENT).then(Tone::Strong, "help: ");
        page.paragraph(lead, INDENT + 6, Tone::Plain, &judgement.advice, SENTENCE_LINES)?;
    }
    Ok(())
}

//! One check of a run on the page.

use std::borrow::Cow;
use std::io::{self, Write};

use referee_model::record::Span;
use referee_model::report::{ActionReport, Ran};
use referee_model::verdict::Decision;
use referee_syntax::count::count;
use referee_syntax::duration;

use super::markup::{Text, write_sentences};
use super::output::{
    failed_count, finding_count, is_broken, streams, write_evidence, write_failures, write_findings, write_output,
};
use super::picture::Pictures;
use crate::formats::check::{Check, Status};
use crate::wording;

/// Width of the timeline, in units of its bars.
pub(super) const TIMELINE: u64 = 10_000;

/// Minimum width of a bar, so that it can be seen.
const BAR_MIN: u64 = 40;

/// A check and its place on the page.
pub(super) struct Entry<'r> {
    pub(super) check: Check<'r>,
    pub(super) action: &'r ActionReport,
    /// The pictures of the page.
    pub(super) pictures: &'r Pictures,
    /// Id of its element.
    pub(super) anchor: String,
}

impl<'r> Entry<'r> {
    /// Writes everything that is known of a check that ran.
    pub(super) fn write(&self, level: usize, open: &str, out: &mut dyn Write) -> io::Result<()> {
        let Some(ran) = self.action.ran() else { return Ok(()) };
        let (anchor, (class, ..)) = (&self.anchor, look(&self.check.status));
        writeln!(out, r#"<article id="{anchor}" class="check {class}" aria-labelledby="{anchor}-name" data-check>"#)?;
        self.write_heading(ran, level, out)?;
        self.write_reason(ran, out)?;
        write_advice(ran, out)?;
        self.write_details(ran, level + 1, open, out)?;
        writeln!(out, "</article>")
    }

    fn write_heading(&self, ran: &Ran, level: usize, out: &mut dyn Write) -> io::Result<()> {
        let Self { check, anchor, .. } = self;
        let (class, sign, word) = look(&check.status);
        let (name, id) = (Text(check.name), Text(check.id));
        write!(out, r#"<h{level} id="{anchor}-name"><span class="tone {class}" aria-hidden="true">{sign}</span> "#)?;
        writeln!(out, r##"<a href="#{anchor}">{name} <small>{id}</small></a></h{level}>"##)?;
        let judgement = &ran.judgement;
        let mut words = vec![wording::outcome(judgement).to_owned()];
        words.extend(judgement.cause.map(|cause| wording::outcome_alone(cause).to_owned()));
        words.extend(wording::severity(judgement.severity).map(|severity| format!("{severity} severity")));
        words.push(duration::short(check.duration_ms()));
        if check.attempts > 1 {
            words.push(count(check.attempts, "attempt"));
        }
        words.push(check.outcome().to_owned());
        let words = words.join(" · ");
        writeln!(out, r#"<p class="words"><strong class="tone {class}">{word}</strong> · {}</p>"#, Text(&words))
    }

    /// Writes the reason, what ran, and the attempts before.
    fn write_reason(&self, ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
        if !self.check.message.is_empty() {
            writeln!(out, r#"<p class="reason">{}</p>"#, Text(self.check.message))?;
        }
        let (start, what) = wording::asked::work(&self.action.action.work);
        let observed = wording::observed::facts(&ran.record.facts);
        let (start, what, observed) = (Text(&start), Text(&what), Text(&observed));
        writeln!(out, r#"<p><code>{start} {what}</code> <span class="muted">{observed}</span></p>"#)?;
        write_sentences(&self.earlier_attempts(), out)
    }

    /// Writes failed tests, findings, output, notes and evidence. Of a check whose findings are partly known from a
    /// baseline, only the new ones are shown.
    fn write_details(&self, ran: &Ran, level: usize, open: &str, out: &mut dyn Write) -> io::Result<()> {
        let Ran { judgement, reading, .. } = ran;
        let compared = judgement.baseline.as_ref();
        let compared = compared.filter(|standing| judgement.blocking && standing.new.total() > 0);
        let shown = compared.map_or(Cow::Borrowed(reading), |standing| Cow::Owned(standing.new_of(reading)));
        let (found, failed, streams) = (finding_count(&shown), failed_count(&shown), streams(ran));
        let mut contents: Vec<String> = [(found, "finding"), (failed, "failed test")]
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, noun)| count(number, noun))
            .collect();
        contents.extend((!streams.is_empty()).then(|| "output".to_owned()));
        contents.push("evidence".to_owned());
        writeln!(out, "<details{open}><summary>Details: {}</summary>", contents.join(", "))?;
        if let Some(known) = compared.and_then(|standing| standing.known.said()) {
            writeln!(out, r#"<p class="muted">Not shown, because the baseline has them: {known}.</p>"#)?;
        }
        let id = &self.action.action.id;
        write_failures(&shown, id, level, out)?;
        write_findings(&shown, id, level, out)?;
        let is_unexplained = found == 0 && failed == 0;
        write_output(&streams, is_unexplained || is_broken(judgement), out)?;
        let notes = self.notes();
        if !notes.is_empty() {
            writeln!(out, "<h{level}>Notes</h{level}>")?;
            write_sentences(&notes, out)?;
        }
        write_evidence(ran, self.pictures, out)?;
        writeln!(out, "</details>")
    }

    /// Writes the check as a row of a table.
    pub(super) fn write_row(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { check, anchor, .. } = self;
        let (class, sign, _) = look(&check.status);
        let (name, id) = (Text(check.name), Text(check.id));
        let result = check.judgement.map_or("skipped", wording::outcome);
        let time = check.span.map_or_else(String::new, |span| duration::short(span.duration_ms));
        let reason = match &check.status {
            Status::Skipped(reason) => reason.as_str(),
            Status::Passed | Status::PassedWithRemark | Status::Failed | Status::Errored => check.message,
        };
        writeln!(out, r#"<tr id="{anchor}" data-check><th scope="row">{name} <small>{id}</small></th>"#)?;
        write!(out, r#"<td class="tone {class}"><span aria-hidden="true">{sign}</span> {result}</td>"#)?;
        writeln!(out, r#"<td class="number">{time}</td><td>{}"#, Text(reason))?;
        write_sentences(&self.earlier_attempts(), out)?;
        write_sentences(&self.notes(), out)?;
        self.write_pictures(out)?;
        writeln!(out, "</td></tr>")
    }

    /// Writes the pictures of a check that is a row, closed.
    fn write_pictures(&self, out: &mut dyn Write) -> io::Result<()> {
        let taken = self.action.ran().map_or(&[][..], |ran| ran.record.screenshots());
        if taken.is_empty() {
            return Ok(());
        }
        writeln!(out, "<details><summary>{}</summary>", count(taken.len(), "screenshot"))?;
        taken.iter().try_for_each(|taken| self.pictures.write(taken, out))?;
        writeln!(out, "</details>")
    }

    /// Returns the notes on the check, without duplicates.
    fn notes(&self) -> Vec<&'r str> {
        let Some(ran) = self.action.ran() else { return Vec::new() };
        let notices = ran.record.notices.iter().map(|notice| notice.message.as_str());
        let others = ran.judgement.notes.iter().chain(&ran.reading.notes).map(String::as_str);
        let mut notes: Vec<&str> = Vec::new();
        for note in notices.chain(others) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if ran.judgement.exit_code_only {
            notes.push("The number of tests is not known: it passed by its exit code alone.");
        }
        notes
    }

    /// Returns a sentence for each attempt before the last one.
    fn earlier_attempts(&self) -> Vec<String> {
        let earlier = self.action.ran().map_or(&[][..], |ran| &ran.earlier);
        let sentences = earlier.iter().map(|attempt| {
            let outcome = wording::outcome(&attempt.judgement);
            format!("Attempt {}: {outcome}: {}", attempt.record.attempt, attempt.judgement.reason)
        });
        sentences.collect()
    }
}

/// Returns the time spans of all attempts, in order; none if the action did not run.
pub(super) fn attempt_spans(action: &ActionReport) -> Vec<Span> {
    let Some(ran) = action.ran() else { return Vec::new() };
    ran.earlier.iter().map(|attempt| attempt.record.span).chain([ran.record.span]).collect()
}

/// Returns the class of a status for its color, its sign and its word.
pub(super) fn look(status: &Status) -> (&'static str, &'static str, &'static str) {
    let (class, word) = match status {
        Status::Passed => ("good", "passed"),
        Status::PassedWithRemark => ("odd", "does not block"),
        Status::Failed | Status::Errored => ("bad", "blocks"),
        Status::Skipped(_) => ("muted", "skipped"),
    };
    (class, status.sign(), word)
}

/// Returns the element for a decision.
pub(super) fn stamp(decision: Decision) -> String {
    let (class, sign) = match decision {
        Decision::Pass => ("good", "✓"),
        Decision::Fail => ("bad", "✗"),
        Decision::Blocked => ("odd", "!"),
    };
    let word = wording::decision(decision).0;
    format!(r#"<span class="stamp {class}"><span aria-hidden="true">{sign}</span> {word}</span>"#)
}

/// Returns a bar of the timeline. The total must not be 0.
pub(super) fn bar(class: &str, start_ms: u64, duration_ms: u64, total_ms: u64) -> String {
    let units = |ms: u64| ms.saturating_mul(TIMELINE) / total_ms;
    let width = units(duration_ms).clamp(BAR_MIN, TIMELINE);
    let x = units(start_ms).min(TIMELINE - width);
    format!(r#"<rect class="bar {class}" x="{x}" width="{width}" height="10"/>"#)
}

fn write_advice(ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    let judgement = &ran.judgement;
    if is_broken(judgement) && !judgement.possible_causes.is_empty() {
        writeln!(out, "<p>Possible causes:</p>")?;
        write_sentences(&judgement.possible_causes, out)?;
    }
    if judgement.advice.is_empty() {
        return Ok(());
    }
    writeln!(out, r#"<p class="advice"><strong>Help:</strong> {}</p>"#, Text(&judgement.advice))
}

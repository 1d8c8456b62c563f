//! The gate's answer in words, the same for people, for agents and in the answer of a hook.
//!
//! The text states facts. Text of tools and specifications is quoted, on one line each, and escaped: an agent reads
//! the answer, and nothing that a tool printed may look like words of Referee. The decision comes first. Where
//! there is not enough room, the causes beyond the first are cut first, then notes, then details of tasks.

pub mod gate_document;
mod line_budget;

use referee_model::claim::{ClaimGrade, Contradiction};
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Basis, Cause, GateAnswer, GateTask};
use referee_model::held_out::HeldOut;
use referee_model::reading::Level;
use referee_model::verdict::Decision;
use referee_syntax::cut::characters;

use self::line_budget::{Importance, Lines, PRINTED};
use crate::untrusted;
use crate::wording;

/// Maximum number of edits of protected files that are written.
const EDITS: usize = 5;

/// Maximum number of written ways in which a change weakens the checks.
const WEAKER: usize = 5;

/// Maximum length of one quoted text, in characters.
const QUOTED: usize = 300;

/// Maximum length of a path, or of a sentence that holds quoted text, in characters.
const SENTENCE: usize = 400;

/// Maximum number of reasons that are written for a task.
const REASONS: usize = 3;

/// Maximum number of tasks whose reports are named.
const TASKS: usize = 8;

/// Maximum number of contradictions that are written.
const CONTRADICTIONS: usize = 6;

const NOTES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A person, who also wants to know what the answer rests on.
    Person,
    /// An agent, for whom everything that does not help it to act is left out.
    Agent,
}

/// Returns the answer for a person, in at most `characters` characters: decision, contradictions of a claim, top
/// causes, next step, and paths of the reports.
pub fn text(answer: &GateAnswer, characters: usize) -> String {
    written(answer, Reader::Person, characters)
}

/// Returns the answer for an agent that is sent back, which leaves out what the answer rests on, and when and why
/// the checks ran.
pub fn for_agent(answer: &GateAnswer, characters: usize) -> String {
    written(answer, Reader::Agent, characters)
}

fn written(answer: &GateAnswer, reader: Reader, characters: usize) -> String {
    let mut lines = Lines::default();
    lines.push(Importance::Frame, headline(answer, reader));
    for contradiction in answer.contradictions.iter().take(CONTRADICTIONS) {
        let importance = match contradiction.grade {
            ClaimGrade::Contradicted => Importance::Frame,
            ClaimGrade::Unsupported => Importance::Note,
        };
        lines.push(importance, claimed(contradiction));
    }
    for task in answer.tasks.iter().take(TASKS) {
        lines.push(Importance::Detail, of_task(task, reader));
        if task.decision != Decision::Pass {
            let reasons = task.reasons.iter().take(REASONS);
            reasons.for_each(|reason| lines.push(Importance::Note, format!("  {}", quoted(reason))));
        }
    }
    causes(answer, &mut lines);
    lines.extend(edits(answer).into_iter().map(|line| (Importance::Detail, line)));
    lines.extend(weaker(answer).into_iter().map(|line| (Importance::Detail, format!("warning: {line}"))));
    lines.extend(answer.held_out.as_ref().map(|held_out| (Importance::Frame, held_out_in_words(held_out))));
    let of_reuse: &[String] = if reader == Reader::Person { &answer.reuse } else { &[] };
    for note in answer.notes.iter().chain(of_reuse).take(NOTES) {
        lines.push(Importance::Note, format!("note: {}", bounded(note, SENTENCE)));
    }
    lines.push(Importance::Frame, format!("next: {}", bounded(&answer.next, SENTENCE)));
    for task in answer.tasks.iter().take(TASKS) {
        lines.push(Importance::Detail, format!("report of {}: {}", task.task, bounded(&task.report, SENTENCE)));
    }
    if answer.decision != Decision::Pass && !answer.tasks.is_empty() {
        let more = "more: `referee explain` says why each check came out as it did";
        lines.push(Importance::Detail, more.to_owned());
    }
    lines.within(characters)
}

/// Returns the warnings that accompany even a PASS, one per line: edits of protected files, and weakened checks.
pub(crate) fn warnings(answer: &GateAnswer) -> Vec<String> {
    edits(answer).into_iter().chain(weaker(answer)).collect()
}

/// Returns the edits of protected files that do not block, one per line.
fn edits(answer: &GateAnswer) -> Vec<String> {
    let sentences = answer.edits();
    let more = sentences.len().saturating_sub(EDITS);
    let more = (more > 0).then(|| format!("and {more} more edits of protected files, in the report"));
    sentences.iter().take(EDITS).map(|sentence| bounded(sentence, SENTENCE)).chain(more).collect()
}

/// Returns the ways in which a change weakens the checks without blocking, one per line.
fn weaker(answer: &GateAnswer) -> Vec<String> {
    let sentences = answer.weaker();
    let more = sentences.len().saturating_sub(WEAKER);
    let more = (more > 0).then(|| format!("{more} more ways in which this change asks for less, in the report"));
    sentences.iter().take(WEAKER).map(|sentence| bounded(sentence, SENTENCE)).chain(more).collect()
}

fn headline(answer: &GateAnswer, reader: Reader) -> String {
    let (word, _) = wording::decision(answer.decision);
    let meaning = match answer.decision {
        Decision::Pass => "it may be called done",
        Decision::Fail => "it may not be called done",
        Decision::Blocked => "it could not be judged, so it may not be called done",
    };
    if reader == Reader::Agent {
        return format!("{word}: {meaning}");
    }
    let basis = match basis(answer) {
        _ if answer.tasks.is_empty() => "nothing was judged",
        Basis::Recorded => "by the recorded verdict: nothing that it rests on has changed",
        Basis::Shared => "by an earlier run of a worker, of the same order",
        Basis::Ran => "by a run for this question",
    };
    format!("{word}: {meaning} ({basis})")
}

/// Returns the basis of the whole answer: recorded or shared only if nothing ran for it.
fn basis(answer: &GateAnswer) -> Basis {
    let has = |basis: Basis| answer.tasks.iter().any(|task| task.basis == basis);
    match (has(Basis::Ran), has(Basis::Shared)) {
        (true, _) => Basis::Ran,
        (false, true) => Basis::Shared,
        (false, false) => Basis::Recorded,
    }
}

fn claimed(contradiction: &Contradiction) -> String {
    let (words, facts) = (quoted(&contradiction.words), bounded(&contradiction.facts, SENTENCE));
    let grade = match contradiction.grade {
        ClaimGrade::Contradicted => "CONTRADICTED",
        ClaimGrade::Unsupported => "note: not borne out",
    };
    format!("{grade} ({}): it was said {words}, and {facts}", contradiction.claim.as_str())
}

fn of_task(task: &GateTask, reader: Reader) -> String {
    let (word, _) = wording::decision(task.decision);
    let tests = task.tests.map_or_else(String::new, |tests| {
        format!(", tests: {} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped)
    });
    let reduced = if task.reduced { ", a reduced run" } else { "" };
    let ended = match reader {
        Reader::Person => format!(", run ended {}", task.ended),
        Reader::Agent => String::new(),
    };
    format!("{}: {word}{ended}{tests}{reduced}", task.task)
}

fn causes(answer: &GateAnswer, lines: &mut Lines) {
    if answer.causes.is_empty() {
        return;
    }
    let several = answer.tasks.len() > 1;
    lines.push(Importance::Frame, "causes:".to_owned());
    for (number, cause) in answer.causes.iter().enumerate() {
        let importance = if number == 0 { Importance::Frame } else { Importance::Cause };
        lines.push(importance, format!("- {}", of_cause(cause, several)));
        let output = if number == 0 { Importance::Detail } else { Importance::Cause };
        let printed =
            cause.output.iter().map(|line| format!("{PRINTED}{}", characters(&untrusted::line(line), QUOTED)));
        lines.extend(printed.map(|line| (output, line)));
    }
    lines.causes_in_all = answer.causes_in_all.max(answer.causes.len() as u64);
}

/// Returns a cause as one line: `src/a.ts:3:5 TS2322 [types, tsc] "Type 'x' is not assignable"`.
fn of_cause(cause: &Cause, names_task: bool) -> String {
    let mut parts = Vec::new();
    parts.extend(cause.task.as_ref().filter(|_| names_task).map(ToString::to_string));
    if let Some(file) = &cause.file {
        parts.push(wording::place(&bounded(file, QUOTED), cause.line, cause.column));
    }
    parts.extend(cause.code.as_deref().map(|code| bounded(code, QUOTED)));
    let by: Vec<String> = [&cause.check, &cause.tool].into_iter().flatten().map(|name| bounded(name, QUOTED)).collect();
    if !by.is_empty() {
        parts.push(format!("[{}]", by.join(", ")));
    }
    if cause.severity != Level::Error {
        let level = if cause.severity == Level::Warning { "warning" } else { "info" };
        parts.push(level.to_owned());
    }
    parts.push(quoted(&cause.message));
    parts.join(" ")
}

fn held_out_in_words(held_out: &HeldOut) -> String {
    let (word, _) = wording::decision(held_out.decision);
    let of = |(source, count): (&DiagnosticSource, &u64)| format!("{} {count}", source.as_str());
    let failed: Vec<String> = held_out.failed.iter().map(of).collect();
    let by = if failed.is_empty() { String::new() } else { format!(" ({})", failed.join(", ")) };
    format!("held-out checks: {word}, {} of {} block{by}", held_out.failures(), held_out.checks)
}

/// Returns a foreign text in quotation marks, which it cannot end.
fn quoted(text: &str) -> String {
    format!("\"{}\"", bounded(text, QUOTED).replace('"', "'"))
}

/// Returns a text as one escaped line of at most `most` characters.
fn bounded(text: &str, most: usize) -> String {
    characters(untrusted::line(text).trim(), most)
}

#[cfg(test)]
mod tests;

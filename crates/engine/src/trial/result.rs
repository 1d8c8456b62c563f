//! The result of a trial run of a check: it works and passes, it works and fails, or it does not work here.

use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::reading::{Diagnostic, Excerpt, Level, Reading};
use referee_model::record::Facts;
use referee_model::report::Ran;

/// The result of an attempt to run an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialOutcome {
    /// The action passes; its findings, if any, do not block.
    Passes,
    /// The runner is known, exited with 0 and printed nothing at all: only the exit code can be judged (ruling 9).
    Quiet,
    /// The action works, and fails for real: tests failed, or a tool has findings.
    Fails,
    /// All findings are in files that are no inputs, such as this one: for example build products of another check.
    FindsProducts(String),
    /// The action does not work here.
    Broken(Cause),
    /// A service that it needs, with this name, does not work.
    NoService(String),
}

/// Why an action does not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its program does not exist or cannot be started.
    NotInstalled,
    /// It did not end in time.
    Deadline,
    /// Its runner is known, exited with 0, and printed output without a summary.
    NoSummary,
    /// No test ran.
    NoTests,
    /// Any other cause.
    Other,
}

/// Derives the outcome from the judgement of the action.
pub(super) fn of(ran: &Ran) -> TrialOutcome {
    let Judgement { outcome, rule, cause, blocking, .. } = &ran.judgement;
    match (outcome, rule) {
        (Outcome::Success, _) => TrialOutcome::Passes,
        (_, Rule::NoTests) => TrialOutcome::Broken(Cause::NoTests),
        // A failure that the policy allows does not fail the run.
        (Outcome::TestFailure | Outcome::ValidationFailure, _) if !blocking => TrialOutcome::Passes,
        (Outcome::TestFailure | Outcome::ValidationFailure, _) => TrialOutcome::Fails,
        (_, Rule::EndedWithoutSummary) if printed_nothing(ran) => TrialOutcome::Quiet,
        (_, Rule::EndedWithoutSummary) => TrialOutcome::Broken(Cause::NoSummary),
        (_, Rule::CouldNotStart | Rule::CommandNotFound) => TrialOutcome::Broken(Cause::NotInstalled),
        (Outcome::Timeout, _) => TrialOutcome::Broken(Cause::Deadline),
        (Outcome::PrerequisiteFailure, _) if *cause == Some(Outcome::Timeout) => TrialOutcome::Broken(Cause::Deadline),
        (Outcome::PrerequisiteFailure | Outcome::ExecutionError | Outcome::SpecificationError, _) => {
            TrialOutcome::Broken(Cause::Other)
        }
    }
}

/// Returns the first file with a finding, if every finding is in such a file and none is unknown.
pub(super) fn only_in(ran: &Ran, is_such: impl Fn(&str) -> bool) -> Option<String> {
    let found = &ran.reading.diagnostics;
    let is_whole = ran.reading.tests.is_none() && ran.reading.keeps_all_findings();
    let files: Option<Vec<&str>> = found.iter().map(|diagnostic| diagnostic.file.as_deref()).collect();
    let files = files.filter(|files| is_whole && files.iter().all(|file| is_such(file)))?;
    files.first().map(|file| (*file).to_owned())
}

/// Whether the output is empty, except for the lines that npm and similar tools print before a script.
fn printed_nothing(ran: &Ran) -> bool {
    let is_npms = |line: &str| line.trim().is_empty() || line.starts_with("> ") || line.starts_with("npm ");
    let is_empty = |excerpt: &Excerpt| !excerpt.is_cut() && excerpt.head.lines().all(is_npms);
    let excerpts = &ran.reading.excerpts;
    matches!(&ran.record.facts, Facts::Command(_)) && is_empty(&excerpts.stdout) && is_empty(&excerpts.stderr)
}

/// Returns the first failed test, else the first error, else the first finding, on one line.
pub(super) fn first_finding(reading: &Reading) -> Option<String> {
    let test = reading.tests.as_ref().and_then(|tests| tests.failures.first());
    if let Some(test) = test {
        return Some(test.name.clone());
    }
    let is_error = |found: &&Diagnostic| found.level == Level::Error;
    let found = reading.diagnostics.iter().find(is_error).or_else(|| reading.diagnostics.first())?;
    let line = found.line.map_or(String::new(), |line| format!(":{line}"));
    let place = found.file.as_ref().map_or(String::new(), |file| format!("{file}{line}: "));
    Some(format!("{place}{}", found.message.lines().next().unwrap_or_default()))
}

/// Whether the kept excerpt of the output contains one of these texts, or a finding is about such a file.
pub(super) fn speaks_of(reading: &Reading, texts: &[&str]) -> bool {
    let holds = |text: &str| texts.iter().any(|wanted| text.contains(wanted));
    let excerpt = |excerpt: &Excerpt| holds(&excerpt.head) || holds(&excerpt.tail);
    excerpt(&reading.excerpts.stdout)
        || excerpt(&reading.excerpts.stderr)
        || reading.diagnostics.iter().filter_map(|found| found.file.as_deref()).any(holds)
}

//! A run as other tools know one: a list of checks, each with a status, a duration and a message. The formats for test
//! reports project from it, so that all of them say the same.

use referee_model::outcome::{Judgement, Outcome};
use referee_model::reading::{Level, Reading, TestCase, TestFailure, TestResults, TestStatus};
use referee_model::record::{RunEnding, Span};
use referee_model::report::{ActionHistory, ActionReport, Report};
use referee_model::signal;
use referee_model::verdict::Decision;

use crate::wording;

/// One action of a run.
pub(crate) struct Check<'r> {
    /// Id of the action, such as `STEP.2`.
    pub(crate) id: &'r str,
    /// Name of the check in the specification.
    pub(crate) name: &'r str,
    pub(crate) status: Status,
    /// Reason for the outcome, in one sentence; empty for a check that did not run.
    pub(crate) message: &'r str,
    /// Next step, in one sentence; empty where there is nothing to do.
    pub(crate) advice: &'r str,
    /// Time span of the last attempt. None: the check did not run.
    pub(crate) span: Option<Span>,
    /// None: the check did not run.
    pub(crate) judgement: Option<&'r Judgement>,
    /// Findings, tests and excerpts of the output. None: the check did not run.
    pub(crate) reading: Option<&'r Reading>,
    /// Number of attempts, of which the last one counts.
    pub(crate) attempts: usize,
}

/// Status of a check. Other tools count failures, so only what blocks the verdict is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    Passed,
    /// It did not succeed and does not block: a warning, an expected failure, a waived one.
    PassedWithRemark,
    /// It says that the work is wrong.
    Failed,
    /// It says nothing of the work: it did not start, timed out, was wrongly specified, or a prerequisite failed.
    Errored,
    /// It did not run, for this reason.
    Skipped(String),
}

impl Status {
    /// Returns whether the check blocks the verdict.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Self::Failed | Self::Errored)
    }

    /// Returns the sign for people.
    pub(crate) fn sign(&self) -> &'static str {
        match self {
            Self::Passed => "✓",
            Self::PassedWithRemark => "!",
            Self::Failed | Self::Errored => "✗",
            Self::Skipped(_) => "–",
        }
    }
}

impl Check<'_> {
    /// Returns the name of the outcome, such as `TEST_FAILURE`; `SKIPPED` for a check that did not run, and the
    /// decision for a verdict.
    pub(crate) fn outcome(&self) -> &'static str {
        let alone = match self.status {
            Status::Failed => "FAIL",
            Status::Errored => "BLOCKED",
            Status::Passed | Status::PassedWithRemark | Status::Skipped(_) => "SKIPPED",
        };
        self.judgement.map_or(alone, |judgement| judgement.outcome.as_str())
    }

    /// Returns the id and the name, such as `STEP.2 lint`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.id, self.name)
    }

    pub(crate) fn is_flaky(&self) -> bool {
        self.judgement.is_some_and(|judgement| judgement.flaky)
    }

    /// Returns whether the check blocks and nothing in its output says why: it has no finding and no failed test, or it
    /// failed for a reason outside of its output, such as a timeout.
    pub(crate) fn is_unexplained(&self) -> bool {
        let has_findings = self.reading.is_some_and(|reading| !reading.diagnostics.is_empty());
        match self.status {
            Status::Errored => true,
            Status::Failed => !has_findings && self.failures().is_empty(),
            Status::Passed | Status::PassedWithRemark | Status::Skipped(_) => false,
        }
    }

    /// Returns the highest level of its findings: those of a check that does not block are at most warnings.
    pub(crate) fn highest_level(&self) -> Level {
        if self.status.is_failure() { Level::Error } else { Level::Warning }
    }

    /// Returns the duration in milliseconds; 0 for a check that did not run.
    pub(crate) fn duration_ms(&self) -> u64 {
        self.span.map_or(0, |span| span.duration_ms)
    }

    /// Returns the failed tests that the output names.
    pub(crate) fn failures(&self) -> &[TestFailure] {
        self.reading.and_then(|reading| reading.tests.as_ref()).map_or(&[], |tests| &tests.failures)
    }

    /// Returns the findings as notes.
    pub(crate) fn finding_notes(&self) -> impl Iterator<Item = Note> {
        self.reading.into_iter().flat_map(|reading| &reading.diagnostics).map(|found| {
            let code = found.code.as_ref().map_or_else(String::new, |code| format!(" {code}"));
            Note {
                place: place(found.file.as_deref(), found.line, found.column),
                message: format!("{}{code}: {}", found.level.as_str(), found.message),
            }
        })
    }

    /// Returns the failed tests as notes.
    pub(crate) fn failure_notes(&self) -> impl Iterator<Item = Note> {
        self.failures().iter().map(|failure| Note {
            place: place(failure.file.as_deref(), failure.line, failure.column),
            message: format!("{}: {}", failure.name, failure.message),
        })
    }

    /// Returns the findings and failed tests, a line each, and what to do next.
    pub(crate) fn detail(&self) -> String {
        let notes = self.finding_notes().chain(self.failure_notes()).map(|Note { place, message }| match place {
            Some(place) => format!("{place}: {message}\n"),
            None => format!("{message}\n"),
        });
        let advice = Some(self.advice).filter(|advice| !advice.is_empty()).map(|advice| format!("help: {advice}\n"));
        notes.chain(advice).collect()
    }

    /// Returns the end of the output: that of standard output, then that of standard error.
    pub(crate) fn output_end(&self) -> String {
        let Some(reading) = self.reading else { return String::new() };
        [&reading.excerpts.stdout, &reading.excerpts.stderr].map(referee_model::reading::Excerpt::end).concat()
    }
}

/// A message, and the place in a file that it is about.
pub(crate) struct Note {
    pub(crate) place: Option<String>,
    pub(crate) message: String,
}

/// `src/a.ts:3:5`, as far as it is known.
fn place(file: Option<&str>, line: Option<u32>, column: Option<u32>) -> Option<String> {
    file.map(|file| wording::place(file, line, column))
}

/// Returns the checks of a run in plan order. If the run did not pass although none of them failed, the verdict is one
/// more: other programs count failures, and a run that did not pass must never look like one that did.
pub(crate) fn all(report: &Report) -> Vec<Check<'_>> {
    let mut checks: Vec<_> = report.actions.iter().map(of_action).collect();
    let verdict = &report.verdict;
    if verdict.decision != Decision::Pass && !checks.iter().any(|check| check.status.is_failure()) {
        checks.push(Check {
            id: "VERDICT",
            name: "the task passes",
            status: if verdict.decision == Decision::Fail { Status::Failed } else { Status::Errored },
            message: verdict.reasons.first().map_or("", String::as_str),
            advice: "",
            span: None,
            judgement: None,
            reading: None,
            attempts: 0,
        });
    }
    checks
}

/// Pairs the tests that an output lists with its failures. A failure that is not listed stands alone. A name that is the
/// end of the other one counts only where no name is equal.
pub(crate) fn tests(results: &TestResults) -> Vec<NamedTest<'_>> {
    let mut failures: Vec<(String, &TestFailure)> =
        results.failures.iter().map(|failure| (words(&failure.name), failure)).collect();
    let mut tests: Vec<_> = results.cases.iter().map(|case| NamedTest { case: Some(case), failure: None }).collect();
    let relations: [fn(&str, &str) -> bool; 2] =
        [|name, other| name == other, |name, other| name.ends_with(other) || other.ends_with(name)];
    for belongs in relations {
        for NamedTest { case, failure } in &mut tests {
            if let Some(case) = case.filter(|case| case.status == TestStatus::Failed && failure.is_none()) {
                let name = words(&case.full_name());
                let position = failures.iter().position(|(other, _)| belongs(&name, other));
                *failure = position.map(|position| failures.remove(position).1);
            }
        }
    }
    tests.extend(failures.into_iter().map(|(_, failure)| NamedTest { case: None, failure: Some(failure) }));
    tests
}

/// A test that an output names: listed, failed, or both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedTest<'r> {
    case: Option<&'r TestCase>,
    pub(crate) failure: Option<&'r TestFailure>,
}

impl<'r> NamedTest<'r> {
    pub(crate) fn name(self) -> String {
        let listed = self.case.map(TestCase::full_name);
        listed.or_else(|| Some(self.failure?.name.clone())).unwrap_or_default()
    }

    /// Returns the status. A test that is not listed failed.
    pub(crate) fn status(self) -> TestStatus {
        self.case.map_or(TestStatus::Failed, |case| case.status)
    }

    pub(crate) fn file(self) -> Option<&'r str> {
        let listed = self.case.and_then(|case| case.file.as_deref());
        listed.or_else(|| self.failure?.file.as_deref())
    }

    /// Returns the duration in milliseconds; 0 where it is not known.
    pub(crate) fn duration_ms(self) -> u64 {
        let listed = self.case.and_then(|case| case.duration_ms);
        listed.or_else(|| self.failure?.duration_ms).unwrap_or(0)
    }
}

/// Returns a name as words with a blank before each. In the list of tests and in failures, runners separate groups and
/// test differently, such as `a > b`, `a › b`, `a::b` and `a b`.
fn words(name: &str) -> String {
    let words = name.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: String = words.flat_map(|word| [" ", word]).collect();
    if words.is_empty() { format!(" {name}") } else { words }
}

/// Returns the id and the title of a task, such as `T001 Quote service`; the id alone if there is no other title.
pub(crate) fn task_name(report: &Report) -> String {
    let (task, title) = (&report.plan.task, &report.plan.title);
    if title == task.as_str() { task.to_string() } else { format!("{task} {title}") }
}

/// Returns why a run ended before everything had been run. None: it did not.
pub(crate) fn early_end(report: &Report) -> Option<String> {
    match &report.run.ending {
        RunEnding::Finished => None,
        RunEnding::Interrupted { signal } => Some(format!("the run was interrupted by {}", signal::shown(*signal))),
        RunEnding::Failed { message } => Some(format!("Referee itself failed: {message}")),
    }
}

/// Returns the duration of a run in milliseconds.
pub(crate) fn duration_ms(report: &Report) -> u64 {
    report.run.ended.milliseconds_since(report.run.started)
}

fn of_action(action: &ActionReport) -> Check<'_> {
    let (id, name) = (action.action.id.as_str(), action.action.name.as_str());
    match &action.history {
        ActionHistory::Skipped(reason) => Check {
            id,
            name,
            status: Status::Skipped(wording::skip_reason(reason)),
            message: "",
            advice: "",
            span: None,
            judgement: None,
            reading: None,
            attempts: 0,
        },
        ActionHistory::Ran(ran) => Check {
            id,
            name,
            status: status(&ran.judgement),
            message: &ran.judgement.reason,
            advice: &ran.judgement.advice,
            span: Some(ran.record.span),
            judgement: Some(&ran.judgement),
            reading: Some(&ran.reading),
            attempts: ran.earlier.len() + 1,
        },
    }
}

fn status(judgement: &Judgement) -> Status {
    match (judgement.blocking, judgement.outcome) {
        (false, Outcome::Success) => Status::Passed,
        (false, _) => Status::PassedWithRemark,
        // A success blocks if it is flaky, or if a failure was expected.
        (true, Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure) => Status::Failed,
        (true, _) => Status::Errored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{run_context, runs};

    fn case(ancestors: &[&str], title: &str, status: TestStatus) -> TestCase {
        let ancestors = ancestors.iter().map(|&name| name.to_owned()).collect();
        TestCase { ancestors, title: title.to_owned(), file: None, status, duration_ms: None }
    }

    fn failure(name: &str) -> TestFailure {
        TestFailure { name: name.to_owned(), ..TestFailure::default() }
    }

    #[test]
    fn a_failure_belongs_to_the_listed_test_with_its_words() {
        let results = TestResults {
            cases: vec![
                case(&[], "adds", TestStatus::Failed),
                case(&["calc.py"], "adds", TestStatus::Failed),
                case(&[], "subtracts", TestStatus::Passed),
            ],
            failures: vec![failure("calc.py::adds"), failure("test adds"), failure("subtracts")],
            ..TestResults::default()
        };
        let names: Vec<_> = tests(&results)
            .into_iter()
            .map(|test| (test.case.map(TestCase::full_name), test.failure.map(|failure| failure.name.as_str())))
            .collect();
        let listed = |name: &str| Some(name.to_owned());
        assert_eq!(
            names,
            [
                (listed("adds"), Some("test adds")),
                (listed("calc.py > adds"), Some("calc.py::adds")),
                (listed("subtracts"), None),
                (None, Some("subtracts")),
            ]
        );
        assert!(!words("subdivides").ends_with(&words("divides")));
        assert_ne!(words("+"), words("-"));
    }

    #[test]
    fn a_run_that_did_not_pass_has_a_check_that_failed() {
        for report in [runs::failing(), runs::blocked(), runs::interrupted(), run_context::conditions()] {
            assert!(all(&report).iter().any(|check| check.status.is_failure()), "{}", report.plan.title);
        }
        assert!(!all(&runs::passing()).iter().any(|check| check.status.is_failure()));
    }
}

//! A command whose role is test: ruling 9 and the last sentence of ruling 12.

use referee_model::outcome::Rule;
use referee_model::plan::Role;
use referee_model::reading::{ChosenBecause, CountAuthority, Reading, TestCounts, TestResults};
use referee_model::record::Ending;
use referee_syntax::count::count;

use super::case::{Case, read};
use super::draft::Draft;
use super::exit_code::{self, SaysFailed};
use super::line;
use crate::role::{self, Failing};

/// Summary of a test run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary<'a> {
    /// Results, from the runner's final summary or its machine-readable report.
    pub(super) results: &'a TestResults,
    /// Whether the runner's own reader made it. Only then may it overrule an exit code 0 with failed tests or
    /// no tests.
    pub(super) own: bool,
}

/// Returns the summary of a test run.
///
/// Lines that merely look like results do not count. If the runner is known, its summary is made by its own
/// reader, or is its own report in a common format; otherwise, a summary recognized by content can explain a
/// failure.
pub(super) fn summary<'a>(reading: &'a Reading, role: Option<Role>, tool: Option<&str>) -> Option<Summary<'a>> {
    let results = reading.tests.as_ref()?;
    let reader = reading.reader.as_ref()?;
    let own = reader.because == ChosenBecause::Command;
    let is_of_runner = own || tool.is_none_or(|tool| role::writes(tool, &reader.tool));
    let counts = role == Some(Role::Test) && results.authority != CountAuthority::Lines && is_of_runner;
    counts.then_some(Summary { results, own })
}

/// Returns the tests that a judgement counts: those in the summary made by the runner's own reader, however the
/// command ended; for an unknown runner, those that explain a failure.
pub(super) fn counted(case: &Case<'_>) -> Option<TestCounts> {
    let summary = summary(case.reading, Some(case.told.role), case.tool())?;
    if !summary.is_numbered() {
        return None;
    }
    let failed = matches!(case.facts.ending, Ending::Exited { code } if code != 0);
    (summary.own || failed || convicts(case, summary)).then(|| summary.counts())
}

impl Summary<'_> {
    fn counts(&self) -> TestCounts {
        self.results.counts
    }

    /// Returns whether the runner reports how many tests ran.
    fn is_numbered(&self) -> bool {
        self.results.authority != CountAuthority::Unnumbered
    }

    /// Returns whether the total is the sum of passed, failed and skipped tests.
    fn adds_up(&self) -> bool {
        let counts = self.counts();
        counts.passed.checked_add(counts.failed).and_then(|ran| ran.checked_add(counts.skipped)) == Some(counts.total)
    }

    /// Returns the number of tests that ran, without skipped ones.
    fn ran(&self) -> u64 {
        self.counts().passed.saturating_add(self.counts().failed)
    }

    fn suites_failed(&self) -> u64 {
        self.results.suites.map_or(0, |suites| suites.failed)
    }

    fn is_passing(self) -> bool {
        !self.has_failures() && (!self.is_numbered() || self.counts().passed > 0)
    }

    /// Returns whether tests failed, or suites never ran.
    pub(super) fn has_failures(&self) -> bool {
        self.counts().failed > 0 || self.suites_failed() > 0
    }

    /// Describes how many tests failed, such as `2 of 11 tests failed (jest)`.
    pub(super) fn failed(&self) -> String {
        let framework = &self.results.framework;
        let of = if framework.is_empty() { String::new() } else { format!(" ({framework})") };
        match (self.counts().failed, self.ran()) {
            (failed, _) if failed > 0 && !self.is_numbered() => {
                format!("{} failed{of}, others not counted", count(failed, "test"))
            }
            (0, _) => format!("{} failed to run{of}", count(self.suites_failed(), "test suite")),
            (failed, ran) => format!("{failed} of {} failed{of}", count(ran, "test")),
        }
    }
}

/// Judges a test run that exited by itself.
///
/// | exit code       | summary                       | outcome                                                    |
/// |-----------------|-------------------------------|------------------------------------------------------------|
/// | 0               | own, its counts do not add up | EXECUTION_ERROR                                            |
/// | 0               | own, with failures            | TEST_FAILURE: the code is wrong                            |
/// | 0               | own, no test ran              | TEST_FAILURE; SUCCESS where `allowNoTests`                 |
/// | 0               | own, all passed               | SUCCESS                                                    |
/// | 0               | own, passed, not how many     | SUCCESS by exit code only                                  |
/// | 0               | any other, with failures      | TEST_FAILURE; the code decides where `exitCodeOnly`        |
/// | 0               | in a common format, passed    | SUCCESS by exit code only                                  |
/// | 0               | any other, runner not known   | SUCCESS by exit code only                                  |
/// | 0               | any other, `exitCodeOnly`     | SUCCESS by exit code only                                  |
/// | 0               | any other, runner known       | EXECUTION_ERROR: ended without its summary                 |
/// | not 0           | with failures                 | TEST_FAILURE; expected where the code is declared so       |
/// | not 0           | own, no test ran              | TEST_FAILURE; SUCCESS where allowed and the code is for it |
/// | not 0           | all passed                    | TEST_FAILURE: the runner failed (a coverage threshold)     |
/// | the runner's for failures | none                | TEST_FAILURE by exit code; expected where declared so      |
/// | any other       | none; a linter of the line found something | VALIDATION_FAILURE, blocking: see `line`      |
/// | any other       | none                          | EXECUTION_ERROR                                            |
///
/// "Own" is a summary made by the runner's own reader. A known runner that was ended from within, by
/// `process.exit(0)` in the code under test, or that never ran, has none.
pub(super) fn judge(case: &Case<'_>, code: i32) -> Draft {
    let summary = summary(case.reading, Some(Role::Test), case.tool());
    match (code, summary) {
        (0, Some(summary)) if summary.own && (summary.is_numbered() || summary.has_failures()) => {
            by_summary(case, summary)
        }
        (0, Some(summary)) if convicts(case, summary) => failed_at_exit_zero(case, summary),
        (0, _) if needs_no_summary(case) || has_passing_summary(case) => by_exit_zero(case),
        (0, _) => ended_without_summary(case, &case.told.runners),
        (code, Some(summary)) if summary.has_failures() => failed(case, code, summary),
        (code, Some(summary)) if summary.ran() > 0 => runner_failed(code, summary),
        (code, Some(summary)) if summary.own && summary.is_numbered() => none_ran_and_failed(case, code),
        (code, _) => without_summary(case, code),
    }
}

fn by_summary(case: &Case<'_>, summary: Summary<'_>) -> Draft {
    if summary.has_failures() {
        return failed_at_exit_zero(case, summary);
    }
    if !summary.adds_up() {
        return super::unusable("the counts of its tests do not add up".to_owned());
    }
    if summary.ran() == 0 {
        return if case.command.allow_no_tests { none_allowed() } else { none_ran(summary) };
    }
    let skipped = match summary.counts().skipped {
        0 => String::new(),
        skipped => format!(", {skipped} skipped"),
    };
    Draft::success(Rule::TestsPassed, format!("{} passed{skipped}", count(summary.ran(), "test")))
}

/// Returns whether a summary that was not made by the runner's own reader has failures that count: a wrapper
/// that hides the exit code of its runner also hides its name.
fn convicts(case: &Case<'_>, summary: Summary<'_>) -> bool {
    !summary.own && summary.has_failures() && !case.command.exit_code_only
}

fn failed_at_exit_zero(case: &Case<'_>, summary: Summary<'_>) -> Draft {
    let reason = format!("{}, although the exit code is 0", summary.failed());
    let draft = Draft::test_failure(Rule::TestsFailedExitZero, reason)
        .because_of([
            "something after the test runner in the command hides its exit code",
            "the runner is told not to fail",
        ])
        .advise("Make the tests pass, and let the runner's exit code through");
    let is_unknown = !summary.own && case.tool().is_none();
    draft.note(is_unknown.then(|| {
        "the runner is not known; its output ends with the summary of one: `exitCodeOnly` lets the exit code decide"
            .to_owned()
    }))
}

/// Returns whether the exit code alone is enough for a pass: the runner is not known, or the specification says so.
fn needs_no_summary(case: &Case<'_>) -> bool {
    case.told.runners.is_empty() || case.command.exit_code_only
}

/// Returns whether one of the runners of the line reports passed tests, and none reports failures.
fn has_passing_summary(case: &Case<'_>) -> bool {
    summary_of_any(case, &case.told.runners).is_some_and(Summary::is_passing)
}

/// Returns the summary or report of one of these runners, if the reading is one.
fn summary_of_any<'a>(case: &Case<'a>, runners: &[&str]) -> Option<Summary<'a>> {
    let results = case.reading.tests.as_ref().filter(|results| results.authority != CountAuthority::Lines)?;
    let reader = case.reading.reader.as_ref()?;
    let is_of = |runner: &&str| {
        let wrote = |name: &str| *runner == name || role::writes(runner, name);
        wrote(&reader.tool) || wrote(&results.framework)
    };
    let own = case.is_own_reading();
    (own || runners.iter().any(is_of)).then_some(Summary { results, own })
}

/// Judges a line that exited with 0 and runs known test runners beside other tools, by the rules for test runs.
/// None: the rules are met, or nothing is known about its tests.
pub(super) fn of_line(case: &Case<'_>, runners: &[&str]) -> Option<Draft> {
    if runners.is_empty() || case.command.exit_code_only {
        return None;
    }
    match summary_of_any(case, runners) {
        None => Some(ended_without_summary(case, runners)),
        Some(summary) if summary.has_failures() => Some(failed_at_exit_zero(case, summary)),
        Some(summary) if summary.is_numbered() && summary.ran() == 0 && !case.command.allow_no_tests => {
            Some(none_ran(summary))
        }
        Some(_) => None,
    }
}

fn ended_without_summary(case: &Case<'_>, runners: &[&str]) -> Draft {
    let runner = runners.join(" and ");
    let whose = if runners.len() == 1 { "its summary" } else { "a summary" };
    let read = match (read(case.reading), case.streams_not_kept()) {
        (Some(read), _) => format!("; {read}"),
        (None, Some(streams)) => format!("; {streams} was not kept"),
        (None, None) => String::new(),
    };
    Draft::execution_error(
        Rule::EndedWithoutSummary,
        format!("{runner} ended without {whose}, although the exit code is 0{read}"),
    )
    .because_of([
        "a test, or the code under test, ends the process: `process.exit(0)`, `os._exit(0)`",
        "what ran under the runner's name is not the runner, or it never came to its tests",
        "its options, or something else in the command, take its summary away",
    ])
    .advise(
        "Let the runner come to its end and print its summary; `exitCodeOnly` accepts a runner that is known to print none",
    )
}

/// Returns whether the output has a summary of any runner.
fn is_summed_up(case: &Case<'_>) -> bool {
    let results = case.reading.tests.as_ref();
    results.is_some_and(|results| matches!(results.authority, CountAuthority::Summary | CountAuthority::MachineReport))
}

fn by_exit_zero(case: &Case<'_>) -> Draft {
    let who = if is_summed_up(case) { "no runner that is known" } else { "nothing" };
    let mut draft = Draft::success(Rule::TestsPassedByExitCode, format!("exit code 0; {who} tells how many tests ran"))
        .note(read(case.reading).map(|read| format!("{read}; the exit code decides")));
    draft.exit_code_only = true;
    draft
}

fn failed(case: &Case<'_>, code: i32, summary: Summary<'_>) -> Draft {
    if is_expected(case, code) {
        return expected(&summary.failed(), code);
    }
    let mut draft = Draft::test_failure(Rule::TestsFailed, summary.failed()).advise("Make the failed tests pass");
    // A runner that builds its tests also reports failed builds as failed suites.
    let builds = exit_code::says_tests_failed(case.tool(), code) == Some(SaysFailed::TestsOrBuild);
    draft.may_be_build = builds && summary.own && !exit_code::names_failed_tests(case.reading);
    if case.tool().is_none() {
        draft.notes.push("the runner is not known; its output names the failures".to_owned());
    }
    draft.note(exit_code::meaning(code))
}

fn runner_failed(code: i32, summary: Summary<'_>) -> Draft {
    let all = match summary.ran() {
        1 => "the only test".to_owned(),
        ran => format!("all {}", count(ran, "test")),
    };
    let reason = format!("{all} passed, and the runner failed with exit code {code}");
    Draft::test_failure(Rule::RunnerFailed, reason)
        .because_of([
            "a coverage threshold is not met",
            "an error was thrown outside of any test, or after the last one",
            "another command of the line failed",
        ])
        .because_of(exit_code::meaning(code))
        .advise("Read the end of its output: something beside the tests failed")
}

fn none_ran_and_failed(case: &Case<'_>, code: i32) -> Draft {
    if case.command.allow_no_tests && exit_code::says_no_tests(case.tool(), code) {
        return none_allowed();
    }
    Draft::test_failure(Rule::NoTests, format!("no test ran, and the runner exited with {code}"))
        .because_of(["no file matches the runner's patterns", "every test is skipped or filtered out"])
        .advise("Make sure that the tests are found and not skipped")
}

fn none_ran(summary: Summary<'_>) -> Draft {
    let reason = match summary.counts().skipped {
        0 => "no test ran, although the exit code is 0".to_owned(),
        skipped => format!("no test ran: {} skipped", count(skipped, "test")),
    };
    Draft::test_failure(Rule::NoTests, reason)
        .because_of(["no file matches the runner's patterns", "every test is skipped or filtered out"])
        .advise("Make sure that the tests are found and not skipped; `allowNoTests` accepts a run without any")
}

fn none_allowed() -> Draft {
    Draft::success(Rule::TestsPassed, "no test ran, which `allowNoTests` accepts")
}

fn without_summary(case: &Case<'_>, code: i32) -> Draft {
    if let Some(missing) = exit_code::missing_program(case, code) {
        return exit_code::not_found(code, &missing);
    }
    let runner = case.tool().unwrap_or("the runner");
    if let Some(says) = exit_code::says_tests_failed(case.tool(), code).filter(|_| is_code_of_runner(case)) {
        return failed_by_exit_code(case, code, runner, says);
    }
    if let Some(draft) = line::found(case, code) {
        return draft;
    }
    let mut reason = format!("exit code {code}, and no summary of tests by {runner}");
    if let Some(read) = read(case.reading) {
        reason = format!("{reason}; {read}");
    }
    Draft::execution_error(Rule::TestRunnerBroken, reason)
        .because_of([
            "the runner stopped before its first test: wrong options or configuration, or code that does not compile",
            "the runner was ended before it could sum up",
        ])
        .because_of(exit_code::meaning(code))
        .advise("Read the end of its output, and make the runner work")
}

/// Returns whether only the runner can have set the exit code: no other command of the line, and no preparation
/// in the shell, such as `cd app`, which would have printed an error.
pub(super) fn is_code_of_runner(case: &Case<'_>) -> bool {
    match role::failing(case.command) {
        Failing::Tool => true,
        Failing::ToolOrPreparation => case.evidence.stderr && !exit_code::shell_complains(case.reading),
        Failing::Others => false,
    }
}

fn failed_by_exit_code(case: &Case<'_>, code: i32, runner: &str, says: SaysFailed) -> Draft {
    let reason = format!("exit code {code}, with which {runner} says that tests failed");
    let also = (says == SaysFailed::TestsOrBuild).then(|| match read(case.reading) {
        Some(read) => format!("{runner} exits with {code} too where tests cannot be built or loaded; {read}"),
        None => {
            format!(
                "{runner} exits with {code} too where tests cannot be built or loaded: its output says which it was"
            )
        }
    });
    let may_be_build = says == SaysFailed::TestsOrBuild && !exit_code::names_failed_tests(case.reading);
    if is_expected(case, code) && !may_be_build {
        return expected(&reason, code).note(also);
    }
    let draft = Draft::test_failure(Rule::TestsFailedByExitCode, reason)
        .advise("Make the failed tests pass; its output names them")
        .note(also);
    Draft { may_be_build, ..draft }
}

/// Returns whether the specification declares this code for a test command. The default, 0, declares no failure.
fn is_expected(case: &Case<'_>, code: i32) -> bool {
    code != 0 && case.command.expected_exit_codes.contains(&code)
}

fn expected(what: &str, code: i32) -> Draft {
    let mut draft =
        Draft::test_failure(Rule::TestsFailedExpected, format!("{what}; exit code {code} is declared as expected"));
    draft.blocking = false;
    draft.severity = referee_model::severity::Severity::Low;
    draft.expected = true;
    draft
}

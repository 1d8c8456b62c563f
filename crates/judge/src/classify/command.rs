//! Endings of commands, and the judgement of commands without a role of their own: ruling 9.

use referee_model::outcome::{AgentAction, Rule};
use referee_model::plan::Role;
use referee_model::reading::Reading;
use referee_model::record::{Ending, NoticeCode, StartFailure};
use referee_model::signal;
use referee_syntax::count::count;
use referee_syntax::duration::exact;

use super::case::{Case, read};
use super::draft::{Deadline, Draft};
use super::expected::red;
use super::{exit_code, explained, line, test_run, validation};
use crate::hang::{self, Hang};
use crate::policy;

/// Judges a command by its ending, or by its role if it exited by itself.
///
/// | ending                   | outcome                                   |
/// |--------------------------|-------------------------------------------|
/// | could not start          | EXECUTION_ERROR                           |
/// | ended by a foreign signal| EXECUTION_ERROR                           |
/// | stopped for its output   | EXECUTION_ERROR                           |
/// | interrupted with the run | EXECUTION_ERROR                           |
/// | stopped at the deadline  | TIMEOUT, with what was counted until then |
/// | exited, output not kept  | EXECUTION_ERROR                           |
/// | exited                   | by role                                   |
pub(super) fn judge(case: &Case<'_>) -> Draft {
    let mut draft = by_ending(case);
    draft.counted_tests = test_run::counted(case);
    let is_exit_zero = case.facts.ending == Ending::Exited { code: 0 };
    let unkept = unkept(case, &draft);
    let draft = doubted(case, draft);
    draft.note(case.told.contradiction.clone().filter(|_| is_exit_zero)).note(unkept)
}

/// Marks a failure that is never the expected one: of a tool that did not do all its work, or of suites that
/// could not be loaded.
fn doubted(case: &Case<'_>, mut draft: Draft) -> Draft {
    let Ending::Exited { code } = case.facts.ending else { return draft };
    match draft.rule {
        Rule::TestsFailed | Rule::TestsFailedExitZero => red::mark(case, draft),
        Rule::Findings | Rule::FindingsNotForgiven => {
            draft.may_be_build = explained::is_unfinished(case, code);
            draft
        }
        _ => draft,
    }
}

/// Returns a note that a stream was not kept, if a command with a role succeeded by its exit code alone: output
/// there could not be considered.
fn unkept(case: &Case<'_>, draft: &Draft) -> Option<String> {
    let by_exit_code = matches!(draft.rule, Rule::TestsPassedByExitCode | Rule::Clean);
    let streams = case.streams_not_kept().filter(|_| by_exit_code)?;
    Some(format!(
        "{streams} was not kept, as the specification asks: nothing that it said there could count, and the \
         exit code alone decides"
    ))
}

/// Judges a command that was stopped at a limit set by the specification: its output does not count.
fn resource_limit(what: &str, limit: &str) -> Draft {
    Draft::execution_error(Rule::ResourceLimit, format!("stopped: {what}, the limit of the specification"))
        .advise(format!("Make the command need less, or have `limits.{limit}` raised in the specification"))
}

fn by_ending(case: &Case<'_>) -> Draft {
    match &case.facts.ending {
        Ending::CouldNotStart { cause, message } => could_not_start(&case.facts.argv, *cause, message),
        Ending::Signaled { signal } => signaled(*signal),
        Ending::OutputLimitExceeded { limit_bytes } => {
            Draft::execution_error(Rule::OutputLimit, format!("stopped: it printed more than {limit_bytes} bytes"))
                .advise("Make the command print less: evidence that cannot be kept whole is not evidence")
        }
        Ending::ProcessLimitExceeded { limit } => {
            resource_limit(&format!("it ran more than {limit} processes at once"), "processes")
        }
        Ending::MemoryLimitExceeded { limit_bytes } => {
            resource_limit(&format!("it took more than {limit_bytes} bytes of memory"), "memory")
        }
        Ending::Interrupted { .. } => {
            Draft::execution_error(Rule::Interrupted, "stopped: the run was interrupted").advise("Run the task again")
        }
        Ending::DeadlineExceeded { timeout_ms, of_task, killed } => deadline(case, *timeout_ms, *of_task, *killed),
        Ending::Exited { .. } if case.facts.log.is_none() => {
            Draft::execution_error(Rule::FactsUnusable, "the command ran, and its output was not kept")
                .advise("Run the task again; what left no evidence cannot be judged")
        }
        Ending::Exited { code } => match (case.told.role, policy::category(case.told.role)) {
            (_, Some(category)) => match explained::not_done(case, *code) {
                Some(said) => did_not_work(case, *code, &said),
                None => validation::judge(case, *code, category),
            },
            (Role::Test, None) => test_run::judge(case, *code),
            (_, None) => other(case, *code),
        },
    }
}

/// Judges a tool for types, lint, format or compilation that reports that it did not do its work.
fn did_not_work(case: &Case<'_>, code: i32, said: &str) -> Draft {
    let tool = case.tool().unwrap_or("the tool");
    let mut reason = format!("exit code {code}, and {tool} did not do its work: {said}");
    if let Some(read) = read(case.reading) {
        reason = format!("{reason}; {read}");
    }
    Draft::execution_error(Rule::ToolBroken, reason)
        .because_of(["the tool, or a plugin of it, crashed", "its options, its configuration or its inputs are wrong"])
        .because_of(exit_code::meaning(code))
        .advise("Read what it says of itself, and make the tool work: that says nothing of the code yet")
        .ask(AgentAction::FixPrerequisite)
}

/// Judges a program that could not be started, by itself or as a service.
pub(super) fn could_not_start(argv: &[String], cause: StartFailure, message: &str) -> Draft {
    let given = argv.first().map_or("the command", String::as_str);
    let program = not_installed(message).unwrap_or(given);
    let (possible, advice) = match cause {
        StartFailure::NotFound => (
            vec!["the tool is not installed", "its directory is not in PATH", "its name is misspelt"],
            if message.contains(program) {
                format!("Install `{program}`, or correct its name")
            } else {
                "Do what the message says: what the line names is not installed".to_owned()
            },
        ),
        StartFailure::NotExecutable => {
            (vec!["the file lacks the permission to be executed"], format!("Make `{program}` executable"))
        }
        StartFailure::BadFormat => (
            vec!["it was built for another system", "the interpreter in its first line is missing"],
            format!("Install a `{program}` that this system can run"),
        ),
        StartFailure::BadDirectory => (
            vec!["the directory to run in is missing, is a file, or is outside the workspace"],
            "Correct the directory that the specification names, or create it".to_owned(),
        ),
        StartFailure::NotPinned => (
            vec!["another program of that name stands before it in PATH", "the program was updated since it was pinned"],
            "Find out why it is another file. Where that was meant, pin the new one: `referee plan --executables` tells \
             its digest"
                .to_owned(),
        ),
        StartFailure::System => (
            vec!["the system lacks memory, processes or files", "arguments and environment together are too long"],
            "Do what the message says, and run again".to_owned(),
        ),
    };
    let draft = Draft::execution_error(Rule::CouldNotStart, format!("`{program}` could not be started: {message}"))
        .because_of(possible)
        .advise(advice);
    // A tool is installed; installing another one does not help.
    if cause == StartFailure::NotPinned { draft.ask(AgentAction::FixPrerequisite) } else { draft }
}

/// Returns the missing tool that npx was to run; `npx` itself is installed.
fn not_installed(message: &str) -> Option<&str> {
    message.strip_prefix('`')?.split_once("` is not installed in ").map(|(tool, _)| tool)
}

fn signaled(number: i32) -> Draft {
    let name = signal::name(number).map_or_else(String::new, |name| format!(" ({name})"));
    let causes: &[&str] = match number {
        9 => &["the system ran out of memory", "another program or person killed it"],
        4 | 7 | 8 | 11 => &["a bug in the tool or in code that it loads"],
        6 => &["it aborted itself, as after a failed assertion or with its heap exhausted"],
        _ => &["another program or person stopped it"],
    };
    Draft::execution_error(Rule::Signaled, format!("ended by signal {number}{name}, which Referee did not send"))
        .because_of(causes.iter().copied())
        .advise("Find out what ended the command, and run the task again")
}

fn deadline(case: &Case<'_>, timeout_ms: u64, of_task: bool, killed: bool) -> Draft {
    let deadline = Deadline::told(of_task);
    let how = if killed { "killed, as it did not stop by itself," } else { "stopped" };
    let mut reason = format!("{how} at {} of {}", deadline.whose(), exact(timeout_ms));
    if let Some(partial) = partial(case.reading) {
        reason = format!("{reason}; until then {partial}");
    }
    if let Some(hang) = hang::of(&case.action.work, case.tool(), case.notices, case.reading) {
        return Draft::timeout(deadline, format!("{reason}; {}", hang.looks))
            .because_of(["it waits for something that does not come"])
            .ask(remedy_of(case, &hang))
            .advise(hang.advice);
    }
    Draft::timeout(deadline, reason)
        .because_of(["it waits for something that does not come", "it is slower than the limit allows"])
        .advise("Make it faster, or raise its timeout")
}

/// Returns the remedy for a hang, which more time never solves: if the command was idle, its missing
/// prerequisite must be provided; a watch mode is to be fixed in the specification or a script that it calls.
fn remedy_of(case: &Case<'_>, hang: &Hang) -> AgentAction {
    let is_idle = case.notices.iter().any(|notice| notice.code == NoticeCode::Idle && notice.message == hang.looks);
    if is_idle { AgentAction::FixPrerequisite } else { AgentAction::FixSpecification }
}

/// Returns the counts found in incomplete output.
fn partial(reading: &Reading) -> Option<String> {
    if let Some(tests) = &reading.tests {
        let counts = &tests.counts;
        return Some(format!("{} passed and {} failed", count(counts.passed, "test"), counts.failed));
    }
    let counts = &reading.counts;
    (counts.errors > 0 || counts.warnings > 0)
        .then(|| format!("{} and {}", count(counts.errors, "error"), count(counts.warnings, "warning")))
}

/// Judges a command whose role is other: the exit code alone decides.
///
/// | exit code                                 | outcome         |
/// |-------------------------------------------|-----------------|
/// | 0, without the summary of a known runner  | see `line`      |
/// | among `expectedExitCodes` (0 if none are) | SUCCESS         |
/// | 126, 127, or a program is missing         | EXECUTION_ERROR |
/// | any other, one of several tools failed    | see `line`      |
/// | any other                                 | EXECUTION_ERROR |
fn other(case: &Case<'_>, code: i32) -> Draft {
    let expected = &case.command.expected_exit_codes;
    if expected.contains(&code) || (expected.is_empty() && code == 0) {
        if let Some(draft) = (code == 0).then(|| line::exited_zero(case)).flatten() {
            return draft;
        }
        return Draft::success(Rule::ExitExpected, format!("exit code {code}, as expected"))
            .note(read(case.reading).map(|read| format!("{read}; the exit code decides")));
    }
    if let Some(missing) = exit_code::missing_program(case, code) {
        return exit_code::not_found(code, &missing);
    }
    if let Some(draft) = line::tests_failed(case, code).or_else(|| line::found(case, code)) {
        return draft;
    }
    let mut reason = format!("exit code {code} is not expected");
    if let Some(read) = read(case.reading) {
        reason = format!("{reason}; {read}");
    }
    Draft::execution_error(Rule::ExitUnexpected, reason)
        .because_of(exit_code::meaning(code))
        .advise("Read the end of its output, and fix what made it fail")
        .note((case.told.because.contains("split")).then(|| case.told.because.clone()))
}

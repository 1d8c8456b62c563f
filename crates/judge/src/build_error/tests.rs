use referee_model::plan::{Action, FileContent, FileExpectation};
use referee_model::record::http::NoAnswerCause;
use referee_model::record::service::Readiness;
use referee_model::record::{CommandFacts, Ending, Executable, FileState, Record};

use super::*;
use crate::fixture::{
    answer, answered, dev_server, ended, exited, file, findings, found, found_all, glob, http, judged, line,
    not_executed, nothing, plan, problem, query, request, run, service, service_facts, serviced, tests, unanswered,
    words,
};

/// Returns the error of a run in which only this action ran, and blocks.
fn error(action: &Action, record: Record, reading: Reading) -> BuildError {
    let mut plan = plan(vec![action.clone()]);
    if matches!(record.facts, Facts::NotExecuted) {
        plan.problems.push(problem(Some(action), "wrong"));
    }
    let report = judged(&plan, action, record, reading);
    assert!(report.ran().unwrap().judgement.blocking, "{report:?}");
    of_run(RunEnding::Finished, &[report])
}

fn of_run(ending: RunEnding, actions: &[ActionReport]) -> BuildError {
    let blocking: Vec<ActionId> =
        actions.iter().filter_map(ActionReport::ran).map(|ran| ran.judgement.action.clone()).collect();
    let parts = Parts { decision: Decision::Fail, blocking: &blocking, reasons: &["why".to_owned()] };
    of(&run(ending), actions, &parts).unwrap()
}

#[test]
fn each_outcome_has_its_type() {
    use BuildErrorType::{
        BlackboxFailed, LintFailed, SystemError, TestFailed, TypecheckFailed, Unknown, WorkspaceError,
    };
    let present = || FileExpectation::Present(FileContent::default());
    let (jest, tsc, lint) = (line("STEP.1", "npx jest"), line("STEP.1", "npx tsc"), line("STEP.1", "npx eslint ."));
    let (deploy, before) = (line("STEP.1", "./deploy"), line("PREREQ.1", "npm ci"));
    let asked = http("STEP.1", request("http://localhost:3000/a"));
    let (there, input) = (file("STEP.1", present()), file("PREREQ.1", present()));
    let (several, inputs) = (glob("STEP.1", present()), glob("PREREQ.1", present()));
    let server = service("PREREQ.1", dev_server());
    let asked_database = query("STEP.1", Vec::new());
    let deadline = Ending::DeadlineExceeded { timeout_ms: 1, of_task: false, killed: false };
    for (action, record, reading, kind) in vec![
        (&jest, exited(&jest, 1), tests("jest", 1, 1, 0), TestFailed),
        (&asked, answered(&asked, answer(404)), nothing(), BlackboxFailed),
        (&tsc, exited(&tsc, 2), findings("tsc", 1, 0, 0), TypecheckFailed),
        (&lint, exited(&lint, 1), findings("eslint", 1, 0, 0), LintFailed),
        (&there, found(&there, FileState::Missing), nothing(), Unknown),
        (&several, found_all(&several, vec![("dist/a.json", FileState::Missing)]), nothing(), Unknown),
        (&several, found_all(&several, Vec::new()), nothing(), WorkspaceError),
        (&deploy, not_executed(&deploy), nothing(), WorkspaceError),
        (&asked_database, not_executed(&asked_database), nothing(), WorkspaceError),
        (&input, found(&input, FileState::Missing), nothing(), WorkspaceError),
        (&inputs, found_all(&inputs, Vec::new()), nothing(), WorkspaceError),
        (&input, found(&input, FileState::Unreadable { message: String::new() }), nothing(), SystemError),
        (&before, exited(&before, 1), nothing(), SystemError),
        (&server, serviced(&server, service_facts(Readiness::PortTaken)), nothing(), SystemError),
        (&asked, unanswered(&asked, NoAnswerCause::Refused), nothing(), SystemError),
        (&deploy, exited(&deploy, 1), nothing(), SystemError),
        (&deploy, ended(&deploy, deadline), nothing(), SystemError),
    ] {
        assert_eq!(error(action, record.clone(), reading).kind, kind, "{record:?}");
    }
}

#[test]
fn a_command_that_github_failed_is_githubs() {
    use BuildErrorType::{GithubError, SystemError, TestFailed};
    let ran = |line_: &str, programs: &[&str], code, reading: Reading| {
        let action = line("STEP.1", line_);
        let mut record = exited(&action, code);
        let name =
            |name: &&str| Executable { name: (*name).to_owned(), path: String::new(), sha256: None, version: None };
        if let Facts::Command(CommandFacts { executables, .. }) = &mut record.facts {
            *executables = programs.iter().map(name).collect();
        }
        error(&action, record, reading).kind
    };
    let limited = || words("sending\nGitHub API: rate limited\n");
    for (line, programs, code, reading, kind) in [
        ("gh pr create", &["bash", "gh"][..], 1, nothing(), GithubError),
        ("gh pr create", &["/usr/bin/gh"], 4, words("no git remotes found"), GithubError),
        ("gh pr create", &["bash", "gh"], 127, words("bash: gh: command not found"), SystemError),
        ("./prepare && gh pr create", &["bash", "./prepare", "gh"], 1, nothing(), SystemError),
        ("./deploy", &["bash", "./deploy"], 2, limited(), GithubError),
        ("./deploy", &["bash", "./deploy"], 2, words("/home/me/github/x: no token"), SystemError),
        ("true", &["bash"], 2, nothing(), SystemError),
        ("npx jest", &["npx"], 1, tests("jest", 1, 1, 0), TestFailed),
    ] {
        assert_eq!(ran(line, programs, code, reading), kind, "{line} {programs:?} {code}");
    }
}

#[test]
fn a_request_is_told_with_what_came_of_it() {
    let asked = http("STEP.1", request("http://localhost:3000/a"));
    let text = |text: &str| ContextValue::Text(text.to_owned());
    let failed = error(&asked, answered(&asked, answer(404)), nothing());
    assert_eq!(failed.message, "Blackbox verification failed");
    assert_eq!(failed.context["request"], text("GET http://localhost:3000/a"));
    assert_eq!(failed.context["statusCode"], ContextValue::Number(404));
    let refused = error(&asked, unanswered(&asked, NoAnswerCause::Refused), nothing());
    assert!(refused.message.contains("the connection was refused"), "{}", refused.message);
    assert_eq!(refused.context["errorCode"], text("ECONNREFUSED"));
    assert!(!refused.context.contains_key("statusCode"));
}

#[test]
fn where_nothing_ran_the_reason_of_the_skips_gives_the_type() {
    let skipped = |reason| ActionReport { action: line("STEP.1", "npx jest"), history: ActionHistory::Skipped(reason) };
    for (ending, reason, kind) in [
        (RunEnding::Finished, SkipReason::SpecificationError, BuildErrorType::WorkspaceError),
        (RunEnding::Finished, SkipReason::DeadlinePassed, BuildErrorType::SystemError),
        (RunEnding::Interrupted { signal: 2 }, SkipReason::SpecificationError, BuildErrorType::SystemError),
    ] {
        let error = of_run(ending, &[skipped(reason)]);
        assert_eq!((error.kind, error.message.as_str()), (kind, "why"));
    }
}

mod agent;

mod system;

mod verification;

//! Compares two judged runs of a task: what is new, gone, flaky and slower. Findings and tests are the same ones as for a
//! baseline ([`referee_judge::baseline`]), so a finding that moved is no difference. [`crate::comparison`] compares a run
//! in CI with an attestation.

use std::collections::BTreeSet;

use referee_judge::baseline::{self, Sorted};
use referee_model::baseline::{ActionBaseline, KnownTests};
use referee_model::id::Digest;
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Plan};
use referee_model::reading::{Level, TestFailure, TestStatus};
use referee_model::report::{ActionReport, Ran, Report};
use referee_report::run_comparison::{
    ComparedRun, Difference, DifferenceKind, FlakyBecause, FlakyCheck, InputsComparison, RunComparison, SlowerAction,
    SlowerThan,
};
use referee_syntax::count::count;

/// Compares two runs of one task. The directories are those that the answer names.
///
/// | an action, before and after       | its findings and tests                                  |
/// |-----------------------------------|---------------------------------------------------------|
/// | ran both times                    | compared                                                |
/// | ran after only                    | all are new                                             |
/// | ran before only                   | none is gone: whether they still stand is not known     |
pub fn compare(before: (&Report, String), after: (&Report, String), slower_than: SlowerThan) -> RunComparison {
    let ((then, then_directory), (now, now_directory)) = (before, after);
    let inputs = inputs(then, now);
    let same_specification = then.plan.specification.digest == now.plan.specification.digest;
    let mut found = RunComparison {
        task_id: now.plan.task.clone(),
        before: run(then, then_directory),
        after: run(now, now_directory),
        inputs,
        same_specification,
        new: Vec::new(),
        gone: Vec::new(),
        flaky: Vec::new(),
        slower: Vec::new(),
        slower_than,
        notes: Vec::new(),
    };
    let is_repeated = inputs == InputsComparison::Same && same_specification;
    let mut matched = BTreeSet::new();
    for action in &now.actions {
        let earlier = counterpart(&then.plan, &now.plan, &action.action);
        let earlier = earlier.and_then(|known| then.actions.iter().find(|earlier| earlier.action.id == known.id));
        matched.extend(earlier.map(|earlier| earlier.action.id.clone()));
        pair(earlier, action, is_repeated, &mut found);
    }
    for missing in then.actions.iter().filter(|earlier| !matched.contains(&earlier.action.id)) {
        found.notes.push(format!("{} is not part of the later run", called(&missing.action)));
    }
    found
}

fn run(report: &Report, directory: String) -> ComparedRun {
    ComparedRun {
        execution_id: report.run.execution.clone(),
        ended_at: report.run.ended,
        decision: report.verdict.decision,
        reduced: report.is_reduced(),
        directory,
    }
}

fn inputs(before: &Report, after: &Report) -> InputsComparison {
    match (tree(before), tree(after)) {
        (Some(before), Some(after)) if before == after => InputsComparison::Same,
        (Some(_), Some(_)) => InputsComparison::Different,
        _ => InputsComparison::Unknown,
    }
}

/// Returns the digest of the inputs. None: not known, or they changed while the run was made.
fn tree(report: &Report) -> Option<Digest> {
    let tree = report.run.run_context.tree.as_ref()?;
    (tree.before == tree.after).then_some(tree.after.digest)
}

/// Returns the action of the earlier plan that a later one is: by name where it is the only one of its name in both, else
/// by name and id.
fn counterpart<'plan>(then: &'plan Plan, now: &Plan, action: &Action) -> Option<&'plan Action> {
    let is_namesake = |other: &&Action| other.name == action.name;
    let namesakes = |plan: &Plan| plan.actions.iter().filter(is_namesake).count();
    match (namesakes(then), namesakes(now)) {
        (1, 1) => then.actions.iter().find(is_namesake),
        _ => then.actions.iter().find(|other| is_namesake(other) && other.id == action.id),
    }
}

/// Compares an action with itself in the earlier run.
fn pair(then: Option<&ActionReport>, now: &ActionReport, is_repeated: bool, found: &mut RunComparison) {
    let earlier = then.and_then(|then| Some(Side { action: &then.action, ran: then.ran()? }));
    let Some(ran) = now.ran() else {
        if earlier.is_some() {
            let action = called(&now.action);
            found.notes.push(format!("{action} ran before and not after: what it showed is not known to be gone"));
        }
        return;
    };
    let side = Side { action: &now.action, ran };
    if then.is_some() && earlier.is_none() {
        found.notes.push(format!("{} did not run before: all that it shows is new", called(side.action)));
    }
    let new = missing(side, earlier, "new", &mut found.notes);
    let gone = match earlier {
        Some(earlier) => gone(earlier, side, &mut found.notes),
        None => Vec::new(),
    };
    if let Some(earlier) = earlier.filter(|_| is_repeated) {
        let tests = new.iter().chain(&gone).filter(|entry| entry.kind == DifferenceKind::Test);
        let turned = tests.filter(|test| has_passed(earlier, test) || has_passed(side, test));
        let mut names: BTreeSet<Option<String>> = turned.map(|test| test.code.clone()).collect();
        if names.is_empty() && has_failed(earlier) != has_failed(side) {
            names.insert(None);
        }
        let because = FlakyBecause::OtherResultOfSameInputs;
        found.flaky.extend(names.into_iter().map(|test| flaky(side.action, test, because)));
    }
    if ran.judgement.flaky || earlier.is_some_and(|earlier| earlier.ran.judgement.flaky) {
        found.flaky.push(flaky(side.action, None, FlakyBecause::PassedWhenRetried));
    }
    found.slower.extend(earlier.and_then(|earlier| slower(earlier, side, found.slower_than)));
    found.new.extend(new);
    found.gone.extend(gone);
}

/// An action that ran, in one of the runs.
#[derive(Clone, Copy)]
struct Side<'report> {
    action: &'report Action,
    ran: &'report Ran,
}

/// Returns what one side shows and the other does not: findings and failed tests, or else the failure of the action itself.
fn missing(side: Side<'_>, other: Option<Side<'_>>, word: &str, notes: &mut Vec<String>) -> Vec<Difference> {
    let known = other.map(|other| baseline::shown(other.action, other.ran));
    let mut differences = findings(side, known.as_ref(), word, notes);
    differences.extend(tests(side, known.as_ref().and_then(|known| known.tests.as_ref()), other));
    let outcome = |side: Side<'_>| has_failed(side).then_some(side.ran.judgement.outcome);
    let is_new_failure = has_failed(side) && outcome(side) != other.and_then(outcome);
    if differences.is_empty() && is_new_failure {
        differences.push(failure(side));
    }
    differences
}

/// Returns what no longer stands. A tool that did not work hides what it would have shown, so nothing of that is gone.
fn gone(then: Side<'_>, now: Side<'_>, notes: &mut Vec<String>) -> Vec<Difference> {
    let mut gone = missing(then, Some(now), "gone", notes);
    let judgement = &now.ran.judgement;
    let has_worked = match judgement.cause.unwrap_or(judgement.outcome) {
        Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure => true,
        Outcome::ExecutionError | Outcome::Timeout | Outcome::PrerequisiteFailure | Outcome::SpecificationError => {
            false
        }
    };
    if !has_worked && !gone.is_empty() {
        notes.push(format!("{} did not work after: what it showed before is not known to be gone", called(now.action)));
        gone.clear();
    }
    for test in gone.iter_mut().filter(|entry| entry.kind == DifferenceKind::Test) {
        test.status = status(now, test.code.as_deref().unwrap_or_default(), test.file.as_deref());
    }
    gone
}

fn findings(side: Side<'_>, known: Option<&ActionBaseline>, word: &str, notes: &mut Vec<String>) -> Vec<Difference> {
    let reading = &side.ran.reading;
    let nothing = ActionBaseline {
        action: side.action.id.clone(),
        name: side.action.name.clone(),
        exit_code: 0,
        findings: [].into(),
        unlisted: [].into(),
        tests: None,
        notes: Vec::new(),
    };
    let Sorted { standing, .. } = baseline::sort(known.unwrap_or(&nothing), side.action, reading);
    let listed = standing.new_findings.iter().filter_map(|at| reading.diagnostics.get(*at));
    let differences: Vec<Difference> = listed
        .map(|found| Difference {
            kind: DifferenceKind::Finding,
            file: found.file.clone(),
            line: found.line,
            column: found.column,
            code: found.code.clone(),
            severity: found.level,
            message: found.message.clone(),
            ..failure(side)
        })
        .collect();
    let unlisted = (standing.new.errors.saturating_add(standing.new.warnings)).saturating_sub(differences.len() as u64);
    if unlisted > 0 {
        let counted = count(unlisted, "finding");
        notes.push(format!(
            "{}: {counted} more {word}, which the evidence does not keep one by one",
            called(side.action)
        ));
    }
    differences
}

fn tests(side: Side<'_>, known: Option<&KnownTests>, other: Option<Side<'_>>) -> Vec<Difference> {
    let Some(results) = &side.ran.reading.tests else { return Vec::new() };
    let nothing = KnownTests { ran: 0, suites_failed: 0, failed: Vec::new() };
    let new = baseline::sort_tests(known.unwrap_or(&nothing), results).new;
    let failures = new.iter().filter_map(|at| results.failures.get(*at));
    // A suite that never ran is in no baseline.
    let is_known = |failure: &&TestFailure| failure.suite && other.is_some_and(|other| has_suite(other, failure));
    failures
        .filter(|failure| !is_known(failure))
        .map(|test| Difference {
            kind: DifferenceKind::Test,
            file: test.file.clone(),
            line: test.line,
            column: test.column,
            code: Some(test.name.clone()),
            message: test.message.clone(),
            severity: Level::Error,
            ..failure(side)
        })
        .collect()
}

fn has_suite(side: Side<'_>, suite: &TestFailure) -> bool {
    let tests = side.ran.reading.tests.as_ref();
    tests.is_some_and(|tests| tests.failures.iter().any(|failure| failure.suite && failure.name == suite.name))
}

/// Returns the status of a test in a run. None: the runner does not name it.
fn status(side: Side<'_>, name: &str, file: Option<&str>) -> Option<TestStatus> {
    let tests = side.ran.reading.tests.as_ref()?;
    let is_of_file = |other: Option<&str>| other.is_none() || file.is_none() || other == file;
    let case = tests.cases.iter().find(|case| is_of_file(case.file.as_deref()) && case.full_name() == name)?;
    Some(case.status)
}

fn has_passed(side: Side<'_>, test: &Difference) -> bool {
    let name = test.code.as_deref().unwrap_or_default();
    status(side, name, test.file.as_deref()) == Some(TestStatus::Passed)
}

fn has_failed(side: Side<'_>) -> bool {
    side.ran.judgement.outcome != Outcome::Success && !side.ran.judgement.expected
}

/// Returns the failure of an action as a whole.
fn failure(side: Side<'_>) -> Difference {
    let judgement = &side.ran.judgement;
    Difference {
        kind: DifferenceKind::Action,
        action_id: side.action.id.clone(),
        action_name: side.action.name.clone(),
        file: None,
        line: None,
        column: None,
        code: Some(judgement.rule.as_str().to_owned()),
        severity: if judgement.blocking { Level::Error } else { Level::Warning },
        message: judgement.reason.clone(),
        status: None,
    }
}

fn flaky(action: &Action, test: Option<String>, because: FlakyBecause) -> FlakyCheck {
    FlakyCheck { action_id: action.id.clone(), action_name: action.name.clone(), test, because }
}

fn slower(then: Side<'_>, now: Side<'_>, slower_than: SlowerThan) -> Option<SlowerAction> {
    let (before, after) = (then.ran.record.span.duration_ms, now.ran.record.span.duration_ms);
    slower_than.is_exceeded(before, after).then(|| SlowerAction {
        action_id: now.action.id.clone(),
        action_name: now.action.name.clone(),
        before,
        after,
    })
}

fn called(action: &Action) -> String {
    format!("{} {}", action.id, action.name)
}

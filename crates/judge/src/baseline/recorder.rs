//! Recording of a baseline from a judged run.

use std::collections::BTreeMap;

use referee_model::baseline::{ActionBaseline, KnownFinding, KnownTest, KnownTests, TaskBaseline};
use referee_model::fingerprint::Fingerprint;
use referee_model::limit::BASELINE_MESSAGE_CHARACTERS;
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Phase, Role};
use referee_model::reading::{CountAuthority, Level, Reading, TestResults};
use referee_model::record::{CommandFacts, Ending, Facts, RunEnding};
use referee_model::report::{ActionHistory, Ran, Report};
use referee_syntax::cut::first_line;

use super::findings::unlisted;
use super::{is_own, notes};
use crate::fingerprint;
use crate::skip;

/// A recorded baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedBaseline {
    pub baseline: TaskBaseline,
    /// Remarks on the baseline, one sentence each.
    pub notes: Vec<String>,
}

/// Records a baseline from a run.
///
/// | the run                                                                                 | is         |
/// |-----------------------------------------------------------------------------------------|------------|
/// | was interrupted, or Referee failed                                                      | refused    |
/// | has a prerequisite or step with the outcome EXECUTION_ERROR, TIMEOUT, PREREQUISITE_FAILURE or SPECIFICATION_ERROR, and not as expected | refused |
/// | has no step that ran                                                                    | refused    |
/// | left something out, or failed as expected somewhere                                     | recorded, with a note: nothing of that is known |
/// | any other, whether it passed or not                                                     | recorded   |
///
/// # Errors
/// Returns the reasons for refusal, one sentence each: the baseline of a run that did not work would lack the
/// findings that the run hid.
pub fn take(report: &Report) -> Result<RecordedBaseline, Vec<String>> {
    let refused = unusable(report);
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut taken = RecordedBaseline {
        baseline: TaskBaseline {
            specification: report.plan.specification.file.clone(),
            execution: report.run.execution.clone(),
            made: report.run.ended,
            actions: Vec::new(),
        },
        notes: Vec::new(),
    };
    for of_action in report.actions.iter().filter(|of_action| of_action.action.phase != Phase::Cleanup) {
        let action = &of_action.action;
        let (id, name) = (&action.id, &action.name);
        match &of_action.history {
            ActionHistory::Ran(ran) if ran.judgement.expected => taken.notes.push(format!(
                "{id} {name} failed as is expected of it: what is expected to fail now is to be fixed, and is not known"
            )),
            ActionHistory::Ran(ran) => {
                let entry = of_ran(action, ran);
                if entry.as_ref().is_some_and(|entry| !entry.notes.is_empty()) {
                    let said = ran.reading.notes.join("; ");
                    taken.notes.push(format!("{id} {name} may not have been read whole: {}", first_line(&said, 300)));
                }
                taken.baseline.actions.extend(entry);
            }
            ActionHistory::Skipped(reason) => taken
                .notes
                .push(format!("{id} {name} never ran, so that nothing of it is known: {}", skip::because(reason))),
        }
    }
    Ok(taken)
}

fn unusable(report: &Report) -> Vec<String> {
    let mut refused = Vec::new();
    match &report.run.ending {
        RunEnding::Finished => {}
        RunEnding::Interrupted { signal } => refused.push(format!("the run was interrupted by signal {signal}")),
        RunEnding::Failed { message } => refused.push(format!("Referee itself failed in this run: {message}")),
    }
    let ran = report.actions.iter().filter_map(|of_action| Some((&of_action.action, of_action.ran()?)));
    let counted: Vec<_> = ran.filter(|(action, _)| action.phase != Phase::Cleanup).collect();
    for (action, ran) in &counted {
        let judgement = &ran.judgement;
        let worked = match judgement.outcome {
            Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure => true,
            Outcome::ExecutionError | Outcome::Timeout | Outcome::PrerequisiteFailure | Outcome::SpecificationError => {
                judgement.expected
            }
        };
        if !worked {
            let (id, name, outcome) = (&action.id, &action.name, judgement.outcome.as_str());
            refused.push(format!("{id} {name} came out as {outcome}: {}", judgement.reason));
        }
    }
    if refused.is_empty() && !counted.iter().any(|(action, _)| action.phase == Phase::Step) {
        refused.push("no step of it ran".to_owned());
    }
    refused
}

/// Records the findings in the output of an action. None: the command has no role that baselines cover, or its
/// output was not read by the reader of its tool.
fn of_ran(action: &Action, ran: &Ran) -> Option<ActionBaseline> {
    let Facts::Command(facts) = &ran.record.facts else { return None };
    let Ending::Exited { code } = facts.ending else { return None };
    let reading = &ran.reading;
    if !is_own(reading) {
        return None;
    }
    let is_test = match ran.judgement.role? {
        Role::Test => true,
        Role::Typecheck | Role::Lint | Role::Format | Role::Compile => false,
        Role::Other => return None,
    };
    Some(ActionBaseline {
        action: action.id.clone(),
        name: action.name.clone(),
        exit_code: code,
        findings: if is_test { BTreeMap::new() } else { findings(action, reading) },
        unlisted: if is_test { BTreeMap::new() } else { unlisted(reading) },
        tests: reading.tests.as_ref().filter(|_| is_test).and_then(|results| tests(action, results)),
        notes: notes(reading),
    })
}

/// Returns what an action showed, for a comparison with another run of it. Unlike a baseline it is of any reader, role and
/// ending, and excuses nothing.
pub fn shown(action: &Action, ran: &Ran) -> ActionBaseline {
    let reading = &ran.reading;
    let exit_code = match &ran.record.facts {
        Facts::Command(CommandFacts { ending: Ending::Exited { code }, .. }) => *code,
        _ => -1,
    };
    ActionBaseline {
        action: action.id.clone(),
        name: action.name.clone(),
        exit_code,
        findings: findings(action, reading),
        unlisted: unlisted(reading),
        tests: reading.tests.as_ref().map(|results| failed(action, results)),
        notes: notes(reading),
    }
}

fn findings(action: &Action, reading: &Reading) -> BTreeMap<Fingerprint, KnownFinding> {
    let mut findings: BTreeMap<Fingerprint, KnownFinding> = BTreeMap::new();
    for found in reading.diagnostics.iter().filter(|found| found.level != Level::Info) {
        let known = findings.entry(fingerprint::of_finding(action, found)).or_insert_with(|| KnownFinding {
            errors: 0,
            warnings: 0,
            file: found.file.clone(),
            code: found.code.clone(),
            message: first_line(&found.message, BASELINE_MESSAGE_CHARACTERS),
        });
        match found.level {
            Level::Error => known.errors += 1,
            Level::Warning | Level::Info => known.warnings += 1,
        }
    }
    findings
}

/// Records the tests of a runner that reports how many ran.
fn tests(action: &Action, results: &TestResults) -> Option<KnownTests> {
    let is_summed_up = match results.authority {
        CountAuthority::Summary | CountAuthority::MachineReport | CountAuthority::Unnumbered => true,
        CountAuthority::Lines => false,
    };
    is_summed_up.then(|| failed(action, results))
}

/// Returns the failed tests, and how many ran as far as is known.
fn failed(action: &Action, results: &TestResults) -> KnownTests {
    let failed = results.failures.iter().filter(|failure| !failure.suite).map(|failure| KnownTest {
        fingerprint: fingerprint::of_test(action, &results.framework, failure),
        name: failure.name.clone(),
        file: failure.file.clone(),
        message: first_line(&failure.message, BASELINE_MESSAGE_CHARACTERS),
    });
    KnownTests {
        ran: results.counts.passed.saturating_add(results.counts.failed),
        suites_failed: results.suites.map_or(0, |suites| suites.failed),
        failed: failed.collect(),
    }
}

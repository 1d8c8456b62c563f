//! Whether checks still report planted defects that they are known to report.
//!
//! | the check, over the planted defect      | and                                                            | the defect is |
//! |------------------------------------------|----------------------------------------------------------------|---------------|
//! | reports it by a test that did so before  | any                                                            | noticed       |
//! | does not pass otherwise                  | it passes with an empty comment instead of the defect          | noticed       |
//! | does not pass otherwise                  | it does not pass with that either: it reports any edit         | doubtful      |
//! | passes twice                             | with all but the sources as it was learned, it reports it, and without the defect passes | missed |
//! | passes twice                             | with all but the sources as it was learned, it passes          | no longer valid |
//! | passes twice                             | that cannot be run                                             | doubtful      |
//! | unknown                                  | any                                                            | no longer valid |
//!
//! If the tests that reported a defect can be run alone, they are, first with the defect and then with the
//! comment; if that does not show that it is noticed, the whole check is run as above. Only test checks are run
//! with a comment.
//!
//! A check is hollow if it missed a defect, or if it noticed none and three are doubtful. If one is doubtful or
//! no longer valid, another one is drawn.

use referee_model::run_context::probe::{ProbeResult, ProbeTree};
use referee_model::run_context::probe_audit::{CheckAudit, ProbeAttempt, ProbeAudit};

use super::probe::short;

/// Number of doubtful defects for which a check that noticed none is hollow.
const DOUBTFUL_MAX: usize = 3;

/// Maximum number of further defects planted for one check, beside those that it has to report.
const FURTHER_MAX: usize = 5;

/// Next step of the audit of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditStep {
    /// The check must be run with the last drawn defect, in this tree.
    Run(ProbeTree),
    /// Another defect must be drawn.
    Draw,
    Done(AuditConclusion),
}

/// Conclusion of the audit of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditConclusion {
    /// The check reports planted defects.
    Holds,
    /// The check passes with a planted defect in this file.
    Hollow { path: String },
    /// The result is unknown, for this reason.
    Unknown(String),
}

/// Result of one defect.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AttemptOutcome {
    Noticed,
    Missed,
    Doubtful,
    /// The defect says nothing about the check, for this reason.
    Void(String),
    /// A run in this tree is needed.
    Open(ProbeTree),
}

/// Returns the next step of the audit of a check. `has_commit` is whether the tree in which the set was learned
/// is available.
pub fn step(check: &CheckAudit, has_commit: bool) -> AuditStep {
    let outcomes: Vec<AttemptOutcome> =
        check.attempts.iter().map(|attempt| outcome(check, attempt, has_commit)).collect();
    if let Some(AttemptOutcome::Open(tree)) = outcomes.last() {
        return AuditStep::Run(*tree);
    }
    let count = |wanted: &AttemptOutcome| outcomes.iter().filter(|outcome| *outcome == wanted).count();
    let missed = outcomes.iter().position(|outcome| *outcome == AttemptOutcome::Missed);
    let noticed = count(&AttemptOutcome::Noticed);
    let doubtful = count(&AttemptOutcome::Doubtful);
    let hollow = |at: usize| {
        let path = check.attempts.get(at).map(|attempt| attempt.path.clone()).unwrap_or_default();
        AuditStep::Done(AuditConclusion::Hollow { path })
    };
    if let Some(at) = missed {
        return hollow(at);
    }
    if noticed == 0 && doubtful >= DOUBTFUL_MAX {
        let last = outcomes.iter().rposition(|outcome| *outcome == AttemptOutcome::Doubtful);
        return hollow(last.unwrap_or_default());
    }
    let wanted = usize::try_from(check.wanted).unwrap_or(usize::MAX);
    let attempts_max = wanted.saturating_add(FURTHER_MAX);
    let is_enough = noticed >= wanted;
    if noticed > 0 && (is_enough || check.is_exhausted || outcomes.len() >= attempts_max) {
        return AuditStep::Done(AuditConclusion::Holds);
    }
    if !check.is_exhausted && outcomes.len() < attempts_max {
        return AuditStep::Draw;
    }
    let why = outcomes.iter().rev().find_map(|outcome| match outcome {
        AttemptOutcome::Void(reason) => Some(reason.clone()),
        _ => None,
    });
    AuditStep::Done(AuditConclusion::Unknown(if doubtful > 0 {
        "it passed over a planted defect, and whether it did so before cannot be told".to_owned()
    } else {
        why.unwrap_or_else(|| "no probe that was learned fits the tree".to_owned())
    }))
}

fn outcome(check: &CheckAudit, attempt: &ProbeAttempt, has_commit: bool) -> AttemptOutcome {
    let of = |tree: ProbeTree| attempt.runs.iter().filter(move |run| run.tree == tree).map(|run| &run.result);
    let is_by_reporters =
        |result: &ProbeResult| matches!(result, ProbeResult::Failed { tests, .. } if !tests.is_empty());
    let mut reports_any_edit = false;
    if attempt.is_selectable {
        match (of(ProbeTree::PlantedSelected).next(), of(ProbeTree::NeutralSelected).next()) {
            (None, _) => return AttemptOutcome::Open(ProbeTree::PlantedSelected),
            (Some(planted), None) if is_by_reporters(planted) => {
                return AttemptOutcome::Open(ProbeTree::NeutralSelected);
            }
            (Some(planted), Some(ProbeResult::Passed)) if is_by_reporters(planted) => return AttemptOutcome::Noticed,
            (_, neutral) => reports_any_edit = neutral.is_some(),
        }
    }
    let mut planted = of(ProbeTree::Planted);
    match (planted.next(), planted.next()) {
        (None, _) | (Some(ProbeResult::Passed), None) => AttemptOutcome::Open(ProbeTree::Planted),
        (Some(failed @ ProbeResult::Failed { .. }), _)
        | (Some(ProbeResult::Passed), Some(failed @ ProbeResult::Failed { .. })) => {
            if !check.runs_tests || (is_by_reporters(failed) && !reports_any_edit) {
                return AttemptOutcome::Noticed;
            }
            match of(ProbeTree::Neutral).next() {
                None => AttemptOutcome::Open(ProbeTree::Neutral),
                Some(ProbeResult::Passed) => AttemptOutcome::Noticed,
                Some(ProbeResult::Failed { .. }) => AttemptOutcome::Doubtful,
                Some(ProbeResult::Unusable { reason }) => AttemptOutcome::Void(reason.clone()),
            }
        }
        (Some(ProbeResult::Unusable { reason }), _) | (_, Some(ProbeResult::Unusable { reason })) => {
            AttemptOutcome::Void(reason.clone())
        }
        (Some(ProbeResult::Passed), Some(ProbeResult::Passed)) if !has_commit => AttemptOutcome::Doubtful,
        (Some(ProbeResult::Passed), Some(ProbeResult::Passed)) => {
            missed(of(ProbeTree::PlantedBefore), of(ProbeTree::Before))
        }
    }
}

/// Classifies a defect with which a check passed twice, by the tests of the learned commit.
fn missed<'a>(
    mut planted_before: impl Iterator<Item = &'a ProbeResult>,
    mut before: impl Iterator<Item = &'a ProbeResult>,
) -> AttemptOutcome {
    match (planted_before.next(), before.next()) {
        (None, _) => AttemptOutcome::Open(ProbeTree::PlantedBefore),
        (Some(ProbeResult::Passed), _) => {
            AttemptOutcome::Void("the defect changes nothing that the check looks at any more".to_owned())
        }
        (Some(ProbeResult::Failed { .. }), None) => AttemptOutcome::Open(ProbeTree::Before),
        (Some(ProbeResult::Failed { .. }), Some(ProbeResult::Passed)) => AttemptOutcome::Missed,
        (Some(ProbeResult::Failed { .. } | ProbeResult::Unusable { .. }), _) => AttemptOutcome::Doubtful,
    }
}

/// Returns the conclusion of the audit of a check; an incomplete one is unknown.
fn conclusion(check: &CheckAudit, has_commit: bool) -> AuditConclusion {
    match step(check, has_commit) {
        AuditStep::Done(conclusion) => conclusion,
        AuditStep::Run(_) | AuditStep::Draw => AuditConclusion::Unknown("it was left midway".to_owned()),
    }
}

/// Returns the file of a doubtful defect. None: there is none.
fn doubtful(check: &CheckAudit, has_commit: bool) -> Option<&str> {
    let is_doubtful = |attempt: &&ProbeAttempt| outcome(check, attempt, has_commit) == AttemptOutcome::Doubtful;
    check.attempts.iter().find(is_doubtful).map(|attempt| attempt.path.as_str())
}

/// Findings of an audit.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AuditFindings {
    /// Hollow checks, one sentence each.
    pub hollow: Vec<String>,
    /// Checks whose result is unknown, one sentence each.
    pub unknown: Vec<String>,
}

/// Returns the findings of an audit. They do not reveal the planted defect: the next attempt could be fitted to it.
pub fn findings(audit: &ProbeAudit) -> AuditFindings {
    let mut findings = AuditFindings::default();
    let since = match &audit.commit {
        Some(commit) => format!("at {}", short(commit)),
        None => format!("on {}", audit.learned),
    };
    for check in &audit.checks {
        let name = &check.name;
        match conclusion(check, audit.commit.is_some()) {
            AuditConclusion::Holds => findings.unknown.extend(doubtful(check, audit.commit.is_some()).map(|path| {
                format!(
                    "{name} passes over a planted defect in {path} that it noticed {since}; whether its tests or the code is to \
                     blame cannot be told (probe)"
                )
            })),
            AuditConclusion::Hollow { path } => findings
                .hollow
                .push(format!("{name} no longer notices a planted defect in {path} (it did {since}) (probe)")),
            AuditConclusion::Unknown(reason) => findings
                .unknown
                .push(format!("whether {name} still notices planted defects could not be asked: {reason} (probe)")),
        }
    }
    if let Some(obstacle) = &audit.obstacle {
        let reason = &obstacle.reason;
        findings
            .unknown
            .push(format!("whether checks still notice planted defects could not be asked: {reason} (probe)"));
    }
    findings
}

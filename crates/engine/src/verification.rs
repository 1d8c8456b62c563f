//! Verifies whether a directory of evidence can be trusted, on separate axes, each with its own reasons.

use std::path::Path;

use referee_ledger::chain_status::ChainStatus;
use referee_ledger::evidence::Evidence;
use referee_ledger::key::PublicKey;
use referee_ledger::trust::TrustStore;
use referee_ledger::verify::{self, Finding, Integrity};
use referee_ledger::{LedgerError, State, Store, Unfinished};
use referee_model::evidence_name;
use referee_model::id::{Digest, TaskId};
use referee_model::report::JUDGE_VERSION;
use referee_model::report::report_document::Sealed;
use referee_model::seal::Seal;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use referee_model::verification_policy::VerificationPolicy;
use referee_report::evidence_verification::{self, EvidenceVerificationDocument, VerifiedAxis, VerifiedState};

use crate::agreement;
use crate::error::EngineError;
use crate::replay::{self, Replay};

mod attested;
mod chain;
mod freshness;
mod policy;
mod signature;
mod trust;

pub use self::freshness::freshness;
pub use self::policy::Signer;

/// Request to verify evidence.
#[derive(Debug, Clone, Copy)]
pub struct VerifyRequest<'request> {
    /// The directory of evidence.
    pub directory: &'request Path,
    /// Whether the evidence is judged again.
    pub replay: bool,
    /// The user's state directory, which is only read. `None`: there is none, so only what the directory itself
    /// says is known.
    pub state: Option<&'request State>,
    /// Keys and trust store to verify with.
    pub verifier: &'request Verifier,
}

/// Result of a verification.
#[derive(Debug)]
pub struct Verification {
    /// The axes, in the order in which they were checked.
    pub axes: Vec<Axis>,
    /// The decision in the directory's report. `None`: it cannot be read.
    pub decision: Option<Decision>,
    /// Signers whose signatures were verified and who are trusted by the verifier's trust store.
    pub signers: Vec<Signer>,
}

/// One axis of trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Name of the axis.
    pub name: &'static str,
    /// Result on this axis.
    pub state: AxisState,
    /// The reasons, one or more sentences.
    pub reasons: Vec<String>,
}

/// Result on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisState {
    /// The axis was verified.
    Holds,
    /// The axis was not checked, or nothing can be said about it.
    Unknown,
    /// The axis cannot be verified: something is missing or unreadable, but nothing proves a change.
    Unverifiable,
    /// Something was changed.
    Broken,
}

/// Outcome of a verification (design, "Exit codes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationOutcome {
    /// Authentic, and the run passed.
    Passed,
    /// Authentic, and the run did not pass.
    Failed,
    /// The evidence cannot be verified.
    Unverifiable,
    /// The evidence was changed after it was sealed.
    Tampered,
}

impl VerificationOutcome {
    /// Returns the outcome in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "authentic, and the run passed",
            Self::Failed => "authentic, and the run did not pass",
            Self::Unverifiable => "not verifiable",
            Self::Tampered => "modified after it was sealed",
        }
    }

    /// Returns the exit code of `referee evidence verify` (design, "Exit codes").
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Unverifiable => 3,
            Self::Tampered => 4,
        }
    }
}

impl Verification {
    /// Checks the verification against a policy. A requirement that is not met makes the evidence unverifiable
    /// under that policy.
    pub fn hold_to(&mut self, policy: &VerificationPolicy, directory: &Path, now: Timestamp) {
        let axis = policy::requirements(policy, directory, &self.axes, &self.signers, now);
        self.axes.push(axis);
    }

    /// Returns the verification as a document.
    pub fn document(&self) -> EvidenceVerificationDocument {
        let standing = self.standing();
        let axes = self.axes.iter().map(|axis| VerifiedAxis {
            name: axis.name.to_owned(),
            state: match axis.state {
                AxisState::Holds => VerifiedState::Holds,
                AxisState::Unknown => VerifiedState::Unknown,
                AxisState::Unverifiable => VerifiedState::Unverifiable,
                AxisState::Broken => VerifiedState::Broken,
            },
            reasons: axis.reasons.clone(),
        });
        evidence_verification::document(standing.as_str(), standing.exit_code(), self.decision, axes.collect())
    }

    /// Returns the outcome of all axes; the worst one decides.
    pub fn standing(&self) -> VerificationOutcome {
        let any = |state| self.axes.iter().any(|axis| axis.state == state);
        if any(AxisState::Broken) {
            VerificationOutcome::Tampered
        } else if any(AxisState::Unverifiable) {
            VerificationOutcome::Unverifiable
        } else {
            match self.decision {
                Some(Decision::Pass) => VerificationOutcome::Passed,
                Some(Decision::Fail | Decision::Blocked) => VerificationOutcome::Failed,
                None => VerificationOutcome::Unverifiable,
            }
        }
    }
}

/// The verifier: required signatures, and trusted keys.
#[derive(Debug)]
pub struct Verifier {
    /// Keys of which one must have signed. Empty: no signature is required.
    pub keys: Vec<PublicKey>,
    /// The verifier's trust store, or why there is none that can be trusted.
    pub trust: Result<TrustStore, String>,
    /// The verifier's current time.
    pub now: Timestamp,
}

impl Verifier {
    /// Returns a verifier that trusts no key and requires no signature.
    pub fn nobody() -> Self {
        Self { keys: Vec::new(), trust: Ok(TrustStore::default()), now: Timestamp::from_millisecond(0) }
    }
}

/// Verifies a directory of evidence.
///
/// # Errors
/// Fails only if the directory cannot be read at all.
pub fn verify(request: &VerifyRequest<'_>) -> Result<Verification, EngineError> {
    let VerifyRequest { directory, replay: with_replay, state, verifier } = *request;
    let sealed_files = verify::integrity(directory)?;
    let task = sealed_files.seal.as_ref().map(|seal| seal.task_id.clone()).or_else(|| named(directory));
    let survey = task.map(|task| Store::survey(directory, &task, state));
    let mut axes = vec![integrity(&sealed_files, survey.as_ref())];
    let evidence = Evidence::open(directory)?;
    let sealed = evidence
        .read(evidence_name::EXECUTION_REPORT)
        .ok()
        .and_then(|bytes| referee_model::report::report_document::read(&bytes).ok().map(|sealed| (bytes, sealed)));
    axes.push(report_hash(sealed.as_ref()));
    axes.push(finished(directory, sealed.as_ref().map(|(_, sealed)| sealed), state));
    axes.push(chain::axis(survey.as_ref(), state.is_some()));
    let attested = attested::look(&evidence, sealed_files.seal.as_ref(), verifier);
    axes.push(signature::axis(&attested, verifier));
    axes.push(trust::axis(&attested, verifier));
    axes.extend(reduced(sealed.as_ref().map(|(bytes, _)| bytes.as_slice())));
    axes.extend(held_against(sealed.as_ref().map(|(bytes, _)| bytes.as_slice())));
    if with_replay {
        axes.extend(replayed(&evidence, sealed_files.seal.as_ref(), sealed.as_ref().map(|(_, sealed)| sealed)));
    } else if let Some(seal) = &sealed_files.seal {
        axes.push(headers(&evidence, seal, sealed.as_ref().map(|(_, sealed)| sealed.judge_version.as_str())));
    }
    let signers = trust::believed(&attested, verifier);
    Ok(Verification { axes, decision: sealed.map(|(_, sealed)| sealed.decision), signers })
}

/// Returns whether the statements about a run are signed by a key and unchanged.
pub(crate) fn is_signed_by(evidence: &Evidence, seal: &Seal, key: Digest) -> bool {
    let attested = attested::look(evidence, Some(seal), &Verifier::nobody());
    let is_whole = attested.broken.is_empty() && attested.unreadable.is_none();
    is_whole && attested.signers.iter().any(|signer| signer.digest() == key)
}

/// Returns the task that a directory, or its parent as in the history, is named after.
fn named(directory: &Path) -> Option<TaskId> {
    let names = directory.ancestors().take(2).filter_map(|path| path.file_name()?.to_str());
    names.into_iter().find_map(|name| TaskId::parse(name).ok())
}

fn integrity(integrity: &Integrity, survey: Option<&Result<Option<ChainStatus>, LedgerError>>) -> Axis {
    let in_history = matches!(survey, Some(Ok(Some(survey))) if survey.in_history);
    if let Some(tombstone) = &integrity.tombstone
        && in_history
        && integrity.unexplained().is_empty()
    {
        let (files, at, why) = (tombstone.removed.len(), tombstone.pruned_at, &tombstone.reason);
        let reason = format!("{files} of its files were removed on purpose at {at} ({why}): only its seal is left");
        return Axis { name: "integrity", state: AxisState::Unverifiable, reasons: vec![reason] };
    }
    let state = match (&integrity.seal, integrity.findings.is_empty()) {
        (Some(_), true) => AxisState::Holds,
        (Some(_), false) => AxisState::Broken,
        (None, _) => AxisState::Unverifiable,
    };
    let reasons = match &integrity.seal {
        Some(seal) if integrity.findings.is_empty() => {
            vec![format!("all {} files match the seal of {}", seal.files.len(), seal.sealed_at)]
        }
        _ => integrity.findings.iter().map(Finding::to_string).collect(),
    };
    Axis { name: "integrity", state, reasons }
}

fn report_hash(sealed: Option<&(Vec<u8>, Sealed)>) -> Axis {
    let (state, reason) = match sealed {
        None => (AxisState::Unverifiable, format!("{} cannot be read", evidence_name::EXECUTION_REPORT)),
        Some((bytes, _)) => match referee_model::report::report_document::verify_hash(bytes) {
            Ok(true) => (AxisState::Holds, "the report's own hash matches its content".to_owned()),
            Ok(false) => (AxisState::Broken, "the report's own hash does not match its content".to_owned()),
            Err(error) => (AxisState::Unverifiable, error.to_string()),
        },
    };
    Axis { name: "report", state, reasons: vec![reason] }
}

/// Returns the `finished` axis. A later run that was never sealed makes the task BLOCKED: an old pass never
/// counts for it.
fn finished(directory: &Path, sealed: Option<&Sealed>, state: Option<&State>) -> Axis {
    let axis = |state, reasons| Axis { name: "finished", state, reasons };
    let Some(sealed) = sealed else {
        return axis(AxisState::Unknown, vec!["the task is unknown, because no report can be read".to_owned()]);
    };
    let task = &sealed.task;
    let store = match Store::around(directory, task, state) {
        Ok(Some(store)) => store,
        Ok(None) => return elsewhere(directory, task),
        Err(error) => return axis(AxisState::Unverifiable, vec![error.to_string()]),
    };
    match store.unfinished(task) {
        Ok(later) if later.is_empty() => {
            axis(AxisState::Holds, vec![format!("no later run of {task} ended without a seal")])
        }
        Ok(later) => axis(AxisState::Unverifiable, later.iter().map(unfinished_reason).collect()),
        Err(error) => axis(AxisState::Unverifiable, vec![error.to_string()]),
    }
}

/// Returns the `finished` axis of a directory that is not in its task's place: a copy, or a run of the history.
/// Under the name of another task it is broken.
fn elsewhere(directory: &Path, task: &TaskId) -> Axis {
    let name = directory.file_name().and_then(|name| name.to_str()).and_then(|name| TaskId::parse(name).ok());
    let (state, reason) = match name {
        Some(other) if other != *task => {
            (AxisState::Broken, format!("the directory is named {other}, and holds the evidence of {task}"))
        }
        _ => (
            AxisState::Unknown,
            format!("this is not the evidence directory of {task}, so later runs of it are unknown"),
        ),
    };
    Axis { name: "finished", state, reasons: vec![reason] }
}

fn unfinished_reason(run: &Unfinished) -> String {
    let execution = &run.execution;
    if run.path.is_none() {
        format!(
            "{execution} of this task was started and never sealed, and its files were removed: BLOCKED until the \
             task is run again"
        )
    } else if run.live {
        format!("{execution} of this task is running now; this evidence speaks only of an earlier state")
    } else {
        format!("{execution} of this task was started and never sealed: BLOCKED until the task is run again")
    }
}

/// Returns the `scope` axis of a reduced run: it is authentic, but never counts as done (ruling 17).
fn reduced(report: Option<&[u8]>) -> Option<Axis> {
    let report: serde_json::Value = serde_json::from_slice(report?).ok()?;
    let scope = report.pointer("/executionSummary/scope")?;
    if scope.get("reduced")? != true {
        return None;
    }
    let profile = scope.get("profile").and_then(serde_json::Value::as_str).unwrap_or("unknown");
    let left_out = scope.get("leftOut").and_then(serde_json::Value::as_array).map_or(0, Vec::len);
    let reason = format!("a reduced run (profile {profile}, {left_out} actions left out): it never counts as done");
    Some(Axis { name: "scope", state: AxisState::Unknown, reasons: vec![reason] })
}

/// Returns the `baseline` axis of a run that was compared with a baseline: it is authentic, but known findings
/// did not block.
fn held_against(report: Option<&[u8]>) -> Option<Axis> {
    let report: serde_json::Value = serde_json::from_slice(report?).ok()?;
    let baseline = report.get("baseline").filter(|baseline| !baseline.is_null())?;
    let number = |key| baseline.get(key).and_then(serde_json::Value::as_u64).unwrap_or(0);
    let made = baseline.get("madeAt").and_then(serde_json::Value::as_str).unwrap_or("an unknown time");
    let (known, new) = (number("known"), number("new"));
    let reason = format!(
        "compared with the baseline of {made}: findings and failed tests that stood in it do not block ({known}; {new} are new)"
    );
    Some(Axis { name: "baseline", state: AxisState::Unknown, reasons: vec![reason] })
}

fn replayed(evidence: &Evidence, seal: Option<&Seal>, sealed: Option<&Sealed>) -> Vec<Axis> {
    let replay = match replay::replay(evidence) {
        Ok(replay) => replay,
        Err(failure) => {
            let reasons = vec![failure.to_string()];
            return vec![Axis { name: "replay", state: AxisState::Unverifiable, reasons }];
        }
    };
    let judge = sealed.map(|sealed| sealed.judge_version.as_str());
    let mut axes = vec![follows(evidence, &replay, judge)];
    if let Some(seal) = seal {
        axes.push(agreement(evidence, seal, &replay, judge));
    }
    axes
}

/// Returns what a difference proves: a change, or nothing under another version of the judge.
fn difference(judge: Option<&str>) -> AxisState {
    if judge == Some(JUDGE_VERSION) { AxisState::Broken } else { AxisState::Unverifiable }
}

fn follows(evidence: &Evidence, replay: &Replay, judge: Option<&str>) -> Axis {
    let name = "replay";
    let mut differing: Vec<String> = replay
        .derived
        .iter()
        .filter(|(file, bytes)| evidence.read(file).ok().as_ref() != Some(*bytes))
        .map(|(file, _)| format!("{file} is not what the evidence yields"))
        .collect();
    if differing.is_empty() {
        let files = replay.derived.len();
        let reason =
            format!("the report and what was read, {files} files in all, follow from the evidence byte for byte");
        return Axis { name, state: AxisState::Holds, reasons: vec![reason] };
    }
    if let Some(version) = judge.filter(|version| *version != JUDGE_VERSION) {
        differing.insert(
            0,
            format!("sealed under judge {version}, replayed under {JUDGE_VERSION}: a difference proves nothing"),
        );
    }
    Axis { name, state: difference(judge), reasons: differing }
}

/// Checks the cheap part of the agreement. Journal and records are checked only with a replay.
fn headers(evidence: &Evidence, seal: &Seal, judge: Option<&str>) -> Axis {
    let (state, reasons) = match agreement::of_headers(evidence, seal) {
        Ok(found) if found.is_empty() => {
            (AxisState::Holds, vec!["seal, plan and run tell of one run; --replay looks at the rest".to_owned()])
        }
        Ok(found) => (difference(judge), found),
        // Files that do not match the seal are reported by the `integrity` axis; these may be of another version.
        Err(failure) => (AxisState::Unknown, vec![failure.to_string()]),
    };
    Axis { name: "agreement", state, reasons }
}

fn agreement(evidence: &Evidence, seal: &Seal, replay: &Replay, judge: Option<&str>) -> Axis {
    let name = "agreement";
    match agreement::contradictions(evidence, seal, replay) {
        Ok(found) if found.is_empty() => {
            let reason = "seal, plan, run, journal and records tell of one run".to_owned();
            Axis { name, state: AxisState::Holds, reasons: vec![reason] }
        }
        Ok(found) => Axis { name, state: difference(judge), reasons: found },
        Err(failure) => Axis { name, state: AxisState::Unverifiable, reasons: vec![failure.to_string()] },
    }
}

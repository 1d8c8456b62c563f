//! Whether a folder of evidence can be trusted, on separate axes, each with its own reason.

use std::path::Path;

use referee_ledger::Store;
use referee_ledger::evidence::Evidence;
use referee_ledger::verify::{self, Finding};
use referee_model::report::JUDGE_VERSION;
use referee_model::verdict::Decision;
use referee_wire::evidence_name;
use referee_wire::execution_report::Sealed;

use crate::replay;
use crate::request::Failure;

/// What a verification found.
#[derive(Debug)]
pub struct Verification {
    /// The axes, in the order in which they were looked at.
    pub axes: Vec<Axis>,
    /// The decision that the folder's report states. None where it cannot be read.
    pub decision: Option<Decision>,
}

/// One axis of trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub name: &'static str,
    /// What was found.
    pub state: AxisState,
    /// Why, in one or more sentences.
    pub reasons: Vec<String>,
}

/// What was found on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisState {
    /// It holds.
    Holds,
    /// It was not looked at, or nothing can be said.
    Unknown,
    /// It cannot be verified: something is missing or unreadable, and nothing proves a change.
    Unverifiable,
    /// Something was changed.
    Broken,
}

/// What a verification comes to (design, "Exit codes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Authentic, and the run passed.
    Passed,
    /// Authentic, and the run did not pass.
    Failed,
    /// It cannot be verified.
    Unverifiable,
    /// Something was changed after it was sealed.
    Tampered,
}

impl Verification {
    /// Sums the axes up; the worst one decides.
    pub fn standing(&self) -> Standing {
        let any = |state| self.axes.iter().any(|axis| axis.state == state);
        if any(AxisState::Broken) {
            Standing::Tampered
        } else if any(AxisState::Unverifiable) {
            Standing::Unverifiable
        } else {
            match self.decision {
                Some(Decision::Pass) => Standing::Passed,
                Some(Decision::Fail | Decision::Blocked) => Standing::Failed,
                None => Standing::Unverifiable,
            }
        }
    }
}

/// Verifies a folder of evidence.
///
/// # Errors
/// Fails only where the folder cannot be looked at at all.
pub fn verify(folder: &Path, with_replay: bool) -> Result<Verification, Failure> {
    let mut axes = vec![integrity(folder)?];
    let evidence = Evidence::open(folder)?;
    let sealed = evidence
        .read(evidence_name::EXECUTION_REPORT)
        .ok()
        .and_then(|bytes| referee_wire::execution_report::read(&bytes).ok().map(|sealed| (bytes, sealed)));
    axes.push(report_hash(sealed.as_ref()));
    axes.push(finished(folder, sealed.as_ref().map(|(_, sealed)| sealed)));
    axes.push(signature());
    if with_replay {
        axes.push(replayed(&evidence, sealed.as_ref().map(|(_, sealed)| sealed)));
    }
    Ok(Verification { axes, decision: sealed.map(|(_, sealed)| sealed.decision) })
}

fn integrity(folder: &Path) -> Result<Axis, Failure> {
    let integrity = verify::integrity(folder)?;
    let state = match (&integrity.seal, integrity.findings.is_empty()) {
        (Some(_), true) => AxisState::Holds,
        (Some(_), false) => AxisState::Broken,
        (None, _) => AxisState::Unverifiable,
    };
    let reasons = match &integrity.seal {
        Some(seal) if integrity.findings.is_empty() => {
            vec![format!("all {} files are as they were sealed at {}", seal.files.len(), seal.sealed_at)]
        }
        _ => integrity.findings.iter().map(Finding::to_string).collect(),
    };
    Ok(Axis { name: "integrity", state, reasons })
}

fn report_hash(sealed: Option<&(Vec<u8>, Sealed)>) -> Axis {
    let (state, reason) = match sealed {
        None => (AxisState::Unverifiable, format!("{} cannot be read", evidence_name::EXECUTION_REPORT)),
        Some((bytes, _)) => match referee_wire::execution_report::verify_hash(bytes) {
            Ok(true) => (AxisState::Holds, "the report's own hash fits its content".to_owned()),
            Ok(false) => (AxisState::Broken, "the report's own hash does not fit its content".to_owned()),
            Err(error) => (AxisState::Unverifiable, error.to_string()),
        },
    };
    Axis { name: "report", state, reasons: vec![reason] }
}

/// A run that started later and was never sealed makes the task BLOCKED: an old pass never stands for a dead run.
fn finished(folder: &Path, sealed: Option<&Sealed>) -> Axis {
    let name = "finished";
    let Some(sealed) = sealed else {
        return Axis { name, state: AxisState::Unknown, reasons: vec!["the report's task is not known".to_owned()] };
    };
    let later = Store::around(folder, &sealed.task)
        .and_then(|store| store.map_or(Ok(Vec::new()), |store| store.unfinished(&sealed.task)));
    match later {
        Ok(later) if later.is_empty() => Axis {
            name,
            state: AxisState::Holds,
            reasons: vec![format!("no run of {} was started after it and left unsealed", sealed.task)],
        },
        Ok(later) => Axis {
            name,
            state: AxisState::Unverifiable,
            reasons: later.iter().map(|run| unfinished_reason(&run.execution, run.live)).collect(),
        },
        Err(error) => Axis { name, state: AxisState::Unverifiable, reasons: vec![error.to_string()] },
    }
}

fn unfinished_reason(execution: &referee_model::id::ExecutionId, live: bool) -> String {
    if live {
        format!("{execution} of this task is running now; this evidence speaks only of an earlier state")
    } else {
        format!("{execution} of this task was started and never sealed: BLOCKED until the task is run again")
    }
}

fn signature() -> Axis {
    Axis {
        name: "signature",
        state: AxisState::Unknown,
        reasons: vec!["unsigned: whoever can write the folder could have made it; it is self-asserted".to_owned()],
    }
}

fn replayed(evidence: &Evidence, sealed: Option<&Sealed>) -> Axis {
    let name = "replay";
    let replay = match replay::replay(evidence) {
        Ok(replay) => replay,
        Err(failure) => return Axis { name, state: AxisState::Unverifiable, reasons: vec![failure.to_string()] },
    };
    let differing: Vec<String> = replay
        .derived
        .iter()
        .filter(|(file, bytes)| evidence.read(file).ok().as_ref() != Some(*bytes))
        .map(|(file, _)| format!("{file} is not what the evidence yields"))
        .collect();
    let sealed_under = sealed.map(|sealed| sealed.judge_version.as_str());
    if differing.is_empty() {
        let reason = format!(
            "the report and {} further files follow from the evidence, byte for byte",
            replay.derived.len() - 1
        );
        Axis { name, state: AxisState::Holds, reasons: vec![reason] }
    } else if sealed_under.is_some_and(|version| version != JUDGE_VERSION) {
        let mut reasons = vec![format!(
            "sealed under judge {}, replayed under {JUDGE_VERSION}: a difference proves nothing",
            sealed_under.unwrap_or_default()
        )];
        reasons.extend(differing);
        Axis { name, state: AxisState::Unverifiable, reasons }
    } else {
        Axis { name, state: AxisState::Broken, reasons: differing }
    }
}

//! Reads one run from its seal and its report.

use referee_ledger::catalogue::{OpenRun, Spot};
use referee_ledger::chain_status::ChainStanding;
use referee_ledger::evidence::Evidence;
use referee_ledger::{LedgerError, State, Store};
use referee_model::evidence_list::{KeptState, Pruned};
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::seal::Seal;
use referee_model::{evidence_name, limit};
use referee_report::run_list::{EvidenceState, RunRow};

use super::{LibraryError, REPORT, refused};

/// Data read from a run.
pub(super) struct Looked {
    pub(super) row: RunRow,
    /// Seal of the run, with its digest.
    pub(super) seal: Option<(Seal, Digest)>,
    /// Bytes of the report. `None` unless they are the sealed ones.
    pub(super) report: Option<Vec<u8>>,
}

/// Whether the seal is checked against the chain that is kept outside the workspace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chain {
    Asked,
    NotAsked,
}

/// Reason why a run is not shown as sealed.
struct Fault {
    state: EvidenceState,
    problem: String,
}

impl Fault {
    fn altered(problem: impl Into<String>) -> Self {
        Self { state: EvidenceState::Altered, problem: problem.into() }
    }

    fn of(error: LedgerError) -> Self {
        match refused(error) {
            LibraryError::Altered(problem) => Self::altered(problem),
            // Something else in the place of a required file was put there from outside.
            LibraryError::Store(error @ (LedgerError::NotAFile { .. } | LedgerError::TooLarge { .. })) => {
                Self::altered(error.to_string())
            }
            other => Self { state: EvidenceState::Unreadable, problem: other.to_string() },
        }
    }
}

/// Reads a run that was requested by this id, or as the latest one if `asked` is `None`.
pub(super) fn look(
    open: &OpenRun,
    task: &TaskId,
    asked: Option<&ExecutionId>,
    state: Option<&State>,
    chain: Chain,
) -> Looked {
    let mut looked = Looked { row: blank(task, asked, open.spot), seal: None, report: None };
    if let Err(fault) = fill(&mut looked, open, asked, state, chain) {
        looked.report = None;
        looked.row.report = None;
        looked.row.evidence = fault.state;
        looked.row.problem = Some(fault.problem);
        match fault.state {
            EvidenceState::Unsealed => looked.row.state = KeptState::Unsealed,
            EvidenceState::Pruned => looked.row.state = KeptState::Pruned,
            EvidenceState::AsSealed
            | EvidenceState::Altered
            | EvidenceState::Unreadable
            | EvidenceState::Unverified => {}
        }
    }
    looked
}

/// Returns the row of a run of which only its location is known.
pub(super) fn blank(task: &TaskId, execution: Option<&ExecutionId>, spot: Spot) -> RunRow {
    RunRow {
        task_id: task.clone(),
        execution_id: execution.cloned(),
        state: match spot {
            Spot::Latest => KeptState::Latest,
            Spot::History => KeptState::Earlier,
            Spot::Running => KeptState::Running,
            Spot::Unfinished => KeptState::Unfinished,
        },
        evidence: EvidenceState::Unsealed,
        problem: None,
        sequence: None,
        sealed_at: None,
        seal_digest: None,
        report: None,
        pruned: None,
    }
}

fn fill(
    looked: &mut Looked,
    open: &OpenRun,
    asked: Option<&ExecutionId>,
    state: Option<&State>,
    chain: Chain,
) -> Result<(), Fault> {
    let unsealed = || Fault { state: EvidenceState::Unsealed, problem: "no seal: the run never ended".to_owned() };
    let bytes = open.evidence.find(evidence_name::SEAL).map_err(Fault::of)?.ok_or_else(unsealed)?;
    let digest = Digest::of(&bytes);
    let seal = referee_model::seal::read(&bytes)
        .map_err(|error| Fault::altered(format!("the seal cannot be read: {error}")))?;
    let row = &mut looked.row;
    let is_asked_for = asked.is_none_or(|asked| *asked == seal.execution_id);
    if seal.task_id != row.task_id || !is_asked_for {
        return Err(Fault::altered(format!("its seal is that of {} of {}", seal.execution_id, seal.task_id)));
    }
    row.execution_id = Some(seal.execution_id.clone());
    (row.sequence, row.sealed_at, row.seal_digest) = (seal.sequence, Some(seal.sealed_at), Some(digest));
    if chain == Chain::Asked {
        in_chain(open, &row.task_id, state)?;
    }
    if open.spot == Spot::History
        && let Some(pruned) = pruned(&open.evidence, digest)?
    {
        let problem = format!("its files were removed on purpose at {} ({})", pruned.at, pruned.reason);
        row.pruned = Some(pruned);
        looked.seal = Some((seal, digest));
        return Err(Fault { state: EvidenceState::Pruned, problem });
    }
    let report = report(&open.evidence, &seal);
    looked.seal = Some((seal, digest));
    let report = report?;
    let (task, overview) = referee_report::execution_report::read_overview(&report)
        .map_err(|error| Fault { state: EvidenceState::Unreadable, problem: error.to_string() })?;
    if task != row.task_id {
        return Err(Fault::altered(format!("its report is that of {task}")));
    }
    row.evidence = EvidenceState::AsSealed;
    row.report = Some(overview);
    looked.report = Some(report);
    Ok(())
}

/// Checks a seal against the chain. A seal that the chain does not have at this position is none of its runs.
fn in_chain(open: &OpenRun, task: &TaskId, state: Option<&State>) -> Result<(), Fault> {
    let survey = Store::survey(open.evidence.path(), task, state).map_err(Fault::of)?;
    match survey.map(|survey| survey.standing) {
        Some(ChainStanding::RolledBack) => {
            Err(Fault::altered("an older run stands in the place of the latest one: it was rolled back".to_owned()))
        }
        Some(ChainStanding::Foreign) => Err(Fault::altered(
            "its seal is none of the chain that is kept here: it was made elsewhere, or forged".to_owned(),
        )),
        // A run that the chain cannot place is reported by a verification; that is no proof of a change.
        Some(
            ChainStanding::Unsealed
            | ChainStanding::NotKept
            | ChainStanding::Head
            | ChainStanding::Publishing
            | ChainStanding::Earlier
            | ChainStanding::Unnamed,
        )
        | None => Ok(()),
    }
}

fn pruned(evidence: &Evidence, digest: Digest) -> Result<Option<Pruned>, Fault> {
    let Some(bytes) = evidence.find(evidence_name::TOMBSTONE).map_err(Fault::of)? else { return Ok(None) };
    let tombstone = referee_ledger::tombstone::read(&bytes)
        .map_err(|error| Fault::altered(format!("its tombstone cannot be read: {error}")))?;
    if tombstone.seal_digest != Some(digest) {
        return Err(Fault::altered("its tombstone names another seal than the one beside it"));
    }
    Ok(Some(Pruned { at: tombstone.pruned_at, reason: tombstone.reason, files: tombstone.removed.len() as u64 }))
}

/// Reads the sealed report.
fn report(evidence: &Evidence, seal: &Seal) -> Result<Vec<u8>, Fault> {
    let file = seal.files.iter().find(|file| file.path == REPORT);
    let file = file.ok_or_else(|| Fault::altered(format!("its seal lists no {REPORT}")))?;
    if file.bytes > limit::SHOWN_DOCUMENT_BYTES {
        let problem =
            format!("{REPORT} has {} bytes, and at most {} are read", file.bytes, limit::SHOWN_DOCUMENT_BYTES);
        return Err(Fault { state: EvidenceState::Unreadable, problem });
    }
    let mut bytes = Vec::new();
    evidence.sealed(file, &mut |piece| bytes.extend_from_slice(piece)).map_err(Fault::of)?;
    Ok(bytes)
}

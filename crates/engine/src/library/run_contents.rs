//! The contents of a sealed run, file by file, as sealed.

use std::collections::BTreeSet;

use referee_ledger::evidence::Evidence;
use referee_model::id::{ActionId, Digest};
use referee_model::plan::{Action, Plan};
use referee_model::seal::{Seal, SealedFile};
use referee_model::{evidence_name, limit};
use referee_report::action_log::{self, ActionLog, ActionLogDocument};
use referee_report::run_list::PlannedAction;

use super::log::{self, Lines};
use super::{LibraryError, refused, unknown_action};

/// A sealed run whose seal and report have been verified.
#[derive(Debug)]
pub struct SealedRun {
    evidence: Evidence,
    seal: Seal,
    digest: Digest,
    report: Vec<u8>,
}

/// A range of bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Offset of the first byte.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Size of the whole file in bytes.
    pub of: u64,
    /// SHA-256 of the whole file.
    pub sha256: Digest,
}

impl SealedRun {
    pub(super) fn new(evidence: Evidence, seal: Seal, digest: Digest, report: Vec<u8>) -> Self {
        Self { evidence, seal, digest, report }
    }

    /// Returns the seal of the run.
    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Returns the SHA-256 of the seal.
    pub fn seal_digest(&self) -> Digest {
        self.digest
    }

    /// Returns the report, byte for byte.
    pub fn report(&self) -> &[u8] {
        &self.report
    }

    /// Returns the size of a file in bytes.
    ///
    /// # Errors
    /// Fails if the seal lists no file of this name.
    pub fn size(&self, name: &str) -> Result<u64, LibraryError> {
        self.file(name).map(|file| file.bytes)
    }

    /// Reads bytes of a file from an offset: at most `length`, the maximum of one response, and the rest of the
    /// file. The whole file is hashed in the process.
    ///
    /// # Errors
    /// Fails if the seal lists no file of this name, if the file is too large, or if it is not as it was sealed.
    pub fn part(&self, name: &str, start: u64, length: u64) -> Result<Part, LibraryError> {
        let file = self.file(name)?;
        if file.bytes > limit::SHOWN_FILE_BYTES {
            let problem = format!(
                "`{name}` has {} bytes; of files above {} nothing is shown",
                file.bytes,
                limit::SHOWN_FILE_BYTES
            );
            return Err(LibraryError::TooLarge(problem));
        }
        let end = start.saturating_add(length.min(limit::EVIDENCE_PART_BYTES)).min(file.bytes);
        let mut bytes = Vec::new();
        let mut place = 0_u64;
        let mut keep = |piece: &[u8]| {
            let within = |at: u64| usize::try_from(at.saturating_sub(place)).unwrap_or(usize::MAX).min(piece.len());
            bytes.extend_from_slice(piece.get(within(start)..within(end)).unwrap_or_default());
            place = place.saturating_add(piece.len() as u64);
        };
        self.evidence.sealed(file, &mut keep).map_err(refused)?;
        Ok(Part { start: start.min(file.bytes), bytes, of: file.bytes, sha256: file.sha256 })
    }

    /// Returns the findings of an action, as sealed.
    ///
    /// # Errors
    /// Fails if the plan has no such action, if it has no findings, or if they are not as they were sealed.
    pub fn diagnostics(&self, action: &ActionId) -> Result<Vec<u8>, LibraryError> {
        planned(&self.plan()?, action)?;
        let name = evidence_name::diagnostics(action);
        if self.file(&name).is_err() {
            return Err(LibraryError::Unknown(format!("nothing was read from the output of {action}")));
        }
        self.document(&name)
    }

    /// Returns the actions of the run's plan, in plan order.
    ///
    /// # Errors
    /// Fails if the plan is not as it was sealed.
    pub fn actions(&self) -> Result<Vec<PlannedAction>, LibraryError> {
        let plan = self.plan()?;
        let names: BTreeSet<&str> = self.seal.files.iter().map(|file| file.path.as_str()).collect();
        let planned = plan.actions.iter().map(|action| PlannedAction {
            action_id: action.id.clone(),
            name: action.name.clone(),
            attempts: u64::from(attempts(&names, action)),
            has_diagnostics: names.contains(evidence_name::diagnostics(&action.id).as_str()),
        });
        Ok(planned.collect())
    }

    /// Returns lines of the log of an action, with the findings that were read from it.
    ///
    /// # Errors
    /// Fails if the plan has no such action, if that attempt left no log, or if a file is not as it was sealed.
    pub fn log(
        &self,
        action: &ActionId,
        attempt: Option<u32>,
        lines: Lines,
    ) -> Result<ActionLogDocument, LibraryError> {
        let plan = self.plan()?;
        let planned = planned(&plan, action)?;
        let names: BTreeSet<&str> = self.seal.files.iter().map(|file| file.path.as_str()).collect();
        let attempts = attempts(&names, planned);
        let attempt = attempt.unwrap_or(attempts);
        if attempt == 0 || attempt > attempts {
            return Err(LibraryError::Unknown(format!("there is no record of attempt {attempt} of {action}")));
        }
        let record = self.document(&evidence_name::record(planned, attempt))?;
        let record = referee_model::record::attempt_record::read(&record)
            .map_err(|error| LibraryError::Internal(error.to_string()))?;
        let log = record
            .log()
            .ok_or_else(|| LibraryError::Unknown(format!("attempt {attempt} of {action} left no output")))?;
        let file = self.file(&log.file)?;
        if file.bytes > limit::SHOWN_FILE_BYTES {
            return Err(LibraryError::TooLarge(format!("`{}` has {} bytes", file.path, file.bytes)));
        }
        let of_findings = evidence_name::diagnostics(action);
        let findings = if attempt == attempts && names.contains(of_findings.as_str()) {
            let bytes = self.document(&of_findings)?;
            action_log::read_findings(&bytes).map_err(|error| LibraryError::Internal(error.to_string()))?
        } else {
            Vec::new()
        };
        let mut reading = log::Reading::new(lines, findings);
        self.evidence.sealed(file, &mut |piece| reading.take(piece)).map_err(refused)?;
        let read = reading.end();
        Ok(action_log::document(ActionLog {
            task_id: self.seal.task_id.clone(),
            execution_id: self.seal.execution_id.clone(),
            action_id: action.clone(),
            attempt: u64::from(attempt),
            attempts: u64::from(attempts),
            file: file.path.clone(),
            bytes: file.bytes,
            sha256: file.sha256,
            line_count: read.line_count,
            next_line: read.next_line,
            lines: read.lines,
            finding_count: read.finding_count,
            findings: read.findings,
        }))
    }

    fn plan(&self) -> Result<Plan, LibraryError> {
        let bytes = self.document(evidence_name::PLAN)?;
        referee_model::plan::plan_document::read(&bytes).map_err(|error| LibraryError::Internal(error.to_string()))
    }

    fn document(&self, name: &str) -> Result<Vec<u8>, LibraryError> {
        let file = self.file(name)?;
        if file.bytes > limit::SHOWN_DOCUMENT_BYTES {
            let problem =
                format!("`{name}` has {} bytes, and at most {} are read", file.bytes, limit::SHOWN_DOCUMENT_BYTES);
            return Err(LibraryError::TooLarge(problem));
        }
        let mut bytes = Vec::new();
        self.evidence.sealed(file, &mut |piece| bytes.extend_from_slice(piece)).map_err(refused)?;
        Ok(bytes)
    }

    fn file(&self, name: &str) -> Result<&SealedFile, LibraryError> {
        let found = self.seal.files.iter().find(|file| file.path == name);
        found.ok_or_else(|| LibraryError::Unknown("the seal of that run lists no such file".to_owned()))
    }
}

fn planned<'plan>(plan: &'plan Plan, action: &ActionId) -> Result<&'plan Action, LibraryError> {
    plan.actions.iter().find(|planned| planned.id == *action).ok_or_else(|| unknown_action(action))
}

/// Returns the number of attempts of an action that left a record.
fn attempts(names: &BTreeSet<&str>, action: &Action) -> u32 {
    let has_record = |attempt: &u32| names.contains(evidence_name::record(action, *attempt).as_str());
    (1..=limit::RETRIES + 1).take_while(has_record).last().unwrap_or(0)
}

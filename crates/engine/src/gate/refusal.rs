//! The gate's answer where a request could not be answered. It is never a pass.

use referee_ledger::redact::Redactor;
use referee_model::gate::Cause;
use referee_model::limit;
use referee_spec::Complaint;

use crate::error::{EngineError, ErrorKind};

/// Why a request to the gate could not be answered. The decision is BLOCKED.
#[derive(Debug)]
pub struct Refusal {
    /// The causes, one per error of the specification; at most [`limit::GATE_CAUSES`].
    pub causes: Vec<Cause>,
    /// Next step, in one sentence.
    pub next: &'static str,
    /// Exit code of the program.
    pub exit_code: u8,
}

impl From<&EngineError> for Refusal {
    fn from(problem: &EngineError) -> Self {
        let next = match problem.kind {
            ErrorKind::Refused | ErrorKind::Usage => "ask in another way",
            ErrorKind::Specification => "fix the specification, then ask again",
            ErrorKind::Evidence | ErrorKind::Store | ErrorKind::Run => "make room for evidence, then ask again",
            ErrorKind::Internal => "ask again; where it fails again, tell those who make Referee",
        };
        Self { causes: causes(problem), next, exit_code: problem.exit_code() }
    }
}

/// Returns the causes, one per complaint.
fn causes(problem: &EngineError) -> Vec<Cause> {
    // Complaints quote the specification, and tokens in it must not leak into logs.
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let cause = |message: &str| Cause::whole(None, redactor.text(message));
    let errors = problem.complaints.iter().filter(|complaint| complaint.level == referee_spec::Level::Error);
    let of_complaint = |complaint: &Complaint| Cause {
        file: Some(complaint.file.clone()),
        line: u32::try_from(complaint.line).ok(),
        column: u32::try_from(complaint.column).ok(),
        code: Some(complaint.code.id().to_owned()),
        ..cause(&complaint.message)
    };
    let causes: Vec<Cause> = errors.take(limit::GATE_CAUSES).map(of_complaint).collect();
    if causes.is_empty() { vec![cause(&problem.message)] } else { causes }
}

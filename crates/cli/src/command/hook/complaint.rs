//! Explains to an agent why there is no verdict.

use std::fmt::Write as _;

use referee_engine::error::EngineError;
use referee_ledger::redact::Redactor;

/// Maximum number of complaints about a specification.
const COMPLAINTS: usize = 10;

/// Describes the problem and the complaints about the specification, one line each.
pub(super) fn told(problem: &EngineError) -> String {
    // Complaints quote the specification, which may contain secrets.
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let mut text = format!("{}\n", redactor.text(&problem.message));
    for complaint in problem.complaints.iter().take(COMPLAINTS) {
        let message = redactor.text(&complaint.message);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}:{}:{}: {message}", complaint.file, complaint.line, complaint.column);
    }
    text
}

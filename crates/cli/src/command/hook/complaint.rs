//! Why there is no verdict, in words for an agent.

use std::fmt::Write as _;

use referee_engine::error::EngineError;
use referee_ledger::redact::Redactor;

/// Complaints about a specification that are told.
const COMPLAINTS: usize = 10;

/// Says what the problem is, and what of the specification it is about, a line each.
pub(super) fn told(problem: &EngineError) -> String {
    // A complaint quotes the specification, which may hold secrets.
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let mut text = format!("{}\n", redactor.text(&problem.message));
    for complaint in problem.complaints.iter().take(COMPLAINTS) {
        let message = redactor.text(&complaint.message);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{}:{}:{}: {message}", complaint.file, complaint.line, complaint.column);
    }
    text
}

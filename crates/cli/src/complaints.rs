//! Complaints about a specification, for people and as data.

use std::io;

use referee_engine::context::Context;
use referee_ledger::redact::Redactor;
use referee_report::human::complaint;
use referee_spec::{Complaint, Level};
use serde_json::json;

/// Renders complaints for people.
pub(crate) fn rendered(context: &Context, complaints: &[Complaint]) -> io::Result<Vec<u8>> {
    // Complaints quote the specification, and tokens in it must not leak into logs.
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let mut text = Vec::new();
    for each in complaints {
        let (message, source_line) = (redactor.text(&each.message), redactor.text(&each.source_line));
        let each = complaint::Complaint { message: &message, source_line: &source_line, ..shown(each) };
        complaint::write(&each, &context.terminal.stderr, &mut text)?;
    }
    Ok(text)
}

fn shown(complaint: &Complaint) -> complaint::Complaint<'_> {
    complaint::Complaint {
        level: match complaint.level {
            Level::Error => complaint::Level::Error,
            Level::Warning => complaint::Level::Warning,
        },
        code: complaint.code.id(),
        file: &complaint.file,
        line: complaint.line,
        column: complaint.column,
        end_column: complaint.end_column,
        message: &complaint.message,
        source_line: &complaint.source_line,
        source_column: complaint.source_column,
        suggestion: complaint.suggestion.as_deref(),
    }
}

pub(crate) fn document(valid: bool, message: &str, complaints: &[Complaint]) -> serde_json::Value {
    let complaints: Vec<_> = complaints
        .iter()
        .map(|complaint| {
            json!({
                "level": complaint.level.as_str(),
                "code": complaint.code.id(),
                "file": complaint.file,
                "line": complaint.line,
                "column": complaint.column,
                "pointer": complaint.pointer,
                "message": complaint.message,
                "sourceLine": complaint.source_line,
                "suggestion": complaint.suggestion,
                "schemaPath": complaint.rule.as_ref().map(|rule| &rule.path),
                "allowedValues": complaint.rule.as_ref().map(|rule| &rule.allowed).filter(|allowed| !allowed.is_empty()),
            })
        })
        .collect();
    json!({ "checkVersion": "1.0.0", "valid": valid, "message": message, "complaints": complaints })
}

//! `referee check`: everything that is wrong with the specification.

use std::io;

use referee_ledger::redact::Redactor;
use referee_report::human::complaint;
use referee_spec::{Complaint, Level};
use referee_wire::exit_code;
use serde_json::json;

use crate::args::{Check, PlainFormat};
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::World;

/// Prints all complaints. Exits with 0 where there is no error among them, else with 3.
pub(super) fn execute(world: &World, arguments: &Check) -> Result<u8, Problem> {
    let (valid, message, complaints) = match world.load(&arguments.specification) {
        Ok(loaded) => {
            let message = format!("{} is valid: {} actions", loaded.plan.specification.file, loaded.plan.actions.len());
            (true, message, loaded.warnings)
        }
        Err(problem) if problem.kind == Kind::Specification => (false, problem.message, problem.complaints),
        Err(problem) => return Err(problem),
    };
    match arguments.format {
        PlainFormat::Json => output::answer(&referee_wire::to_bytes(&document(valid, &message, &complaints))?)?,
        PlainFormat::Human => {
            let mut text = rendered(world, &complaints)?;
            text.extend(format!("{message}\n").into_bytes());
            output::answer(&text)?;
        }
    }
    Ok(if valid { exit_code::PASSED } else { exit_code::SPECIFICATION })
}

/// Renders complaints for people.
pub(super) fn rendered(world: &World, complaints: &[Complaint]) -> io::Result<Vec<u8>> {
    // A complaint quotes the specification, and a log of ours must not be where its tokens leak.
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let mut text = Vec::new();
    for each in complaints {
        let (message, source_line) = (redactor.text(&each.message), redactor.text(&each.source_line));
        let each = complaint::Complaint { message: &message, source_line: &source_line, ..shown(each) };
        complaint::write(&each, &world.terminal.stderr, &mut text)?;
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

/// Complaints as data.
pub(super) fn document(valid: bool, message: &str, complaints: &[Complaint]) -> serde_json::Value {
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
            })
        })
        .collect();
    json!({ "checkVersion": "1.0.0", "valid": valid, "message": message, "complaints": complaints })
}

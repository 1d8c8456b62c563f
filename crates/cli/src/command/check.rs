//! `referee check`: everything that is wrong with the specification.

use std::io;
use std::path::Path;

use referee_ledger::redact::Redactor;
use referee_model::suite::Suite;
use referee_report::human::complaint;
use referee_spec::{Complaint, Level, Loaded};
use referee_syntax::count::count;
use referee_wire::exit_code;
use serde_json::json;

use crate::args::{Check, PlainFormat};
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::World;

/// Prints all complaints. Exits with 0 where all of it can be run, else with 3.
pub(super) fn execute(world: &World, arguments: &Check) -> Result<u8, Problem> {
    let checked: Vec<Checked> = world
        .load(&arguments.specification)?
        .into_iter()
        .map(|loaded| checked(world, loaded))
        .collect::<Result<_, _>>()?;
    match arguments.format {
        PlainFormat::Json => {
            let documents: Vec<_> =
                checked.iter().map(|one| document(one.valid, &one.message, &one.complaints)).collect();
            let text = match documents.as_slice() {
                [only] => referee_wire::to_bytes(only)?,
                several => referee_wire::to_bytes(&several)?,
            };
            output::answer(&text)?;
        }
        PlainFormat::Human => {
            let mut text = Vec::new();
            for one in &checked {
                text.extend(rendered(world, &one.complaints)?);
                text.extend(format!("{}\n", one.message).into_bytes());
            }
            output::answer(&text)?;
        }
    }
    Ok(if checked.iter().all(|one| one.valid) { exit_code::PASSED } else { exit_code::SPECIFICATION })
}

/// What came of one specification.
struct Checked {
    valid: bool,
    message: String,
    complaints: Vec<Complaint>,
}

fn checked(world: &World, loaded: Result<Loaded, Problem>) -> Result<Checked, Problem> {
    match loaded {
        Ok(loaded) => {
            let stuck = stuck(&loaded.suite);
            let file = called(world, &loaded.suite);
            let said = stuck.clone().unwrap_or_else(|| valid(&loaded.suite));
            Ok(Checked { valid: stuck.is_none(), message: format!("{file} {said}"), complaints: loaded.warnings })
        }
        Err(problem) if problem.kind == Kind::Specification => {
            Ok(Checked { valid: false, message: problem.message, complaints: problem.complaints })
        }
        Err(problem) => Err(problem),
    }
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
                "schemaPath": complaint.rule.as_ref().map(|rule| &rule.path),
                "allowedValues": complaint.rule.as_ref().map(|rule| &rule.allowed).filter(|allowed| !allowed.is_empty()),
            })
        })
        .collect();
    json!({ "checkVersion": "1.0.0", "valid": valid, "message": message, "complaints": complaints })
}

/// The file of a specification, as people are told of it.
fn called(world: &World, suite: &Suite) -> String {
    let file = Path::new(&suite.specification.file);
    let workspace = suite.tasks.first().map(|plan| plan.workspace.as_path());
    world.told(&workspace.unwrap_or(Path::new("")).join(file))
}

/// Says which tasks of a specification that loads would be specification errors as soon as they are to run (ruling 3). None:
/// there is none.
fn stuck(suite: &Suite) -> Option<String> {
    let stuck = suite.tasks.iter().filter(|plan| !plan.problems.is_empty());
    let stuck = stuck.map(|plan| format!("{} ({})", plan.task, count(plan.problems.len(), "problem")));
    let stuck: Vec<String> = stuck.collect();
    (!stuck.is_empty()).then(|| format!("cannot run: {}", stuck.join(", ")))
}

fn valid(suite: &Suite) -> String {
    let actions = count(suite.tasks.iter().map(|plan| plan.actions.len()).sum::<usize>(), "action");
    match suite.tasks.len() {
        1 => format!("is valid: {actions}"),
        several => format!("is valid: {several} tasks, {actions}"),
    }
}

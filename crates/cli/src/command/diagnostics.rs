//! `referee diagnostics`: shows active diagnostics over all runs, and cleared ones.

use std::num::NonZeroUsize;
use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::{EngineError, ErrorKind};
use referee_judge::diagnostics::{self, Since, View};
use referee_ledger::register::{self, Register};
use referee_model::diagnostic_log::DiagnosticRegister;
use referee_model::diagnostic_register::{self, Listing};
use referee_model::exit_code;
use referee_model::limit::SUMMARY_CAUSES;
use referee_report::human;

use crate::args::PlainFormat;
use crate::args::diagnostics::{Audience, Diagnostics};
use crate::output;
use crate::resolve;

/// Default number of diagnostics shown to people.
const SHOWN: usize = 20;

/// Maximum number of runs listed in a message about an unknown one.
const RUNS_NAMED: usize = 10;

/// Prints the requested diagnostics. Nothing is run, and nothing is written.
pub(super) fn execute(context: &Context, arguments: &Diagnostics) -> Result<u8, EngineError> {
    let root = resolve::evidence_root(context, arguments.evidence.as_deref())?;
    let found = read(&root)?;
    let is_registered = found.is_some();
    let register = found.unwrap_or_default();
    if let Some(task) = &arguments.task
        && is_registered
        && register.runs.iter().all(|run| run.task != *task)
    {
        return Err(EngineError::usage(format!(
            "no run of {task} is registered below {}",
            context.shown(&root).display()
        )));
    }
    let view = view(&register, arguments)?;
    let text = match (arguments.prompt, arguments.format) {
        (Some(audience), _) => prompt(&view, audience, arguments).into_bytes(),
        (None, PlainFormat::Json) => referee_model::document::to_bytes(&diagnostic_register::list(&Listing {
            is_registered,
            latest: &view.latest,
            since: arguments.since.as_ref(),
            standing: &view.standing,
            cleared: &view.cleared,
            top: arguments.top.map_or(usize::MAX, NonZeroUsize::get),
        }))?,
        (None, PlainFormat::Human) => {
            let shows_cleared = arguments.cleared || arguments.new || arguments.since.is_some();
            let told = human::diagnostics::DiagnosticsView {
                is_registered,
                evidence: &context.shown(&root).display().to_string(),
                scope: &scope(arguments),
                latest: &view.latest,
                standing: &view.standing,
                cleared: shows_cleared.then_some(view.cleared.as_slice()),
                top: arguments.top.map_or(SHOWN, NonZeroUsize::get),
            };
            let mut text = Vec::new();
            human::diagnostics::write(&told, &context.terminal.stdout, &mut text)?;
            text
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn read(root: &Path) -> Result<Option<DiagnosticRegister>, EngineError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let place = root.display();
        EngineError::new(
            ErrorKind::Evidence,
            format!("the register of diagnostics below {place} cannot be read: {error}"),
        )
    };
    if !root.exists() {
        return Ok(None);
    }
    let bytes = register::look(root, Register::Diagnostics).map_err(|error| unreadable(&error))?;
    bytes.map(|bytes| diagnostic_register::read(&bytes)).transpose().map_err(|error| unreadable(&error))
}

fn view<'a>(register: &'a DiagnosticRegister, arguments: &Diagnostics) -> Result<View<'a>, EngineError> {
    let since = match (&arguments.since, arguments.new) {
        (Some(run), _) => Since::After(run),
        (None, true) => Since::LatestRun,
        (None, false) => Since::Beginning,
    };
    diagnostics::view(register, arguments.task.as_ref(), since).ok_or_else(|| {
        let asked = arguments.since.as_ref().map(ToString::to_string).unwrap_or_default();
        let known: Vec<String> = (register.runs.iter().rev().take(RUNS_NAMED))
            .map(|run| format!("{} of {}", run.execution, run.task))
            .collect();
        let known = if known.is_empty() { "no run".to_owned() } else { known.join(", ") };
        EngineError::usage(format!("the run {asked} is not registered; there is {known}"))
    })
}

fn prompt(view: &View<'_>, audience: Audience, arguments: &Diagnostics) -> String {
    let audience = match audience {
        Audience::Planner => diagnostics::Audience::Planner,
        Audience::Coder => diagnostics::Audience::Coder,
    };
    let top = arguments.top.map_or(SUMMARY_CAUSES, NonZeroUsize::get);
    diagnostics::prompt(&diagnostics::log_of(&view.standing), audience, top, arguments.characters)
}

/// Describes the listed diagnostics, to follow their number.
fn scope(arguments: &Diagnostics) -> String {
    match (&arguments.since, arguments.new) {
        (Some(run), _) => format!("first seen after {run}"),
        (None, true) => "first seen in the latest run".to_owned(),
        (None, false) => String::new(),
    }
}

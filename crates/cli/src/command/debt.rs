//! `referee debt`: the register of debt over all runs.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::debt::{self as register, Book, BookError};
use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::status;
use referee_judge::debt::{self, Illegal};
use referee_ledger::Store;
use referee_model::debt::{DebtStatus, Destination, RegisteredDebt};
use referee_model::exit_code;
use referee_model::id::{DebtId, TaskId};
use referee_model::severity::Severity;
use referee_model::time::Timestamp;
use referee_report::human;
use referee_report::style;

use crate::args::EvidenceRoot;
use crate::args::debt::{Debt, Decision, Defer, DestinationArgument, List, Route, RoutedTo, Show, Start, Status};
use crate::output;
use crate::resolve;

mod export;

/// Maximum number of ids listed in a message about an unknown one.
const IDS_NAMED: usize = 5;

/// Executes a subcommand on the register.
pub(super) fn execute(context: &Context, arguments: &Debt) -> Result<u8, EngineError> {
    match arguments {
        Debt::List(arguments) => list(context, arguments),
        Debt::Show(arguments) => show(context, arguments),
        Debt::Route(arguments) => route(context, arguments),
        Debt::Defer(arguments) => defer(context, arguments),
        Debt::Start(arguments) => start(context, arguments),
        Debt::Export(arguments) => export::execute(context, arguments),
    }
}

/// Location of a register, and the tasks of its specification, as far as they are known.
struct Whereabouts {
    root: PathBuf,
    workspace: PathBuf,
    tasks: Vec<TaskId>,
}

impl Whereabouts {
    fn find(context: &Context, root: &EvidenceRoot) -> Result<Self, EngineError> {
        if let Some(root) = &root.evidence {
            let workspace = context.directory.clone();
            return Ok(Self { root: context.directory.join(root), workspace, tasks: Vec::new() });
        }
        let suite = resolve::nearest(context)?;
        let tasks: Vec<TaskId> = suite.tasks.iter().map(|plan| plan.task.clone()).collect();
        let first = suite.tasks.into_iter().next();
        let first = first.ok_or_else(|| EngineError::internal("the specification has no task".to_owned()))?;
        Ok(Self { root: first.evidence_root, workspace: first.workspace, tasks })
    }

    /// Reads the register; fails if there is none.
    fn read(&self, context: &Context) -> Result<Vec<RegisteredDebt>, EngineError> {
        match register::read(&self.root) {
            Ok(Some(items)) => Ok(items),
            Ok(None) => {
                let shown = context.shown(&self.root).display();
                output::aside(format!("note: no debt is recorded in {shown} yet\n").as_bytes())?;
                Ok(Vec::new())
            }
            Err(error) => Err(unreadable(&error)),
        }
    }
}

fn unreadable(error: &BookError) -> EngineError {
    let message =
        format!("the register of debt cannot be read: {error}; the next run sets it aside and makes it again");
    EngineError::new(ErrorKind::Evidence, message)
}

fn list(context: &Context, arguments: &List) -> Result<u8, EngineError> {
    let items = Whereabouts::find(context, &arguments.root)?.read(context)?;
    let listed: Vec<&RegisteredDebt> = items.iter().filter(|item| is_asked_for(item, arguments)).collect();
    output::document(
        arguments.format,
        || {
            let listed: Vec<RegisteredDebt> = listed.iter().copied().cloned().collect();
            referee_model::document::to_bytes(&referee_model::debt_register::document(&listed))
        },
        |out| human::debt::list(&listed, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

fn is_asked_for(item: &RegisteredDebt, arguments: &List) -> bool {
    let status = |wanted: &Status| match wanted {
        Status::Open => DebtStatus::Open,
        Status::InProgress => DebtStatus::InProgress,
        Status::Resolved => DebtStatus::Resolved,
        Status::Deferred => DebtStatus::Deferred,
        Status::Reopened => DebtStatus::Reopened,
    };
    let severity = |wanted: &crate::args::debt::Severity| match wanted {
        crate::args::debt::Severity::Critical => Severity::Critical,
        crate::args::debt::Severity::High => Severity::High,
        crate::args::debt::Severity::Medium => Severity::Medium,
        crate::args::debt::Severity::Low => Severity::Low,
    };
    let place = |wanted: &DestinationArgument| match wanted {
        DestinationArgument::Sprint => Destination::SprintTasks,
        DestinationArgument::Inventory => Destination::Inventory,
        DestinationArgument::Undecided => Destination::Undecided,
    };
    any(&arguments.status, |wanted| status(wanted) == item.item.status)
        && any(&arguments.task, |wanted| *wanted == item.task)
        && any(&arguments.severity, |wanted| severity(wanted) == item.item.case.severity)
        && any(&arguments.destination, |wanted| place(wanted) == item.item.routing.destination)
}

/// Returns whether one of the wanted values fits, or none is given.
fn any<Wanted>(wanted: &[Wanted], fits: impl FnMut(&Wanted) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(fits)
}

fn show(context: &Context, arguments: &Show) -> Result<u8, EngineError> {
    let items = Whereabouts::find(context, &arguments.root)?.read(context)?;
    let id = known(&arguments.id, &items)?;
    let item = items.into_iter().find(|item| item.item.id == id);
    let item = item.ok_or_else(|| EngineError::internal(format!("{id} was there a moment ago")))?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&referee_model::debt_register::document(std::slice::from_ref(&item))),
        |out| human::debt::show(&item, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Checks that an item exists; the error lists other ids.
fn known(typed: &str, items: &[RegisteredDebt]) -> Result<DebtId, EngineError> {
    if let Some(item) = items.iter().find(|item| item.item.id.as_str().eq_ignore_ascii_case(typed)) {
        return Ok(item.item.id.clone());
    }
    let near: Vec<&str> = human::debt::near(typed, items, IDS_NAMED).into_iter().map(DebtId::as_str).collect();
    let others = if near.is_empty() { String::new() } else { format!(" (items: {})", near.join(", ")) };
    Err(EngineError::usage(format!("debt item not found: {}{others}", style::plain(typed))))
}

fn route(context: &Context, arguments: &Route) -> Result<u8, EngineError> {
    let by = name(context, &arguments.decision)?;
    let reason = &arguments.decision.reason;
    change(context, &arguments.root, &arguments.id, |book, tasks, id, at| {
        let sprint_task = match arguments.destination {
            RoutedTo::Sprint => Some(sprint_task(book, tasks, id, arguments.sprint_task.as_ref())?),
            RoutedTo::Inventory => arguments.sprint_task.clone(),
        };
        let destination = match arguments.destination {
            RoutedTo::Sprint => Destination::SprintTasks,
            RoutedTo::Inventory => Destination::Inventory,
        };
        with(book, id, |item| debt::route(item, destination, sprint_task, &by, reason, at))
    })
}

/// Returns the sprint task for an item: the requested one, if it is free; else its former one; else the next one.
fn sprint_task(book: &Book<'_>, tasks: &[TaskId], id: &DebtId, asked: Option<&TaskId>) -> Result<TaskId, EngineError> {
    let items = || book.items().iter();
    let own = items().find(|item| item.item.id == *id).and_then(|item| item.item.routing.sprint_task.clone());
    if let Some(asked) = asked {
        let taken = items().find(|item| item.item.id != *id && item.item.routing.sprint_task.as_ref() == Some(asked));
        return match taken {
            Some(other) => Err(EngineError::usage(format!("{asked} is taken already, by {}", other.item.id))),
            None if tasks.contains(asked) && own.as_ref() != Some(asked) => {
                let whose = "by a task of the specification or of tasks.md";
                Err(EngineError::usage(format!("{asked} is taken already, {whose}")))
            }
            None => Ok(asked.clone()),
        };
    }
    let next = || book.next_sprint_task(tasks);
    own.or_else(next).ok_or_else(|| EngineError::usage("no number is left: name the task with --as".to_owned()))
}

fn defer(context: &Context, arguments: &Defer) -> Result<u8, EngineError> {
    let by = name(context, &arguments.decision)?;
    let reason = &arguments.decision.reason;
    change(context, &arguments.root, &arguments.id, |book, _, id, at| {
        with(book, id, |item| debt::defer(item, arguments.until, &by, reason, at))
    })
}

fn start(context: &Context, arguments: &Start) -> Result<u8, EngineError> {
    let by = name(context, &arguments.decision)?;
    let reason = &arguments.decision.reason;
    change(context, &arguments.root, &arguments.id, |book, _, id, at| {
        with(book, id, |item| debt::begin(item, &by, reason, at))
    })
}

/// Changes an item under the lock of the register, and reports its new state.
fn change(
    context: &Context,
    root: &EvidenceRoot,
    typed: &str,
    change: impl FnOnce(&mut Book<'_>, &[TaskId], &DebtId, Timestamp) -> Result<(), EngineError>,
) -> Result<u8, EngineError> {
    let Whereabouts { root, workspace, mut tasks } = Whereabouts::find(context, root)?;
    if !root.is_dir() {
        return Err(EngineError::usage(format!("there is no evidence in {}", context.shown(&root).display())));
    }
    let store = Store::open(&root)?;
    tasks.extend(store.tasks()?);
    tasks.extend(status::listed_tasks(&workspace)?);
    let registers = store.registers()?;
    let mut book = Book::open(&store, &registers)?;
    for note in book.notes() {
        output::aside(format!("note: {}\n", style::plain(note)).as_bytes())?;
    }
    let id = known(typed, book.items())?;
    change(&mut book, &tasks, &id, resolve::now())?;
    book.save()?;
    let mut text = Vec::new();
    for item in book.items().iter().filter(|item| item.item.id == id) {
        human::debt::changed(item, &context.terminal.stdout, &mut text)?;
    }
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn with(
    book: &mut Book<'_>,
    id: &DebtId,
    change: impl FnOnce(&mut RegisteredDebt) -> Result<(), Illegal>,
) -> Result<(), EngineError> {
    let item = book.item_mut(id).ok_or_else(|| EngineError::internal(format!("{id} was there a moment ago")))?;
    change(item).map_err(|illegal| EngineError::usage(format!("{id} was not changed: {illegal}")))
}

/// Returns the name of the person who decides. It is self-asserted and not verified.
fn name(context: &Context, decision: &Decision) -> Result<String, EngineError> {
    let of_user = ["USER", "LOGNAME"]
        .iter()
        .find_map(|variable| context.variable(variable).map(|value| value.to_string_lossy().into_owned()));
    let name = decision.by.clone().or(of_user);
    name.ok_or_else(|| EngineError::usage("cannot determine the user name: pass it with --by <NAME>".to_owned()))
}

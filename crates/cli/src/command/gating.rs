//! The gate as every command asks it that has a stake in the answer.

use std::path::PathBuf;

use referee_engine::agent_loop;
use referee_engine::gate::{self, Answered};
use referee_engine::request::Listener;
use referee_exec::signal::Cancellation;
use referee_ledger::State;
use referee_model::enrolment::Enrolment;
use referee_model::gate::{Basis, GateAnswer};
use referee_model::suite::Suite;
use referee_model::verdict::Exit;

use super::held_out;
use super::holding::{self, Asking, Order, Ready};
use crate::args::gate::Asked;
use crate::enrolling;
use crate::error::{Kind, Problem};
use crate::resolve::World;

/// What is asked.
pub(super) struct Question<'question> {
    /// As it was typed.
    pub(super) asked: &'question Asked,
    /// Whether what the project was enrolled with is in it, as it was when the first question was asked.
    pub(super) is_settled: bool,
    /// Milliseconds after which the answer must be there. None: as long as the checks take.
    pub(super) deadline_ms: Option<u64>,
    /// How it is told to stop.
    pub(super) cancellation: &'question Cancellation,
}

/// Asks the gate about the one specification that is meant.
///
/// # Errors
/// Fails where there is no answer: the specification is missing or wrong, evidence cannot be kept, or Referee itself failed.
/// None of these is a pass.
pub(super) fn ask(world: &World, question: &Question<'_>, listener: &mut dyn Listener) -> Result<GateAnswer, Problem> {
    about(world, question, &the_one(world, question.asked)?, listener)
}

/// What a loop of repairs makes of an answer, or of there being none: that is never a pass.
pub(super) fn asked(answer: Result<GateAnswer, Problem>) -> agent_loop::Asked {
    match answer {
        Ok(answer) => agent_loop::Asked::Answer(Box::new(answer)),
        Err(problem) => agent_loop::Asked::None {
            exit: match problem.kind {
                Kind::Usage | Kind::Refused | Kind::Specification => Exit::Specification,
                Kind::Evidence | Kind::Store | Kind::Run => Exit::Evidence,
                Kind::Internal => Exit::Internal,
            },
            reason: problem.message,
        },
    }
}

/// Asks the gate about a specification.
///
/// # Errors
/// As [`ask`].
pub(super) fn about(
    world: &World,
    question: &Question<'_>,
    suite: &Suite,
    listener: &mut dyn Listener,
) -> Result<GateAnswer, Problem> {
    // The time that there is for the answer begins here.
    let for_exec = world.for_exec()?;
    let state = world.state(suite.tasks.iter().map(|plan| plan.workspace.as_path()))?;
    let (asked, passed_over) = if question.is_settled {
        (question.asked.clone(), Vec::new())
    } else {
        as_enrolled(world, question.asked, suite, state.as_ref())?
    };
    let asked = &asked;
    let question = &Question { asked, ..*question };
    let removal = suite.tasks.first().and_then(|plan| enrolling::told_of_removal(state.as_ref(), &plan.workspace));
    let held_out = held_out::named(world, question, suite, state.as_ref())?;
    let order = Order {
        world,
        holding: &asked.holding,
        state: state.as_ref(),
        for_exec,
        vouched: None,
        cancellation: question.cancellation,
    };
    let ready = Ready::make(order, suite)?;
    let doubts = ready.doubts();
    let run = ready.run()?;
    let asking = Asking { reuse: !asked.no_reuse, deadline_ms: question.deadline_ms };
    let Answered { mut answer, grounds } = holding::ask(&run, asking, listener)?;
    answer.notes.extend(passed_over.into_iter().chain(removal).chain(doubts));
    let has_held_out = held_out.is_some();
    let answer = held_out::add(question, held_out, &run, answer);
    let answer = if has_held_out { gate::hold(&run, &grounds, answer) } else { answer };
    // It ticks boxes in files that may be inputs: nothing is held against these any more.
    if answer.tasks.iter().any(|task| task.basis == Basis::Ran) {
        super::status::after_run(world, &ready.suite)?;
    }
    Ok(answer)
}

/// What a project was enrolled with counts for whoever asks about it, whatever was typed or stands in a variable: its held-out
/// checks here, its commit in [`crate::protecting::baseline`]. Returns what was passed over, a sentence each.
pub(super) fn as_enrolled(
    world: &World,
    asked: &Asked,
    suite: &Suite,
    state: Option<&State>,
) -> Result<(Asked, Vec<String>), Problem> {
    let mut asked = asked.clone();
    let mut notes = Vec::new();
    let enrolments = enrolments(world, suite, state)?;
    notes.extend(another(world, suite, &enrolments));
    let mut held_out: Vec<PathBuf> = enrolments.into_iter().filter_map(|enrolment| enrolment.held_out).collect();
    held_out.dedup();
    if held_out.len() > 1 {
        return Err(Problem {
            kind: Kind::Specification,
            message: "two state folders have the project enrolled, with other held-out checks each: let a person enrol it anew"
                .to_owned(),
            complaints: Vec::new(),
        });
    }
    if let Some(enrolled) = held_out.pop() {
        let typed = asked.held_out.replace(enrolled.clone()).map(|typed| world.directory.join(typed));
        if typed.is_some_and(|typed| typed != enrolled && enrolling::resolved(&typed) != enrolled) {
            notes.push(
                "the held-out checks that were named are not those that this project is enrolled with, and were passed over"
                    .to_owned(),
            );
        }
    }
    Ok((asked, notes))
}

/// Says that the question is about another specification than the project is enrolled with.
fn another(world: &World, suite: &Suite, enrolments: &[Enrolment]) -> Option<String> {
    let file = enrolling::resolved(&suite.tasks.first()?.workspace.join(&suite.specification.file));
    let enrolled = enrolments.iter().find(|enrolment| enrolling::resolved(&enrolment.specification) != file)?;
    Some(format!(
        "this answers for {}, and the project is enrolled with {}: hooks ask for that one",
        world.shown(&file).display(),
        world.shown(&enrolled.specification).display()
    ))
}

/// What is kept of a project that is exactly what the specification is about, in all state folders.
///
/// # Errors
/// Fails where a record is there and cannot be read.
fn enrolments(world: &World, suite: &Suite, state: Option<&State>) -> Result<Vec<Enrolment>, Problem> {
    let Some(plan) = suite.tasks.first() else { return Ok(Vec::new()) };
    let found = enrolling::everywhere(world, &plan.workspace, state)?;
    Ok(found.into_iter().filter(|enrolment| enrolment.project == plan.workspace).collect())
}

/// Loads the one specification that is meant.
///
/// # Errors
/// Fails where there is none, or several, and where it is wrong.
pub(super) fn the_one(world: &World, asked: &Asked) -> Result<Suite, Problem> {
    let mut loaded = world.load(&asked.specification)?.into_iter();
    match (loaded.next(), loaded.next()) {
        (Some(loaded), None) => Ok(loaded?.suite),
        _ => Err(Problem::usage("the gate answers for one specification: name one".to_owned())),
    }
}

/// Who follows a run without a word.
pub(super) struct Silent;

impl Listener for Silent {
    fn told(&mut self, _event: &referee_model::event::Event) {}
}

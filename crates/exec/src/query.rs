//! Queries to a database, by the program that has the drivers.

use referee_model::database::{DatabaseAnswer, DatabaseFailure, DatabaseFailureKind, DatabasePhase, DatabaseRows};
use referee_model::limit;
use referee_model::plan::Query;
use referee_model::record::{Executable, InteractionEnding, InteractionFacts, Notice};

use crate::attempt::{ExecError, Turn, Watcher};
use crate::capture::{Sink, SinkError, store_answer};
use crate::command::Commands;
use crate::excerpt;

use self::driver::{Outcome, Run};
use self::question::Question;

pub(crate) mod driver;

mod expectation;

mod hole;

mod question;

/// Makes a query once. What cannot be asked is a fact, not an error.
pub(crate) fn perform(
    turn: &Turn<'_>,
    query: &Query,
    commands: &Commands<'_>,
    sink: &dyn Sink,
    watcher: &mut Watcher<'_>,
) -> Result<(InteractionFacts, Vec<Notice>), ExecError> {
    let question = match question::fill(query, turn.captured, commands.workspace()) {
        Ok(question) => question,
        Err((requests, message)) => {
            let ending = InteractionEnding::Unavailable { message };
            return Ok((InteractionFacts::without_answer(Vec::new(), requests, ending), Vec::new()));
        }
    };
    let Run { executables, outcome, notices } = driver::run(turn, &question.request, commands, watcher)?;
    let facts = match outcome {
        Outcome::Ended(ending) => InteractionFacts::without_answer(executables, question.requests, ending),
        Outcome::Answered(answer, text) => match *answer {
            DatabaseAnswer::Failed { error } => {
                let ending = of_failure(&error, query, turn);
                InteractionFacts::without_answer(executables, question.requests, ending)
            }
            DatabaseAnswer::Answered(rows) => {
                answered(turn, query, (question, executables), (&rows, &text), commands, sink)?
            }
        },
    };
    Ok((facts, notices))
}

/// Returns the facts of a query that was answered. The answer is observed as it came, and stored redacted.
fn answered(
    turn: &Turn<'_>,
    query: &Query,
    (question, executables): (Question, Vec<Executable>),
    (rows, text): (&DatabaseRows, &[u8]),
    commands: &Commands<'_>,
    sink: &dyn Sink,
) -> Result<InteractionFacts, SinkError> {
    let observations = expectation::observe(query, rows, turn, commands.workspace());
    let answer =
        if turn.action.evidence.exchange { Some(store_answer(sink, (turn.action, turn.attempt), text)?) } else { None };
    Ok(InteractionFacts {
        peer: Some(rows.server.clone()),
        row_count: Some(expectation::count(rows).0),
        answer,
        observations,
        ..InteractionFacts::without_answer(executables, question.requests, InteractionEnding::Completed)
    })
}

fn of_failure(failure: &DatabaseFailure, query: &Query, turn: &Turn<'_>) -> InteractionEnding {
    let known: Vec<&str> = turn.captured.values().map(String::as_str).collect();
    let mut message = excerpt::of_text(&failure.message, limit::MESSAGE_BYTES / 2, &known);
    if let Some(code) = &failure.code {
        message = format!("{message} (code {code})");
    }
    match failure.kind {
        DatabaseFailureKind::Unavailable => InteractionEnding::Unavailable { message },
        DatabaseFailureKind::Refused => InteractionEnding::Refused { request: question::STATEMENT, message },
        DatabaseFailureKind::Timeout => InteractionEnding::DeadlineExceeded {
            timeout_ms: match failure.during {
                DatabasePhase::Connection => query.connect_timeout_ms,
                DatabasePhase::Statement => query.statement_timeout_ms,
            },
            of_task: false,
            waiting_for: waited_for(failure.during),
        },
    }
}

fn waited_for(phase: DatabasePhase) -> String {
    match phase {
        DatabasePhase::Connection => "connection".to_owned(),
        DatabasePhase::Statement => "answer".to_owned(),
    }
}

//! The program that asks databases, run like a command: in a process group of its own, confined, and watched until its
//! time is over.

use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use referee_model::database::{CONNECTED, DatabaseAnswer, DatabasePhase, DatabaseRequest};
use referee_model::limit;
use referee_model::record::{Ending, Executable, InteractionEnding, Log, Notice, Stream};

use crate::attempt::{self, ExecError, Stay, Turn, Watcher};
use crate::capture::{Capture, Pump, SinkError};
use crate::command::{Commands, left_behind};
use crate::memory_file;
use crate::notice;

/// Name of the program.
pub(crate) const PROGRAM: &str = "referee-database";

/// One run of the program.
pub(super) struct Run {
    pub(super) executables: Vec<Executable>,
    pub(super) outcome: Outcome,
    pub(super) notices: Vec<Notice>,
}

pub(super) enum Outcome {
    /// The answer, and its text.
    Answered(Box<DatabaseAnswer>, Vec<u8>),
    /// There is no answer.
    Ended(InteractionEnding),
}

/// Runs the program with a request.
pub(super) fn run(
    turn: &Turn<'_>,
    request: &DatabaseRequest,
    commands: &Commands<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Run, ExecError> {
    let system = |what| move |source| ExecError::System { what, source };
    let text = serde_json::to_vec(request).map_err(io::Error::from).map_err(system("write a request to a database"))?;
    let input = memory_file::holding("request", &text).map_err(system("keep a request to a database"))?;
    let prepared = commands.prepare_own(turn.action, PROGRAM);
    let started = commands.start(turn.action, &prepared, Some(input.as_fd()));
    let executables = prepared.resolved.map(|resolved| resolved.executables).unwrap_or_default();
    let (mut running, pipes) = match started {
        Ok(started) => started,
        Err(refusal) => {
            let outcome = Outcome::Ended(InteractionEnding::Unavailable { message: refusal.message });
            return Ok(Run { executables, outcome, notices: Vec::new() });
        }
    };
    let printed = Arc::new(Mutex::new(Printed::default()));
    let capture = Box::new(Collected(Arc::clone(&printed)));
    let mut pump = Pump::new(pipes.stdout, pipes.stderr, capture, None, limit::QUERY_ANSWER_BYTES);
    let ended = attempt::supervise(&mut running, &mut pump, &turn.bounds, Stay::Itself, watcher)?;
    drop(pump);
    let printed = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
    let (_, mut notices) = left_behind(&ended);
    notices.extend(ended.idle_ms.map(notice::idle));
    Ok(Run { executables, outcome: outcome(ended.ending, printed), notices })
}

/// What the program printed.
#[derive(Debug, Default)]
struct Printed {
    answer: Vec<u8>,
    errors: Vec<u8>,
}

impl Printed {
    /// Returns what the program waits for.
    fn phase(&self) -> DatabasePhase {
        let is_connected = self.errors.split(|byte| *byte == b'\n').any(|line| line == CONNECTED.as_bytes());
        if is_connected { DatabasePhase::Statement } else { DatabasePhase::Connection }
    }

    /// Returns the first line that is an error.
    fn error(&self) -> String {
        let text = String::from_utf8_lossy(&self.errors);
        let line = text.lines().find(|line| *line != CONNECTED && !line.trim().is_empty());
        line.map(|line| format!(": {line}")).unwrap_or_default()
    }
}

/// A capture that keeps all output in memory and stores nothing.
struct Collected(Arc<Mutex<Printed>>);

impl Capture for Collected {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        let mut printed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match stream {
            Stream::Stdout => printed.answer.extend_from_slice(bytes),
            Stream::Stderr => printed.errors.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new("what the program for databases prints has no log"))
    }
}

fn outcome(ending: Ending, printed: Printed) -> Outcome {
    let unavailable = |message: String| Outcome::Ended(InteractionEnding::Unavailable { message });
    match ending {
        Ending::Exited { code: 0 } => match answer(&printed.answer) {
            Ok(answer) => Outcome::Answered(Box::new(answer), printed.answer),
            Err(problem) => unavailable(format!("the answer of {PROGRAM} cannot be used: {problem}")),
        },
        Ending::DeadlineExceeded { timeout_ms, of_task, .. } => {
            let waiting_for = super::waited_for(printed.phase());
            Outcome::Ended(InteractionEnding::DeadlineExceeded { timeout_ms, of_task, waiting_for })
        }
        Ending::Interrupted { .. } => Outcome::Ended(InteractionEnding::Interrupted),
        Ending::Exited { code } => unavailable(format!("{PROGRAM} failed with exit code {code}{}", printed.error())),
        Ending::Signaled { signal } => {
            unavailable(format!("{PROGRAM} was ended by signal {signal}{}", printed.error()))
        }
        Ending::OutputLimitExceeded { limit_bytes } => {
            unavailable(format!("the answer of {PROGRAM} is larger than {limit_bytes} bytes: ask for fewer columns"))
        }
        Ending::ProcessLimitExceeded { limit } => {
            unavailable(format!("{PROGRAM} needs more than the {limit} processes that a command may run"))
        }
        Ending::MemoryLimitExceeded { limit_bytes } => {
            unavailable(format!("{PROGRAM} needs more than the {limit_bytes} bytes of memory that a command may have"))
        }
        Ending::CouldNotStart { message, .. } => unavailable(message),
    }
}

/// Reads an answer, which must be whole.
fn answer(text: &[u8]) -> Result<DatabaseAnswer, String> {
    let answer: DatabaseAnswer = serde_json::from_slice(text).map_err(|_| match text.len() {
        0 => "it is empty".to_owned(),
        bytes => format!("its {bytes} bytes are not the document that is expected"),
    })?;
    if let DatabaseAnswer::Answered(rows) = &answer {
        let kept = rows.rows.len() as u64;
        let is_counted = if rows.truncated { kept < rows.row_count } else { kept == rows.row_count };
        if !is_counted || rows.rows.iter().any(|row| row.len() != rows.columns.len()) {
            return Err("its rows are not as many, or not as wide, as it says".to_owned());
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_answer_is_none() {
        let whole = r#"{"server":"s","columns":[{"name":"n","type":"t"}],"rows":[[1]],"rowCount":1,"affected":null,"truncated":false,"durationMs":1}"#;
        assert!(answer(whole.as_bytes()).is_ok());
        assert!(answer(whole.replace("\"rowCount\":1", "\"rowCount\":2").replace("false", "true").as_bytes()).is_ok());
        let failed = r#"{"error":{"kind":"refused","during":"statement","message":"no"}}"#;
        assert!(matches!(answer(failed.as_bytes()), Ok(DatabaseAnswer::Failed { .. })));
        for junk in [
            String::new(),
            whole[..whole.len() - 1].to_owned(),
            format!("{whole}{whole}"),
            whole.replace("[[1]]", "[[1,2]]"),
            whole.replace("[[1]]", "[]"),
            whole.replace("false", "true"),
            whole.replace("\"rowCount\":1", "\"rowCount\":0"),
            whole.replace("\"affected\"", "\"other\""),
            "null".to_owned(),
            r#"{"error":{}}"#.to_owned(),
        ] {
            assert!(answer(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}

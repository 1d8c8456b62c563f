//! The commands of one action, carried out one after the other.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use referee_model::limit;
use referee_model::plan::interaction::BrowserOperation;
use referee_model::plan::{Browser, Template};
use referee_model::record::{Executable, InteractionEnding, InteractionFacts, Log, Notice, Screenshot};
use referee_syntax::cut;

use super::client::Fault;
use super::driver::{CommandResult, Kind, Task};
use super::session::{Session, Unstarted};
use super::sessions::{BrowserSessions, LOST, Slot};
use super::transcript::{CommandAnswer, Transcript};
use super::{address, picture};
use crate::attempt::{Demand, ExecError, Turn, Watcher};
use crate::capture::{Sink, store_answer};
use crate::command::Commands;

/// Maximum length of a command in the record, in characters.
const REQUEST_CHARACTERS: usize = 1_000;

/// Name of the picture of a page that did not do what was asked.
const FAILURE: &str = "failure";

/// Maximum length of an answer in the evidence, in bytes.
const ANSWER_BYTES: usize = 64 * 1024;

/// Interval of checks whether another action still uses the browser.
const LOOK: Duration = Duration::from_millis(10);

/// Carries out the commands of an action.
pub(crate) fn perform(
    turn: &Turn<'_>,
    browser: &Browser,
    browsers: &BrowserSessions,
    (commands, sink): (&Commands<'_>, &dyn Sink),
    watcher: &mut Watcher<'_>,
) -> Result<(InteractionFacts, Vec<Notice>), ExecError> {
    let mut performance = match Performance::new(turn, browser, commands, sink) {
        Ok(performance) => performance,
        Err((requests, message)) => {
            let ending = InteractionEnding::Unavailable { message };
            return Ok((InteractionFacts::without_answer(Vec::new(), requests, ending), Vec::new()));
        }
    };
    let slot = browsers.slot(browser);
    let ending = match own(&slot, turn, watcher)? {
        Ok(mut slot) => performance.run(&mut slot, watcher)?,
        Err(ending) => ending,
    };
    Ok((performance.into_facts(ending)?, Vec::new()))
}

/// Waits until no other action uses the browser.
fn own<'slot>(
    slot: &'slot Mutex<Slot>,
    turn: &Turn<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Result<MutexGuard<'slot, Slot>, InteractionEnding>, ExecError> {
    loop {
        match slot.try_lock() {
            Ok(slot) => return Ok(Ok(slot)),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(Ok(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => {}
        }
        if (watcher.tick)()? != Demand::GoOn {
            return Ok(Err(InteractionEnding::Interrupted));
        }
        if Instant::now() >= turn.bounds.deadline {
            return Ok(Err(deadline(turn, "the browser, which another action uses")));
        }
        std::thread::sleep(LOOK);
    }
}

struct Performance<'run> {
    turn: &'run Turn<'run>,
    browser: &'run Browser,
    commands: &'run Commands<'run>,
    sink: &'run dyn Sink,
    /// The commands, with their placeholders filled in.
    operations: Vec<BrowserOperation>,
    requests: Vec<String>,
    executables: Vec<Executable>,
    peer: Option<String>,
    transcript: Transcript,
    value: Option<String>,
    screenshots: Vec<Screenshot>,
}

impl<'run> Performance<'run> {
    /// Fills in the placeholders. An `Err` has the requests, and says what is missing.
    fn new(
        turn: &'run Turn<'run>,
        browser: &'run Browser,
        commands: &'run Commands<'run>,
        sink: &'run dyn Sink,
    ) -> Result<Self, (Vec<String>, String)> {
        let given = browser.commands.iter().map(|command| &command.operation);
        let operations = given.clone().map(|operation| filled(operation, turn)).collect::<Result<Vec<_>, String>>();
        let operations = operations.map_err(|message| (given.map(line).collect(), message))?;
        let requests = operations.iter().map(line).collect();
        Ok(Self {
            turn,
            browser,
            commands,
            sink,
            operations,
            requests,
            executables: Vec::new(),
            peer: None,
            transcript: Transcript::default(),
            value: None,
            screenshots: Vec::new(),
        })
    }

    /// Carries out the commands until one fails.
    fn run(&mut self, slot: &mut Slot, watcher: &mut Watcher<'_>) -> Result<InteractionEnding, ExecError> {
        if let Some(ending) = self.open(slot, watcher)? {
            return Ok(ending);
        }
        for index in 0..self.operations.len() {
            let began = Instant::now();
            let ending = self.command(index, slot, watcher)?;
            self.record(index, began.elapsed(), ending.as_ref());
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
        Ok(InteractionEnding::Completed)
    }

    /// Starts the browser, if it is not running. Returns the ending, if it does not start.
    fn open(&mut self, slot: &mut Slot, watcher: &mut Watcher<'_>) -> Result<Option<InteractionEnding>, ExecError> {
        if slot.session.as_ref().is_some_and(|session| !session.is_alive()) {
            slot.lose();
        }
        if slot.session.is_none() {
            if slot.lost >= LOST || slot.closed {
                let message = "the browser was lost more than once, and is not started again".to_owned();
                return Ok(Some(InteractionEnding::Unavailable { message }));
            }
            match Session::start(self.turn, self.browser, self.commands, watcher)? {
                Ok(session) => slot.session = Some(session),
                Err(Unstarted::Refused { executables, message }) => {
                    self.executables = executables;
                    return Ok(Some(InteractionEnding::Unavailable { message }));
                }
                Err(Unstarted::Failed { executables, fault }) => {
                    self.executables = executables;
                    if matches!(fault, Fault::Gone(_)) {
                        slot.lose();
                    }
                    return self.ending(fault, "the start of the browser").map(Some);
                }
            }
        }
        if let Some(session) = &slot.session {
            self.executables.clone_from(&session.executables);
            self.peer = Some(session.peer.clone());
        }
        Ok(None)
    }

    /// Carries out one command. Returns the ending, if it fails.
    fn command(
        &mut self,
        index: usize,
        slot: &mut Slot,
        watcher: &mut Watcher<'_>,
    ) -> Result<Option<InteractionEnding>, ExecError> {
        let workspace = self.commands.workspace();
        let operation = &self.operations[index];
        if let BrowserOperation::Navigate(url) = operation
            && let Err(message) = address::check(&url.to_string(), workspace)
        {
            return Ok(Some(InteractionEnding::Refused { request: index, message }));
        }
        let Some(session) = &mut slot.session else { unreachable!("the browser was opened above") };
        let deadline = self.turn.bounds.deadline;
        let wait = Duration::from_millis(self.browser.commands[index].wait_ms);
        let left = deadline.saturating_duration_since(Instant::now());
        let last = index + 1 == self.operations.len();
        let result = session.command(&Task::Command(operation), wait.min(left), last, deadline, &mut *watcher.tick);
        let mut result = match result {
            Ok(result) => result,
            Err(fault) => {
                if matches!(fault, Fault::Gone(_) | Fault::Interrupted(Demand::Kill)) {
                    slot.lose();
                }
                return self.ending(fault, &self.requests[index].clone()).map(Some);
            }
        };
        if address::is_outside(&result.seen.url, workspace) {
            let message = "the page is a file outside the workspace".to_owned();
            return Ok(Some(InteractionEnding::Refused { request: index, message }));
        }
        let ending = self.judge(index, &mut result, left < wait)?;
        self.transcript.add(result.events, result.seen);
        Ok(ending)
    }

    /// Takes what a command brought. Returns the ending, if it failed.
    fn judge(
        &mut self,
        index: usize,
        result: &mut CommandResult,
        is_cut_short: bool,
    ) -> Result<Option<InteractionEnding>, ExecError> {
        if let Some(value) = result.value.take() {
            self.value = Some(value);
        }
        let page_error = match result.events.errors.as_slice() {
            [] => None,
            [one] => Some(format!("page error: {one}")),
            [first, rest @ ..] => Some(format!("page error: {first} (and {} more)", rest.len())),
        };
        let message = match (result.kind, page_error) {
            (Kind::Late, _) if is_cut_short => return Ok(Some(deadline(self.turn, &self.requests[index]))),
            (Kind::Done, None) => {
                return self.keep_picture(index, result);
            }
            (Kind::Done, Some(error)) => error,
            (_, None) => result.message.clone(),
            (_, Some(error)) => format!("{}; {error}", result.message),
        };
        if let Some(bytes) = result.image.as_deref().and_then(picture::decode) {
            self.store_picture(FAILURE, &bytes)?;
        }
        let message = cut::bytes(&message, limit::MESSAGE_BYTES);
        Ok(Some(InteractionEnding::Refused { request: index, message }))
    }

    /// Stores a picture, if one was asked for.
    fn keep_picture(&mut self, index: usize, result: &CommandResult) -> Result<Option<InteractionEnding>, ExecError> {
        let BrowserOperation::Screenshot(name) = &self.operations[index] else { return Ok(None) };
        let Some(bytes) = result.image.as_deref().and_then(picture::decode) else {
            let message = "the picture of the page is not a PNG file".to_owned();
            return Ok(Some(InteractionEnding::Unavailable { message }));
        };
        self.store_picture(&name.clone(), &bytes)?;
        Ok(None)
    }

    fn store_picture(&mut self, name: &str, bytes: &[u8]) -> Result<(), ExecError> {
        let number = self.screenshots.len() + 1;
        let image = self.sink.picture(self.turn.action, self.turn.attempt, number, bytes)?;
        self.screenshots.push(Screenshot { name: name.to_owned(), image });
        Ok(())
    }

    /// Adds a command to the evidence.
    fn record(&mut self, index: usize, took: Duration, ending: Option<&InteractionEnding>) {
        let answer = match ending {
            None => match self.operations[index] {
                BrowserOperation::Evaluate(_) | BrowserOperation::Content(_) => self.value.clone().unwrap_or_default(),
                _ => String::new(),
            },
            Some(InteractionEnding::Refused { message, .. } | InteractionEnding::Unavailable { message }) => {
                message.clone()
            }
            Some(InteractionEnding::DeadlineExceeded { timeout_ms, .. }) => {
                format!("it was stopped at its deadline of {timeout_ms} ms")
            }
            Some(_) => "it was interrupted".to_owned(),
        };
        self.transcript.commands.push(CommandAnswer {
            request: self.requests[index].clone(),
            ok: ending.is_none(),
            answer: cut::bytes(&answer, ANSWER_BYTES),
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
    }

    /// Returns the ending for a command without an answer.
    fn ending(&self, fault: Fault, waiting_for: &str) -> Result<InteractionEnding, ExecError> {
        match fault {
            Fault::Unanswered => Ok(deadline(self.turn, waiting_for)),
            Fault::Interrupted(_) => Ok(InteractionEnding::Interrupted),
            Fault::Gone(message) => {
                Ok(InteractionEnding::Unavailable { message: cut::bytes(&message, limit::MESSAGE_BYTES) })
            }
            Fault::Run(error) => Err(error),
        }
    }

    /// Stores the evidence, and returns the facts.
    fn into_facts(self, ending: InteractionEnding) -> Result<InteractionFacts, ExecError> {
        let is_kept = self.turn.action.evidence.exchange && !self.transcript.commands.is_empty();
        let answer = if is_kept { Some(self.store()?) } else { None };
        Ok(InteractionFacts {
            executables: self.executables,
            peer: self.peer,
            requests: self.requests,
            ending,
            row_count: None,
            value: self.value.map(|value| cut::bytes(&value, limit::EXCERPT_BYTES)),
            answer,
            screenshots: self.screenshots,
            observations: Vec::new(),
        })
    }

    fn store(&self) -> Result<Log, ExecError> {
        let system = |source| ExecError::System { what: "write down what a browser answered", source };
        let mut document = serde_json::to_string_pretty(&self.transcript).map_err(|error| system(error.into()))?;
        document.push('\n');
        Ok(store_answer(self.sink, (self.turn.action, self.turn.attempt), document.as_bytes())?)
    }
}

/// Returns the ending of an action at its deadline.
fn deadline(turn: &Turn<'_>, waiting_for: &str) -> InteractionEnding {
    InteractionEnding::DeadlineExceeded {
        timeout_ms: turn.bounds.timeout_ms,
        of_task: turn.bounds.of_task,
        waiting_for: waiting_for.to_owned(),
    }
}

/// Returns a command as one line.
fn line(operation: &BrowserOperation) -> String {
    let line = operation.as_line().split_whitespace().collect::<Vec<_>>().join(" ");
    cut::characters(&line, REQUEST_CHARACTERS)
}

/// Fills in the placeholders of a command.
fn filled(operation: &BrowserOperation, turn: &Turn<'_>) -> Result<BrowserOperation, String> {
    let fill = |template: &Template| {
        template
            .fill(turn.captured, str::to_owned)
            .map(Template::plain)
            .map_err(|missing| format!("it is made from `${{{missing}}}`, which was not captured"))
    };
    Ok(match operation {
        BrowserOperation::Navigate(url) => BrowserOperation::Navigate(fill(url)?),
        BrowserOperation::Evaluate(script) => BrowserOperation::Evaluate(fill(script)?),
        BrowserOperation::See(text) => BrowserOperation::See(fill(text)?),
        BrowserOperation::Fill(fields) => {
            let fields = fields.iter().map(|(field, value)| Ok((field.clone(), fill(value)?)));
            BrowserOperation::Fill(fields.collect::<Result<_, String>>()?)
        }
        BrowserOperation::Click(_)
        | BrowserOperation::Screenshot(_)
        | BrowserOperation::WaitFor(_)
        | BrowserOperation::Content(_) => operation.clone(),
    })
}

//! Orders the parts of a task, waits for all of them, and verifies each.

use std::sync::mpsc::{self, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use referee_exec::signal::Cancellation;
use referee_ledger::State;
use referee_ledger::private_directory::{self, PrivateDirectory};
use referee_model::order_protocol::OrderRequest;
use referee_model::run_context::SharedReceipt;
use referee_model::run_order::{OrderOutcome, RunOrder};

use super::assembly::{Assembly, PartRun, label};
use super::{Placed, Receiver, Wait, not_performed};
use crate::error::EngineError;
use crate::event_sink::{EventSink, OrderProgress};
use crate::order_queue::{OrderAnswer, fault};
use crate::request::BlockReason;

/// Time between looks at requests to stop while nothing else happens.
const LOOK: Duration = Duration::from_millis(100);

/// SIGTERM, by which the other parts are given up once one is lost.
const GIVE_UP: i32 = 15;

type PartAnswer = Result<OrderAnswer, EngineError>;

/// What a thread tells that waits for a part, given by its index.
enum Message {
    Progress(usize, OrderProgress),
    Answer(usize, PartAnswer),
}

/// Has workers perform the parts of a task, each by an order of its own. The receipt is why none answers for the whole task.
///
/// # Errors
/// Fails if the queue or the depot cannot be used for one of them, and if what a worker answers is not what it signed.
pub(super) fn place(
    receiver: &Receiver<'_>,
    state: &State,
    (orders, receipt): (Vec<RunOrder>, Option<SharedReceipt>),
    events: &mut dyn EventSink,
) -> Result<Placed, EngineError> {
    let parts = orders.len();
    let asked: Vec<OrderRequest> =
        orders.iter().map(|order| receiver.asked(order.clone())).collect::<Result<_, _>>()?;
    let answers = ask(receiver, &asked, events)?;
    let envelopes = match envelopes(receiver, answers)? {
        Ok(envelopes) => envelopes,
        Err(blocked) => return Ok(blocked),
    };
    let directory = PrivateDirectory::of_workers(state, &receiver.request.execution)?;
    let mut runs: Vec<PartRun> = Vec::with_capacity(parts);
    for (at, (order, envelope)) in orders.into_iter().zip(envelopes).enumerate() {
        let into = directory.path().join(format!("part-{}", at + 1));
        private_directory::nested(&into)?;
        let received = receiver.fetch(&order, envelope, &into).map_err(|error| of_part(error, at, parts))?;
        let worker = match received {
            Ok(worker) => worker,
            Err(reason) => {
                return Ok(not_performed(&format!("{}: {reason}", label(at, parts)), receiver.redact));
            }
        };
        if runs.iter().any(|other| other.worker.run.execution == worker.run.execution) {
            let why = format!("{} answers another part, too", worker.run.execution);
            return Err(of_part(fault(why), at, parts));
        }
        runs.push(PartRun { worker, left_out: order.left_out });
    }
    Ok(Placed::Parts(Box::new(Assembly::new(runs, receipt, Some(directory)))))
}

/// Asks for all parts at once, and returns their answers in order. Once one of them is lost, the others are given up.
fn ask(
    receiver: &Receiver<'_>,
    orders: &[OrderRequest],
    events: &mut dyn EventSink,
) -> Result<Vec<Option<PartAnswer>>, EngineError> {
    let stop = Cancellation::new().map_err(EngineError::internal)?;
    let wait = Wait::of(receiver.request, &stop);
    let queue = &receiver.fleet.queue;
    let mut answers: Vec<Option<PartAnswer>> = orders.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (sender, messages) = channel();
        for (at, order) in orders.iter().enumerate() {
            let sender: Sender<Message> = sender.clone();
            let waiting = move || {
                // Nobody receives any more once all is over.
                let tell = |message| drop(sender.send(message));
                let answer = wait.ask(queue, order, &mut |progress| tell(Message::Progress(at, progress.clone())));
                tell(Message::Answer(at, answer));
            };
            let spawned = std::thread::Builder::new().name(format!("part-{}", at + 1)).spawn_scoped(scope, waiting);
            if let (Err(error), Some(answer)) = (spawned, answers.get_mut(at)) {
                *answer = Some(Err(EngineError::internal(error)));
                stop.request(GIVE_UP);
            }
        }
        drop(sender);
        follow(receiver, &stop, &messages, &mut answers, events);
    });
    Ok(answers)
}

/// Takes what the threads tell until the last of them has answered.
fn follow(
    receiver: &Receiver<'_>,
    stop: &Cancellation,
    messages: &mpsc::Receiver<Message>,
    answers: &mut [Option<PartAnswer>],
    events: &mut dyn EventSink,
) {
    let (mut passed_on, parts) = (0, answers.len());
    loop {
        match messages.recv_timeout(LOOK) {
            Ok(Message::Progress(at, progress)) => {
                events.on_order(&OrderProgress::Part { number: at + 1, parts, progress: Box::new(progress) });
            }
            Ok(Message::Answer(at, answer)) => {
                if !matches!(answer, Ok(OrderAnswer::Answered(OrderOutcome::Performed { .. }))) {
                    stop.request(GIVE_UP);
                }
                if let Some(place) = answers.get_mut(at) {
                    *place = Some(answer);
                }
            }
            Err(RecvTimeoutError::Timeout) => events.on_idle(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let requests = receiver.request.run.cancellation.requests();
        requests.iter().skip(passed_on).for_each(|signal| stop.request(*signal));
        passed_on = requests.len().max(passed_on);
    }
}

/// Returns what the workers signed, in order, or why the task was not performed.
fn envelopes(
    receiver: &Receiver<'_>,
    answers: Vec<Option<PartAnswer>>,
) -> Result<Result<Vec<String>, Placed>, EngineError> {
    let parts = answers.len();
    let mut all = Vec::with_capacity(parts);
    for (at, answer) in answers.into_iter().enumerate() {
        let answer = answer.unwrap_or_else(|| Err(EngineError::internal("nobody waited for it".to_owned())));
        all.push(answer.map_err(|error| of_part(error, at, parts))?);
    }
    if let Some(signal) = receiver.request.run.cancellation.requests().first() {
        return Ok(Err(Placed::Blocked(BlockReason::Interrupted { signal: *signal })));
    }
    if all.contains(&OrderAnswer::OutOfTime) {
        return Ok(Err(Placed::Blocked(BlockReason::DeadlinePassed)));
    }
    let lost = all.iter().enumerate().find_map(|(at, answer)| match answer {
        OrderAnswer::Answered(OrderOutcome::Refused { reason }) | OrderAnswer::TimedOut { reason } => {
            Some(format!("{}: {reason}", label(at, parts)))
        }
        _ => None,
    });
    if let Some(reason) = lost {
        return Ok(Err(not_performed(&reason, receiver.redact)));
    }
    let envelope = |(at, answer)| match answer {
        OrderAnswer::Answered(OrderOutcome::Performed { result }) => Ok(result),
        _ => Err(of_part(fault("it was given up".to_owned()), at, parts)),
    };
    all.into_iter().enumerate().map(envelope).collect::<Result<_, _>>().map(Ok)
}

/// Returns the error with the part that it is about.
fn of_part(error: EngineError, at: usize, parts: usize) -> EngineError {
    EngineError { message: format!("{}: {}", label(at, parts), error.message), ..error }
}

//! Observers of runs, and what they are told beside events.

use std::sync::Arc;

use referee_model::event::Event;
use referee_model::run_context::SharedReceipt;
use referee_model::suite::Suite;
use referee_spec::Complaint;

/// Observer of a run. It receives an event only after the event is in the journal.
pub trait EventSink {
    /// Called with the specification that is about to run.
    fn on_suite(&mut self, _: &Suite) {}

    /// Called with each event.
    fn on_event(&mut self, event: &Event);

    /// Called once for a command that prints nothing for a minute.
    fn on_silence(&mut self, _: &referee_exec::Silence) {}

    /// Called several times a second while nothing happens.
    fn on_idle(&mut self) {}

    /// Called with what becomes of an order before it is answered. Nothing of it is verified or stored.
    fn on_order(&mut self, _: &OrderProgress) {}

    /// Called with a note beside the answer.
    fn on_note(&mut self, _: &Note<'_>) {}
}

/// A note beside an answer.
#[derive(Debug)]
pub enum Note<'note> {
    /// One sentence.
    Text(String),
    /// Warnings about a loaded specification.
    Complaints(&'note [Complaint]),
}

/// Receives notes from any thread.
pub type NoteSink = Arc<dyn Fn(&Note<'_>) + Send + Sync>;

impl EventSink for NoteSink {
    fn on_event(&mut self, _: &Event) {}

    fn on_note(&mut self, note: &Note<'_>) {
        self(note);
    }
}

/// What becomes of an order before it is answered.
#[derive(Debug, Clone)]
pub enum OrderProgress {
    /// There is the receipt of an earlier run of the same order.
    Receipt(SharedReceipt),
    /// It is in the queue.
    Queued {
        /// Whether somebody else asked the same before.
        attached: bool,
    },
    /// No worker with its labels asks for orders.
    NoWorker,
    /// An event of the run on the worker, as `--format jsonl` writes it.
    Event(serde_json::Value),
    /// It is the order of one of several parts.
    Part {
        /// Number of the part, from 1.
        number: usize,
        /// Number of parts.
        parts: usize,
        /// What becomes of it.
        progress: Box<OrderProgress>,
    },
}

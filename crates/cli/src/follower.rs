//! Follows a run for a person or a program.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use referee_engine::context::Context;
use referee_engine::event_sink::{EventSink, Note, NoteSink, OrderProgress};
use referee_engine::suite;
use referee_exec::Silence;
use referee_model::event::{Event, EventKind};
use referee_model::id::TaskId;
use referee_model::suite::Suite;
use referee_report::formats::json_lines;
use referee_report::human::progress::Progress;
use referee_report::style::{Style, Verbosity};
use serde_json::Value;

use crate::args::Format;
use crate::complaints::rendered;
use crate::output;

/// Follows a run: progress for people on standard error, events for programs on standard output.
pub(crate) struct Follower<'run> {
    format: Format,
    context: &'run Context,
    suite: Option<Suite>,
    style: Style,
    /// Whether progress is shown at all.
    shows: bool,
    progress: Option<Progress>,
    began: Instant,
    pub(crate) events: Vec<Value>,
    /// Whether standard output is closed; the run continues and its exit code still counts.
    deaf: bool,
}

impl<'run> Follower<'run> {
    pub(crate) fn new(context: &'run Context, format: Format) -> Self {
        let style = context.terminal.stderr;
        let quiet = style.verbosity == Verbosity::Quiet || (format != Format::Human && !style.interactive);
        Self {
            format,
            context,
            suite: None,
            style,
            shows: !quiet,
            progress: None,
            began: Instant::now(),
            events: Vec::new(),
            deaf: false,
        }
    }

    /// Starts the progress display of a task.
    fn begin(&mut self, task: &TaskId) {
        self.clear();
        self.began = Instant::now();
        let plan = self.suite.as_ref().and_then(|suite| suite.task(task)).filter(|_| self.shows);
        let shown = plan.map(|plan| suite::shown(plan, &self.context.environment));
        self.progress = shown.map(|plan| Progress::new(self.style, &plan));
    }

    fn show(&mut self, write: impl FnOnce(&mut Progress, &mut dyn io::Write) -> io::Result<()>) {
        if let Some(progress) = &mut self.progress {
            let mut text = Vec::new();
            let written = write(progress, &mut text).and_then(|()| output::aside(&text));
            if written.is_err() {
                (self.progress, self.shows) = (None, false);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.show(|progress, out| progress.clear(out));
    }

    /// Writes a note between two lines of progress, if progress is shown.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        self.clear();
        if self.shows { output::aside(text.as_bytes()) } else { Ok(()) }
    }

    fn stream(&mut self, event: &Event) {
        match self.format {
            Format::Human => {}
            Format::Json => {
                self.events.extend(serde_json::from_str::<Value>(&referee_model::event::journal::line(event)));
            }
            Format::Jsonl if self.deaf => {}
            Format::Jsonl => {
                let mut line = Vec::new();
                let written = json_lines::write(event, &mut line).and_then(|()| output::answer(&line));
                self.deaf = written.is_err();
            }
        }
    }
}

impl EventSink for Follower<'_> {
    fn on_suite(&mut self, suite: &Suite) {
        self.suite = Some(suite.clone());
    }

    fn on_event(&mut self, event: &Event) {
        if let EventKind::RunStarted { task, .. } = &event.happening {
            self.begin(task);
        }
        self.stream(event);
        self.show(|progress, out| progress.happened(event, out));
    }

    fn on_silence(&mut self, silence: &Silence) {
        let Silence { action, silent_ms, is_idle } = silence;
        self.show(|progress, out| progress.silent(action, *silent_ms, *is_idle, out));
    }

    fn on_idle(&mut self) {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.show(|progress, out| progress.tick(elapsed, out));
    }

    fn on_order(&mut self, progress: &OrderProgress) {
        if let Some(text) = told_of_order("worker", progress) {
            drop(self.note(&text));
        }
    }

    fn on_note(&mut self, note: &Note<'_>) {
        self.clear();
        tell(self.context, note);
    }
}

/// Returns a line about an order, for people. Nothing that a worker tells is verified yet: of its events only words are shown.
fn told_of_order(who: &str, progress: &OrderProgress) -> Option<String> {
    let event = match progress {
        OrderProgress::Queued { attached: false } => return Some(format!("{who}: the run is in the queue\n")),
        OrderProgress::Queued { attached: true } => {
            return Some(format!("{who}: the same run is in the queue already, and its answer is waited for\n"));
        }
        OrderProgress::NoWorker => return Some(format!("{who}: none with these labels asks for runs yet\n")),
        OrderProgress::Part { number, parts, progress } => {
            return told_of_order(&format!("worker, part {number} of {parts}"), progress);
        }
        OrderProgress::Receipt(receipt) => return Some(format!("{who}: {}\n", receipt.sentence())),
        OrderProgress::Event(event) => event,
    };
    let word = |key: &str| {
        let text = event.get(key)?.as_str()?;
        let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
        (text.len() <= 64 && text.chars().all(is_plain)).then_some(text)
    };
    let (kind, action) = (word("type")?, word("actionId")?);
    match kind {
        "action-started" => Some(format!("{who}: {action} began\n")),
        "action-judged" => Some(format!("{who}: {action} {}\n", word("status")?)),
        "action-skipped" => Some(format!("{who}: {action} skipped\n")),
        _ => None,
    }
}

/// Returns a sink that shows only notes.
pub(crate) fn notes(context: &Context) -> NoteSink {
    let context = context.clone();
    Arc::new(move |note| tell(&context, note))
}

/// Shows a note beside the answer. A failed write changes no verdict.
fn tell(context: &Context, note: &Note<'_>) {
    drop(match note {
        Note::Text(text) => output::notes([text]),
        Note::Complaints(complaints) => rendered(context, complaints).and_then(|text| output::aside(&text)),
    });
}

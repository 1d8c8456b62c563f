//! Where a hook's one answer is given: the first one counts, whoever gives it.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::hook::{AgentHost, HookEvent, HookMoment, HookReply, HookVerdict};
use referee_model::session::Refusal;
use referee_report::{hook, hosts};
use rustix::fs::FileType;

use crate::output;

/// What a host takes for "no" where nothing can be written to it.
const REFUSED: u8 = 2;

/// The device that swallows everything.
const NOWHERE: (u32, u32) = (1, 3);

/// Gives one answer. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct HookContext {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    host: AgentHost,
    told: Mutex<HookDetails>,
    answered: AtomicBool,
    exit: AtomicU8,
}

/// What is known of the event.
#[derive(Debug, Clone)]
struct HookDetails {
    /// The host by whose way it is answered: some tell of events in the way of another, whose configuration they run.
    host: AgentHost,
    moment: HookMoment,
    /// The event's name as the host spells it.
    event: Option<String>,
    /// Whether there is an opinion, even where something goes wrong.
    has_opinion: bool,
    /// Whether checks may be running.
    is_asking: bool,
}

impl HookContext {
    pub(super) fn new(host: AgentHost) -> Self {
        // Until more is known it is taken for the moment at which the gate stands.
        let told =
            HookDetails { host, moment: HookMoment::AgentStops, event: None, has_opinion: true, is_asking: false };
        let (answered, exit) = (AtomicBool::new(false), AtomicU8::new(REFUSED));
        Self { shared: Arc::new(Shared { host, told: Mutex::new(told), answered, exit }) }
    }

    /// From here on a panic of any thread is answered at once, since a second one would end the process.
    pub(super) fn answers_panics(self) -> Self {
        let desk = self.clone();
        std::panic::set_hook(Box::new(move |panic| {
            desk.answer(&desk.fault(&format!("Referee itself failed: {panic}")));
        }));
        self
    }

    pub(super) fn host(&self) -> AgentHost {
        self.shared.host
    }

    /// Takes note of the event. There is no opinion, whatever goes wrong, where the gate does not stand.
    pub(super) fn heard(&self, event: &HookEvent) {
        let mut told = self.told();
        told.host = event.host;
        told.moment = event.moment;
        told.event = Some(event.name.clone());
        let takes_gate_away = event.moment == HookMoment::ConfigurationChanges;
        told.has_opinion = takes_gate_away || (event.moment.is_gated() && !event.aborted);
    }

    /// From here on there is no opinion, whatever goes wrong.
    pub(super) fn is_silent(&self) {
        self.told().has_opinion = false;
    }

    /// Takes note that checks may be running, or are not any more.
    pub(super) fn is_asking(&self, is_asking: bool) {
        self.told().is_asking = is_asking;
    }

    /// Whether checks may be running.
    pub(super) fn asks(&self) -> bool {
        self.told().is_asking
    }

    /// Returns what is answered where something goes wrong.
    pub(super) fn fault(&self, why: &str) -> HookVerdict {
        if self.told().has_opinion {
            return HookVerdict::Block { reason: hook::unanswered(why, Refusal::default()) };
        }
        // Standard error is for people, and may be closed.
        drop(output::aside(hook::noted(why).as_bytes()));
        HookVerdict::NoOpinion
    }

    /// Answers, unless somebody has. Returns the exit code of the answer that was given.
    pub(super) fn answer(&self, verdict: &HookVerdict) -> u8 {
        if !self.shared.answered.swap(true, Ordering::SeqCst) {
            let HookDetails { host, moment, event, .. } = self.told().clone();
            let reply = hosts::reply(host, moment, event.as_deref(), verdict);
            self.shared.exit.store(given(&reply, verdict), Ordering::SeqCst);
        }
        self.shared.exit.load(Ordering::SeqCst)
    }

    fn told(&self) -> MutexGuard<'_, HookDetails> {
        // It is held for moments, in which nothing can panic.
        self.shared.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a reply, and returns the exit code.
///
/// | the answer is | and can be written | exit code            |
/// |---------------|--------------------|----------------------|
/// | any           | yes                | the host's           |
/// | a refusal     | no                 | 2, with its reason on standard error |
/// | another       | no                 | the host's           |
fn given(reply: &HookReply, verdict: &HookVerdict) -> u8 {
    let HookVerdict::Block { reason } = verdict else {
        // Whoever does not hear this goes on, which is what it says.
        drop(output::aside(&reply.stderr));
        drop(write(&reply.stdout));
        return reply.exit;
    };
    let written = write(&reply.stdout);
    // Where standard error is gone too, the exit code says it.
    drop(output::aside(&reply.stderr));
    match written {
        Ok(()) => reply.exit,
        Err(error) => {
            let text = format!("the answer could not be written: {error}\n{reason}\n");
            drop(output::aside(text.as_bytes()));
            REFUSED
        }
    }
}

/// Writes to standard output. One that leads nowhere is an error: the runtime opens it so where it was closed.
fn write(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    let facts = rustix::fs::fstat(stdout.as_fd())?;
    let device = (rustix::fs::major(facts.st_rdev), rustix::fs::minor(facts.st_rdev));
    if FileType::from_raw_mode(facts.st_mode) == FileType::CharacterDevice && device == NOWHERE {
        return Err(io::Error::other("standard output leads nowhere"));
    }
    stdout.write_all(bytes)?;
    stdout.flush()
}

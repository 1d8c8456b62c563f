//! Gives the single answer of a hook: the first one wins, whichever thread gives it.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::hook::{AgentHost, HookEvent, HookMoment, HookReply, HookVerdict};
use referee_model::session::Refusal;
use referee_report::{hook, hosts};
use rustix::fs::FileType;

use crate::output;

/// Exit code that hosts take for a refusal if nothing can be written to them.
const REFUSED: u8 = 2;

/// Device number of `/dev/null`.
const NOWHERE: (u32, u32) = if cfg!(target_os = "macos") { (3, 2) } else { (1, 3) };

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

/// Facts about the event.
#[derive(Debug, Clone)]
struct HookDetails {
    /// Host whose answer format is used: some hosts run the configuration of another one, in its event format.
    host: AgentHost,
    moment: HookMoment,
    /// Name of the event as the host spells it.
    event: Option<String>,
    /// Whether the hook decides, even if something goes wrong.
    has_opinion: bool,
    /// Whether checks may be running.
    is_asking: bool,
}

impl HookContext {
    pub(super) fn new(host: AgentHost) -> Self {
        // Until more is known, the event is treated as a gated one.
        let told =
            HookDetails { host, moment: HookMoment::AgentStops, event: None, has_opinion: true, is_asking: false };
        let (answered, exit) = (AtomicBool::new(false), AtomicU8::new(REFUSED));
        Self { shared: Arc::new(Shared { host, told: Mutex::new(told), answered, exit }) }
    }

    /// Answers a panic of any thread at once from now on, since a second one would abort the process.
    pub(super) fn answers_panics(self) -> Self {
        let hook_context = self.clone();
        std::panic::set_hook(Box::new(move |panic| {
            hook_context.answer(&hook_context.fault(&format!("Referee itself failed: {panic}")));
        }));
        self
    }

    pub(super) fn host(&self) -> AgentHost {
        self.shared.host
    }

    /// Records the event. At events that are not gated the hook does not decide, whatever goes wrong.
    pub(super) fn heard(&self, event: &HookEvent) {
        let mut told = self.told();
        told.host = event.host;
        told.moment = event.moment;
        told.event = Some(event.name.clone());
        let takes_gate_away = event.moment == HookMoment::ConfigurationChanges;
        told.has_opinion = takes_gate_away || (event.moment.is_gated() && !event.aborted);
    }

    /// Records that the hook does not decide from now on, whatever goes wrong.
    pub(super) fn is_silent(&self) {
        self.told().has_opinion = false;
    }

    /// Records whether checks may be running.
    pub(super) fn is_asking(&self, is_asking: bool) {
        self.told().is_asking = is_asking;
    }

    pub(super) fn asks(&self) -> bool {
        self.told().is_asking
    }

    /// Returns the answer if something goes wrong.
    pub(super) fn fault(&self, why: &str) -> HookVerdict {
        if self.told().has_opinion {
            return HookVerdict::Block { reason: hook::unanswered(why, Refusal::default()) };
        }
        // Standard error is for people, and may be closed.
        drop(output::aside(hook::noted(why).as_bytes()));
        HookVerdict::NoOpinion
    }

    /// Answers, unless another thread has answered already. Returns the exit code of the given answer.
    pub(super) fn answer(&self, verdict: &HookVerdict) -> u8 {
        if !self.shared.answered.swap(true, Ordering::SeqCst) {
            let HookDetails { host, moment, event, .. } = self.told().clone();
            let reply = hosts::reply(host, moment, event.as_deref(), verdict);
            self.shared.exit.store(given(&reply, verdict), Ordering::SeqCst);
        }
        self.shared.exit.load(Ordering::SeqCst)
    }

    fn told(&self) -> MutexGuard<'_, HookDetails> {
        // The lock is held briefly, without code that can panic.
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
        // If this cannot be written, the host continues, which is what the answer says.
        drop(output::aside(&reply.stderr));
        drop(write(&reply.stdout));
        return reply.exit;
    };
    let written = write(&reply.stdout);
    // If standard error is closed too, the exit code is the answer.
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

/// Writes to standard output. `/dev/null` is an error: the runtime opens it in place of a closed output.
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

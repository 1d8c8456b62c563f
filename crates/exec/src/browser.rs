//! Browsers, driven through an MCP server. All actions of a run with the same settings share one browser.
//!
//! | what happens | ending |
//! |---|---|
//! | the server or the browser cannot be started, or is lost | unavailable |
//! | an element or a text is missing, the page fails, an expression throws or is false | refused |
//! | the time limit of a command is over | refused |
//! | the deadline of the action is reached | deadline exceeded |
//!
//! A small program, [`driver`], carries out each command inside the server, because the server's own tools do not
//! tell one failure from another.

mod address;
mod answer;
mod client;
mod driver;
mod inbox;
mod launch;
mod performance;
mod picture;
mod server;
mod session;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use referee_model::plan::Browser;
use referee_model::plan::interaction::BrowserEngine;
use referee_model::record::{InteractionEnding, InteractionFacts, Notice};

use self::performance::Performance;
use self::session::Session;
use crate::attempt::{Demand, ExecError, Turn, Watcher};
use crate::interaction::{Means, unavailable};

/// Interval of checks whether another action still uses the browser.
const LOOK: Duration = Duration::from_millis(10);

/// Number of browsers that may be lost; after that none is started any more.
const LOST: u32 = 2;

/// The browsers of a run, started by the first action that needs one.
#[derive(Default)]
pub(crate) struct BrowserSessions {
    slots: Mutex<Vec<(Settings, Arc<Mutex<Slot>>)>>,
}

/// Settings that tell one browser from another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Settings {
    server: Vec<String>,
    engine: BrowserEngine,
    headless: bool,
}

/// The place of one browser. One action at a time uses it.
#[derive(Default)]
struct Slot {
    session: Option<Session>,
    /// Number of browsers that were lost.
    lost: u32,
    /// Whether the browsers are closed for good.
    closed: bool,
}

impl BrowserSessions {
    /// Ends all browsers, with every process that they started.
    pub(crate) fn close(&self) {
        for (_, slot) in self.slots().iter() {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            slot.closed = true;
            if let Some(session) = slot.session.take() {
                session.end();
            }
        }
    }

    fn slot(&self, browser: &Browser) -> Arc<Mutex<Slot>> {
        let settings = Settings { server: browser.server.clone(), engine: browser.engine, headless: browser.headless };
        let mut slots = self.slots();
        if let Some((_, slot)) = slots.iter().find(|(known, _)| *known == settings) {
            return Arc::clone(slot);
        }
        let slot = Arc::<Mutex<Slot>>::default();
        slots.push((settings, Arc::clone(&slot)));
        slot
    }

    fn slots(&self) -> MutexGuard<'_, Vec<(Settings, Arc<Mutex<Slot>>)>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BrowserSessions {
    fn drop(&mut self) {
        self.close();
    }
}

impl Slot {
    /// Kills the browser, which is of no use any more.
    fn lose(&mut self) {
        self.lost += 1;
        if let Some(session) = self.session.take() {
            session.kill();
        }
    }
}

/// Carries out the commands of an action.
pub(crate) fn perform(
    turn: &Turn<'_>,
    browser: &Browser,
    means: &Means<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<(InteractionFacts, Vec<Notice>), ExecError> {
    let mut performance = match Performance::new(turn, browser, means) {
        Ok(performance) => performance,
        Err((requests, message)) => return Ok((unavailable(requests, message), Vec::new())),
    };
    let slot = means.browsers.slot(browser);
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
            return Ok(Err(performance::deadline(turn, "the browser, which another action uses")));
        }
        std::thread::sleep(LOOK);
    }
}

//! The browsers of a run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::plan::Browser;
use referee_model::plan::interaction::BrowserEngine;

use super::session::Session;

/// Number of browsers that may be lost; after that none is started any more.
pub(super) const LOST: u32 = 2;

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
pub(super) struct Slot {
    pub(super) session: Option<Session>,
    /// Number of browsers that were lost.
    pub(super) lost: u32,
    /// Whether the browsers are closed for good.
    pub(super) closed: bool,
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

    pub(super) fn slot(&self, browser: &Browser) -> Arc<Mutex<Slot>> {
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
    pub(super) fn lose(&mut self) {
        self.lost += 1;
        if let Some(session) = self.session.take() {
            session.kill();
        }
    }
}

//! What is written down of a session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::session::{self, Seen};
use referee_judge::hook::{self, Stop};
use referee_ledger::State;
use referee_ledger::sessions::{self, SessionKey};
use referee_model::enrolment::Enrolment;
use referee_model::hook::{AgentHost, HookEvent, HookMoment};
use referee_model::limit;
use referee_model::loop_guard::LoopBudget;
use referee_model::session::{Beginning, Session, StopDecision, StopGuard, WorkspaceState};
use referee_model::suite::Suite;
use referee_model::time::Timestamp;

use super::complaint;
use crate::args::Specification;
use crate::resolve;

/// Returns the project that a session began in. None: nothing is known of it.
pub(super) fn project(state: &State, host: AgentHost, id: &str) -> Result<Option<PathBuf>, EngineError> {
    let found = sessions::read(state, &SessionKey::of(host, id))?;
    Ok(found.map(|session| session.project))
}

/// Writes down that a session begins, or that a person speaks in it.
///
/// | what it found is written down where | because else |
/// |---|---|
/// | the event says that the session begins | work may have been done before a person speaks |
/// | and not that it goes on | the same |
/// | nothing is kept of the session, readable or not | it was written down, or is not known |
/// | it is about the project that the session is kept by | the agent went there, and worked before |
/// | the host gives the session an id | it cannot be told from others |
pub(super) fn begin(
    context: &Context,
    enrolment: &Enrolment,
    state: &State,
    event: &HookEvent,
    now: Timestamp,
) -> Result<(), EngineError> {
    let key = key(state, event, &enrolment.project)?;
    let is_known = sessions::is_there(state, &key)?;
    let is_its_own = event.session.as_ref().is_some_and(|id| key == SessionKey::of(event.host, id));
    let begins = event.moment == HookMoment::SessionBegins && !event.resumed;
    let mut found = new(enrolment, event, Beginning::Unknown, now);
    if begins && is_its_own && !is_known {
        let loaded = suite(context, enrolment);
        found.beginning = ground(&loaded, enrolment, Some(state)).map_or(Beginning::Unknown, Beginning::Known);
        found.failed_before = loaded.is_ok_and(|suite| session::has_failed(&suite, state));
    }
    let is_fresh = event.moment == HookMoment::PersonSpeaks || event.session.is_none();
    let change = |kept: Option<Session>| {
        let mut session = kept.unwrap_or(found);
        session.last_seen = now;
        if is_fresh {
            session.guard = StopGuard::fresh(now);
            session.workers.clear();
        }
        (session, ())
    };
    Ok(sessions::change(state, &key, now, change)?)
}

/// Writes down that work is done in a session of which nothing is known: then what it found never will be.
pub(super) fn works(
    enrolment: &Enrolment,
    state: &State,
    event: &HookEvent,
    now: Timestamp,
) -> Result<(), EngineError> {
    let key = key(state, event, &enrolment.project)?;
    if sessions::read(state, &key)?.is_some() {
        return Ok(());
    }
    let change = |kept: Option<Session>| (kept.unwrap_or_else(|| new(enrolment, event, Beginning::Unknown, now)), ());
    Ok(sessions::change(state, &key, now, change)?)
}

/// Writes down what an agent with a session of its own found, where what the one that started it found is known: the same.
/// Agents that it starts name it as theirs.
pub(super) fn follow(state: &State, event: &HookEvent, now: Timestamp) -> Result<(), EngineError> {
    let (Some(parent), Some(worker), true) = (&event.session, &event.worker, event.worker_has_session) else {
        return Ok(());
    };
    let key = SessionKey::of(event.host, worker);
    if sessions::read(state, &key)?.is_some() {
        return Ok(());
    }
    let Some(parent) = sessions::read(state, &SessionKey::of(event.host, parent))? else {
        return Ok(());
    };
    let (id, guard, workers) = (Some(worker.clone()), StopGuard::fresh(now), BTreeMap::new());
    let followed = Session { id, last_seen: now, guard, workers, ..parent };
    Ok(sessions::change(state, &key, now, |kept| (kept.unwrap_or(followed), ()))?)
}

pub(super) struct SessionState {
    /// Whether that is what it found.
    pub(super) unchanged: bool,
    /// Whether that had been judged before the session began, and had not passed.
    pub(super) failed_before: bool,
}

/// Tells what a session stands on.
pub(super) fn standing(
    context: &Context,
    enrolment: &Enrolment,
    state: &State,
    event: &HookEvent,
) -> Result<SessionState, EngineError> {
    let kept = sessions::read(state, &key(state, event, &enrolment.project)?)?;
    let Some(Session { beginning: beginning @ Beginning::Known(_), failed_before, .. }) = kept else {
        return Ok(SessionState { unchanged: false, failed_before: false });
    };
    // What cannot be observed is not known to be the same.
    let now = ground(&suite(context, enrolment), enrolment, Some(state));
    let unchanged = now.is_ok_and(|ground| hook::is_unchanged(&beginning, &ground));
    Ok(SessionState { unchanged, failed_before })
}

/// Counts a stop, and returns what is decided.
pub(super) fn count(
    enrolment: &Enrolment,
    state: &State,
    event: &HookEvent,
    budget: &LoopBudget,
    stop: Stop,
) -> Result<StopDecision, EngineError> {
    let now = stop.answered;
    let key = key(state, event, &enrolment.project)?;
    let change = |kept: Option<Session>| {
        let mut session = kept.unwrap_or_else(|| new(enrolment, event, Beginning::Unknown, stop.began));
        session.last_seen = now;
        let guard = guard_of(&mut session, event);
        let (after, decision) = hook::after(guard, budget, stop);
        *guard = after;
        (session, decision)
    };
    Ok(sessions::change(state, &key, now, change)?)
}

/// The guard that a stop is counted by: the session's own agent, each agent that it started and each task has one.
fn guard_of<'session>(session: &'session mut Session, event: &HookEvent) -> &'session mut StopGuard {
    let kind = match event.moment {
        HookMoment::SubagentStops => "subagent",
        HookMoment::TaskCompletes => "task",
        _ => return &mut session.guard,
    };
    let named = event.worker.as_ref().map(|id| format!("{kind} {id}"));
    let has_room =
        |worker: &String| session.workers.contains_key(worker) || session.workers.len() < limit::SESSION_WORKERS;
    let worker = named.filter(has_room).unwrap_or_else(|| kind.to_owned());
    let since = session.first_seen;
    session.workers.entry(worker).or_insert_with(|| StopGuard::fresh(since))
}

/// The key of what a session does in a project.
fn key(state: &State, event: &HookEvent, project: &Path) -> Result<SessionKey, EngineError> {
    let Some(id) = &event.session else { return Ok(SessionKey::unnamed(event.host, project)) };
    let began_in = self::project(state, event.host, id)?;
    let is_its_own = began_in.is_none_or(|began_in| began_in == project);
    Ok(if is_its_own { SessionKey::of(event.host, id) } else { SessionKey::elsewhere(event.host, id, project) })
}

fn new(enrolment: &Enrolment, event: &HookEvent, beginning: Beginning, now: Timestamp) -> Session {
    Session {
        host: event.host,
        id: event.session.clone(),
        project: enrolment.project.clone(),
        first_seen: now,
        last_seen: now,
        beginning,
        failed_before: false,
        guard: StopGuard::fresh(now),
        workers: BTreeMap::new(),
    }
}

fn ground(
    loaded: &Result<Suite, EngineError>,
    enrolment: &Enrolment,
    state: Option<&State>,
) -> Result<WorkspaceState, String> {
    match loaded {
        Ok(suite) => session::ground(&enrolment.project, Seen::Loaded(suite), state),
        Err(problem) => session::ground(&enrolment.project, Seen::Failed(&complaint::told(problem)), state),
    }
}

fn suite(context: &Context, enrolment: &Enrolment) -> Result<Suite, EngineError> {
    let mut loaded = resolve::load(context, &specification(enrolment))?.into_iter();
    match (loaded.next(), loaded.next()) {
        (Some(loaded), None) => Ok(loaded?.suite),
        _ => Err(EngineError::usage("one specification is needed".to_owned())),
    }
}

/// The specification that a project was enrolled with, whether it is there or not.
pub(super) fn specification(enrolment: &Enrolment) -> Specification {
    Specification { files: vec![enrolment.specification.clone()], workspace: None }
}

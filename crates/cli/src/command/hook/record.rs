//! Records of sessions.

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

/// Returns the project in which a session began. None: it is unknown.
pub(super) fn project(state: &State, host: AgentHost, id: &str) -> Result<Option<PathBuf>, EngineError> {
    let found = sessions::read(state, &SessionKey::of(host, id))?;
    Ok(found.map(|session| session.project))
}

/// Records that a session begins, or that a person speaks in it.
///
/// | the initial state is recorded if | because otherwise |
/// |---|---|
/// | the event says that the session begins | work may have been done before a person speaks |
/// | and not that it goes on | the same |
/// | nothing is stored for the session, readable or not | it is already recorded, or unknown |
/// | it concerns the project under which the session is stored | the agent went there, and worked before |
/// | the host gives the session an id | it cannot be distinguished from others |
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

/// Records that work is done in an unknown session: its initial state will never be known.
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

/// Records the initial state of a subagent's session, which is that of the session that started it, if known.
/// Its own subagents refer to it in turn.
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
    /// Whether the workspace is in its initial state.
    pub(super) unchanged: bool,
    /// Whether that state was judged before the session began, and did not pass.
    pub(super) failed_before: bool,
}

/// Returns the state of a session.
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
    // If the workspace cannot be observed, it does not count as unchanged.
    let now = ground(&suite(context, enrolment), enrolment, Some(state));
    let unchanged = now.is_ok_and(|ground| hook::is_unchanged(&beginning, &ground));
    Ok(SessionState { unchanged, failed_before })
}

/// Counts a stop, and returns the decision.
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

/// Returns the guard that counts a stop: the session's own agent, each subagent and each task has one.
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

/// Returns the key of a session in a project.
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

/// Returns the specification of a project's enrolment, whether it exists or not.
pub(super) fn specification(enrolment: &Enrolment) -> Specification {
    Specification { files: vec![enrolment.specification.clone()], workspace: None }
}

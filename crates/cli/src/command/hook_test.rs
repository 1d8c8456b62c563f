//! `referee hook test`: tests whether the installed hook of a host blocks where it must, and only there.
//!
//! The installed command is run as the host runs it, with the host's own events, in a temporary project.
//! `referee_report::hosts::reaction` interprets the answer as the host would.

mod scene;

use std::fmt::Write as _;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::host_file;
use referee_ledger::private_directory::PrivateDirectory;
use referee_model::doctor::{Finding, Grade};
use referee_model::exit_code;
use referee_model::hook::{AgentHost, HookMoment};
use referee_report::hosts::HostReaction;
use referee_report::hosts::configuration::{self, InstalledHook};
use referee_report::human::verification::{self, Axis, State};

use self::scene::{Installed, Scene, Stage};
use super::doctor;
use super::hook_config::{self, HostFile};
use crate::args::hook_config::HookTest;
use crate::output;

/// Plays every scene, and reports the results.
pub(super) fn execute(context: &Context, arguments: &HookTest) -> Result<u8, EngineError> {
    let host = AgentHost::from(arguments.host);
    let Some((source, hooks)) = installed(context, host)? else {
        let none = format!(
            "no hook of Referee is installed for {}: `referee hook config {} --write` installs one\n",
            host.title(),
            host.as_str()
        );
        output::answer(none.as_bytes())?;
        return Ok(exit_code::SPECIFICATION);
    };
    let mut axes = missing(host, &hooks);
    axes.extend(played(context, host, (&source, &hooks))?);
    axes.extend((host == AgentHost::Claude).then(|| doctor::of_claude(context)).flatten().map(of_version));
    let failed = axes.iter().filter(|axis| axis.state == State::Bad).count();
    let mut text = Vec::new();
    verification::write(&axes, &context.terminal.stdout, &mut text)?;
    let mut sum = format!("{}: ", context.shown(&source.path()).display());
    let _ = match failed {
        0 => writeln!(sum, "the hook blocks where it must, and only there"),
        _ => writeln!(sum, "{failed} of {} do not hold: the gate is not armed", axes.len()),
    };
    text.extend(sum.into_bytes());
    output::answer(&text)?;
    Ok(if failed == 0 { exit_code::PASSED } else { exit_code::SPECIFICATION })
}

/// Returns whether the host respects an answer that refuses new settings, which no scene can show.
fn of_version(finding: Finding) -> Axis {
    let state = if finding.grade == Grade::Ok { State::Good } else { State::Unknown };
    Axis { name: "ConfigChange".to_owned(), state, reason: finding.what }
}

/// Finds the installed hooks: in the project, else for the user.
fn installed(context: &Context, host: AgentHost) -> Result<Option<(HostFile, Vec<InstalledHook>)>, EngineError> {
    let project = hook_config::of_project(context, host);
    // Without a home directory there is no file of the user.
    let user = hook_config::of_user(context, host).ok();
    for file in std::iter::once(project).chain(user) {
        let hooks = hooks_in(context, host, &file)?;
        if !hooks.is_empty() {
            return Ok(Some((file, hooks)));
        }
    }
    Ok(None)
}

fn hooks_in(context: &Context, host: AgentHost, file: &HostFile) -> Result<Vec<InstalledHook>, EngineError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let shown = context.shown(&file.path()).display().to_string();
        let message = format!("{shown} cannot be relied on: {error}");
        EngineError::specification(message)
    };
    let bytes = host_file::read(&file.base, &file.relative).map_err(|error| unreadable(&error))?;
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    configuration::installed(host, &bytes).map_err(|error| unreadable(&error))
}

/// Returns the gated events without a hook.
fn missing(host: AgentHost, hooks: &[InstalledHook]) -> Vec<Axis> {
    let gated = configuration::events(host).filter(|(_, moment)| moment.is_gated());
    let missing = gated.filter(|(_, moment)| !hooks.iter().any(|hook| hook.moment == *moment));
    missing
        .map(|(event, _)| Axis {
            name: event.to_owned(),
            state: State::Bad,
            reason: format!("no hook is called there: `referee hook config {} --write`", host.as_str()),
        })
        .collect()
}

/// Plays every scene at every event with a hook that can refuse something.
fn played(
    context: &Context,
    host: AgentHost,
    (source, hooks): (&HostFile, &[InstalledHook]),
) -> Result<Vec<Axis>, EngineError> {
    let state = context.state([])?.ok_or_else(|| {
        EngineError::usage(
            "there is no state directory to make a project in: set REFEREE_STATE_DIR, or HOME".to_owned(),
        )
    })?;
    let execution = context.new_execution()?;
    let directory = PrivateDirectory::make(&state, &execution).map_err(|error| scene::broken(&error))?;
    let own = context.for_exec()?.shim;
    let mut axes = Vec::new();
    let installed = Installed::read(host, source)?;
    for (number, hook) in hooks.iter().filter(|hook| hook.moment.is_refusable()).enumerate() {
        for scene in Scene::of(hook) {
            let place = directory.path().join(format!("{number}-{}", scene.key()));
            let stage = Stage::set(context, &own, &place, (scene, &installed))?;
            let reaction = stage.play(host, hook, execution.as_str())?;
            axes.push(axis(host, hook, scene, &reaction));
        }
    }
    Ok(axes)
}

fn axis(host: AgentHost, hook: &InstalledHook, scene: Scene, reaction: &HostReaction) -> Axis {
    // A host without an answer that ends a turn continues to ask, up to a cap of its own.
    let ends = scene == Scene::MissingAgain
        && matches!(host, AgentHost::Claude | AgentHost::Codex | AgentHost::Gemini | AgentHost::OpenCode)
        && hook.moment != HookMoment::TaskCompletes;
    let holds = match reaction {
        HostReaction::Blocked(_) => scene.must_block() && !ends,
        HostReaction::Allowed => !scene.must_block(),
        HostReaction::Ended(_) => ends,
        HostReaction::Open(_) => false,
    };
    let came = match reaction {
        HostReaction::Blocked(_) if holds => "blocked".to_owned(),
        HostReaction::Blocked(_) if ends => "blocked again, and must be ended: it would go on for ever".to_owned(),
        HostReaction::Ended(_) if holds => "the turn is ended, and nothing is called done".to_owned(),
        HostReaction::Ended(why) => format!("the turn is ended, and must not be: {why}"),
        HostReaction::Blocked(reason) => format!("blocked, and must not be: {reason}"),
        HostReaction::Allowed if holds => "not blocked".to_owned(),
        HostReaction::Allowed => "not blocked, and must be".to_owned(),
        HostReaction::Open(why) => format!("the host goes on as if there were no hook: it {why}"),
    };
    let state = if holds { State::Good } else { State::Bad };
    Axis { name: hook.event.clone(), state, reason: format!("{}: {came}", scene.words()) }
}

//! A single scene, with its own project, state directory and replacement for Referee.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_exec::program::{Call, Called, HOOK_OUTPUT_BYTES};
use referee_foreign::hook::payloads;
use referee_ledger::{host_file, private_directory, project_file};
use referee_model::hook::{AgentHost, HookMoment};
use referee_report::hosts::configuration::{self, InstalledHook, Reach};
use referee_report::hosts::{self, Exchange, HostReaction};

use crate::command::hook_config::HostFile;

/// Time limit of an answer, which takes well below a second on an idle machine.
const BOUND: Duration = Duration::from_mins(1);

/// Time after which a hanging program is killed, if nothing else stops it.
const HANGING: Duration = Duration::from_secs(20);

/// Specification file of a scene's project, under the name with the highest priority.
const SPECIFICATION: &str = "referee.yaml";

/// Replacement for `sleep` where time must pass: returns at once.
const TIME_PASSES: &[u8] = b"#!/bin/sh\nexit 0\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scene {
    Fails,
    Passes,
    NoSpecification,
    Missing,
    Crashes,
    Junk,
    Hangs,
    /// The agent continues after a block.
    MissingAgain,
    ScriptMissing,
    ScriptChanged,
    SettingsGone,
    SettingsKept,
    EditOfSettings,
    EditElsewhere,
}

impl Scene {
    const GATED: [Self; 8] = [
        Self::Fails,
        Self::Passes,
        Self::NoSpecification,
        Self::Missing,
        Self::MissingAgain,
        Self::Crashes,
        Self::Junk,
        Self::Hangs,
    ];

    /// Returns the scenes for the event of a hook.
    pub(super) fn of(hook: &InstalledHook) -> Vec<Self> {
        let scenes: &[Self] = match hook.moment {
            HookMoment::ConfigurationChanges => &[Self::SettingsGone, Self::SettingsKept],
            HookMoment::ToolIsUsed => return vec![Self::EditOfSettings, Self::EditElsewhere],
            _ => &Self::GATED,
        };
        // A command written by hand does not run Referee's script.
        let runs_script = matches!(&hook.called, configuration::Called::Line(line) if line.contains("/referee.sh"));
        let scripts: &[Self] = if runs_script { &[Self::ScriptMissing, Self::ScriptChanged] } else { &[] };
        [scenes, scripts].concat()
    }

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Passes => "passes",
            Self::NoSpecification => "none",
            Self::Missing => "missing",
            Self::Crashes => "crashes",
            Self::Junk => "junk",
            Self::Hangs => "hangs",
            Self::MissingAgain => "again",
            Self::ScriptMissing => "no-script",
            Self::ScriptChanged => "script",
            Self::SettingsGone => "gone",
            Self::SettingsKept => "kept",
            Self::EditOfSettings => "settings",
            Self::EditElsewhere => "elsewhere",
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Fails => "a check fails",
            Self::Passes => "all checks pass",
            Self::NoSpecification => "the specification of an enrolled project is gone",
            Self::Missing => "Referee is not there",
            Self::Crashes => "Referee crashes",
            Self::Junk => "Referee prints something else",
            Self::Hangs => "Referee hangs until its time is up",
            Self::MissingAgain => "Referee is not there, and the agent goes on after a block already",
            Self::ScriptMissing => "the script of the hook is gone",
            Self::ScriptChanged => "the script of the hook was changed",
            Self::SettingsGone => "the settings changed, and have no gate any more",
            Self::SettingsKept => "the settings changed, and have the gate still",
            Self::EditOfSettings => "an edit of the settings",
            Self::EditElsewhere => "an edit of another file",
        }
    }

    pub(super) fn must_block(self) -> bool {
        !matches!(self, Self::Passes | Self::SettingsKept | Self::EditElsewhere)
    }

    fn specification(self) -> &'static str {
        match self {
            Self::Fails => "checks: {staged: 'echo this check fails on purpose; exit 1'}\n",
            _ => "checks: {staged: 'echo this check passes'}\n",
        }
    }

    /// Returns whether Referee is missing in the scene.
    fn is_without(self) -> bool {
        matches!(self, Self::Missing | Self::MissingAgain)
    }

    /// Returns the program that replaces Referee. None: Referee itself is used, or is missing.
    fn stand_in(self) -> Option<&'static [u8]> {
        match self {
            Self::Crashes => Some(b"#!/bin/sh\nexit 139\n"),
            Self::Junk => Some(b"#!/bin/sh\necho all is well\n"),
            // This program does not react to a request to stop.
            Self::Hangs => Some(b"#!/bin/sh\nkill -STOP $$\n"),
            _ => None,
        }
    }
}

/// Installed files, and their scope.
pub(super) struct Installed {
    place: configuration::HookFiles,
    reach: Reach,
    configuration: Option<Vec<u8>>,
    script: Option<Vec<u8>>,
}

impl Installed {
    pub(super) fn read(host: AgentHost, file: &HostFile) -> Result<Self, EngineError> {
        let read = |relative: &str| host_file::read(&file.base, relative).map_err(|error| broken(&error));
        Ok(Self {
            place: configuration::place(host),
            reach: file.reach,
            configuration: read(&file.relative)?,
            script: read(&file.script())?,
        })
    }

    /// Copies the files to where the host would find them in a scene.
    fn put(&self, scene: Scene, project: &Path, home: &Path) -> Result<(), EngineError> {
        let (base, relative) = match self.reach {
            Reach::Project => (project, self.place.project),
            Reach::User | Reach::Managed => (home, self.place.user),
        };
        let write = |relative: &str, bytes: &[u8]| {
            host_file::write(base, relative, None, bytes).map(drop).map_err(|error| broken(&error))
        };
        if let Some(script) = self.script.as_ref().filter(|_| scene != Scene::ScriptMissing) {
            let more: &[u8] = if scene == Scene::ScriptChanged { b"exit 0\n" } else { b"" };
            write(&configuration::script_beside(relative), &[script, more].concat())?;
        }
        match self.configuration.as_ref().filter(|_| scene != Scene::SettingsGone) {
            Some(configuration) => write(relative, configuration),
            None => Ok(()),
        }
    }
}

pub(super) struct Stage {
    scene: Scene,
    project: PathBuf,
    programs: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Stage {
    /// Sets up the scene: this program enrolls the project, then files are removed as the scene requires.
    pub(super) fn set(
        context: &Context,
        own: &Path,
        place: &Path,
        (scene, installed): (Scene, &Installed),
    ) -> Result<Self, EngineError> {
        let (project, state, programs) = (place.join("project"), place.join("state"), place.join("programs"));
        let home = place.join("home");
        for directory in [&project, &state, &programs, &home] {
            private_directory::nested(directory).map_err(|error| broken(&error))?;
        }
        if let Some(program) = scene.stand_in() {
            private_directory::program(&programs, "referee", program).map_err(|error| broken(&error))?;
        }
        if scene == Scene::Hangs {
            private_directory::program(&programs, "sleep", TIME_PASSES).map_err(|error| broken(&error))?;
        }
        project_file::write(&project, SPECIFICATION, scene.specification().as_bytes())
            .map_err(|error| broken(&error))?;
        installed.put(scene, &project, &home)?;
        let mut environment = environment(context, scene, &programs, &project, state);
        let moved = installed.place.moved_by.map_or("", |(variable, _)| variable);
        environment.retain(|(name, _)| name != "HOME" && name != moved);
        environment.push(("HOME".into(), home.into()));
        // The directory may be inside another repository.
        environment.push(("GIT_CEILING_DIRECTORIES".into(), place.into()));
        let stage = Self { scene, project, programs, environment };
        // If this fails, the scene without a specification shows it: the project is not enrolled.
        drop(stage.call(own.into(), vec!["enroll".into()], Vec::new(), BOUND).run());
        if scene == Scene::NoSpecification {
            private_directory::without(&stage.project, SPECIFICATION).map_err(|error| broken(&error))?;
        }
        Ok(stage)
    }

    /// Passes the event to the installed hook, and returns the host's interpretation of the answer.
    pub(super) fn play(
        &self,
        host: AgentHost,
        hook: &InstalledHook,
        session: &str,
    ) -> Result<HostReaction, EngineError> {
        let directory = self.project.to_string_lossy();
        let session = format!("{session}-{}", self.scene.key());
        let Some(mut event) = payloads::staged(host, hook.moment, &directory, &session) else {
            return Err(EngineError::internal(format!("no event of {} is recorded for {}", host.title(), hook.event)));
        };
        if self.scene == Scene::MissingAgain {
            event = event.replace("\"stop_hook_active\": false", "\"stop_hook_active\": true");
        }
        if self.scene == Scene::EditElsewhere {
            event = event.replace(".claude/settings.json", "src/quote.ts");
        }
        let stood_in = self.programs.join("referee").to_string_lossy().into_owned();
        let installed = match self.scene {
            scene if scene.is_without() || scene.stand_in().is_some() => hook.with_program(host, &stood_in),
            _ => hook.called.clone(),
        };
        let mut words: Vec<OsString> = match installed {
            configuration::Called::Line(line) => vec!["/bin/sh".into(), "-c".into(), line.into()],
            configuration::Called::Program(words) => words.into_iter().map(OsString::from).collect(),
        };
        if words.is_empty() {
            return Ok(HostReaction::Open("names no program".to_owned()));
        }
        let program = self.found(words.remove(0));
        let bound = if self.scene == Scene::Hangs { HANGING } else { BOUND };
        let called = self.call(program, words, event.into_bytes(), bound).run();
        // A hook that cannot be started counts as failed.
        let called =
            called.unwrap_or(Called { exit: None, was_stopped: false, stdout: Vec::new(), stderr: Vec::new() });
        let exchange = Exchange {
            exit: called.exit,
            timed_out: called.was_stopped,
            stdout: &called.stdout,
            stderr: &called.stderr,
        };
        Ok(hosts::reaction(host, hook.moment, &exchange))
    }

    /// Finds a program on the search path of the scene.
    fn found(&self, program: OsString) -> PathBuf {
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let directories = path.iter().flat_map(std::env::split_paths).map(|directory| directory.join(&program));
        if program.to_string_lossy().contains('/') {
            return program.into();
        }
        directories
            .into_iter()
            .find(|file| file.is_file())
            .unwrap_or_else(|| self.programs.join("not-there").join(&program))
    }

    fn call(&self, program: PathBuf, arguments: Vec<OsString>, input: Vec<u8>, bound: Duration) -> Call {
        Call {
            program,
            arguments,
            directory: self.project.clone(),
            environment: self.environment.clone(),
            input,
            bound,
            output_bytes: HOOK_OUTPUT_BYTES,
        }
    }
}

/// Returns the caller's environment without variables of Referee, and with the search path of the scene.
fn environment(
    context: &Context,
    scene: Scene,
    programs: &Path,
    project: &Path,
    state: PathBuf,
) -> Vec<(OsString, OsString)> {
    let is_ours = |name: &OsString| name.to_string_lossy().starts_with("REFEREE_") || name == "PATH";
    let mut environment: Vec<(OsString, OsString)> =
        context.environment.iter().filter(|(name, _)| !is_ours(name)).cloned().collect();
    let path = context.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let directories = path.iter().flat_map(std::env::split_paths);
    let directories: Vec<PathBuf> = match scene {
        _ if scene.is_without() => directories.filter(|directory| !directory.join("referee").exists()).collect(),
        _ if scene.stand_in().is_some() => std::iter::once(programs.to_path_buf()).chain(directories).collect(),
        _ => directories.collect(),
    };
    environment.push(("PATH".into(), std::env::join_paths(directories).unwrap_or_default()));
    environment.push(("REFEREE_STATE_DIR".into(), state.into()));
    environment.push(("CLAUDE_PROJECT_DIR".into(), project.into()));
    environment
}

/// Returns the error for a scene that could not be set up.
pub(super) fn broken(error: &referee_ledger::LedgerError) -> EngineError {
    EngineError::internal(format!("the hook could not be tried: {error}"))
}

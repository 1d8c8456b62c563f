//! Converts arguments to values for the engine. The environment, the clock and the terminal are read here, once.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use referee_engine::context::Context;
use referee_engine::context::SpecificationNames;
use referee_engine::error::EngineError;
use referee_exec::signal::{self, Cancellation};
use referee_model::suite::Suite;
use referee_model::time::Timestamp;
use referee_spec::Loaded;

use crate::args::{Global, Specification};
use crate::complaints;
use crate::follower::notes;
use crate::{output, terminal};

pub(crate) fn look(global: &Global) -> Result<Context, EngineError> {
    let start = std::env::current_dir()
        .map_err(|error| EngineError::usage(format!("cannot determine the current directory: {error}")))?;
    let directory = match &global.directory {
        Some(directory) => {
            let directory = start.join(directory);
            if !directory.is_dir() {
                return Err(EngineError::usage(format!("-C: {} is not a directory", directory.display())));
            }
            directory
        }
        None => start,
    };
    let environment: Vec<_> = std::env::vars_os().collect();
    let terminal = terminal::look(global, &environment);
    Ok(Context {
        directory,
        environment,
        terminal,
        program: std::env::current_exe().ok(),
        has_controlling_terminal: terminal::has_controlling_terminal(),
        processors: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        clock: now,
        random,
    })
}

/// Returns an evidence directory from the command line.
pub(crate) fn evidence_directory(context: &Context, typed: &Path) -> Result<PathBuf, EngineError> {
    let directory = context.directory.join(typed);
    if directory.is_dir() {
        return Ok(directory);
    }
    Err(EngineError::usage(format!("{} is not an evidence directory", typed.display())))
}

/// Returns the evidence directory from the command line, else that of the nearest specification.
pub(crate) fn evidence_root(context: &Context, typed: Option<&Path>) -> Result<PathBuf, EngineError> {
    if let Some(directory) = typed {
        return evidence_directory(context, directory);
    }
    let root = nearest(context)?.tasks.first().map(|plan| plan.evidence_root.clone());
    root.ok_or_else(|| EngineError::usage("the specification has no task".to_owned()))
}

impl From<&Specification> for SpecificationNames {
    fn from(typed: &Specification) -> Self {
        Self { files: typed.files.clone(), workspace: typed.workspace.clone() }
    }
}

/// Loads the selected specifications, and reports how they were found.
pub(crate) fn load(
    context: &Context,
    specification: &Specification,
) -> Result<Vec<Result<Loaded, EngineError>>, EngineError> {
    let loaded = context.load(&specification.into())?;
    output::notes(&loaded.notes)?;
    Ok(loaded.all)
}

/// Loads the selected specifications, and reports their warnings.
pub(crate) fn load_suites(context: &Context, specification: &Specification) -> Result<Vec<Suite>, EngineError> {
    let mut suites = Vec::new();
    for loaded in load(context, specification)? {
        let loaded = loaded?;
        output::aside(&complaints::rendered(context, &loaded.warnings)?)?;
        suites.push(loaded.suite);
    }
    Ok(suites)
}

/// Loads the selected specification. `refusal` is the message if there are several.
pub(crate) fn load_one(context: &Context, specification: &Specification, refusal: &str) -> Result<Suite, EngineError> {
    context.load_single(&specification.into(), refusal, &mut notes(context))
}

/// Loads the nearest specification.
pub(crate) fn nearest(context: &Context) -> Result<Suite, EngineError> {
    let names = SpecificationNames::default();
    context.load_single(&names, "there are several specifications: name one of them", &mut notes(context))
}

/// Lets signals stop the run.
pub(crate) fn signals() -> Result<Cancellation, EngineError> {
    signal::install().map_err(|error| EngineError::internal(format!("failed to install signal handlers: {error}")))
}

pub(crate) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millisecond(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

fn random() -> io::Result<[u8; 4]> {
    let mut bytes = [0_u8; 4];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

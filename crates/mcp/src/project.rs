//! The project that a server answers for.

use std::path::{Path, PathBuf};

use referee_engine::context::{Context, SpecificationNames};
use referee_engine::error::EngineError;
use referee_engine::incident::IncidentService;
use referee_engine::library::{Library, Which};
use referee_engine::run::GateOptions;
use referee_model::id::{ExecutionId, TaskId};

use crate::answer::Refusal;

/// The actor of changes of incidents, as events name it.
pub(crate) const BY: &str = "mcp";

/// A project, and how its checks run. Whoever starts the server decides that, and no tool changes it.
pub struct Project {
    pub(crate) context: Context,
    pub(crate) options: GateOptions,
    /// Directory of incidents. `None`: that of the project.
    incidents: Option<PathBuf>,
}

impl Project {
    /// Creates the project of the context's directory.
    ///
    /// # Errors
    /// Fails if the key of runs can be read only once.
    pub fn new(context: Context, options: GateOptions, incidents: Option<PathBuf>) -> Result<Self, EngineError> {
        if options.signing.key_fd.is_some() {
            let message = "--key-fd can be read once, and a server runs the checks several times: use --key";
            return Err(EngineError::usage(message.to_owned()));
        }
        Ok(Self { context, options, incidents })
    }

    /// Returns the named specification, or the nearest one.
    ///
    /// # Errors
    /// Fails for a path outside of the project.
    pub(crate) fn names(&self, specification: Option<&str>) -> Result<SpecificationNames, EngineError> {
        let file = specification.map(|named| self.context.below(Path::new(named))).transpose()?;
        Ok(SpecificationNames { files: file.into_iter().collect(), workspace: None })
    }

    /// Returns the library of the evidence of a specification.
    pub(crate) fn library(&self, specification: Option<&str>) -> Result<Library, EngineError> {
        Library::of_project(&self.context, &self.names(specification)?)
    }

    pub(crate) fn incidents(&self) -> Result<IncidentService, EngineError> {
        IncidentService::of_project(&self.context, self.incidents.as_deref())
    }
}

/// Returns the named task, or the only one that has runs.
pub(crate) fn task(library: &Library, named: Option<TaskId>) -> Result<TaskId, Refusal> {
    if let Some(named) = named {
        return Ok(named);
    }
    let mut known = library.tasks()?;
    match (known.pop(), known.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Refusal::new("no run is kept here: call `referee_run` first")),
        (Some(last), false) => {
            let all: Vec<&str> = known.iter().chain([&last]).map(TaskId::as_str).collect();
            Err(Refusal::new(format!("there are several tasks: name one of {} by `task`", all.join(", "))))
        }
    }
}

/// Returns the named run, or the latest one.
pub(crate) fn which(run: Option<ExecutionId>) -> Which {
    run.map_or(Which::Latest, Which::Run)
}

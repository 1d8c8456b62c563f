//! Starts processes within the confines of their run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use referee_model::id::{ActionId, ExecutionId};
use referee_model::limit;
use referee_model::plan::guard::Limits;
use referee_model::record::StartFailure;
use referee_model::time::Timestamp;

use crate::attempt::Running;
use crate::control_group::Group;
use crate::environment::Selected;
use crate::group::Tree;
use crate::host::Host;
use crate::meter::Meter;
use crate::process_registry::Marker;
use crate::resolve::{Refusal, Resolved};
use crate::sandbox::Sandbox;
use crate::shim::Shim;
use crate::silence::Listening;
use crate::spawn::{self, Launch, Started};

/// What the processes of one run have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launcher<'run> {
    pub(crate) limits: Limits,
    pub(crate) execution: &'run ExecutionId,
    pub(crate) host: &'run Host,
}

/// Read ends of a running command's output pipes.
pub(crate) struct Pipes {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// A command with everything needed to start it, or the reason why it cannot be started.
pub(crate) struct Prepared {
    pub(crate) directory: PathBuf,
    pub(crate) selected: Selected,
    /// Words of the command, also where they could not be resolved.
    pub(crate) argv: Vec<String>,
    pub(crate) resolved: Result<Resolved, Refusal>,
    /// Whether it runs in the sandbox of the run, if there is one.
    pub(crate) is_sandboxed: bool,
}

/// A process to start.
pub(crate) struct Start<'start> {
    /// Absolute path of the program.
    pub(crate) program: &'start Path,
    /// Name and arguments of the program.
    pub(crate) argv: &'start [String],
    pub(crate) directory: &'start Path,
    pub(crate) variables: &'start BTreeMap<OsString, OsString>,
    pub(crate) marker: &'start Marker,
    /// Standard input. None: empty.
    pub(crate) input: Option<BorrowedFd<'start>>,
    pub(crate) is_sandboxed: bool,
}

impl Launcher<'_> {
    /// Starts a process whose silence is not reported.
    pub(crate) fn launch(&self, start: &Start<'_>) -> Result<(Running, Pipes), Refusal> {
        let confines = &self.host.confines;
        let group = confines.groups.as_ref().map(|groups| groups.group()).transpose().map_err(|error| {
            let message = format!("its control group could not be made: {error}");
            Refusal::new(StartFailure::System, message)
        })?;
        let shim = Shim {
            program: &self.host.shim,
            sandbox: confines.sandbox.as_deref().filter(|_| start.is_sandboxed),
            groups: group.as_ref().map_or(&[], Group::entrances),
        };
        let Started { leader, stdout, stderr } = spawn::start(&Launch {
            program: start.program,
            name: &start.argv[0],
            arguments: &start.argv[1..],
            directory: start.directory,
            variables: start.variables,
            marker: start.marker,
            input: start.input,
            shim: (self.host.controlling_terminal || confines.is_any()).then_some(shim),
        })?;
        let tree = Tree::of(&leader);
        let meter = Meter::new(self.limits, group);
        let listening = Listening::new(None);
        Ok((Running { leader, tree, meter, listening }, Pipes { stdout: stdout.into(), stderr: stderr.into() }))
    }

    /// Returns the mark of the processes of an action.
    pub(crate) fn marker(&self, action: &ActionId) -> Marker {
        Marker { execution: self.execution.as_str().to_owned(), action: action.as_str().to_owned() }
    }

    /// Returns the sandbox of the run. None: there is none.
    pub(crate) fn sandbox(&self) -> Option<&Sandbox> {
        self.host.confines.sandbox.as_deref()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.host.clock.now()
    }

    /// Returns the maximum number of bytes that a command may print on both streams together.
    pub(crate) fn output_bytes(&self) -> u64 {
        self.limits.output_bytes.unwrap_or(limit::OUTPUT_BYTES).min(limit::OUTPUT_BYTES)
    }
}

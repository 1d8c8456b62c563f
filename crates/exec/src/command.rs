//! One attempt of one command, from its specification to its facts.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use referee_model::id::{ExecutionId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{Action, CaptureName, Command, Invocation, Plan};
use referee_model::record::{CommandFacts, Ending, Executable, LeakedProcess, Log, Notice, StartFailure};

use crate::attempt::{self, Ended, ExecError, Running, Stay, Turn, Watcher};
use crate::capture::{Pump, Sink};
use crate::container::{Containers, Handling};
use crate::control_group::Group;
use crate::environment::{self, Selected};
use crate::executable::Executables;
use crate::host::Host;
use crate::interpreter;
use crate::launch::{Launcher, Start};
pub(crate) use crate::launch::{Pipes, Prepared};
use crate::notice::{self, Vocabulary, Watch};
use crate::pins;
use crate::process_table;
use crate::resolve::{self, Refusal, Resolved, WorkingDirectory};
use crate::silence::{Listening, Silences};

/// Exit code under pipefail where a command was still writing to one that had read enough (128 + SIGPIPE).
const BROKEN_PIPE: Ending = Ending::Exited { code: 141 };

/// Environment variable that passes its port to a service.
const PORT: &str = "PORT";

/// Environment variable from which every JVM takes options; the JVM announces that on standard error.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

/// Context that the commands of one run share.
pub(crate) struct Commands<'run> {
    plan: &'run Plan,
    execution: &'run ExecutionId,
    host: &'run Host,
    executables: Executables,
    vocabulary: Mutex<Option<Vocabulary>>,
    pub(crate) launcher: Launcher<'run>,
    pub(crate) containers: Containers,
    /// Reports on commands that print nothing.
    pub(crate) silences: Silences,
}

impl<'run> Commands<'run> {
    pub(crate) fn new(plan: &'run Plan, execution: &'run ExecutionId, host: &'run Host) -> Self {
        Self::with(plan, execution, host, Executables::default())
    }

    /// Creates the context with the given store of executables.
    pub(crate) fn with(
        plan: &'run Plan,
        execution: &'run ExecutionId,
        host: &'run Host,
        executables: Executables,
    ) -> Self {
        let containers = Containers::new(plan, execution);
        let launcher = Launcher { limits: plan.guard.limits, execution, host };
        let silences = Silences::default();
        Self { plan, execution, host, executables, vocabulary: Mutex::new(None), launcher, containers, silences }
    }

    /// Like [`Self::new`], for starting commands: from now on this process adopts and detects the processes that
    /// they leave behind.
    ///
    /// # Errors
    /// Fails where the system refuses to make this process adopt orphans.
    pub(crate) fn begin(plan: &'run Plan, execution: &'run ExecutionId, host: &'run Host) -> Result<Self, ExecError> {
        process_table::adopt_orphans()
            .map_err(|source| ExecError::System { what: "let this process see and adopt orphans", source })?;
        Ok(Self::new(plan, execution, host))
    }

    /// Runs a command once. A command that cannot be started is a fact, not an error.
    pub(crate) fn run(
        &self,
        turn: &Turn<'_>,
        command: &Command,
        extent: Extent<'_>,
        sink: &dyn Sink,
        watcher: &mut Watcher<'_>,
    ) -> Result<(CommandFacts, Vec<Notice>), ExecError> {
        let mut prepared = self.prepare(turn.action, command, turn.captured, None);
        let mut handling = match &command.invocation {
            // A program that is not the pinned one is asked nothing.
            Invocation::Container(container) if self.is_pinned(&prepared) => {
                Some(self.containers.begin(turn, container, &mut prepared, &self.launcher, sink)?)
            }
            Invocation::Container(_) | Invocation::Argv(_) | Invocation::Shell { .. } => None,
        };
        let (mut outcome, mut notices) = match self.start(turn.action, &prepared, extent.input) {
            Ok(process) => {
                if let Some(handling) = &mut handling {
                    handling.started(&process.0.leader, &self.launcher);
                }
                let watch = self.watch(&prepared.selected.dropped);
                let output_bytes = extent.output_bytes.min(self.output_bytes());
                let stay = handling.as_ref().map_or(Stay::Itself, Handling::stay);
                observe(turn, process, output_bytes, (watch, stay), sink, watcher)?
            }
            Err(refusal) => (Outcome::refused(refusal), Vec::new()),
        };
        let mut container = None;
        if let Some(handling) = handling {
            let (inspected, told) =
                handling.finish(&outcome.ending, outcome.group.take(), &self.containers, &self.launcher);
            container = inspected;
            notices.extend(told);
        }
        let Prepared { directory, selected, argv, resolved, .. } = prepared;
        let mut executables = Vec::new();
        if let Ok(resolved) = resolved {
            if resolved.pipefail && outcome.ending == BROKEN_PIPE {
                notices.push(notice::broken_pipe());
            }
            notices.extend(resolved.notices);
            executables = resolved.executables;
        }
        let facts = CommandFacts { container, ..facts(argv, executables, &directory, selected, outcome) };
        Ok((facts, notices))
    }

    /// Whether the programs of a command are the files that they are pinned to.
    fn is_pinned(&self, prepared: &Prepared) -> bool {
        let resolved = prepared.resolved.as_ref();
        resolved.is_ok_and(|resolved| pins::check(&resolved.executables, &self.plan.guard.pins).is_ok())
    }

    /// Determines the directory, environment and programs of a command. A service may be given a port.
    pub(crate) fn prepare(
        &self,
        action: &Action,
        command: &Command,
        captured: &BTreeMap<CaptureName, String>,
        port: Option<u16>,
    ) -> Prepared {
        let place = WorkingDirectory::find(&self.plan.workspace, &command.directory);
        let directory = match &place {
            Ok(place) => place.directory.clone(),
            Err(_) => self.plan.workspace.join(command.directory.as_str()),
        };
        let late = late_environment(command, captured, port);
        let own = match &late {
            Ok(Some(own)) => own,
            _ => &command.environment,
        };
        let mut selected = environment::select(
            &self.host.environment,
            &self.plan.environment,
            own,
            self.execution,
            &action.id,
            &directory,
        );
        self.keep_temporary_files_apart(command, &mut selected);
        self.tell_jvms(&mut selected);
        let resolved = place.and_then(|place| {
            late?;
            let script = command.script.as_ref().map(|script| self.script(script, &place)).transpose()?;
            let mut resolved = resolve::resolve(&command.invocation, &place, selected.path(), &self.executables)?;
            resolved.executables.extend(script);
            resolve::add_installed(&mut resolved.executables, &command.seen_through, &place, &self.executables);
            let interpreters = interpreter::behind(&resolved.executables, selected.path(), &self.executables);
            resolved.executables.extend(interpreters);
            Ok(resolved)
        });
        let argv = match &resolved {
            Ok(resolved) => resolved.argv.clone(),
            Err(_) => resolve::as_asked(&command.invocation),
        };
        Prepared { directory, selected, argv, resolved, is_sandboxed: true }
    }

    /// Prepares a program of Referee itself, which is beside the shim. It gets no variable of the caller or of the
    /// plan, so that its input alone decides what it does.
    pub(crate) fn prepare_own(&self, action: &Action, name: &str) -> Prepared {
        let directory = self.plan.workspace.clone();
        let nothing = BTreeMap::new();
        let mut selected = environment::select(&[], &nothing, &nothing, self.execution, &action.id, &directory);
        if let Some(sandbox) = &self.host.confines.sandbox {
            selected.variables.insert("TMPDIR".into(), sandbox.temporary.clone().into());
        }
        let program = self.host.shim.with_file_name(name);
        let argv = vec![name.to_owned()];
        let resolved = if program.is_file() {
            let executables = vec![self.executables.identify(name, &program)];
            Ok(Resolved { program, argv: argv.clone(), executables, notices: Vec::new(), pipefail: false })
        } else {
            let message = format!("{} is missing: install it beside referee", program.display());
            Err(Refusal::new(StartFailure::NotFound, message))
        };
        Prepared { directory, selected, argv, resolved, is_sandboxed: true }
    }

    /// Returns the directory that the paths of the plan are in.
    pub(crate) fn workspace(&self) -> &Path {
        &self.plan.workspace
    }

    /// Starts a prepared command, or returns why it cannot be started.
    pub(crate) fn start(
        &self,
        action: &Action,
        prepared: &Prepared,
        input: Option<BorrowedFd<'_>>,
    ) -> Result<(Running, Pipes), Refusal> {
        let resolved = prepared.resolved.as_ref().map_err(Refusal::clone)?;
        pins::check(&resolved.executables, &self.plan.guard.pins)?;
        let (process, pipes) = self.launcher.launch(&Start {
            program: &resolved.program,
            argv: &resolved.argv,
            directory: &prepared.directory,
            variables: &prepared.selected.variables,
            marker: &self.launcher.marker(&action.id),
            input,
            is_sandboxed: prepared.is_sandboxed,
        })?;
        let listening = Listening::new(Some((action.id.clone(), self.silences.clone())));
        Ok((Running { listening, ..process }, pipes))
    }

    /// Returns the facts about a program that was found at `path`.
    pub(crate) fn identify(&self, name: &str, path: &Path) -> Executable {
        self.executables.identify(name, path)
    }

    /// Returns the maximum number of bytes that a command may print on both streams together.
    pub(crate) fn output_bytes(&self) -> u64 {
        self.launcher.output_bytes()
    }

    /// Sets the directory for temporary files to the command's own, unless the specification names another one.
    fn keep_temporary_files_apart(&self, command: &Command, selected: &mut Selected) {
        let Some(sandbox) = &self.host.confines.sandbox else { return };
        for name in ["TMPDIR", "TMP", "TEMP"] {
            if !self.plan.environment.contains_key(name) && !command.environment.contains_key(name) {
                selected.variables.insert(name.into(), sandbox.temporary.clone().into());
            }
        }
    }

    /// Passes the command's own directories to JVMs by options, because a JVM uses `/tmp` and the home that the
    /// system states, whatever the environment variables say.
    fn tell_jvms(&self, selected: &mut Selected) {
        let (sandbox, home) = (&self.host.confines.sandbox, &self.host.confines.home);
        // A home that the specification declares applies to JVMs, too.
        let home =
            home.as_deref().filter(|home| selected.variables.get(OsStr::new("HOME")).is_some_and(|own| own == home));
        let directories =
            [("java.io.tmpdir", sandbox.as_deref().map(|sandbox| sandbox.temporary.as_path())), ("user.home", home)];
        for (property, directory) in
            directories.into_iter().filter_map(|(property, directory)| Some((property, directory?)))
        {
            let declared =
                selected.variables.get(OsStr::new(JAVA)).map(|options| options.to_string_lossy().into_owned());
            if let Some(options) = java_options(declared.as_deref(), property, directory) {
                selected.variables.insert(JAVA.into(), options.into());
            }
        }
    }

    /// Finds the script that is the command.
    fn script(&self, script: &WorkspacePath, place: &WorkingDirectory) -> Result<Executable, Refusal> {
        let refused = |message| Refusal::new(StartFailure::NotFound, message);
        let path = place.workspace.join(script.as_str());
        let real = std::fs::canonicalize(&path)
            .map_err(|error| refused(format!("the script `{script}` cannot be found: {error}")))?;
        if !real.starts_with(&place.workspace) {
            let message = format!("the script `{script}` leads outside the workspace, to {}", real.display());
            return Err(refused(message));
        }
        if !real.is_file() {
            return Err(refused(format!("the script `{script}` is not a file")));
        }
        Ok(self.executables.identify(script.as_str(), &real))
    }

    /// Creates the search for certain words in the output; the words are the same for most actions.
    fn watch(&self, dropped: &[String]) -> Watch {
        let mut vocabulary = self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner);
        let vocabulary = match &mut *vocabulary {
            Some(vocabulary) if vocabulary.is_for(dropped) => vocabulary,
            other => other.insert(Vocabulary::new(dropped)),
        };
        Watch::new(vocabulary)
    }
}

/// Returns the command's variables together with those whose values are only known now. None: there are none of the
/// latter.
fn late_environment(
    command: &Command,
    captured: &BTreeMap<CaptureName, String>,
    port: Option<u16>,
) -> Result<Option<BTreeMap<String, String>>, Refusal> {
    if command.late_environment.is_empty() && port.is_none() {
        return Ok(None);
    }
    let mut own = command.environment.clone();
    for (name, value) in &command.late_environment {
        let filled = value.fill(captured, str::to_owned).map_err(|missing| {
            let message = format!("its variable `{name}` is made from `${{{missing}}}`, which was not captured");
            Refusal::new(StartFailure::System, message)
        })?;
        own.insert(name.clone(), filled);
    }
    own.extend(port.map(|port| (PORT.to_owned(), port.to_string())));
    Ok(Some(own))
}

/// Returns the JVM options with a property that names a directory, added to the declared ones. None: the
/// specification names the directory or declares empty options, or the directory's name contains both quotation
/// marks.
fn java_options(declared: Option<&str>, property: &str, directory: &Path) -> Option<String> {
    let directory = directory.to_str()?;
    let quoted = match ['"', '\''].into_iter().find(|mark| !directory.contains(*mark))? {
        _ if !directory.contains(|one: char| one.is_whitespace() || one == '"' || one == '\'') => directory.to_owned(),
        mark => format!("{mark}{directory}{mark}"),
    };
    match declared {
        Some(declared) if declared.trim().is_empty() || declared.contains(property) => None,
        Some(declared) => Some(format!("{declared} -D{property}={quoted}")),
        None => Some(format!("-D{property}={quoted}")),
    }
}

/// Input of a command, and the limit of its output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent<'input> {
    /// Standard input. None: empty.
    pub(crate) input: Option<BorrowedFd<'input>>,
    /// Maximum number of bytes that the command may print on both streams together.
    pub(crate) output_bytes: u64,
}

impl Extent<'_> {
    pub(crate) const PLAIN: Self = Self { input: None, output_bytes: limit::OUTPUT_BYTES };
}

struct Outcome {
    ending: Ending,
    leaked: Vec<LeakedProcess>,
    log: Option<Log>,
    /// Control group of the command. Dropping it kills whatever is left in it.
    group: Option<Group>,
}

impl Outcome {
    fn refused(refusal: Refusal) -> Self {
        let ending = Ending::CouldNotStart { cause: refusal.cause, message: refusal.message };
        Self { ending, leaked: Vec::new(), log: None, group: None }
    }
}

/// Watches a started command until it ends, and stores its output.
fn observe(
    turn: &Turn<'_>,
    (mut running, pipes): (Running, Pipes),
    output_bytes: u64,
    (watch, stay): (Watch, Stay),
    sink: &dyn Sink,
    watcher: &mut Watcher<'_>,
) -> Result<(Outcome, Vec<Notice>), ExecError> {
    let capture = match sink.begin(turn.action, turn.attempt) {
        Ok(capture) => capture,
        Err(error) => {
            attempt::abandon(&mut running);
            return Err(error.into());
        }
    };
    let mut pump = Pump::new(pipes.stdout, pipes.stderr, capture, Some(watch), output_bytes);
    pump = pump.keeping(turn.action.evidence);
    let ended = attempt::supervise(&mut running, &mut pump, &turn.bounds, stay, watcher)?;
    let group = running.meter.into_group();
    let (log, watch) = pump.finish()?;
    let (leaked, mut notices) = left_behind(&ended);
    notices.extend(ended.idle_ms.map(notice::idle));
    if ended.ending != (Ending::Exited { code: 0 }) {
        notices.extend(watch.into_iter().flat_map(Watch::notices));
    }
    Ok((Outcome { ending: ended.ending, leaked, log: Some(log), group }, notices))
}

/// Returns all processes that outlived the command, and the notices about them.
pub(crate) fn left_behind(ended: &Ended) -> (Vec<LeakedProcess>, Vec<Notice>) {
    let is_doubtful = |process: &LeakedProcess| ended.doubtful.iter().any(|(pid, _)| *pid == process.pid);
    let own: Vec<LeakedProcess> = ended.leaked.iter().filter(|process| !is_doubtful(process)).cloned().collect();
    let mut notices: Vec<Notice> = notice::leaked(&own).into_iter().collect();
    for process in ended.leaked.iter().filter(|process| is_doubtful(process)) {
        let actions = ended.doubtful.iter().find(|(pid, _)| *pid == process.pid).map(|(_, actions)| actions.as_slice());
        notices.push(notice::doubtful(process, actions.unwrap_or_default()));
    }
    notices.extend(notice::survived(&ended.survivors));
    let survived = |process: &&LeakedProcess| ended.survivors.iter().any(|survivor| survivor.pid == process.pid);
    let mut leaked: Vec<LeakedProcess> = ended.leaked.iter().filter(|process| !survived(process)).cloned().collect();
    leaked.extend(ended.survivors.iter().cloned());
    (leaked, notices)
}

fn facts(
    argv: Vec<String>,
    executables: Vec<Executable>,
    directory: &Path,
    selected: Selected,
    outcome: Outcome,
) -> CommandFacts {
    let environment = shown(&selected);
    CommandFacts {
        argv,
        directory: directory.to_string_lossy().into_owned(),
        executables,
        environment,
        dropped_variables: selected.dropped,
        ending: outcome.ending,
        leaked: outcome.leaked,
        log: outcome.log,
        container: None,
    }
}

/// Returns the variables of a command, for the record.
pub(crate) fn shown(selected: &Selected) -> BTreeMap<String, String> {
    let text = |text: &std::ffi::OsString| text.to_string_lossy().into_owned();
    selected.variables.iter().map(|(name, value)| (text(name), text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_is_told_where_temporary_files_go_beside_what_is_declared() {
        for (declared, directory, expected) in [
            (None, "/s/t", Some("-Djava.io.tmpdir=/s/t")),
            (Some("-Xmx1g"), "/s/t", Some("-Xmx1g -Djava.io.tmpdir=/s/t")),
            (Some("-Djava.io.tmpdir=/own"), "/s/t", None),
            (Some(""), "/s/t", None),
            (None, "/my state/t", Some("-Djava.io.tmpdir=\"/my state/t\"")),
            (None, "/a \"b\"/t", Some("-Djava.io.tmpdir='/a \"b\"/t'")),
            (None, "/a \"b' c", None),
        ] {
            assert_eq!(
                java_options(declared, "java.io.tmpdir", Path::new(directory)).as_deref(),
                expected,
                "{declared:?} {directory}"
            );
        }
    }
}

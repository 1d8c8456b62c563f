//! Commands of docker and podman: what they start carries labels, is inspected, and ends with the run.
//!
//! | when | what is asked of the program |
//! |---|---|
//! | before the first command of a run | which containers of this task an earlier run left behind (they are removed) |
//! | before another attempt of an action | the containers of the earlier attempt are ended |
//! | after `run` | the container is inspected; one that is not to stay is stopped if its command left it running |
//! | at the end of the run | each container is stopped, its output stored if it was to stay, and removed |
//!
//! Each question has a deadline. A program that does not answer in time is asked nothing more, and the processes of
//! its containers on this machine are killed at the end.

mod client;
mod inspection;
mod removal;
mod sandbox_exception;
mod words;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::{Digest, ExecutionId};
use referee_model::plan::{Action, Container, Plan};
use referee_model::record::{ContainerFacts, Ending, Notice, NoticeCode, ServiceRecord, StartFailure};
use referee_model::time::Timestamp;
use rustix::fs::Mode;

use self::client::{Client, NoAnswer};
use self::inspection::Inspection;
pub(crate) use self::removal::Farewell;
use self::words::{Labels, Starts};
use crate::attempt::{ExecError, Stay, Turn};
use crate::capture::Sink;
use crate::control_group::Group;
use crate::group::{self, HeldProcesses};
use crate::launch::{Launcher, Prepared};
use crate::resolve::Refusal;
use crate::spawn::Leader;

/// Time in which a question about containers is answered.
const ANSWER: Duration = Duration::from_secs(10);

/// Maximum number of containers of earlier runs that one run removes.
const REMOVED_MAX: usize = 200;

/// Variables that name another machine or service than the usual one.
const ELSEWHERE: [&str; 4] = ["DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST", "CONTAINER_CONNECTION"];

/// The containers of one run.
#[derive(Debug)]
pub(crate) struct Containers {
    labels: Labels,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The programs in use, by their words and the service that they ask.
    programs: BTreeMap<Vec<String>, Program>,
    started: Vec<Started>,
    /// Directory of the files with ids. None: none was needed yet.
    directory: Option<PathBuf>,
    id_files: Vec<PathBuf>,
    /// Records of what ended with an attempt that was followed by another one.
    records: Vec<ServiceRecord>,
}

#[derive(Debug, Default)]
struct Program {
    is_silent: Arc<AtomicBool>,
    /// A client that may have started containers, to find them by their label.
    client: Option<Arc<Client>>,
}

/// A container, or the containers of a project, that an attempt started.
#[derive(Debug)]
struct Started {
    action: Action,
    attempt: u32,
    client: Arc<Client>,
    what: What,
    /// Whether it was to stay until the end of the run.
    stays: bool,
    at: Timestamp,
    began: Instant,
    /// Control group of the command, in which the container's processes may be.
    group: Option<Group>,
}

#[derive(Debug)]
enum What {
    Container {
        id: String,
        held: HeldProcesses,
    },
    /// A container without a known id, or none at all.
    Unknown {
        held: HeldProcesses,
    },
    Project {
        options: Vec<String>,
        held: HeldProcesses,
    },
}

/// A command of docker or podman that is about to start, or has ended.
pub(crate) struct Handling<'turn> {
    turn: &'turn Turn<'turn>,
    container: &'turn Container,
    /// None: the command cannot be started.
    client: Option<Arc<Client>>,
    starts: Starts,
    id_file: Option<PathBuf>,
    held: Option<HeldProcesses>,
    notices: Vec<Notice>,
}

impl Containers {
    pub(crate) fn new(plan: &Plan, execution: &ExecutionId) -> Self {
        let task = plan.evidence_root.join(plan.task.as_str());
        let task = Digest::of(task.as_os_str().as_encoded_bytes()).to_string();
        let labels = Labels { run: execution.as_str().to_owned(), task };
        Self { labels, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes a prepared command, and removes what earlier runs and attempts left behind.
    pub(crate) fn begin<'turn>(
        &self,
        turn: &'turn Turn<'turn>,
        container: &'turn Container,
        prepared: &mut Prepared,
        launcher: &Launcher<'_>,
        sink: &dyn Sink,
    ) -> Result<Handling<'turn>, ExecError> {
        let starts = words::starts(container);
        let mut handling =
            Handling { turn, container, client: None, starts, id_file: None, held: None, notices: Vec::new() };
        let Ok(resolved) = &prepared.resolved else { return Ok(handling) };
        let program = resolved.program.clone();
        let mut words = vec![resolved.argv[0].clone()];
        words.extend(container.global_options.iter().cloned());
        let exception = sandbox_exception::find(&program, &words, &prepared.selected, launcher.sandbox());
        if exception.is_some() && launcher.sandbox().is_some_and(|sandbox| sandbox.is_required) {
            prepared.resolved = Err(sandbox_exception::refusal(&program));
            return Ok(handling);
        }
        prepared.is_sandboxed = exception.is_none();
        handling.notices.extend(exception.map(notice));
        if handling.starts == Starts::One {
            match self.id_file(turn, prepared, launcher) {
                Ok(file) => handling.id_file = Some(file),
                Err(refusal) => {
                    prepared.resolved = Err(refusal);
                    return Ok(handling);
                }
            }
        }
        let client = self.client((program, words), prepared, turn, &mut handling.notices, launcher);
        self.end_earlier_attempts(&turn.action.id, launcher, sink, &mut handling.notices)?;
        if let Starts::Project { options } = &handling.starts
            && let Some(why) = why_foreign(&client, options, launcher)
        {
            handling.notices.push(notice(why));
            handling.starts = Starts::Nothing;
        }
        if let Ok(resolved) = &mut prepared.resolved {
            let arguments = words::marked(container, &self.labels, handling.id_file.as_deref());
            resolved.argv.truncate(container.global_options.len() + 2);
            resolved.argv.extend(arguments);
            prepared.argv.clone_from(&resolved.argv);
        }
        handling.client = Some(client);
        Ok(handling)
    }

    /// Returns a client for a command. The first one of its program removes what earlier runs left behind.
    fn client(
        &self,
        (program, words): (PathBuf, Vec<String>),
        prepared: &Prepared,
        turn: &Turn<'_>,
        notices: &mut Vec<Notice>,
        launcher: &Launcher<'_>,
    ) -> Arc<Client> {
        let variables = &prepared.selected.variables;
        let elsewhere = ELSEWHERE.iter().filter_map(|name| variables.get(OsStr::new(name)));
        let elsewhere = elsewhere.map(|value| value.to_string_lossy().into_owned());
        let key = [program.to_string_lossy().into_owned()].into_iter().chain(words.clone()).chain(elsewhere).collect();
        // Locked while they are removed, so that no container is started under a name that is still taken.
        let mut state = self.state();
        let known = state.programs.entry(key).or_default();
        let client = Arc::new(Client {
            program,
            words,
            directory: prepared.directory.clone(),
            variables: variables.clone(),
            action: turn.action.id.clone(),
            is_sandboxed: prepared.is_sandboxed,
            is_silent: Arc::clone(&known.is_silent),
        });
        if known.client.is_none() {
            known.client = Some(Arc::clone(&client));
            notices.extend(self.remove_left_behind(&client, launcher).map(notice));
        }
        client
    }

    /// Removes the containers of this task that other runs left behind, and says so.
    fn remove_left_behind(&self, client: &Client, launcher: &Launcher<'_>) -> Option<String> {
        let filter = format!("label={}={}", words::TASK, self.labels.task);
        let failed = |error: &NoAnswer| {
            format!(
                "whether a run that was killed left containers behind could not be found out: {}: {error}",
                client.name()
            )
        };
        let found = match listed(client, &filter, launcher) {
            Ok(found) => found,
            Err(error) => return Some(failed(&error)),
        };
        let is_left = |id: &String| {
            let inspected = inspect(client, id, launcher).ok()?;
            let run = inspected.label(words::RUN)?.to_owned();
            let is_ours = inspected.label(words::TASK) == Some(self.labels.task.as_str()) && run != self.labels.run;
            is_ours.then_some((id.clone(), run))
        };
        let left: Vec<(String, String)> = found.iter().filter_map(is_left).collect();
        let first = &left.first()?.1;
        let ids: Vec<&str> = left.iter().map(|(id, _)| id.as_str()).collect();
        let count = if ids.len() == 1 { "a container".to_owned() } else { format!("{} containers", ids.len()) };
        Some(match kill_and_remove(client, &ids, launcher) {
            Ok(()) => format!("{count} that a run of this task had left behind ({first}) was removed first"),
            Err(error) => format!(
                "{count} that a run of this task had left behind ({first}) could not be removed: {}: {error}",
                client.name()
            ),
        })
    }

    /// Names a file for the id of a container, in a directory of the run that nobody else may write to.
    fn id_file(&self, turn: &Turn<'_>, prepared: &Prepared, launcher: &Launcher<'_>) -> Result<PathBuf, Refusal> {
        let mut state = self.state();
        let directory = if let Some(directory) = &state.directory {
            directory.clone()
        } else {
            let named = prepared.selected.variables.get(OsStr::new("TMPDIR")).map(Path::new);
            let parent = launcher.sandbox().map(|sandbox| sandbox.temporary.as_path()).or(named);
            let parent = parent.filter(|parent| parent.is_absolute()).unwrap_or(Path::new("/tmp"));
            let directory = parent.join(format!("referee-{}-{}", self.labels.run, std::process::id()));
            rustix::fs::mkdir(&directory, Mode::RWXU).map_err(|error| {
                let message =
                    format!("{}, for the id of its container, could not be made: {error}", directory.display());
                Refusal::new(StartFailure::System, message)
            })?;
            state.directory = Some(directory.clone());
            directory
        };
        let file = directory.join(format!("{}-{}", turn.action.id, turn.attempt));
        state.id_files.push(file.clone());
        Ok(file)
    }
}

impl Handling<'_> {
    /// How long the command counts as running.
    pub(crate) fn stay(&self) -> Stay {
        match self.starts {
            Starts::One | Starts::Project { .. } if self.container.detached => Stay::Container,
            _ => Stay::Itself,
        }
    }

    /// Keeps the processes of the container apart from those of commands, from its start on.
    pub(crate) fn started(&mut self, leader: &Leader, launcher: &Launcher<'_>) {
        if matches!(self.starts, Starts::One | Starts::Project { .. }) {
            let marker = launcher.marker(&self.turn.action.id);
            self.held = Some(group::hold(leader, marker, self.id_file.clone()));
        }
    }

    /// Inspects the container of a command that has ended. It remains until the end of the run.
    pub(crate) fn finish(
        mut self,
        ending: &Ending,
        group: Option<Group>,
        containers: &Containers,
        launcher: &Launcher<'_>,
    ) -> (Option<ContainerFacts>, Vec<Notice>) {
        let Some(client) = self.client.take() else { return (None, self.notices) };
        let stays = self.container.detached && *ending == (Ending::Exited { code: 0 });
        let (what, facts) = match (&self.starts, self.held.take()) {
            (Starts::Project { options }, Some(held)) => (Some(What::Project { options: options.clone(), held }), None),
            (Starts::One, Some(held)) => {
                let (what, facts) = self.find(held, &client, ending, launcher);
                (Some(what), facts)
            }
            _ => (None, None),
        };
        if let Some(what) = what {
            let (action, attempt) = (self.turn.action.clone(), self.turn.attempt);
            let at = launcher.now();
            let started = Started { action, attempt, client, what, stays, at, began: Instant::now(), group };
            containers.state().started.push(started);
        }
        (facts, self.notices)
    }

    /// Finds the container of a command that has ended, and inspects it.
    fn find(
        &mut self,
        held: HeldProcesses,
        client: &Client,
        ending: &Ending,
        launcher: &Launcher<'_>,
    ) -> (What, Option<ContainerFacts>) {
        if let Some(id) = held.id() {
            let facts = self.inspect(client, &id, ending, launcher);
            return (What::Container { id, held }, facts);
        }
        if *ending == (Ending::Exited { code: 0 }) {
            let name = client.name();
            self.notices.push(notice(format!("{name} wrote no id of a container, so the container is not inspected")));
        }
        (What::Unknown { held }, None)
    }

    /// Inspects a container; one that is not to stay, and that its command left running, is stopped first.
    fn inspect(
        &mut self,
        client: &Client,
        id: &str,
        ending: &Ending,
        launcher: &Launcher<'_>,
    ) -> Option<ContainerFacts> {
        let mut inspected = inspect(client, id, launcher);
        if !self.container.detached
            && let Ok(running) = &inspected
            && !running.is_over()
        {
            let was_killed = ending.signal().is_some_and(|signal| signal == "SIGKILL");
            let grace = if was_killed { Duration::ZERO } else { self.turn.bounds.grace };
            if let Err(error) = stop(client, id, grace, launcher) {
                self.notices.push(notice(format!(
                    "the container {} went on after its command, and could not be stopped: {error}",
                    short(id)
                )));
            }
            inspected = inspect(client, id, launcher);
        }
        match inspected {
            Ok(inspected) => Some(inspected.facts()),
            Err(error) if words::removes_itself(self.container) && error.is_missing() => {
                self.notices.push(notice(
                    "with `--rm` the container was gone when it had ended: its image's digest, its state and its exit \
                     code are not recorded. Drop `--rm`; containers are removed at the end of the run in any case"
                        .to_owned(),
                ));
                None
            }
            Err(error) => {
                self.notices.push(notice(format!("the container {} could not be inspected: {error}", short(id))));
                None
            }
        }
    }
}

/// Returns why the containers of a project are not those of the run: they were there before. None: there were none.
fn why_foreign(client: &Client, options: &[String], launcher: &Launcher<'_>) -> Option<String> {
    let words = ["compose"].into_iter().chain(options.iter().map(String::as_str)).chain(["ps", "--all", "--quiet"]);
    let left = "they are left as they are at the end of the run; remove them with `compose down`";
    match client.ask(launcher, &words.collect::<Vec<_>>(), ANSWER) {
        Ok(found) if found.iter().all(u8::is_ascii_whitespace) => None,
        Ok(_) => Some(format!("the project had containers before the run: {left}")),
        Err(error) => Some(format!("whether the project has containers could not be found out ({error}): {left}")),
    }
}

/// Returns the ids of all containers that fit a filter.
fn listed(client: &Client, filter: &str, launcher: &Launcher<'_>) -> Result<Vec<String>, NoAnswer> {
    let found = client.ask(launcher, &["ps", "--all", "--quiet", "--no-trunc", "--filter", filter], ANSWER)?;
    let found = String::from_utf8_lossy(&found);
    let is_id = |word: &&str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(found.split_ascii_whitespace().filter(is_id).take(REMOVED_MAX).map(str::to_owned).collect())
}

fn inspect(client: &Client, id: &str, launcher: &Launcher<'_>) -> Result<Inspection, NoAnswer> {
    let answer = client.ask(launcher, &["inspect", "--type", "container", id], ANSWER)?;
    Inspection::read(&answer, id).map_err(|error| NoAnswer::Refused(format!("its answer cannot be read: {error}")))
}

/// Asks a container to end, and has it killed after the grace period.
fn stop(client: &Client, id: &str, grace: Duration, launcher: &Launcher<'_>) -> Result<(), NoAnswer> {
    let seconds = grace.as_millis().div_ceil(1_000).to_string();
    client.ask(launcher, &["stop", "--time", &seconds, id], grace + ANSWER).map(drop)
}

/// Removes containers that may run, without asking them to end: podman's own removal gives each of them ten seconds.
fn kill_and_remove(client: &Client, ids: &[&str], launcher: &Launcher<'_>) -> Result<(), NoAnswer> {
    let words: Vec<&str> = ["kill"].into_iter().chain(ids.iter().copied()).collect();
    // It fails where one of them does not run.
    if let Err(NoAnswer::Silent) = client.ask(launcher, &words, ANSWER) {
        return Err(NoAnswer::Silent);
    }
    remove(client, ids, launcher)
}

/// Removes containers with their anonymous volumes, in whatever state they are.
fn remove(client: &Client, ids: &[&str], launcher: &Launcher<'_>) -> Result<(), NoAnswer> {
    let words: Vec<&str> = ["rm", "--force", "--volumes"].into_iter().chain(ids.iter().copied()).collect();
    let bound = ANSWER.saturating_mul(u32::try_from(1 + ids.len() / 4).unwrap_or(u32::MAX));
    client.ask(launcher, &words, bound).map(drop)
}

/// Returns the part of an id that people read.
fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

fn notice(message: String) -> Notice {
    Notice { code: NoticeCode::Container, message }
}

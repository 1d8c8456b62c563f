//! One try of one command, from its specification to its facts.

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::plan::{Action, Command, Plan};
use referee_model::record::{CommandFacts, Ending, Executable, LeakedProcess, Log, Notice};

use crate::attempt::{self, Bounds, Ended, ExecError, Watcher};
use crate::capture::{Pump, Sink};
use crate::environment::{self, Selected};
use crate::executable::Executables;
use crate::group::{self, Tree};
use crate::host::Host;
use crate::notice::{self, Vocabulary, Watch};
use crate::resolve::{self, Place, Refusal, Resolved};
use crate::spawn::{self, Launch, Marker, Started};

/// The number of the first attempt; there are no others yet that could be asked for.
pub(crate) const FIRST_ATTEMPT: u32 = 1;

/// What a shell exits with under pipefail where a command was still writing to one that had read enough (128 + SIGPIPE).
const BROKEN_PIPE: Ending = Ending::Exited { code: 141 };

/// The commands of one run, and what they share.
pub(crate) struct Commands<'run> {
    plan: &'run Plan,
    execution: &'run ExecutionId,
    host: &'run Host,
    executables: Executables,
    vocabulary: Option<Vocabulary>,
}

impl<'run> Commands<'run> {
    pub(crate) fn new(plan: &'run Plan, execution: &'run ExecutionId, host: &'run Host) -> Self {
        Self { plan, execution, host, executables: Executables::default(), vocabulary: None }
    }

    /// Runs a command once. That it cannot be started is a fact like any other.
    pub(crate) fn run(
        &mut self,
        action: &Action,
        command: &Command,
        bounds: &Bounds,
        sink: &mut dyn Sink,
        watcher: &mut Watcher<'_>,
    ) -> Result<(CommandFacts, Vec<Notice>), ExecError> {
        let place = Place::find(&self.plan.workspace, &command.directory);
        let directory = match &place {
            Ok(place) => place.directory.clone(),
            Err(_) => self.plan.workspace.join(command.directory.as_str()),
        };
        let selected = environment::select(
            &self.host.environment,
            &self.plan.environment,
            &command.environment,
            self.execution,
            &action.id,
            &directory,
        );
        let resolved = place
            .and_then(|place| resolve::resolve(&command.invocation, &place, selected.path(), &mut self.executables));
        let resolved = match resolved {
            Ok(resolved) => resolved,
            Err(refusal) => {
                let asked = Asked { argv: resolve::as_asked(&command.invocation), executables: Vec::new() };
                return Ok((facts(asked, &directory, selected, Outcome::refused(refusal)), Vec::new()));
            }
        };
        let (outcome, mut notices) = match self.start(action, &resolved, &directory, &selected) {
            Ok((started, tree)) => {
                let watch = self.watch(&selected.dropped);
                observe(action, started, &tree, bounds, watch, sink, watcher)?
            }
            Err(refusal) => (Outcome::refused(refusal), Vec::new()),
        };
        if resolved.pipefail && outcome.ending == BROKEN_PIPE {
            notices.push(notice::broken_pipe());
        }
        notices.extend(resolved.notices);
        let asked = Asked { argv: resolved.argv, executables: resolved.executables };
        Ok((facts(asked, &directory, selected, outcome), notices))
    }

    fn start(
        &self,
        action: &Action,
        resolved: &Resolved,
        directory: &Path,
        selected: &Selected,
    ) -> Result<(Started, Tree), Refusal> {
        let marker = Marker { execution: self.execution.as_str().to_owned(), action: action.id.as_str().to_owned() };
        let since = group::ticks();
        let started = spawn::start(&Launch {
            program: &resolved.program,
            name: &resolved.argv[0],
            arguments: &resolved.argv[1..],
            directory,
            variables: &selected.variables,
            marker: &marker,
            shim: self.host.controlling_terminal.then_some(&self.host.shim),
        })?;
        let tree = Tree::new(&started.leader, marker, since);
        Ok((started, tree))
    }

    /// Makes the search for words in the output; what is searched for is the same for most actions.
    fn watch(&mut self, dropped: &[String]) -> Option<Watch> {
        if self.vocabulary.as_ref().is_none_or(|vocabulary| !vocabulary.is_for(dropped)) {
            self.vocabulary = Vocabulary::new(dropped);
        }
        self.vocabulary.as_ref().map(Watch::new)
    }
}

/// What came of a try.
struct Outcome {
    ending: Ending,
    leaked: Vec<LeakedProcess>,
    log: Option<Log>,
}

impl Outcome {
    fn refused(refusal: Refusal) -> Self {
        let ending = Ending::CouldNotStart { cause: refusal.cause, message: refusal.message };
        Self { ending, leaked: Vec::new(), log: None }
    }
}

/// Watches a started command to its end, and keeps its output.
fn observe(
    action: &Action,
    started: Started,
    tree: &Tree,
    bounds: &Bounds,
    watch: Option<Watch>,
    sink: &mut dyn Sink,
    watcher: &mut Watcher<'_>,
) -> Result<(Outcome, Vec<Notice>), ExecError> {
    let Started { mut leader, stdout, stderr } = started;
    let capture = match sink.begin(action, FIRST_ATTEMPT) {
        Ok(capture) => capture,
        Err(error) => {
            attempt::abandon(&mut leader, tree);
            return Err(error.into());
        }
    };
    let mut pump = Pump::new(stdout.into(), stderr.into(), capture, watch, limit::OUTPUT_BYTES);
    let Ended { ending, mut leaked, survivors } = attempt::supervise(&mut leader, tree, &mut pump, bounds, watcher)?;
    let (log, watch) = pump.finish()?;
    let mut notices: Vec<Notice> = notice::leaked(&leaked).into_iter().chain(notice::survived(&survivors)).collect();
    leaked.retain(|process| survivors.iter().all(|survivor| survivor.pid != process.pid));
    leaked.extend(survivors);
    if ending != (Ending::Exited { code: 0 }) {
        notices.extend(watch.into_iter().flat_map(Watch::notices));
    }
    Ok((Outcome { ending, leaked, log: Some(log) }, notices))
}

/// A command as it was started, or was to be.
struct Asked {
    argv: Vec<String>,
    executables: Vec<Executable>,
}

fn facts(asked: Asked, directory: &Path, selected: Selected, outcome: Outcome) -> CommandFacts {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let environment: BTreeMap<String, String> =
        selected.variables.into_iter().map(|(name, value)| (text(name), text(value))).collect();
    CommandFacts {
        argv: asked.argv,
        directory: directory.to_string_lossy().into_owned(),
        executables: asked.executables,
        environment,
        dropped_variables: selected.dropped,
        ending: outcome.ending,
        leaked: outcome.leaked,
        log: outcome.log,
    }
}

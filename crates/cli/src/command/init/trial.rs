//! Tries the proposed checks before writing them: each check once as a run does it, and working ones again
//! beside Referee's own files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::event_sink::{EventSink, Note};
use referee_engine::trial::{Attempt, Trial, TrialError, TrialOutcome, TrialRequest};
use referee_exec::Silence;
use referee_exec::signal::Cancellation;
use referee_ledger::project_file;
use referee_model::event::{Event, EventKind};
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Plan, Role, Work};
use referee_report::initial::{ProposedIgnore, Trial as TrialDocument, TrialResult};
use referee_spec::Options;
use referee_spec::detect::{Project, written};

use super::stand_in::StandIn;
use super::{FILE, ignores, remains, sentence};
use crate::args::{Format, Init, PlainFormat};
use crate::follower::Follower;
use crate::output;

/// Maximum duration, in milliseconds, of checks that are always tried beside Referee's own files; slower ones
/// are only if they read all files of a project.
const CHEAP_MS: u64 = 60_000;

#[derive(Debug, Default)]
pub(super) struct Tried {
    /// Results by name of the check or prerequisite.
    pub(super) results: BTreeMap<String, TrialDocument>,
    pub(super) ignores: Vec<ProposedIgnore>,
    /// Reason why nothing was tried. None: everything was.
    pub(super) untried: Option<String>,
}

pub(super) enum Ended {
    Tried(Tried),
    /// Interrupted by this signal; nothing is to be written.
    Interrupted(i32),
}

/// Tries the proposals. Those that do not work become comments of the project, and the workspace is restored.
pub(super) fn run(
    context: &Context,
    arguments: &Init,
    directory: &Path,
    project: &mut Project,
) -> Result<Ended, EngineError> {
    if written(project).is_none() {
        return Ok(Ended::Tried(Tried::default()));
    }
    let Some(state) = context.state([directory])? else {
        return not_tried("there is no state directory to keep evidence in: set REFEREE_STATE_DIR".to_owned());
    };
    let stand_in = StandIn::take(project);
    let text = written(project).unwrap_or_default();
    let options = Options { workspace: Some(directory.to_path_buf()) };
    let suite = referee_spec::load_text(&directory.join(FILE), text.as_bytes(), &options)?.suite;
    let cancellation = crate::resolve::signals()?;
    let request = TrialRequest {
        suite: &suite,
        workspace: directory,
        state: &state,
        execution: context.new_execution()?,
        timeout_ms: arguments.try_timeout,
        exec: context.for_exec()?,
        host: context.host(),
        cancellation: &cancellation,
    };
    let trial = match Trial::begin(request) {
        Ok(trial) => trial,
        Err(TrialError::NoCopy(error)) => {
            if let Some(stand_in) = stand_in {
                stand_in.put_back(project);
            }
            return not_tried(TrialError::NoCopy(error).to_string());
        }
        Err(TrialError::Engine(error)) => return Err(error),
    };
    let Some(plan) = suite.tasks.first() else {
        return Err(EngineError::internal("there is no task to try".to_owned()));
    };
    let format = if arguments.format == PlainFormat::Json { Format::Json } else { Format::Human };
    let mut follower = Follower::new(context, format);
    follower.on_suite(&suite);
    let follower = OneRun { follower, has_begun: false };
    let mut rounds = Rounds {
        context,
        directory,
        plan,
        trial,
        follower,
        cancellation: &cancellation,
        stand_in,
        firsts: BTreeMap::new(),
        tried: Tried::default(),
    };
    let ended = rounds.all(arguments, project);
    rounds.follower.follower.clear();
    // Whatever happened, the project is restored.
    let Rounds { trial, tried, .. } = rounds;
    let different = trial.restore()?;
    ended?;
    if let Some(first) = different.first() {
        let text = format!("note: could not put back {} as it was; see what git says\n", first.display());
        output::aside(text.as_bytes())?;
    }
    Ok(match cancellation.requests().first() {
        Some(signal) => Ended::Interrupted(*signal),
        None => Ended::Tried(tried),
    })
}

fn not_tried(why: String) -> Result<Ended, EngineError> {
    output::aside(format!("note: no check is tried: {why}\n").as_bytes())?;
    Ok(Ended::Tried(Tried { untried: Some(why), ..Tried::default() }))
}

struct Rounds<'trial> {
    context: &'trial Context,
    directory: &'trial Path,
    plan: &'trial Plan,
    trial: Trial<'trial>,
    follower: OneRun<'trial>,
    cancellation: &'trial Cancellation,
    stand_in: Option<StandIn>,
    /// Results of the first round, for proposals that are kept.
    firsts: BTreeMap<String, Attempt>,
    tried: Tried,
}

impl Rounds<'_> {
    /// Runs both rounds, unless interrupted.
    fn all(&mut self, arguments: &Init, project: &mut Project) -> Result<(), EngineError> {
        self.first(project)?;
        remains::propose(&self.firsts, project);
        match written(project) {
            Some(text) if !self.is_interrupted() => self.second(arguments, &text),
            _ => Ok(()),
        }
    }

    fn is_interrupted(&self) -> bool {
        !self.cancellation.requests().is_empty()
    }

    fn attempt(&mut self, action: &Action) -> Result<Attempt, EngineError> {
        self.trial.attempt(&action.id, self.context.new_execution()?, &mut self.follower)
    }

    /// Tries everything once, needs before checks that need them.
    fn first(&mut self, project: &mut Project) -> Result<(), EngineError> {
        let plan = self.plan;
        let mut broken: BTreeSet<String> = BTreeSet::new();
        for action in plan.actions.iter().filter(|action| !matches!(action.work, Work::Service(_))) {
            if self.is_spare(action, project) {
                continue;
            }
            let needs = action.needs.iter().filter_map(|need| plan.action(need)).map(|need| &need.name);
            if let Some(need) = needs.into_iter().find(|need| broken.contains(*need)) {
                let trial = sentence::needs(need);
                self.set_aside(&action.name, trial, project, &mut broken);
                continue;
            }
            let attempt = self.attempt(action)?;
            if self.is_interrupted() {
                return Ok(());
            }
            if let TrialOutcome::NoService(service) = &attempt.standing {
                broken.insert(service.clone());
                sentence::leave_service(service, &attempt.reason, project);
            }
            let trial = sentence::of(&attempt, action, self.directory);
            match trial.result {
                TrialResult::Passes | TrialResult::Fails | TrialResult::FailsBesideEvidence => {
                    if attempt.standing == TrialOutcome::Quiet {
                        sentence::by_exit_code(&action.name, project);
                    }
                    self.tried.results.insert(action.name.clone(), trial);
                    self.firsts.insert(action.name.clone(), attempt);
                }
                TrialResult::DoesNotWork | TrialResult::EditsFiles => {
                    self.set_aside(&action.name, trial, project, &mut broken);
                }
            }
        }
        Ok(())
    }

    /// Returns whether an action is a replacement that is not needed, and then leaves it to people again.
    fn is_spare(&self, action: &Action, project: &mut Project) -> bool {
        let Some(stand_in) = self.stand_in.as_ref().filter(|stand_in| stand_in.name == action.name) else {
            return false;
        };
        let is_spare = self.firsts.contains_key(&stand_in.stands_for);
        if is_spare {
            stand_in.put_back(project);
        } else {
            stand_in.explain(project);
        }
        is_spare
    }

    fn set_aside(&mut self, name: &str, trial: TrialDocument, project: &mut Project, broken: &mut BTreeSet<String>) {
        project.set_aside(name, sentence::comment(&trial));
        broken.insert(name.to_owned());
        self.tried.results.insert(name.to_owned(), trial);
    }

    /// Tries again checks that may read every file of a project, with the specification and evidence in their
    /// usual places.
    fn second(&mut self, arguments: &Init, text: &str) -> Result<(), EngineError> {
        let plan = self.plan;
        let again: Vec<&Action> = plan.actions.iter().filter(|action| self.may_read_ours(action)).collect();
        if again.is_empty() {
            return Ok(());
        }
        self.follower.tell("Once more, beside referee.yaml and evidence/\n")?;
        self.trial.place(FILE, text.as_bytes())?;
        for action in again {
            let attempt = self.attempt(action)?;
            if self.is_interrupted() {
                return Ok(());
            }
            let Some(first) = self.firsts.get(&action.name) else { continue };
            let is_hindered = match first.standing {
                TrialOutcome::Passes | TrialOutcome::Quiet if is_clean(first) => !is_clean(&attempt),
                _ => attempt.speaks_of_ours && reads_all(&attempt),
            };
            if !is_hindered && !ignores::is_of_committed(&attempt.lines) {
                continue;
            }
            if let Some(trial) = self.tried.results.get_mut(&action.name).filter(|_| is_hindered) {
                (trial.result, trial.reason) = (TrialResult::FailsBesideEvidence, attempt.reason.clone());
                trial.finding.clone_from(&attempt.finding);
            }
            let mut ignore = ignores::of(&action.name, attempt.tool.as_deref(), &attempt.lines, self.directory);
            if arguments.write_ignores && ignore.place.is_none() {
                self.with(&mut ignore, action)?;
            }
            self.tried.ignores.push(ignore);
        }
        Ok(())
    }

    /// Returns whether a check is tried a second time. Linters, formatters and unknown tools may read all
    /// files; others are tried again only if that is fast, since Maven, for example, checks licenses when it
    /// tests.
    fn may_read_ours(&self, action: &Action) -> bool {
        let first = self.firsts.get(&action.name);
        first.is_some_and(|first| reads_all(first) || (passes(first) && first.duration_ms <= CHEAP_MS))
    }

    /// Tries a check with the entry that it needs. The entry is removed with everything else that was tried,
    /// and is written at the end.
    fn with(&mut self, ignore: &mut ProposedIgnore, action: &Action) -> Result<(), EngineError> {
        write_entry(self.directory, ignore)?;
        self.trial.look_again()?;
        let attempt = self.attempt(action)?;
        ignore.suffices = Some(passes(&attempt) || !attempt.speaks_of_ours);
        if ignore.suffices == Some(true)
            && let Some(first) = self.firsts.get(&action.name)
            && let Some(trial) = self.tried.results.get_mut(&action.name)
        {
            trial.result = if passes(first) { TrialResult::Passes } else { TrialResult::Fails };
            (trial.reason, trial.finding) = (first.reason.clone(), first.finding.clone());
        }
        Ok(())
    }
}

/// Writes an entry at the end of its file.
pub(super) fn write_entry(directory: &Path, ignore: &ProposedIgnore) -> Result<(), EngineError> {
    Ok(project_file::append(directory, &ignore.file, &ignore.lines)?)
}

fn passes(attempt: &Attempt) -> bool {
    matches!(attempt.standing, TrialOutcome::Passes | TrialOutcome::Quiet)
}

/// Returns whether there are no findings at all, not even ones that do not block.
fn is_clean(attempt: &Attempt) -> bool {
    attempt.standing == TrialOutcome::Quiet || attempt.outcome == Some(Outcome::Success)
}

fn reads_all(attempt: &Attempt) -> bool {
    matches!(attempt.role, Some(Role::Lint | Role::Format | Role::Other) | None)
}

/// Shows many runs of one action each as a single run.
struct OneRun<'run> {
    follower: Follower<'run>,
    has_begun: bool,
}

impl OneRun<'_> {
    fn tell(&mut self, text: &str) -> io::Result<()> {
        self.follower.note(text)
    }
}

impl EventSink for OneRun<'_> {
    fn on_event(&mut self, event: &Event) {
        let is_another =
            matches!(event.happening, EventKind::RunStarted { .. }) && std::mem::replace(&mut self.has_begun, true);
        if !is_another && !matches!(event.happening, EventKind::RunFinished { .. }) {
            self.follower.on_event(event);
        }
    }

    fn on_silence(&mut self, silence: &Silence) {
        self.follower.on_silence(silence);
    }

    fn on_idle(&mut self) {
        self.follower.on_idle();
    }

    fn on_note(&mut self, note: &Note<'_>) {
        self.follower.on_note(note);
    }
}

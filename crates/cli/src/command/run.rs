//! `referee run`: the main job.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::time::Instant;

use referee_engine::protection::Baseline;
use referee_engine::protection_source;
use referee_engine::protection_source::known_locks;
use referee_engine::request::{Answer, Failure, Listener};
use referee_engine::sandboxing::{Sandboxing, Wish};
use referee_engine::selection::Selection;
use referee_engine::suite::{self, SealedSuite, SuiteAnswer, SuiteRequest};
use referee_exec::Silence;
use referee_exec::signal::{self, Cancellation};
use referee_ledger::State;
use referee_ledger::receipts;
use referee_model::event::{Event, Happening};
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_model::report::ActionReport;
use referee_model::selection::Profile;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_report::formats::json_lines;
use referee_report::human::{self, progress::Progress, summary};
use referee_report::style::{Style, Verbosity};
use referee_wire::{evidence_name, exit_code};
use serde_json::{Value, json};

use super::clean_room::{self, Entered, Protected};
use crate::args::{self, Format, Run};
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::{self, World};
use crate::sources::Sources;

/// Most actions that a message lists where a name was not found.
const NAMES_LISTED: usize = 20;

/// Most source files that excerpts of one task are taken from.
const SOURCES: usize = 1024;

/// Runs the checks of the specifications, one after another, and answers.
pub(super) fn execute(world: &World, arguments: &Run) -> Result<u8, Problem> {
    let cancellation =
        signal::install().map_err(|error| Problem::internal(format!("signals cannot be listened for: {error}")))?;
    let suites = match load(world, arguments) {
        Ok(suites) => suites,
        Err(problem) if problem.kind == Kind::Specification => {
            return unloadable(world, arguments, problem, &cancellation);
        }
        Err(problem) => return Err(problem),
    };
    let state = world.state(suites.iter().flat_map(|suite| &suite.tasks).map(|plan| plan.workspace.as_path()))?;
    sub_projects(world, arguments, state.as_ref()).or_else(|problem| told_first(arguments.format, problem))?;
    let signer = arguments.signing.options().signer(world, &suites)?;
    let selection = selection(&arguments.selection);
    named(&suites, &arguments.tasks, &selection)?;
    let baseline = arguments.baseline.as_deref();
    let baseline = baseline.map(|path| super::baseline::given(world, path, &suites, &arguments.tasks)).transpose()?;
    let mut exits = Vec::new();
    let mut documents = Vec::new();
    for suite in &suites {
        if let (false, Some(signal)) = (exits.is_empty(), cancellation.requests().first().copied()) {
            output::aside(b"note: interrupted; the specifications that were left did not run\n")?;
            exits.push(Exit::Interrupted { signal });
            break;
        }
        if suite::wanted(suite, &arguments.tasks).is_empty() {
            continue;
        }
        let protection = protection(world, arguments, suite, state.as_ref())
            .or_else(|problem| told_first(arguments.format, problem))?;
        let incident_root = incident_root(world, arguments, suite);
        let Entered { suite, ground } = match enter(world, arguments, suite, protection.as_ref(), state.as_ref()) {
            Ok(entered) => entered,
            Err(problem) => return refused(arguments.format, problem, Vec::new()),
        };
        let request = SuiteRequest {
            suite: &suite,
            ground: &ground,
            tasks: &arguments.tasks,
            selection: &selection,
            baseline: baseline.as_ref(),
            state: state.as_ref(),
            sandbox: sandboxing(arguments.confinement.sandbox),
            signer: signer.clone(),
            protection: protection.as_ref(),
            jobs: arguments.jobs,
            processors: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            executions: suite.tasks.iter().map(|_| world.new_execution()).collect::<Result<_, _>>()?,
            world: world.for_exec()?,
            host: world.host(),
            cancellation: &cancellation,
        };
        let mut follower = Follower::new(world, &suite, arguments.format);
        let answer = in_turn(&request, &mut follower);
        follower.clear();
        let answer = answer?;
        output::aside(notes(&answer).as_bytes())?;
        let wanted = arguments.incidents.capture_incidents || suite.captures_incidents;
        let captured = if wanted { incidents(world, &incident_root, &answer)? } else { Captures::new() };
        super::status::after_run(world, &suite)?;
        exits.push(answer.exit);
        documents.extend(told(world, arguments.format, &answer, &captured, follower.events)?);
    }
    let exit = exits.into_iter().min().unwrap_or(Exit::NothingRan);
    if arguments.format == Format::Json {
        output::answer(&one_answer(&documents, exit)?)?;
    }
    Ok(exit_code::of(exit))
}

/// Makes sure that nothing is gone that was locked in the folders that are named.
fn sub_projects(world: &World, arguments: &Run, state: Option<&State>) -> Result<(), Problem> {
    let mut folders = arguments.specification.files.iter().filter(|file| world.directory.join(file).is_dir());
    folders.try_for_each(|folder| known_locks::hold_below(world, folder, state))
}

/// Tells programs of a problem before the run ends with it.
fn told_first<T>(format: Format, problem: Problem) -> Result<T, Problem> {
    let told = refused(format, problem, Vec::new());
    told.and_then(|_| Err(Problem::internal("a problem was told, and did not end the run".to_owned())))
}

/// Runs the checks, with the turn to ask about their workspace where it is free: whoever asks the gate meanwhile waits, and
/// finds what this run recorded. A run waits for nobody; a gate that runs checks at the same time holds its answer against
/// the inputs.
fn in_turn(request: &SuiteRequest<'_>, listener: &mut dyn Listener) -> Result<SuiteAnswer, Failure> {
    let workspace = request.suite.tasks.first().map(|plan| plan.workspace.as_path());
    let turn = request.state.zip(workspace);
    let turn = turn.and_then(|(state, workspace)| receipts::take_turn(state, workspace, &mut || false).ok().flatten());
    let answer = suite::run(request, listener);
    drop(turn);
    answer
}

/// What is asked for, and what this machine can do. The kernel is asked only where it matters.
pub(super) fn sandboxing(asked: args::sandbox::Sandbox) -> Sandboxing {
    let wish = match asked {
        args::sandbox::Sandbox::Off => return Sandboxing::default(),
        args::sandbox::Sandbox::On => Wish::On,
        args::sandbox::Sandbox::Require => Wish::Require,
    };
    Sandboxing { wish, kernel: referee_exec::sandbox::probe() }
}

/// The documents of all specifications as one.
fn one_answer(documents: &[Value], exit: Exit) -> Result<Vec<u8>, Problem> {
    Ok(match documents {
        [only] => referee_wire::to_bytes(only)?,
        several => referee_wire::to_bytes(&json!({
            "streamVersion": "1.0.0",
            "type": "specifications",
            "exitCode": exit_code::of(exit),
            "specifications": several,
        }))?,
    })
}

/// Finds out where the tasks of a specification run.
fn enter(
    world: &World,
    arguments: &Run,
    suite: &Suite,
    protection: Option<&Baseline>,
    state: Option<&State>,
) -> Result<Entered, Problem> {
    let protected = match protection.filter(|_| arguments.clean_room.clean_room) {
        Some(baseline) => clean_room::protected(baseline, suite)?,
        None => Protected::new(),
    };
    clean_room::enter(world, &arguments.clean_room, suite, &protected, state, &arguments.tasks)
}

/// Finds what a specification's workspace is held against; where there is nothing, says how it could be.
fn protection(
    world: &World,
    arguments: &Run,
    suite: &Suite,
    state: Option<&State>,
) -> Result<Option<Baseline>, Problem> {
    let found = protection_source::baseline(world, suite, state, arguments.trusted.as_deref())?;
    let is_told = arguments.format == Format::Human && world.terminal.stderr.verbosity != Verbosity::Quiet;
    if found.is_none() && is_told {
        let note = "note: nothing protects the specification and the tests: `referee lock` does, or `--trusted REF`\n";
        output::aside(note.as_bytes())?;
    }
    Ok(found)
}

fn selection(arguments: &args::Selection) -> Selection {
    let profile = arguments.profile.map(|profile| match profile {
        args::Profile::Strict => Profile::Strict,
        args::Profile::Fast => Profile::Fast,
        args::Profile::Smoke => Profile::Smoke,
        args::Profile::Yolo => Profile::Yolo,
    });
    Selection {
        profile,
        only: arguments.only.clone(),
        skip: arguments.skip.clone(),
        rerun_failed: arguments.rerun_failed,
    }
}

/// Makes sure that everything asked for by name is there.
fn named(suites: &[Suite], asked: &[TaskId], selection: &Selection) -> Result<(), Problem> {
    let all = || suites.iter().flat_map(|suite| &suite.tasks);
    if let Some(unknown) = asked.iter().find(|task| all().all(|plan| plan.task != **task)) {
        let known: Vec<&str> = all().map(|plan| plan.task.as_str()).collect();
        return Err(Problem::usage(format!("there is no task {unknown}; there is {}", known.join(", "))));
    }
    let tasks: Vec<&Plan> = suites.iter().flat_map(|suite| suite::wanted(suite, asked)).collect();
    if let Some(unknown) = selection.unknown(&tasks).first() {
        let actions = tasks.iter().flat_map(|plan| &plan.actions).take(NAMES_LISTED);
        let names: Vec<String> = actions.map(|action| format!("{} ({})", action.id, action.name)).collect();
        let listed = names.join(", ");
        return Err(Problem::usage(format!("no action has the id or name \"{unknown}\"; there are {listed}")));
    }
    Ok(())
}

/// What a person must know of where the evidence went, and of what the run relied on; a line each.
fn notes(answer: &SuiteAnswer) -> String {
    let of_tasks = answer.answers.iter().flat_map(|answer| {
        let task = &answer.report.plan.task;
        let superseded = answer.superseded_by.iter().map(move |later| {
            format!("{later} of {task} was started later and stands in its place; this run went to the history")
        });
        superseded.chain(answer.gap.clone()).chain(answer.notes.iter().cloned())
    });
    let lines: Vec<String> =
        answer.notes.iter().cloned().chain(of_tasks).map(|note| format!("note: {note}\n")).collect();
    lines.concat()
}

/// Loads the specifications that are meant, and tells their warnings.
fn load(world: &World, arguments: &Run) -> Result<Vec<Suite>, Problem> {
    let mut suites = Vec::new();
    for loaded in resolve::load(world, &arguments.specification)? {
        let loaded = loaded?;
        output::aside(&super::check::rendered(world, &loaded.warnings)?)?;
        suites.push(loaded.suite);
    }
    Ok(suites)
}

/// A specification that cannot be loaded is sealed as the last run of its tasks.
fn unloadable(world: &World, arguments: &Run, problem: Problem, cancellation: &Cancellation) -> Result<u8, Problem> {
    let answers = match super::unloadable::seal(world, arguments, cancellation) {
        Ok(answers) => answers,
        Err(unsealed) => {
            let message = format!("{}; and no run could be sealed that says so: {}", problem.message, unsealed.message);
            return Err(Problem { kind: unsealed.kind, message, ..problem });
        }
    };
    let documents = answers.iter().map(|answer| reports(answer, &Captures::new())).collect::<Result<Vec<_>, _>>()?;
    refused(arguments.format, problem, documents.concat())
}

/// A specification that cannot be loaded is an answer too for who reads machine formats.
fn refused(format: Format, problem: Problem, reports: Vec<Value>) -> Result<u8, Problem> {
    if format != Format::Human && problem.kind == Kind::Specification {
        let mut document = super::check::document(false, &problem.message, &problem.complaints);
        document["type"] = json!("specification-error");
        document["overallStatus"] = json!("SPECIFICATION_ERROR");
        document["decision"] = json!("BLOCKED");
        document["agentAction"] = json!("FIX_SPECIFICATION");
        document["exitCode"] = json!(problem.exit_code());
        document["reports"] = Value::Array(reports);
        let text = if format == Format::Jsonl { line(&document) } else { referee_wire::to_bytes(&document)? };
        output::answer(&text)?;
    }
    Err(problem)
}

/// Answers about one specification. Returns the document of it, where that stands in one with those of others.
fn told(
    world: &World,
    format: Format,
    answer: &SuiteAnswer,
    captured: &Captures,
    events: Vec<Value>,
) -> Result<Option<Value>, Problem> {
    match format {
        Format::Human => answer_people(world, answer).map(|()| None),
        Format::Jsonl => {
            reports(answer, captured)?.iter().try_for_each(|document| output::answer(&line(document)))?;
            Ok(None)
        }
        Format::Json => Ok(Some(one_document(reports(answer, captured)?, events))),
    }
}

/// Captures what did not pass, where that is wanted. What it comes to is told, and never changes how the run came out.
fn incidents(world: &World, root: &args::incident::Root, answer: &SuiteAnswer) -> Result<Captures, Problem> {
    let mut captured = Captures::new();
    for task in answer.answers.iter().filter(|task| task.report.verdict.decision != Decision::Pass) {
        let told = super::incident::of_run(world, root, task);
        output::aside(format!("note: {}: {}\n", task.report.plan.task, told.sentence).as_bytes())?;
        captured.insert(task.report.plan.task.clone(), told.document);
    }
    Ok(captured)
}

/// Where incidents of a specification are kept: as named, or, of one that was named, in its workspace. Of the nearest one where
/// `referee incident` looks.
fn incident_root(world: &World, arguments: &Run, suite: &Suite) -> args::incident::Root {
    let workspace = suite.tasks.first().filter(|_| !arguments.specification.files.is_empty());
    let root = arguments.incidents.incident_root.clone();
    let root = root.map(|root| world.directory.join(root));
    args::incident::Root { root: root.or_else(|| workspace.map(|plan| super::incident::below(&plan.workspace))) }
}

/// What became of the tasks that did not pass, as the answers for programs say it.
type Captures = BTreeMap<TaskId, Value>;

/// The reports of all tasks, and the one over all of them where there is one.
fn reports(answer: &SuiteAnswer, captured: &Captures) -> Result<Vec<Value>, Problem> {
    let mut documents = answer.answers.iter().map(report_document).collect::<Result<Vec<Value>, Problem>>()?;
    for (document, task) in documents.iter_mut().zip(&answer.answers) {
        if let Some(captured) = captured.get(&task.report.plan.task) {
            document["incident"] = captured.clone();
        }
    }
    documents.extend(answer.suite.as_ref().map(|suite| suite_document(answer, suite)).transpose()?);
    Ok(documents)
}

/// One document: that of the only task, or that of the suite with all reports in it.
fn one_document(mut reports: Vec<Value>, events: Vec<Value>) -> Value {
    let mut document = reports.pop().unwrap_or_default();
    if !reports.is_empty() {
        document["reports"] = Value::Array(reports);
    }
    document["events"] = Value::Array(events);
    document
}

fn line(document: &Value) -> Vec<u8> {
    format!("{document}\n").into_bytes()
}

fn answer_people(world: &World, answer: &SuiteAnswer) -> Result<(), Problem> {
    let style = &world.terminal.stdout;
    let mut text = Vec::new();
    for task in &answer.answers {
        let report_file = task.folder.join(evidence_name::EXECUTION_REPORT);
        let shown = world.shown(&report_file).display().to_string();
        let mut sources = Sources::new(&task.report.plan.workspace);
        for ran in task.report.actions.iter().filter_map(ActionReport::ran) {
            sources.load(&ran.reading, SOURCES);
        }
        summary::write(&task.report, &sources, &shown, style, &mut text)?;
        let debt_file = task.folder.join(evidence_name::TECHNICAL_DEBT);
        human::debt::of_run(&task.report.debt, &world.shown(&debt_file).display().to_string(), style, &mut text)?;
    }
    if let Some(suite) = &answer.suite {
        let shown = world.shown(&suite.file).display().to_string();
        human::suite::write(&suite.report, &shown, style, &mut text)?;
    }
    output::answer(&text)?;
    Ok(())
}

fn report_document(answer: &Answer) -> Result<Value, Problem> {
    Ok(json!({
        "streamVersion": "1.0.0",
        "type": "report",
        "folder": answer.folder,
        "exitCode": exit_code::of(answer.report.verdict.exit),
        "supersededBy": answer.superseded_by,
        "report": sealed(&answer.document)?,
    }))
}

fn suite_document(answer: &SuiteAnswer, suite: &SealedSuite) -> Result<Value, Problem> {
    Ok(json!({
        "streamVersion": "1.0.0",
        "type": "suite",
        "file": suite.file,
        "exitCode": exit_code::of(answer.exit),
        "suite": sealed(&suite.document)?,
    }))
}

fn sealed(document: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice(document)
        .map_err(|error| Problem::internal(format!("the sealed report is not JSON: {error}")))
}

/// Follows a run: progress for people on standard error, events for programs on standard output.
pub(super) struct Follower<'run> {
    format: Format,
    world: &'run World,
    suite: &'run Suite,
    style: Style,
    /// Whether progress is shown at all.
    shows: bool,
    progress: Option<Progress>,
    began: Instant,
    events: Vec<Value>,
    /// Whether standard output is gone; the run goes on and its exit code still counts.
    deaf: bool,
}

impl<'run> Follower<'run> {
    pub(super) fn new(world: &'run World, suite: &'run Suite, format: Format) -> Self {
        let style = world.terminal.stderr;
        let quiet = style.verbosity == Verbosity::Quiet || (format != Format::Human && !style.interactive);
        Self {
            format,
            world,
            suite,
            style,
            shows: !quiet,
            progress: None,
            began: Instant::now(),
            events: Vec::new(),
            deaf: false,
        }
    }

    /// Each task has a progress of its own.
    fn begin(&mut self, task: &TaskId) {
        self.clear();
        self.began = Instant::now();
        let plan = self.suite.task(task).filter(|_| self.shows);
        let shown = plan.map(|plan| suite::shown(plan, &self.world.environment));
        self.progress = shown.map(|plan| Progress::new(self.style, &plan));
    }

    fn show(&mut self, write: impl FnOnce(&mut Progress, &mut dyn io::Write) -> io::Result<()>) {
        if let Some(progress) = &mut self.progress {
            let mut text = Vec::new();
            let written = write(progress, &mut text).and_then(|()| output::aside(&text));
            if written.is_err() {
                (self.progress, self.shows) = (None, false);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.show(|progress, out| progress.clear(out));
    }

    /// Says something between two lines of progress, where progress is shown.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.clear();
        if self.shows { output::aside(text.as_bytes()) } else { Ok(()) }
    }

    fn stream(&mut self, event: &Event) {
        match self.format {
            Format::Human => {}
            Format::Json => self.events.extend(serde_json::from_str::<Value>(&referee_wire::event::line(event))),
            Format::Jsonl if self.deaf => {}
            Format::Jsonl => {
                let mut line = Vec::new();
                let written = json_lines::write(event, &mut line).and_then(|()| output::answer(&line));
                self.deaf = written.is_err();
            }
        }
    }
}

impl Listener for Follower<'_> {
    fn told(&mut self, event: &Event) {
        if let Happening::RunStarted { task, .. } = &event.happening {
            self.begin(task);
        }
        self.stream(event);
        self.show(|progress, out| progress.happened(event, out));
    }

    fn silent(&mut self, silence: &Silence) {
        let Silence { action, silent_ms, is_idle } = silence;
        self.show(|progress, out| progress.silent(action, *silent_ms, *is_idle, out));
    }

    fn idle(&mut self) {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.show(|progress, out| progress.tick(elapsed, out));
    }
}

//! `referee run`: the main job.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use referee_engine::pipeline;
use referee_engine::request::{Answer, Listener, RunRequest};
use referee_exec::signal;
use referee_model::event::Event;
use referee_report::formats::json_lines;
use referee_report::human::{progress::Progress, summary};
use referee_report::style::{Style, Verbosity};
use referee_wire::{evidence_name, exit_code};
use serde_json::{Value, json};

use crate::args::{Format, Run};
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::{self, World};

/// Largest source file that an excerpt is taken from, in bytes.
const SOURCE_BYTES: u64 = 4 * 1024 * 1024;

/// Runs the specification's checks and answers.
pub(super) fn execute(world: &World, arguments: &Run) -> Result<u8, Problem> {
    let loaded = match world.load(&arguments.specification) {
        Ok(loaded) => loaded,
        Err(problem) => return refused(arguments.format, problem),
    };
    output::aside(&super::check::rendered(world, &loaded.warnings)?)?;
    let cancellation =
        signal::install().map_err(|error| Problem::internal(format!("signals cannot be listened for: {error}")))?;
    let request = RunRequest {
        plan: &loaded.plan,
        execution: resolve::new_execution()?,
        world: world.for_exec()?,
        host: world.host(),
        cancellation: &cancellation,
    };
    let mut follower = Follower::new(world, &loaded.plan, arguments.format);
    let answer = pipeline::run(&request, &mut follower);
    follower.clear();
    let answer = answer?;
    output::aside(notes(&answer).as_bytes())?;
    answer_with(world, arguments.format, &loaded.plan.workspace, &answer, follower.events)?;
    Ok(exit_code::of(answer.report.verdict.exit))
}

/// What a person must know of where the evidence went.
fn notes(answer: &Answer) -> String {
    let task = &answer.report.plan.task;
    let superseded = answer.superseded_by.iter().map(|later| {
        format!("note: {later} of {task} was started later and stands in its place; this run went to the history\n")
    });
    let gap = answer.gap.iter().map(|gap| format!("note: {gap}\n"));
    superseded.chain(gap).collect()
}

/// A specification that cannot be loaded is an answer too for who reads machine formats.
fn refused(format: Format, problem: Problem) -> Result<u8, Problem> {
    if format != Format::Human && problem.kind == Kind::Specification {
        let mut document = super::check::document(false, &problem.message, &problem.complaints);
        document["type"] = json!("specification-error");
        document["overallStatus"] = json!("SPECIFICATION_ERROR");
        document["decision"] = json!("BLOCKED");
        document["agentAction"] = json!("FIX_SPECIFICATION");
        document["exitCode"] = json!(problem.exit_code());
        output::answer(&one_line_or_pretty(format, &document)?)?;
    }
    Err(problem)
}

fn answer_with(
    world: &World,
    format: Format,
    workspace: &Path,
    answer: &Answer,
    events: Vec<Value>,
) -> Result<(), Problem> {
    match format {
        Format::Human => {
            let report_file = answer.folder.join(evidence_name::EXECUTION_REPORT);
            let shown = world.shown(&report_file).display().to_string();
            let mut sources = Sources::new(workspace);
            sources.load(&answer.report);
            let mut text = Vec::new();
            summary::write(&answer.report, &sources, &shown, &world.terminal.stdout, &mut text)?;
            output::answer(&text)?;
        }
        Format::Json | Format::Jsonl => {
            let report: Value = serde_json::from_slice(&answer.document)
                .map_err(|error| Problem::internal(format!("the sealed report is not JSON: {error}")))?;
            let mut document = json!({
                "streamVersion": "1.0.0",
                "type": "report",
                "folder": answer.folder,
                "exitCode": exit_code::of(answer.report.verdict.exit),
                "supersededBy": answer.superseded_by,
                "report": report,
            });
            if format == Format::Json {
                document["events"] = Value::Array(events);
            }
            output::answer(&one_line_or_pretty(format, &document)?)?;
        }
    }
    Ok(())
}

fn one_line_or_pretty(format: Format, document: &Value) -> Result<Vec<u8>, serde_json::Error> {
    if format == Format::Jsonl {
        return Ok(format!("{document}\n").into_bytes());
    }
    referee_wire::to_bytes(document)
}

/// Follows a run: progress for people on standard error, events for programs on standard output.
struct Follower {
    format: Format,
    progress: Option<Progress>,
    began: Instant,
    events: Vec<Value>,
    /// Whether standard output is gone; the run goes on and its exit code still counts.
    deaf: bool,
}

impl Follower {
    fn new(world: &World, plan: &referee_model::plan::Plan, format: Format) -> Self {
        let style: &Style = &world.terminal.stderr;
        let quiet = style.verbosity == Verbosity::Quiet || (format != Format::Human && !style.interactive);
        let progress = (!quiet).then(|| Progress::new(*style, plan));
        Self { format, progress, began: Instant::now(), events: Vec::new(), deaf: false }
    }

    fn show(&mut self, write: impl FnOnce(&mut Progress, &mut dyn io::Write) -> io::Result<()>) {
        if let Some(progress) = &mut self.progress {
            let mut text = Vec::new();
            let written = write(progress, &mut text).and_then(|()| output::aside(&text));
            if written.is_err() {
                self.progress = None;
            }
        }
    }

    fn clear(&mut self) {
        self.show(|progress, out| progress.clear(out));
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

impl Listener for Follower {
    fn told(&mut self, event: &Event) {
        self.stream(event);
        self.show(|progress, out| progress.happened(event, out));
    }

    fn idle(&mut self) {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.show(|progress, out| progress.tick(elapsed, out));
    }
}

/// The source files that findings name, read once for excerpts.
struct Sources {
    workspace: PathBuf,
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    fn new(workspace: &Path) -> Self {
        Self { workspace: workspace.to_owned(), files: HashMap::new() }
    }

    fn load(&mut self, report: &referee_model::report::Report) {
        for ran in report.actions.iter().filter_map(referee_model::report::ActionReport::ran) {
            let of_findings = ran.reading.diagnostics.iter().filter_map(|found| found.file.as_deref());
            let of_tests = ran.reading.tests.iter().flat_map(|tests| &tests.failures);
            for file in of_findings.chain(of_tests.filter_map(|failure| failure.file.as_deref())).take(64) {
                if !self.files.contains_key(file) {
                    self.files.insert(file.to_owned(), self.read(file).unwrap_or_default());
                }
            }
        }
    }

    /// Reads a file that a tool named, if it lies in the workspace: a tool's output is not to be trusted.
    fn read(&self, file: &str) -> Option<Vec<String>> {
        let path = std::fs::canonicalize(self.workspace.join(file)).ok()?;
        let about = std::fs::metadata(&path).ok()?;
        if !path.starts_with(&self.workspace) || !about.is_file() || about.len() > SOURCE_BYTES {
            return None;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).ok()?).into_owned();
        Some(text.lines().map(str::to_owned).collect())
    }
}

impl referee_report::SourceLines for Sources {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        self.files.get(file)?.get(index).cloned()
    }
}

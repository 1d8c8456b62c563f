//! `/runs/{task}`: one run, from its sealed report.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State as Shared};
use axum::http::StatusCode;
use axum::response::Response;
use referee_engine::library::{LibraryError, RunQuery};
use referee_model::id::TaskId;
use referee_syntax::percent::component;
use serde::Deserialize;

use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::harmless;
use super::library;
use super::moment::{Moment, Span};
use super::refusal;
use super::runs::{Run, Scope};
use super::tone;
use crate::problem::Problem;
use crate::service::Service;

/// Length of the longest bar, in units.
const BAR: u64 = 1_000;

/// Maximum number of other runs of the same task that are listed.
const OTHERS: usize = 12;

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    frame: Frame,
    run: Run,
    /// Runs that began later and were never sealed.
    later: Vec<String>,
    report: Report,
    /// Other runs of the task, the latest first.
    others: Vec<Run>,
}

/// The parts of a report that are shown. Every key may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Report {
    test_specification: Specification,
    execution_summary: Summary,
    prerequisite_execution: Results,
    step_execution: Results,
    cleanup_execution: Results,
    skipped_actions: Vec<Skipped>,
    diagnostics_summary: String,
    notices: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Specification {
    file: String,
    task_id: String,
    task_title: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Summary {
    overall_status: String,
    decision: String,
    reasons: Vec<String>,
    next: String,
    agent_action: String,
    exit_code: i64,
    scope: Scope,
    start_time: String,
    total_duration: u64,
    test_results: Option<Tests>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tests {
    passed: u64,
    failed: u64,
    skipped: u64,
    total: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Results {
    results: Vec<Action>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Action {
    #[serde(rename = "actionId")]
    id: String,
    description: String,
    status: String,
    blocking: bool,
    duration: u64,
    attempt_count: u64,
    flaky: bool,
    classification: Classification,
    evidence_files: Files,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Classification {
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Files {
    log: Option<String>,
    /// Pictures of the page in a browser.
    screenshots: Vec<String>,
}

impl Files {
    /// Returns the names of the pictures in the evidence directory.
    fn pictures(&self) -> impl Iterator<Item = &str> {
        self.screenshots.iter().filter_map(|path| path.rsplit('/').next())
    }
}

/// An action that did not run.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Skipped {
    action_id: String,
    description: String,
    reason: String,
}

/// Details of one run in the library.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Detail {
    run: Run,
    later: Vec<String>,
}

impl Report {
    /// Returns every action that ran, in the order of the plan.
    fn actions(&self) -> impl Iterator<Item = &Action> {
        let phases = [&self.prerequisite_execution, &self.step_execution, &self.cleanup_execution];
        phases.into_iter().flat_map(|phase| &phase.results)
    }

    /// Returns the length of an action's bar, relative to the longest one, and never 0.
    fn bar(&self, action: &Action) -> u64 {
        let longest = self.actions().map(|action| action.duration).max().unwrap_or(0).max(1);
        (action.duration.saturating_mul(BAR) / longest).clamp(4, BAR)
    }
}

impl Summary {
    fn tone(&self) -> &'static str {
        tone::of_decision(&self.decision)
    }

    fn began(&self) -> Option<Moment> {
        Moment::read(&self.start_time)
    }

    fn took(&self) -> Span {
        Span(self.total_duration)
    }
}

impl Action {
    fn tone(&self) -> &'static str {
        tone::of_outcome(&self.status, self.blocking)
    }

    fn took(&self) -> Span {
        Span(self.duration)
    }
}

impl RunPage {
    /// Returns the address of an evidence file. `None`: the run has no id.
    fn file(&self, name: &str) -> Option<String> {
        let run = self.run.execution_id.as_deref()?;
        Some(format!("/api/runs/{}/{}/evidence/{}", self.run.task_id, component(run), component(name)))
    }

    /// Returns the address of an action's log.
    fn log(&self, action: &Action) -> String {
        let run = self.run.execution_id.as_deref().map(|run| format!("?run={}", component(run))).unwrap_or_default();
        format!("/runs/{}/{}{run}", self.run.task_id, component(&action.id))
    }
}

pub(super) async fn show(
    Shared(service): Shared<Arc<Service>>,
    Path(task): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let form = Form::read(query.unwrap_or_default().as_bytes()).unwrap_or_default();
    match page(&service, &task, &form).await {
        Ok(page) => answer(StatusCode::OK, &page),
        Err(problem) => refusal::page_of(Part::of_runs(&service), &problem),
    }
}

async fn page(service: &Arc<Service>, task: &str, form: &Form) -> Result<RunPage, Problem> {
    let task = TaskId::parse(task).map_err(|error| Problem::invalid(error.to_string()))?;
    let which = library::which(form)?;
    let part = Part::of_runs(service);
    library::read(service, move |library| {
        let found: Detail = library::shown(&library.run(&task, &which)?)?;
        let sealed = library.open(&task, &which)?;
        let report = harmless::document::<Report>(sealed.report()).map_err(LibraryError::Internal)?;
        let query = RunQuery { task: Some(task.clone()), limit: OTHERS, ..RunQuery::default() };
        let list: Others = library::shown(&library.runs(&query)?)?;
        let Detail { run, later } = found;
        let others = list.runs.into_iter().filter(|other| other.execution_id != run.execution_id).collect();
        let title = format!("{} {}", report.execution_summary.decision, run.task_id);
        Ok(RunPage { frame: Frame::new(title, part), run, later, report, others })
    })
    .await
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Others {
    runs: Vec<Run>,
}

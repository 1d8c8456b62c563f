//! `/runs`: the runs of the evidence root.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State as Shared};
use axum::http::StatusCode;
use axum::response::Response;
use referee_engine::library::RunQuery;
use referee_model::id::TaskId;
use referee_model::verdict::Decision;
use referee_syntax::percent::component;
use serde::Deserialize;

use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::library;
use super::moment::{Moment, Span};
use super::refusal;
use super::tone;
use crate::problem::Problem;
use crate::service::Service;

const PAGE: usize = 50;

#[derive(Template)]
#[template(path = "runs.html")]
struct Runs {
    frame: Frame,
    task: String,
    decision: String,
    list: List,
    /// Address of the next page.
    next: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct List {
    kept: u64,
    runs: Vec<Run>,
    next: Option<String>,
}

/// A run in the list. Every key may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) task_id: String,
    pub(super) execution_id: Option<String>,
    pub(super) state: String,
    pub(super) evidence: String,
    pub(super) problem: Option<String>,
    pub(super) sequence: Option<u64>,
    sealed_at: Option<String>,
    pub(super) report: Option<Overview>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Overview {
    pub(super) task_title: String,
    pub(super) decision: String,
    pub(super) reasons: Vec<String>,
    pub(super) scope: Scope,
    start_time: String,
    total_duration: u64,
    pub(super) action_counts: Counts,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scope {
    pub(super) profile: String,
    pub(super) reduced: bool,
}

/// Numbers of actions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Counts {
    pub(super) total: u64,
    pub(super) executed: u64,
    pub(super) skipped: u64,
}

impl Run {
    /// Returns the address of the run's page. `None`: nothing of it can be shown.
    pub(super) fn address(&self) -> Option<String> {
        let run = self.execution_id.as_deref()?;
        self.report.as_ref().map(|_| format!("/runs/{}?run={}", self.task_id, component(run)))
    }

    /// Returns a warning about the run's evidence. `None`: it is as sealed.
    pub(super) fn doubt(&self) -> Option<String> {
        match (&self.problem, self.evidence.as_str()) {
            (Some(problem), _) => Some(problem.clone()),
            (None, "as-sealed") => None,
            (None, other) => Some(other.replace('-', " ")),
        }
    }

    pub(super) fn began(&self) -> Option<Moment> {
        let report = self.report.as_ref().map(|report| report.start_time.as_str());
        Moment::read(report.or(self.sealed_at.as_deref())?)
    }
}

impl Overview {
    /// Returns the style of the decision.
    pub(super) fn tone(&self) -> &'static str {
        tone::of_decision(&self.decision)
    }

    fn took(&self) -> Span {
        Span(self.total_duration)
    }
}

pub(super) async fn show(Shared(service): Shared<Arc<Service>>, RawQuery(query): RawQuery) -> Response {
    let form = Form::read(query.unwrap_or_default().as_bytes()).unwrap_or_default();
    match runs(&service, &form).await {
        Ok(runs) => answer(StatusCode::OK, &runs),
        Err(problem) => refusal::page_of(Part::of_runs(&service), &problem),
    }
}

async fn runs(service: &Arc<Service>, form: &Form) -> Result<Runs, Problem> {
    let task =
        form.given("task").map(TaskId::parse).transpose().map_err(|error| Problem::invalid(error.to_string()))?;
    let decision = match form.given("decision") {
        None => None,
        Some("PASS") => Some(Decision::Pass),
        Some("FAIL") => Some(Decision::Fail),
        Some("BLOCKED") => Some(Decision::Blocked),
        Some(_) => return Err(Problem::invalid("a decision is PASS, FAIL or BLOCKED")),
    };
    let named = task.as_ref().map(ToString::to_string).unwrap_or_default();
    let query = RunQuery { task, decision, after: form.given("after").map(str::to_owned), limit: PAGE };
    let list: List = library::read(service, move |library| library::shown(&library.runs(&query)?)).await?;
    let decision = form.given("decision").unwrap_or_default().to_owned();
    let next = list.next.as_deref();
    let next =
        next.map(|next| format!("/runs?task={}&decision={decision}&after={}", component(&named), component(next)));
    Ok(Runs { frame: Frame::new("Runs", Part::of_runs(service)), task: named, decision, list, next })
}

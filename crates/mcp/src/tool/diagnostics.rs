//! `referee_diagnostics`: findings over all runs, the most severe first.

use referee_engine::library::{DiagnosticQuery, DiagnosticSince};
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::id::{ExecutionId, TaskId};
use referee_model::limit as bound;
use referee_model::reading::Level;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, arguments, document, limit};
use crate::project::Project;

/// Number of findings listed, usually.
const LISTED: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    task: Option<TaskId>,
    severity: Option<Level>,
    source: Option<DiagnosticSource>,
    since: Option<ExecutionId>,
    #[serde(default)]
    new: bool,
    limit: Option<usize>,
}

pub(super) fn diagnostics(project: &Project, given: Value) -> Answer {
    let asked: Arguments = arguments(given)?;
    let since = match (asked.since, asked.new) {
        (Some(run), _) => DiagnosticSince::After(run),
        (None, true) => DiagnosticSince::LatestRun,
        (None, false) => DiagnosticSince::Beginning,
    };
    let query = DiagnosticQuery {
        task: asked.task,
        severity: asked.severity,
        source: asked.source,
        since,
        limit: limit(asked.limit, LISTED, bound::REGISTER_LISTED_MAX)?,
    };
    document(&project.library(asked.specification.as_deref())?.diagnostics(&query)?)
}

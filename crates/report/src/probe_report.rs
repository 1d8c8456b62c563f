//! The report on planted defects (`referee probe report`), as JSON, as SARIF and as an HTML page. It does not state
//! which defects the gate uses: of those that a check reported there are numbers only.

use std::collections::BTreeMap;

use referee_model::id::{ActionId, TaskId};
use referee_model::plan::Role;
use referee_model::probe_set::{CheckProbes, PlantedDefect, ProbeSet, ProbeTrial, TrialVerdict};
use referee_model::reading::{Diagnostic, Level, Origin, Reading};
use referee_model::record::Stream;
use referee_model::time::Timestamp;
use serde::Serialize;

use crate::formats::sarif;

mod page;

pub use self::page::html;

/// Maximum number of listed files without mutants.
const REFUSED_LISTED: usize = 20;

/// Probe results of tasks.
#[document(unpublished)]
pub struct ProbeReportDocument {
    probe_report_version: &'static str,
    tasks: Vec<TaskProbes>,
}

#[document(nulls, unpublished)]
struct TaskProbes {
    task_id: TaskId,
    learned: Timestamp,
    /// Commit of the probed tree. Null: the tree was not a committed one.
    commit: Option<String>,
    checks: Vec<CheckReport>,
    /// Source files in which no defect was planted, each with the reason, by path.
    refused: BTreeMap<String, String>,
}

#[document(unpublished)]
struct CheckReport {
    action_id: ActionId,
    name: String,
    role: Role,
    /// Number of planted defects whose result says something about the check.
    tried: usize,
    /// Number of those defects that the check reported.
    reported: usize,
    /// Number of defects that the check reported twice, which the gate uses.
    kept: usize,
    /// Number of defects that were not planted within the budget.
    untried: usize,
    /// Whether the check reported no defect, although enough of them, or all, were planted.
    hollow: bool,
    files: Vec<FileReport>,
    unwatched: Vec<UnwatchedCode>,
}

#[document(unpublished)]
struct FileReport {
    path: String,
    tried: usize,
    reported: usize,
}

/// Code in which a check reported no planted defect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnwatchedCode {
    pub path: String,
    /// Name of the function. Null: code outside of functions, or the whole file.
    pub function: Option<String>,
    /// Kinds of planted defects, without duplicates.
    pub defects: Vec<&'static str>,
    /// 1-based lines of the planted defects.
    pub lines: Vec<u64>,
}

/// Returns the document of probe results.
pub fn document(sets: &[ProbeSet]) -> ProbeReportDocument {
    let tasks = sets.iter().map(|set| TaskProbes {
        task_id: set.task.clone(),
        learned: set.learned,
        commit: set.commit.clone(),
        checks: set.checks.iter().map(of_check).collect(),
        refused: set.refused.clone(),
    });
    ProbeReportDocument { probe_report_version: "1.0.0", tasks: tasks.collect() }
}

fn of_check(check: &CheckProbes) -> CheckReport {
    CheckReport {
        action_id: check.action.clone(),
        name: check.name.clone(),
        role: check.role,
        tried: check.tried(),
        reported: check.noticed(),
        kept: check.kept(),
        untried: check.untried,
        hollow: check.is_hollow(),
        files: files(check),
        unwatched: unwatched(check),
    }
}

/// Returns for each file how many defects were planted, and how many of them the check reported.
fn files(check: &CheckProbes) -> Vec<FileReport> {
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for trial in told(check) {
        let (tried, reported) = files.entry(&trial.path).or_default();
        *tried += 1;
        *reported += usize::from(trial.verdict() == TrialVerdict::Noticed);
    }
    let report = |(path, (tried, reported)): (&str, _)| FileReport { path: path.to_owned(), tried, reported };
    files.into_iter().map(report).collect()
}

fn told(check: &CheckProbes) -> impl Iterator<Item = &ProbeTrial> {
    check.trials.iter().filter(|trial| trial.verdict() != TrialVerdict::Unusable)
}

/// Returns the code in which a check reported no planted defect, by path and function.
pub(crate) fn unwatched(check: &CheckProbes) -> Vec<UnwatchedCode> {
    let mut places: BTreeMap<(&str, Option<&str>), Vec<&ProbeTrial>> = BTreeMap::new();
    for trial in told(check) {
        places.entry((&trial.path, trial.defect.function())).or_default().push(trial);
    }
    let is_watched = |trials: &[&ProbeTrial]| trials.iter().any(|trial| trial.verdict() == TrialVerdict::Noticed);
    let places = places.into_iter().filter(|(_, trials)| !is_watched(trials));
    let code = |((path, function), trials): ((&str, Option<&str>), Vec<&ProbeTrial>)| {
        let mut defects: Vec<&'static str> = trials.iter().map(|trial| trial.defect.words()).collect();
        let mut lines: Vec<u64> = trials.iter().filter_map(|trial| line(&trial.defect)).collect();
        defects.sort_unstable();
        defects.dedup();
        lines.sort_unstable();
        lines.dedup();
        UnwatchedCode { path: path.to_owned(), function: function.map(str::to_owned), defects, lines }
    };
    places.map(code).collect()
}

fn line(defect: &PlantedDefect) -> Option<u64> {
    match defect {
        PlantedDefect::Mutant { mutant } => u64::try_from(mutant.line).ok(),
        PlantedDefect::File { .. } => None,
    }
}

/// Returns the listed source files in which no defect was planted, with the reasons.
pub(crate) fn refused_listed(set: &ProbeSet) -> impl Iterator<Item = (&String, &String)> {
    set.refused.iter().take(REFUSED_LISTED)
}

/// Returns a SARIF log with one result for each defect that no check reported.
pub fn sarif(sets: &[ProbeSet]) -> serde_json::Result<Vec<u8>> {
    let readings: Vec<Reading> = sets.iter().flat_map(|set| &set.checks).map(reading).collect();
    referee_model::document::to_bytes(&sarif::document(&readings))
}

fn reading(check: &CheckProbes) -> Reading {
    let missed = told(check).filter(|trial| trial.verdict() == TrialVerdict::Unnoticed);
    Reading { diagnostics: missed.map(|trial| diagnostic(check, trial)).collect(), ..Reading::default() }
}

fn diagnostic(check: &CheckProbes, trial: &ProbeTrial) -> Diagnostic {
    let (line, column, code) = match &trial.defect {
        PlantedDefect::Mutant { mutant } => (
            u32::try_from(mutant.line).ok(),
            u32::try_from(mutant.column).ok(),
            serde_json::to_value(mutant.operator).ok(),
        ),
        PlantedDefect::File { defect, .. } => (None, None, serde_json::to_value(defect).ok()),
    };
    Diagnostic {
        tool: "referee-probe".to_owned(),
        file: Some(trial.path.clone()),
        line,
        column,
        end_line: None,
        end_column: None,
        code: code.and_then(|code| code.as_str().map(str::to_owned)),
        level: Level::Warning,
        message: format!("{} does not report a planted defect here: {}", check.name, trial.defect.words()),
        fixable: false,
        suggestion: None,
        edits: Vec::new(),
        source: None,
        related: Vec::new(),
        origin: Origin { rule: "probe/mutant".to_owned(), stream: Stream::Stdout, start: 0, end: 0 },
    }
}

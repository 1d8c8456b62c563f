//! `/runs/{task}/{action}`: the log of an action, with what was found in it where it stands.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State as Shared};
use axum::http::StatusCode;
use axum::response::Response;
use referee_engine::library::Lines;
use referee_model::id::{ActionId, TaskId};
use referee_syntax::percent::component;
use serde::Deserialize;

use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::refusal;
use super::shelf;
use super::tone;
use crate::problem::Problem;
use crate::service::Service;

/// Lines that are shown of the end of a log, which is where failures are.
const LAST: usize = 400;

/// Lines that are shown of its beginning, where it is longer.
const FIRST: usize = 60;

/// Lines of one page of it.
const PAGE: usize = 500;

/// Lines before a finding that are shown with it.
const BEFORE: u64 = 20;

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage {
    frame: Frame,
    log: Log,
    rows: Vec<Row>,
    /// The page that goes on before the first line that is shown.
    earlier: Option<u64>,
    /// The page that goes on after the last one.
    later: Option<u64>,
}

/// A log, as the library gives it. All keys may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Log {
    task_id: String,
    execution_id: String,
    action_id: String,
    attempt: u64,
    attempts: u64,
    file: String,
    line_count: u64,
    lines: Vec<Line>,
    finding_count: u64,
    findings: Vec<Finding>,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Line {
    number: u64,
    text: String,
    left_out: u64,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Finding {
    log_line: Option<u64>,
    last_log_line: Option<u64>,
    severity: String,
    message: String,
    code: Option<String>,
    file: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
}

/// A row of the page.
#[derive(Debug, PartialEq, Eq)]
enum Row {
    /// A line of the log.
    Line {
        number: u64,
        text: String,
        left_out: u64,
        /// How it is marked. Empty: it is not.
        tone: &'static str,
    },
    /// What was found in the lines above it.
    Note { tone: &'static str, severity: String, text: String },
    /// Lines that are not shown.
    Gap { from: u64, to: u64 },
}

impl Finding {
    fn tone(&self) -> &'static str {
        tone::of_severity(&self.severity)
    }

    /// Where it is, by the tool's word.
    fn place(&self) -> String {
        let numbers = [self.line, self.line.and(self.column)].into_iter().flatten().map(|number| format!(":{number}"));
        self.file.clone().unwrap_or_default() + &numbers.collect::<String>()
    }

    fn covers(&self, line: u64) -> bool {
        let Some(first) = self.log_line else { return false };
        (first..=self.last_log_line.unwrap_or(first)).contains(&line)
    }

    fn ends_at(&self, line: u64) -> bool {
        self.log_line.is_some() && self.last_log_line.or(self.log_line) == Some(line)
    }

    fn words(&self) -> String {
        let parts = [self.place(), self.message.clone(), self.code.clone().unwrap_or_default()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }
}

impl Log {
    /// Lays the lines out, with gaps where some are missing and findings where they stand.
    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut next = self.lines.first().map_or(1, |line| line.number);
        for line in &self.lines {
            if line.number > next {
                rows.push(Row::Gap { from: next, to: line.number - 1 });
            }
            next = line.number + 1;
            let tones = self.findings.iter().filter(|found| found.covers(line.number)).map(Finding::tone);
            let tone = tones.min_by_key(|tone| grave(tone)).unwrap_or_default();
            rows.push(Row::Line { number: line.number, text: line.text.clone(), left_out: line.left_out, tone });
            rows.extend(self.findings.iter().filter(|found| found.ends_at(line.number)).map(|found| Row::Note {
                tone: found.tone(),
                severity: found.severity.clone(),
                text: found.words(),
            }));
        }
        rows
    }

    /// The address of the page that begins with a line.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand down references")]
    fn address(&self, from: &u64) -> String {
        let (task, action, run) = (&self.task_id, component(&self.action_id), component(&self.execution_id));
        format!("/runs/{task}/{action}?run={run}&attempt={}&from={from}", self.attempt)
    }

    /// The address of the page that has a finding.
    fn jump(&self, found: &Finding) -> Option<String> {
        let line = found.log_line?;
        if self.lines.iter().any(|shown| shown.number == line) {
            return Some(format!("#L{line}"));
        }
        Some(format!("{}#L{line}", self.address(&line.saturating_sub(BEFORE).max(1))))
    }
}

fn grave(tone: &str) -> u8 {
    match tone {
        "bad" => 0,
        "odd" => 1,
        _ => 2,
    }
}

/// Shows it.
pub(super) async fn show(
    Shared(service): Shared<Arc<Service>>,
    Path((task, action)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let form = Form::read(query.unwrap_or_default().as_bytes()).unwrap_or_default();
    match page(&service, &task, &action, &form).await {
        Ok(page) => answer(StatusCode::OK, &page),
        Err(problem) => refusal::page_of(Part::Runs, &problem),
    }
}

async fn page(service: &Arc<Service>, task: &str, action: &str, form: &Form) -> Result<LogPage, Problem> {
    let task = TaskId::parse(task).map_err(|error| Problem::invalid(error.to_string()))?;
    let action = ActionId::parse(action).map_err(|error| Problem::invalid(error.to_string()))?;
    let which = shelf::which(form)?;
    let number = |name: &str| {
        let read = form.given(name).map(str::parse::<u32>).transpose();
        read.map_err(|_| Problem::invalid(format!("`{name}` is a number")))
    };
    let (attempt, from) = (number("attempt")?, number("from")?);
    let log: Log = shelf::read(service, move |library| {
        let run = library.open(&task, &which)?;
        let lines = |lines| shelf::shown::<Log>(&run.log(&action, attempt, lines)?);
        match from {
            Some(from) => lines(Lines::From(u64::from(from.max(1)), PAGE)),
            None => ends(lines),
        }
    })
    .await?;
    let first = log.lines.first().map_or(1, |line| line.number);
    let last = log.lines.last().map_or(0, |line| line.number);
    let earlier = (first > 1).then(|| first.saturating_sub(PAGE as u64).max(1));
    let later = (last < log.line_count && last > 0).then_some(last + 1);
    let frame = Frame::new(format!("{} {}", log.task_id, log.action_id), Part::Runs);
    Ok(LogPage { frame, rows: log.rows(), log, earlier, later })
}

/// Reads the end of a log, and its beginning where that is not in it.
fn ends<Refused>(lines: impl Fn(Lines) -> Result<Log, Refused>) -> Result<Log, Refused> {
    let mut log = lines(Lines::last(LAST))?;
    if let Some(first) = log.lines.first().map(|line| line.number).filter(|first| *first > 1) {
        let mut begin = lines(Lines::From(1, FIRST))?.lines;
        begin.retain(|line| line.number < first);
        begin.append(&mut log.lines);
        log.lines = begin;
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64) -> Line {
        Line { number, text: format!("line {number}"), left_out: 0 }
    }

    fn finding(severity: &str, first: u64, last: u64) -> Finding {
        let (log_line, last_log_line) = (Some(first), Some(last));
        Finding {
            log_line,
            last_log_line,
            severity: severity.to_owned(),
            message: "m".to_owned(),
            ..Finding::default()
        }
    }

    #[test]
    fn findings_stand_below_the_lines_they_were_read_from_and_gaps_are_said() {
        let lines = [1, 2, 7, 8].into_iter().map(line).collect();
        let findings = vec![finding("warning", 1, 2), finding("error", 2, 2), finding("error", 5, 5)];
        let log = Log { lines, findings, line_count: 9, ..Log::default() };
        let shape: Vec<String> = log
            .rows()
            .into_iter()
            .map(|row| match row {
                Row::Line { number, tone, .. } => format!("{number}{tone}"),
                Row::Note { severity, .. } => severity,
                Row::Gap { from, to } => format!("{from}-{to}"),
            })
            .collect();
        assert_eq!(shape, ["1odd", "2bad", "warning", "error", "3-6", "7", "8"]);
        assert_eq!(log.jump(&log.findings[1]).unwrap(), "#L2");
        assert!(log.jump(&log.findings[2]).unwrap().ends_with("from=1#L5"));
    }

    #[test]
    fn a_long_log_is_shown_by_its_ends_and_a_short_one_whole() {
        let of = |count: u64| {
            move |lines| -> Result<Log, ()> {
                let all = (1..=count).map(line);
                let lines = match lines {
                    Lines::From(from, most) => all.skip_while(|line| line.number < from).take(most).collect(),
                    Lines::Back(most, _) => all.skip(usize::try_from(count).unwrap().saturating_sub(most)).collect(),
                };
                Ok(Log { lines, ..Log::default() })
            }
        };
        assert_eq!(ends(of(9)).unwrap().lines.len(), 9);
        assert_eq!(ends(of(410)).unwrap().lines.len(), 410);
        let long = ends(of(5_000)).unwrap().lines;
        assert_eq!((long.len(), long[0].number, long[FIRST].number), (FIRST + LAST, 1, 4_601));
        assert!(ends(of(0)).unwrap().lines.is_empty());
    }
}

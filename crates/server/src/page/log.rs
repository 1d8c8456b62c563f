//! `/runs/{task}/{action}`: the log of an action, with its findings in place.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State as Shared};
use axum::http::StatusCode;
use axum::response::Response;
use referee_engine::library::Lines;
use referee_model::id::{ActionId, TaskId};
use referee_report::action_log::{ActionLog, LogFinding};
use referee_syntax::percent::component;

use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::library;
use super::refusal;
use super::tone;
use crate::problem::Problem;
use crate::service::Service;

/// Number of lines shown from the end of a log, where failures are.
const LAST: usize = 400;

/// Number of lines shown from its beginning, if it is longer.
const FIRST: usize = 60;

const PAGE: usize = 500;

/// Number of lines shown before a finding.
const BEFORE: u64 = 20;

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage {
    frame: Frame,
    log: ActionLog,
    rows: Vec<Row>,
    /// First line of the previous page.
    earlier: Option<u64>,
    /// First line of the next page.
    later: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
enum Row {
    Line {
        number: u64,
        text: String,
        left_out: u64,
        /// Style of the line. Empty: none.
        tone: &'static str,
    },
    /// A finding, shown below the lines that it was read from.
    Note { tone: &'static str, severity: &'static str, text: String },
    /// Lines that are not shown.
    Gap { from: u64, to: u64 },
}

fn covers(found: &LogFinding, line: u64) -> bool {
    let Some(first) = found.log_line else { return false };
    (first..=found.last_log_line.unwrap_or(first)).contains(&line)
}

fn ends_at(found: &LogFinding, line: u64) -> bool {
    found.log_line.is_some() && found.last_log_line.or(found.log_line) == Some(line)
}

/// Returns the text of a finding: position in the source, message, and code.
fn words(LogFinding { finding, .. }: &LogFinding) -> String {
    let place = tone::place(finding.file.as_deref(), finding.line.map(u64::from), finding.column.map(u64::from));
    let parts = [place, finding.message.clone(), finding.code.clone().unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

/// Lays out the lines of a log, with gaps where lines are missing, and with findings below their lines.
fn rows(log: &ActionLog) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut next = log.lines.first().map_or(1, |line| line.number);
    for line in &log.lines {
        if line.number > next {
            rows.push(Row::Gap { from: next, to: line.number - 1 });
        }
        next = line.number + 1;
        let most_severe =
            log.findings.iter().filter(|found| covers(found, line.number)).map(|found| found.finding.severity);
        let tone = most_severe.min().map(tone::of_level).unwrap_or_default();
        rows.push(Row::Line { number: line.number, text: line.text.clone(), left_out: line.left_out, tone });
        rows.extend(log.findings.iter().filter(|found| ends_at(found, line.number)).map(|found| Row::Note {
            tone: tone::of_level(found.finding.severity),
            severity: found.finding.severity.as_str(),
            text: words(found),
        }));
    }
    rows
}

/// Returns the address of the page of a log that starts at a line.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand down references")]
fn address(log: &ActionLog, from: &u64) -> String {
    let (action, run) = (component(log.action_id.as_str()), component(log.execution_id.as_str()));
    format!("/runs/{}/{action}?run={run}&attempt={}&from={from}", log.task_id, log.attempt)
}

/// Returns the address of the line of a finding. `None`: it has no line.
fn jump(log: &ActionLog, found: &LogFinding) -> Option<String> {
    let line = found.log_line?;
    if log.lines.iter().any(|shown| shown.number == line) {
        return Some(format!("#L{line}"));
    }
    Some(format!("{}#L{line}", address(log, &line.saturating_sub(BEFORE).max(1))))
}

pub(super) async fn show(
    Shared(service): Shared<Arc<Service>>,
    Path((task, action)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let form = Form::read(query.unwrap_or_default().as_bytes()).unwrap_or_default();
    match page(&service, &task, &action, &form).await {
        Ok(page) => answer(StatusCode::OK, &page),
        Err(problem) => refusal::page_of(Part::of_runs(&service), &problem),
    }
}

async fn page(service: &Arc<Service>, task: &str, action: &str, form: &Form) -> Result<LogPage, Problem> {
    let task = TaskId::parse(task).map_err(|error| Problem::invalid(error.to_string()))?;
    let action = ActionId::parse(action).map_err(|error| Problem::invalid(error.to_string()))?;
    let which = library::which(form)?;
    let number = |name: &str| {
        let read = form.given(name).map(str::parse::<u32>).transpose();
        read.map_err(|_| Problem::invalid(format!("`{name}` is a number")))
    };
    let (attempt, from) = (number("attempt")?, number("from")?);
    let log: ActionLog = library::read(service, move |library| {
        let run = library.open(&task, &which)?;
        let lines = |lines| library::shown::<ActionLog>(&run.log(&action, attempt, lines)?);
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
    let frame = Frame::new(format!("{} {}", log.task_id, log.action_id), Part::of_runs(service));
    Ok(LogPage { frame, rows: rows(&log), log, earlier, later })
}

/// Reads the end of a log, and its beginning if that is not included.
fn ends<Refused>(lines: impl Fn(Lines) -> Result<ActionLog, Refused>) -> Result<ActionLog, Refused> {
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
    use referee_model::id::{Digest, ExecutionId};
    use referee_model::reading::Level;
    use referee_report::action_log::{Finding, FindingOrigin, LogLine};

    use super::*;

    fn line(number: u64) -> LogLine {
        LogLine { number, text: format!("line {number}"), left_out: 0 }
    }

    fn finding(severity: Level, first: u64, last: u64) -> LogFinding {
        let finding = Finding {
            tool: "tsc".to_owned(),
            severity,
            message: "m".to_owned(),
            code: None,
            file: None,
            line: None,
            column: None,
            origin: FindingOrigin { rule: "line".to_owned(), start: 0, end: 0 },
        };
        LogFinding { log_line: Some(first), last_log_line: Some(last), finding }
    }

    fn log(lines: Vec<LogLine>, findings: Vec<LogFinding>) -> ActionLog {
        ActionLog {
            task_id: TaskId::parse("T001").unwrap(),
            execution_id: ExecutionId::parse("exec-1").unwrap(),
            action_id: ActionId::parse("STEP.1").unwrap(),
            attempt: 1,
            attempts: 1,
            file: "STEP.1.log".to_owned(),
            bytes: 0,
            sha256: Digest::from_bytes([0; 32]),
            line_count: 9,
            lines,
            next_line: None,
            finding_count: findings.len() as u64,
            findings,
        }
    }

    #[test]
    fn findings_stand_below_the_lines_they_were_read_from_and_gaps_are_said() {
        let lines = [1, 2, 7, 8].into_iter().map(line).collect();
        let findings = vec![finding(Level::Warning, 1, 2), finding(Level::Error, 2, 2), finding(Level::Error, 5, 5)];
        let log = log(lines, findings);
        let shape: Vec<String> = rows(&log)
            .into_iter()
            .map(|row| match row {
                Row::Line { number, tone, .. } => format!("{number}{tone}"),
                Row::Note { severity, .. } => severity.to_owned(),
                Row::Gap { from, to } => format!("{from}-{to}"),
            })
            .collect();
        assert_eq!(shape, ["1odd", "2bad", "warning", "error", "3-6", "7", "8"]);
        assert_eq!(jump(&log, &log.findings[1]).unwrap(), "#L2");
        assert!(jump(&log, &log.findings[2]).unwrap().ends_with("from=1#L5"));
    }

    #[test]
    fn a_long_log_is_shown_by_its_ends_and_a_short_one_whole() {
        let of = |count: u64| {
            move |lines| -> Result<ActionLog, ()> {
                let all = (1..=count).map(line);
                let lines = match lines {
                    Lines::From(from, most) => all.skip_while(|line| line.number < from).take(most).collect(),
                    Lines::Back(most, _) => all.skip(usize::try_from(count).unwrap().saturating_sub(most)).collect(),
                };
                Ok(log(lines, Vec::new()))
            }
        };
        assert_eq!(ends(of(9)).unwrap().lines.len(), 9);
        assert_eq!(ends(of(410)).unwrap().lines.len(), 410);
        let long = ends(of(5_000)).unwrap().lines;
        assert_eq!((long.len(), long[0].number, long[FIRST].number), (FIRST + LAST, 1, 4_601));
        assert!(ends(of(0)).unwrap().lines.is_empty());
    }
}

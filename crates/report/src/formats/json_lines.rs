//! Events as JSON, one per line: the content of the journal, written as it happens, or of the journals of finished runs.

use std::io::{self, Write};

use referee_model::event::{Event, journal};
use referee_model::report::Report;
use referee_model::{evidence_name, exit_code};
use serde_json::{Value, json};

use super::FileSource;
use crate::execution_report;

/// Version of the lines beside events.
const VERSION: &str = "1.0.0";

/// Writes one event as one line and flushes, so that a program that follows the output sees it at once.
pub fn write(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", journal::line(event))?;
    out.flush()
}

/// Writes the journal of each run, and its report as one more line.
pub(super) fn write_runs(reports: &[&Report], files: FileSource<'_>, out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        let stored = files(report, evidence_name::JOURNAL).map_err(|error| unusable(report, &error))?;
        let events = String::from_utf8(stored).map_err(|error| unusable(report, &error))?;
        belongs(&events, report)?;
        out.write_all(events.as_bytes())?;
        let document: Value = serde_json::from_slice(&execution_report::render(report).map_err(io::Error::other)?)?;
        let told = json!({
            "streamVersion": VERSION,
            "type": "report",
            "exitCode": exit_code::of(report.verdict.exit),
            "report": document,
        });
        writeln!(out, "{told}")?;
    }
    Ok(())
}

/// Checks that a journal is that of this run, and that each of its lines is an event.
fn belongs(events: &str, report: &Report) -> io::Result<()> {
    let mut execution = None;
    for line in events.lines() {
        let event = journal::read_line(line).map_err(|error| unusable(report, &error))?;
        execution = execution.or(event.execution);
    }
    if execution.as_ref() != Some(&report.run.execution) {
        return Err(unusable(report, &"it is that of another run"));
    }
    if !events.ends_with('\n') {
        return Err(unusable(report, &"its last line has no end"));
    }
    Ok(())
}

fn unusable(report: &Report, reason: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("{} of {}: {reason}", evidence_name::JOURNAL, report.plan.task))
}

#[cfg(test)]
mod tests {
    use referee_model::event::EventKind;
    use referee_model::id::ExecutionId;
    use referee_model::time::Timestamp;
    use referee_model::verdict::Decision;

    use super::*;
    use crate::human::fixture::runs;

    fn event(sequence: u64, happening: EventKind) -> Event {
        Event { sequence, at: Timestamp::from_millisecond(1_795_251_924_120), happening }
    }

    #[test]
    fn each_event_is_one_line_as_the_journal_has_it() {
        let told = |sequence, decision| event(sequence, EventKind::RunFinished { decision });
        let events = [told(1, Decision::Pass), told(2, Decision::Blocked)];
        let mut out = Vec::new();
        for event in &events {
            write(event, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, events.each_ref().map(journal::line));
        assert!(text.ends_with('\n') && lines[1].contains("BLOCKED"), "{text}");
    }

    /// A journal that tells how a run began and ended.
    fn journal_of(report: &Report, execution: &ExecutionId) -> String {
        let started = EventKind::RunStarted {
            execution: execution.clone(),
            task: report.plan.task.clone(),
            title: report.plan.title.clone(),
            actions: report.plan.actions.len(),
        };
        let finished = EventKind::RunFinished { decision: report.verdict.decision };
        [event(1, started), event(2, finished)].map(|event| journal::line(&event) + "\n").concat()
    }

    #[test]
    fn a_finished_run_is_its_journal_and_then_its_report() {
        let report = runs::failing();
        let stored = journal_of(&report, &report.run.execution);
        let mut out = Vec::new();
        let files = |_: &Report, name: &str| {
            assert_eq!(name, evidence_name::JOURNAL);
            Ok(stored.clone().into_bytes())
        };
        write_runs(&[&report, &report], &files, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rest = text.strip_prefix(&stored).unwrap();
        assert_eq!(rest.lines().count(), 4, "{rest}");
        let last: Value = serde_json::from_str(rest.lines().next().unwrap()).unwrap();
        let sealed: Value = serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap();
        assert_eq!((&last["type"], &last["report"]), (&json!("report"), &sealed));
        assert_eq!(last["exitCode"], exit_code::of(report.verdict.exit));
    }

    #[test]
    fn a_journal_that_is_absent_junk_half_written_or_of_another_run_is_refused_and_nothing_is_written() {
        let report = runs::failing();
        let other = ExecutionId::parse("exec-of-another").unwrap();
        let whole = journal_of(&report, &report.run.execution);
        for (stored, reason) in [
            (Vec::new(), "another run"),
            (b"{}\n".to_vec(), ""),
            (b"junk".to_vec(), ""),
            (vec![0xff, b'\n'], "utf-8"),
            (journal_of(&report, &other).into_bytes(), "another run"),
            (whole.trim_end().as_bytes().to_vec(), "no end"),
            (whole.as_bytes()[..whole.len() - 9].to_vec(), ""),
        ] {
            let mut out = Vec::new();
            let error = write_runs(&[&report], &|_, _| Ok(stored.clone()), &mut out).unwrap_err().to_string();
            assert!(error.contains("journal.jsonl of ") && error.contains(reason), "{reason}: {error}");
            assert!(out.is_empty());
        }
        let absent = |_: &Report, _: &str| Err(io::Error::other("no such file"));
        let error = write_runs(&[&report], &absent, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("no such file"), "{error}");
    }
}

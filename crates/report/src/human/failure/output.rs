//! The most telling lines of an action's output or of the answer that it received.

use std::io;

use referee_model::reading::{Excerpt as Output, Excerpts};
use referee_model::record::http::HttpEnding;
use referee_model::record::{Facts, Log};
use referee_model::report::Ran;
use serde_json::Value;

use super::{Bounds, FURTHER, INDENT, SENTENCE_LINES, Telling};
use crate::page::{Line, Page};
use crate::style::Tone;

impl Telling<'_> {
    /// Writes the last lines of the output of a command or service, standard error first; of an HTTP answer the
    /// first lines.
    pub(super) fn output(&self, ran: &Ran, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
        let Excerpts { stdout, stderr } = &ran.reading.excerpts;
        match &ran.record.facts {
            Facts::Command(facts) => match &facts.log {
                Some(log) => self.printed(log, [stdout, stderr], bounds, page),
                None => Ok(()),
            },
            Facts::Service(facts) => match facts.log.as_ref().or_else(|| self.service_log(ran)) {
                Some(log) => self.printed(log, [stdout, stderr], bounds, page),
                None => Ok(()),
            },
            Facts::Http(facts) => match &facts.ending {
                HttpEnding::Answered(answer) => match &answer.body {
                    Some(body) => self.answered("body", body, stdout, bounds, page),
                    None => Ok(()),
                },
                HttpEnding::NoAnswer(_) | HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => Ok(()),
            },
            Facts::Interaction(facts) => match &facts.answer {
                Some(answer) => self.interacted(answer, stdout, bounds, page),
                None => Ok(()),
            },
            Facts::File(_) | Facts::Glob(_) | Facts::NotExecuted => Ok(()),
        }
    }

    /// Returns the output of a service that became ready, which belongs to the run.
    fn service_log(&self, ran: &Ran) -> Option<&Log> {
        let of_attempt = |service: &&referee_model::record::ServiceRecord| {
            service.action == ran.record.action && service.attempt == ran.record.attempt
        };
        self.services.iter().find(of_attempt).and_then(|service| service.log.as_ref())
    }

    fn printed(
        &self,
        log: &Log,
        [stdout, stderr]: [&Output; 2],
        bounds: &Bounds,
        page: &mut Page<'_>,
    ) -> io::Result<()> {
        let errors = last_lines(stderr, bounds.output_lines);
        // Where standard error is not empty, standard output gets half of the lines.
        let rest = if errors.is_empty() { bounds.output_lines } else { bounds.output_lines / 2 };
        let ordinary = last_lines(stdout, rest);
        if errors.is_empty() && ordinary.is_empty() {
            let text = match log.bytes {
                0 => "it printed nothing".to_owned(),
                _ => format!("what it printed is in {}", self.file(&log.file)),
            };
            return page.paragraph(Line::indented(INDENT), FURTHER, Tone::Faint, &text, SENTENCE_LINES);
        }
        page.blank()?;
        for (name, lines, output) in [("stderr", &errors, stderr), ("stdout", &ordinary, stdout)] {
            quote(name, lines, page)?;
            self.rest_of_output(lines.len(), output, log, page)?;
        }
        Ok(())
    }

    /// Writes the first rows of a query, or what a page showed and reported; of an answer that is cut, its first lines.
    fn interacted(&self, log: &Log, answer: &Output, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
        let told = if answer.is_cut() { None } else { told(&answer.head) };
        let Some(lines) = told else { return self.answered("answer", log, answer, bounds, page) };
        if lines.is_empty() {
            return Ok(());
        }
        page.blank()?;
        for (name, line) in lines.iter().take(INTERACTION_LINES) {
            quote(name, &[line.as_str()], page)?;
        }
        if lines.len() > INTERACTION_LINES {
            let lead = Line::indented(INDENT).then(Tone::Faint, page.signs().ellipsis).then(Tone::Plain, " ");
            let text = format!("all of it is in {}", self.file(&log.file));
            page.paragraph(lead, FURTHER, Tone::Faint, &text, SENTENCE_LINES)?;
        }
        Ok(())
    }

    fn answered(&self, name: &str, log: &Log, body: &Output, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
        let lines: Vec<&str> = visible_lines(&body.head).take(bounds.output_lines).collect();
        if lines.is_empty() {
            let text = match log.bytes {
                0 => format!("the {name} is empty"),
                _ => format!("the {name} is in {}", self.file(&log.file)),
            };
            return page.paragraph(Line::indented(INDENT), FURTHER, Tone::Faint, &text, SENTENCE_LINES);
        }
        page.blank()?;
        quote(name, &lines, page)?;
        self.rest_of_output(lines.len(), body, log, page)
    }

    /// Names the log where a stream is not shown as a whole.
    fn rest_of_output(&self, shown: usize, output: &Output, log: &Log, page: &mut Page<'_>) -> io::Result<()> {
        let all = if output.is_cut() { usize::MAX } else { visible_lines(&output.head).count() };
        if shown == 0 || shown >= all {
            return Ok(());
        }
        let lead = Line::indented(INDENT).then(Tone::Faint, page.signs().ellipsis).then(Tone::Plain, " ");
        let text = format!("all of it is in {}", self.file(&log.file));
        page.paragraph(lead, FURTHER, Tone::Faint, &text, SENTENCE_LINES)
    }
}

/// Maximum number of rows of a query, or of lines about a page, that are shown.
const INTERACTION_LINES: usize = 6;

/// Returns the rows of an answer, or the errors, messages and text of a page, each line with its name. None: it is
/// neither.
fn told(answer: &str) -> Option<Vec<(&'static str, String)>> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    if let Some(rows) = answer.get("rows").and_then(Value::as_array) {
        return Some(rows.iter().map(|row| ("row", row.to_string())).collect());
    }
    answer.get("commands")?;
    let entries = |key: &str| answer.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let errors = entries("pageErrors").iter().filter_map(|error| Some(("error", error.as_str()?.to_owned())));
    let messages = entries("console").iter().filter_map(|message| Some(("console", text(message, "text")?)));
    let requests = entries("failedRequests").iter().filter_map(|request| {
        let status = request.get("status").and_then(Value::as_u64).map(|status| status.to_string());
        let why = text(request, "failure").or(status).unwrap_or_default();
        Some(("request", format!("{} {}: {why}", text(request, "method")?, text(request, "url")?)))
    });
    let mut lines: Vec<(&'static str, String)> = errors.chain(messages).chain(requests).collect();
    let shown = answer.get("text").and_then(Value::as_str).unwrap_or_default();
    lines.extend(visible_lines(shown).map(|line| ("page", line.to_owned())));
    Some(lines)
}

fn quote(name: &str, lines: &[&str], page: &mut Page<'_>) -> io::Result<()> {
    for line in lines {
        let start = Line::indented(INDENT).then(Tone::Faint, name).word(Tone::Faint, page.signs().bar);
        page.line(start.word(Tone::Plain, line))?;
    }
    Ok(())
}

/// Returns the last lines of a stream that are not blank.
fn last_lines(output: &Output, count: usize) -> Vec<&str> {
    let end = output.end();
    let mut lines: Vec<&str> = visible_lines(end).rev().take(count).collect();
    lines.reverse();
    lines
}

/// Returns the lines that are not blank. Of a line that was overwritten, as progress bars are, the last state
/// counts.
fn visible_lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().filter_map(|line| line.rsplit('\r').find(|state| !state.trim().is_empty()))
}

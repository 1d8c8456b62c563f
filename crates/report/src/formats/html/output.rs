//! What the output of a check says: failed tests, findings, and the output itself.

use std::io::{self, Write};

use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::outcome::{Judgement, Outcome};
use referee_model::reading::{Diagnostic, Excerpt, Excerpts, Level, Reading, TestFailure};
use referee_model::record::Facts;
use referee_model::report::Ran;
use referee_syntax::count::count;
use referee_syntax::{cut, duration, size};

use super::markup::{Lines, Text, write_rest, write_sentences};
use super::picture::Pictures;
use crate::wording;

/// Maximum number of findings of one check that are shown; all are counted.
pub(super) const FINDINGS: usize = 200;

/// Maximum number of failed tests of one check that are shown; all are counted.
pub(super) const FAILURES: usize = 100;

/// Maximum length of a source line before its mark, in it and after it, each, in characters.
const SOURCE_CHARACTERS: usize = 160;

/// Whether a tool did not work, so that its findings, if it has any, do not explain the outcome.
pub(super) fn is_broken(judgement: &Judgement) -> bool {
    matches!(judgement.cause.unwrap_or(judgement.outcome), Outcome::ExecutionError | Outcome::Timeout)
}

/// Returns the number of findings, stored or not.
pub(super) fn finding_count(reading: &Reading) -> u64 {
    reading.counts.total().max(reading.diagnostics.len() as u64)
}

/// Returns the number of failed tests, stored or not.
pub(super) fn failed_count(reading: &Reading) -> u64 {
    reading.tests.as_ref().map_or(0, |tests| tests.counts.failed.max(tests.failures.len() as u64))
}

pub(super) fn write_failures(
    reading: &Reading,
    action: &ActionId,
    level: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let failures = reading.tests.as_ref().map_or(&[][..], |tests| &tests.failures);
    if failures.is_empty() {
        return Ok(());
    }
    let all = failed_count(reading);
    writeln!(out, "<h{level}>Failed tests <small>{all}</small></h{level}>\n<ul class=\"findings\">")?;
    for failure in failures.iter().take(FAILURES) {
        write_failure(failure, out)?;
    }
    writeln!(out, "</ul>")?;
    let rest = all.saturating_sub(failures.len().min(FAILURES) as u64);
    write_rest(rest, "failed test", &evidence_name::test_results(action), out)
}

fn write_failure(failure: &TestFailure, out: &mut dyn Write) -> io::Result<()> {
    let lead = if failure.suite { "did not run: " } else { "" };
    write!(out, r#"<li class="finding bad"><p>{lead}<strong>{}</strong>"#, Text(&failure.name))?;
    if let Some(file) = &failure.file {
        let place = wording::place(file, failure.line, failure.column);
        write!(out, r#" <code class="place">{}</code>"#, Text(&place))?;
    }
    if let Some(duration_ms) = failure.duration_ms {
        write!(out, r#" <span class="muted">{}</span>"#, duration::short(duration_ms))?;
    }
    writeln!(out, "</p>")?;
    if !failure.message.trim().is_empty() {
        writeln!(out, "<pre>{}</pre>", Lines(&failure.message))?;
    }
    if failure.expected.is_some() || failure.received.is_some() {
        writeln!(out, r#"<dl class="values">"#)?;
        for (name, value) in [("Expected", &failure.expected), ("Received", &failure.received)] {
            if let Some(value) = value {
                writeln!(out, "<div><dt>{name}</dt><dd><pre>{}</pre></dd></div>", Lines(value))?;
            }
        }
        writeln!(out, "</dl>")?;
    }
    if let Some(stack) = &failure.stack {
        writeln!(out, "<details><summary>Stack</summary><pre>{}</pre></details>", Lines(stack))?;
    }
    writeln!(out, "</li>")
}

/// Writes the findings, most severe first.
pub(super) fn write_findings(
    reading: &Reading,
    action: &ActionId,
    level: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = finding_count(reading);
    if all == 0 {
        return Ok(());
    }
    let mut sorted: Vec<&Diagnostic> = reading.diagnostics.iter().collect();
    sorted.sort_by_key(|found| found.level);
    writeln!(out, "<h{level}>Findings <small>{all}</small></h{level}>\n<ul class=\"findings\">")?;
    for found in sorted.iter().take(FINDINGS) {
        write_finding(found, out)?;
    }
    writeln!(out, "</ul>")?;
    let rest = all.saturating_sub(sorted.len().min(FINDINGS) as u64);
    write_rest(rest, "finding", &evidence_name::diagnostics(action), out)
}

fn write_finding(found: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let class = match found.level {
        Level::Error => "bad",
        Level::Warning => "odd",
        Level::Info => "muted",
    };
    write!(out, r#"<li class="finding {class}"><p>"#)?;
    if let Some(file) = &found.file {
        let place = wording::place(file, found.line, found.column);
        write!(out, r#"<code class="place">{}</code> "#, Text(&place))?;
    }
    write!(out, r#"<strong class="tone {class}">{}</strong>"#, found.level.as_str())?;
    if let Some(code) = &found.code {
        write!(out, " <code>{}</code>", Text(code))?;
    }
    writeln!(out, r#" <span class="muted">{}</span></p>"#, Text(&found.tool))?;
    writeln!(out, r#"<p class="message">{}</p>"#, Lines(&found.message))?;
    if let Some(source) = &found.source {
        write_source(source, found, out)?;
    }
    match &found.suggestion {
        Some(suggestion) => writeln!(out, r#"<p class="message"><strong>Help:</strong> {}</p>"#, Lines(suggestion))?,
        None if found.fixable => writeln!(out, r#"<p class="muted">The tool can fix this.</p>"#)?,
        None => {}
    }
    let related = found.related.iter().map(|related| match &related.file {
        Some(file) => format!("{}: {}", wording::place(file, related.line, related.column), related.message),
        None => related.message.clone(),
    });
    write_sentences(&related.collect::<Vec<_>>(), out)?;
    writeln!(out, "</li>")
}

/// Writes a source line with a mark below the columns of the finding; of a long line, the part around the mark.
fn write_source(source: &str, found: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let source = source.lines().next().unwrap_or_default();
    if source.trim().is_empty() {
        return Ok(());
    }
    write!(out, r#"<pre class="source">"#)?;
    if let Some(line) = found.line {
        write!(out, r#"<span class="line" aria-hidden="true">{line}</span>"#)?;
    }
    let Some(column) = found.column else {
        return writeln!(out, "{}</pre>", Text(&cut::characters(source, 2 * SOURCE_CHARACTERS)));
    };
    let offset = |column: u32| {
        let before = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
        source.char_indices().nth(before).map_or(source.len(), |(offset, _)| offset)
    };
    let start = offset(column);
    let next = source[start..].chars().next().map_or(start, |character| start + character.len_utf8());
    let is_one_line = found.end_line.is_none_or(|end| Some(end) == found.line);
    let end = found.end_column.filter(|_| is_one_line).map_or(next, offset).max(next);
    let before = cut::characters_at_end(&source[..start], SOURCE_CHARACTERS);
    // A place after the last character is marked on a blank.
    let marked = if start == end { " ".to_owned() } else { cut::characters(&source[start..end], SOURCE_CHARACTERS) };
    let after = cut::characters(&source[end..], SOURCE_CHARACTERS);
    let (before, marked, after) = (Text(&before), Text(&marked), Text(&after));
    writeln!(out, "{before}<mark>{marked}</mark>{after}</pre>")
}

/// Returns the streams that are not blank, with their names, standard error first.
pub(super) fn streams(ran: &Ran) -> Vec<(&'static str, &Excerpt)> {
    let Excerpts { stdout, stderr } = &ran.reading.excerpts;
    let name = match ran.record.facts {
        Facts::Http(_) => "Body of the response",
        Facts::Interaction(_) => "Answer",
        _ => "Standard output",
    };
    let streams = [("Standard error", stderr), (name, stdout)];
    streams.into_iter().filter(|(_, excerpt)| excerpt.is_cut() || !excerpt.head.trim().is_empty()).collect()
}

/// Writes the beginning and the end of each stream, with the size of what is left out between them.
pub(super) fn write_output(streams: &[(&str, &Excerpt)], is_open: bool, out: &mut dyn Write) -> io::Result<()> {
    if streams.is_empty() {
        return Ok(());
    }
    writeln!(out, "<details{}><summary>Output</summary>", if is_open { " open" } else { "" })?;
    for (name, excerpt) in streams {
        writeln!(out, r#"<p>{name} <span class="muted">{}</span></p>"#, count(excerpt.bytes, "byte"))?;
        write_part(name, &excerpt.head, out)?;
        if excerpt.is_cut() {
            let shown = excerpt.head.len().saturating_add(excerpt.tail.len()) as u64;
            let left_out = match excerpt.bytes.saturating_sub(shown) {
                0 => "a part".to_owned(),
                bytes => count(bytes, "byte"),
            };
            writeln!(out, r#"<p class="muted">… {left_out} left out …</p>"#)?;
            write_part(name, &excerpt.tail, out)?;
        }
    }
    writeln!(out, "</details>")
}

/// Writes a part of a stream, which can be scrolled by keyboard.
fn write_part(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r#"<pre class="output" tabindex="0" role="group" aria-label="{name}">{}</pre>"#, Lines(text))
}

/// Writes what the judgement rests on.
pub(super) fn write_evidence(ran: &Ran, pictures: &Pictures, out: &mut dyn Write) -> io::Result<()> {
    write!(out, r#"<p class="muted">Judged by <code>{}</code>."#, ran.judgement.rule.as_str())?;
    if let Some(log) = ran.record.log() {
        let (file, size) = (Text(&log.file), size::short(log.bytes));
        write!(out, " Log: <code>{file}</code>, {size}, SHA-256 <code>{}</code>.", log.sha256)?;
    }
    if let Facts::Command(facts) = &ran.record.facts
        && let Some(container) = &facts.container
    {
        write!(out, " Container: <code>{}</code>.", Text(&wording::observed::container(container)))?;
    }
    writeln!(out, "</p>")?;
    ran.record.screenshots().iter().try_for_each(|taken| pictures.write(taken, out))
}

//! Files that do not meet their expectations.

use std::io;

use referee_model::plan::{FileCheck, FileContent, FileExpectation, Work};
use referee_model::record::{FileFacts, FileObservation, FileState, GlobFacts, SchemaObservation, SyntaxObservation};
use referee_syntax::count::count;

use super::{Bounds, FURTHER, INDENT, SENTENCE_LINES, http};
use crate::page::{Line, Page};
use crate::style::Tone;
use crate::wording;

/// Writes the violations of a file's schema; all else is in the reason.
pub(super) fn write(facts: &FileFacts, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    match schema_errors(facts) {
        [] | [_] => Ok(()),
        errors => http::schema(errors, bounds, page),
    }
}

/// Writes the files of a pattern that do not meet their expectations.
pub(super) fn write_glob(work: &Work, facts: &GlobFacts, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    let Work::File(check) = work else { return Ok(()) };
    let differing: Vec<(&FileFacts, Vec<String>)> = facts
        .files
        .iter()
        .map(|file| (file, complaints(check, file)))
        .filter(|(file, complaints)| !complaints.is_empty() || !schema_errors(file).is_empty())
        .collect();
    for (file, complaints) in differing.iter().take(bounds.findings) {
        let lead = Line::indented(INDENT).then(Tone::Bad, page.signs().bad).word(Tone::Place, &file.path);
        page.paragraph(lead.then(Tone::Plain, "  "), FURTHER, Tone::Plain, &complaints.join("; "), SENTENCE_LINES)?;
        http::schema(schema_errors(file), bounds, page)?;
    }
    page.left_to_report(INDENT, differing.len(), bounds.findings)
}

fn schema_errors(facts: &FileFacts) -> &[String] {
    match &facts.found {
        FileState::File(FileObservation { schema: Some(SchemaObservation::Invalid { errors, .. }), .. }) => errors,
        _ => &[],
    }
}

/// Returns the failed expectations of a file, as phrases.
fn complaints(check: &FileCheck, facts: &FileFacts) -> Vec<String> {
    match (&check.expectation, &facts.found) {
        (FileExpectation::Present(content), FileState::File(file)) => of_content(content, file),
        (FileExpectation::Present(content), FileState::Directory) if *content != FileContent::default() => {
            vec!["a directory, and a file is expected".to_owned()]
        }
        (FileExpectation::Absent, FileState::Missing) | (FileExpectation::Present(_), FileState::Directory) => {
            Vec::new()
        }
        (FileExpectation::Absent, found) => vec![format!("it is there: {}", wording::observed::found(found))],
        (FileExpectation::Present(_), found) => vec![wording::observed::found(found)],
    }
}

fn of_content(asked: &FileContent, file: &FileObservation) -> Vec<String> {
    let mut complaints = Vec::new();
    let bytes = |bytes| count(bytes, "byte");
    if let Some(min) = asked.min_size.filter(|min| file.bytes < *min) {
        complaints.push(format!("it holds {}, and at least {min} are expected", bytes(file.bytes)));
    }
    if let Some(max) = asked.max_size.filter(|max| file.bytes > *max) {
        complaints.push(format!("it holds {}, and at most {max} are expected", bytes(file.bytes)));
    }
    for (what, wanted, observed) in
        [("contain", &asked.contains, &file.contains), ("match", &asked.matches, &file.matches)]
    {
        match observed {
            None if !wanted.is_empty() => complaints.push("it is too large to be searched".to_owned()),
            None => {}
            Some(observed) => {
                let missing = wanted.iter().zip(observed).filter(|(_, holds)| !**holds);
                complaints.extend(missing.map(|(text, _)| format!("it does not {what} `{text}`")));
            }
        }
    }
    if let (Some(wanted), Some(found)) = (asked.sha256, file.sha256)
        && wanted != found
    {
        complaints.push(format!("its SHA-256 is {found}, and {wanted} is expected"));
    }
    complaints.extend(syntax(file.syntax.as_ref()));
    complaints.extend(schema(file.schema.as_ref()));
    complaints
}

fn syntax(observed: Option<&SyntaxObservation>) -> Option<String> {
    match observed? {
        SyntaxObservation::WellFormed => None,
        SyntaxObservation::Malformed { message } => Some(format!("it is malformed: {message}")),
        SyntaxObservation::TooLarge => Some("it is too large to be parsed".to_owned()),
    }
}

fn schema(observed: Option<&SchemaObservation>) -> Option<String> {
    match observed? {
        SchemaObservation::Valid => None,
        SchemaObservation::Invalid { error_count, .. } => {
            Some(format!("its schema has {} against it", count(*error_count, "complaint")))
        }
        SchemaObservation::Malformed { message } => {
            Some(format!("it cannot be validated against its schema: {message}"))
        }
        SchemaObservation::Unusable { message } => Some(format!("its schema is unusable: {message}")),
        SchemaObservation::TooLarge => Some("it is too large to be validated against its schema".to_owned()),
    }
}

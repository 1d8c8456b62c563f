//! The JSON formats: a list of files with their messages, and `json-with-metadata`, with that list under
//! `results`.

use std::fmt;
use std::io::{self, BufRead};

use referee_model::reading::{EditPlace, FixEdit};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::candidate::edits;
use crate::document::{self, Cursor};
use crate::prelude::*;
use crate::shapes::each::{Each, each, elements};

pub(crate) const OPENING: Opening = Opening {
    compact: &["[{\"filePath\":", "{\"results\":[{\"filePath\":"],
    keys: &["\"filePath\":", "\"results\":"],
    empty: Some("[]"),
};

/// Collects the reports in the documents of one stream.
pub(crate) struct Report {
    is_hinted: bool,
    stream: Stream,
    findings: Findings,
    files: u64,
    notes: Vec<String>,
    is_complete: bool,
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = document::read(reader, start, |cursor| Document { report: &mut *self, cursor })?;
        self.is_complete &= extent.is_complete;
        Ok(extent)
    }

    /// Returns a clean run for an empty list only if it was complete and the command is known.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate> {
        let is_complete = self.is_complete && are_all;
        let is_recognized = 0 < self.files || self.is_hinted;
        let has_result = is_complete || 0 < self.findings.counts.total();
        (is_recognized && has_result).then(|| Candidate::of("json", self.findings).notes(self.notes))
    }
}

impl Report {
    pub(crate) fn new(stream: Stream, is_hinted: bool) -> Self {
        let findings = Findings::default();
        Self { is_hinted, stream, findings, files: 0, notes: Vec::new(), is_complete: true }
    }

    fn file(&mut self, file: File, start: u64, end: u64) {
        self.files += 1;
        let path = name(&text::path(&file.path));
        let mut messages = file.messages;
        for diagnostic in messages.kept.items_mut() {
            diagnostic.file = Some(path.clone());
            diagnostic.origin = Origin { rule: "eslint/json".to_owned(), stream: self.stream, start, end };
        }
        let (errors, warnings) = (messages.counts.errors, messages.counts.warnings);
        self.findings.append(messages);
        let sums = [(Level::Error, file.error_count, errors), (Level::Warning, file.warning_count, warnings)];
        for (level, sum, listed) in sums {
            // No tool counts more findings; a larger number is forged or corrupt.
            let unlisted = sum.min(999_999_999).saturating_sub(listed);
            if 0 < unlisted {
                self.notes.truncate(20);
                self.notes.push(format!("eslint sums up {sum} findings of one level in {path}; {listed} were listed"));
            }
            self.findings.add_unlisted(level, unlisted);
        }
    }
}

struct Document<'a> {
    report: &'a mut Report,
    cursor: Cursor,
}

impl Document<'_> {
    fn files(&mut self) -> Each<File, impl FnMut(File, u64, u64)> {
        each(&self.cursor, |file, start, end| self.report.file(file, start, end))
    }
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of files that were linted")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, files: A) -> Result<(), A::Error> {
        self.files().visit_seq(files)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let mut has_results = false;
        while let Some(key) = entries.next_key::<String>()? {
            if key == "results" {
                entries.next_value_seed(self.files())?;
                has_results = true;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        if has_results { Ok(()) } else { Err(serde::de::Error::missing_field("results")) }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(rename = "filePath")]
    path: String,
    #[serde(deserialize_with = "messages")]
    messages: Findings,
    #[serde(default)]
    error_count: u64,
    #[serde(default)]
    warning_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    severity: Severity,
    #[serde(rename = "message")]
    text: String,
    line: Option<i64>,
    column: Option<i64>,
    end_line: Option<i64>,
    end_column: Option<i64>,
    fix: Option<Fix>,
    #[serde(default, rename = "suggestions", deserialize_with = "suggestion")]
    suggestion: Option<String>,
}

/// `{"range": [10, 15], "text": "const"}`: offsets in UTF-16 code units. A value of another shape still means
/// that there is a fix.
#[derive(Deserialize)]
#[serde(untagged)]
enum Fix {
    Edit { range: [u64; 2], text: String },
    Other(IgnoredAny),
}

impl Fix {
    fn edits(self) -> Option<Vec<FixEdit>> {
        match self {
            Self::Edit { range: [start, end], text } => {
                Some(vec![FixEdit { file: None, place: EditPlace::Range { start, end }, text }])
            }
            Self::Other(_) => None,
        }
    }
}

/// A severity: 2 is an error and 1 a warning. Any other number is not ESLint's.
#[derive(Deserialize)]
#[serde(try_from = "u8")]
struct Severity(Level);

impl TryFrom<u8> for Severity {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1 => Ok(Self(Level::Warning)),
            2 => Ok(Self(Level::Error)),
            _ => Err(format!("{number} is no severity")),
        }
    }
}

impl Message {
    /// Converts the message to a finding; its file and origin are set when the entry of the file ends.
    fn diagnostic(self) -> Diagnostic {
        let position = |number: Option<i64>| number.and_then(|number| u32::try_from(number).ok()).filter(|at| 0 < *at);
        let line = position(self.line);
        Diagnostic {
            tool: "eslint".to_owned(),
            file: None,
            line,
            column: position(self.column).filter(|_| line.is_some()),
            end_line: position(self.end_line),
            end_column: position(self.end_column),
            code: self.rule_id.as_deref().map(name),
            level: self.severity.0,
            message: cut::head(&ansi::strip(&self.text), limit::MESSAGE_BYTES).to_owned(),
            fixable: self.fix.is_some(),
            suggestion: self.suggestion,
            edits: edits(self.fix.and_then(Fix::edits)),
            source: None,
            related: Vec::new(),
            origin: Origin { rule: String::new(), stream: Stream::Stdout, start: 0, end: 0 },
        }
    }
}

/// Counts the messages of one file as they are streamed, and keeps the first of them.
fn messages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Findings, D::Error> {
    let mut findings = Findings::default();
    elements(deserializer, |message: Message| findings.add(message.diagnostic()))?;
    Ok(findings)
}

#[derive(Deserialize)]
struct Suggestion {
    desc: String,
}

/// Returns the description of a message's first suggestion.
fn suggestion<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let mut first = None;
    elements(deserializer, |suggestion: Suggestion| {
        first.get_or_insert_with(|| name(&suggestion.desc));
    })?;
    Ok(first)
}

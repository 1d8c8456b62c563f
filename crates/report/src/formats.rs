//! Output formats for programs, one module per format.

use std::io::{self, Write};

use referee_model::report::Report;

use crate::execution_report;

mod check;

mod code_quality;

mod ctrf;

mod html;

mod junit;

mod markdown;

mod tap;

pub mod json_lines;

pub mod rdjson;

pub mod sarif;

pub mod github;

/// Returns the content of a stored file of a run, by name.
pub type FileSource<'source> = &'source dyn Fn(&Report, &str) -> io::Result<Vec<u8>>;

/// A format in which finished runs are given to other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// The sealed execution report; a list of them for several tasks.
    Json,
    /// The events of each run as its journal has them, then its report, one JSON document a line.
    Jsonl,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Common Test Report Format.
    Ctrf,
    /// Test Anything Protocol, version 14.
    Tap,
    /// GitLab Code Quality.
    CodeQuality,
    /// Reviewdog Diagnostic Format, a finding a line.
    Rdjsonl,
    /// Workflow commands of GitHub Actions.
    Github,
    /// Markdown for a job summary or a merge request.
    Markdown,
    /// One page of HTML that needs no other file.
    Html,
}

impl ReportFormat {
    /// All formats, in the order in which help lists them.
    pub const ALL: [Self; 11] = [
        Self::Json,
        Self::Jsonl,
        Self::Junit,
        Self::Sarif,
        Self::Ctrf,
        Self::Tap,
        Self::CodeQuality,
        Self::Rdjsonl,
        Self::Github,
        Self::Markdown,
        Self::Html,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Ctrf => "ctrf",
            Self::Tap => "tap",
            Self::CodeQuality => "code-quality",
            Self::Rdjsonl => "rdjsonl",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// Returns the format with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Writes the runs of the tasks of a specification. The same runs give the same bytes. Files of a run are read only
    /// where the format holds them: its journal, and pictures, which are named only where they cannot be read.
    ///
    /// # Errors
    /// Fails if the writer does, if an execution report cannot be made, or if a journal cannot be read or is another run's.
    pub fn write(self, reports: &[&Report], files: FileSource<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Json => write_json(reports, out),
            Self::Jsonl => json_lines::write_runs(reports, files, out),
            Self::Junit => junit::write(reports, out),
            Self::Sarif => sarif::write_runs(reports, out),
            Self::Ctrf => ctrf::write(reports, out),
            Self::Tap => tap::write(reports, out),
            Self::CodeQuality => code_quality::write(reports, out),
            Self::Rdjsonl => rdjson::write_runs(reports, out),
            Self::Github => github::write_runs(reports, out),
            Self::Markdown => markdown::write(reports, out),
            Self::Html => html::write(reports, files, out),
        }
    }
}

fn write_json(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let documents: Vec<Vec<u8>> = reports
        .iter()
        .map(|report| execution_report::render(report))
        .collect::<Result<_, _>>()
        .map_err(io::Error::other)?;
    match documents.as_slice() {
        [only] => out.write_all(only),
        several => {
            let documents: Vec<&serde_json::value::RawValue> =
                several.iter().map(|document| serde_json::from_slice(document)).collect::<Result<_, _>>()?;
            serde_json::to_writer(&mut *out, &documents)?;
            out.write_all(b"\n")
        }
    }
}

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

referee_model::words! {
    /// A format in which finished runs are given to other programs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ReportFormat {
        /// The sealed execution report; a list of them for several tasks.
        Json = "json",
        /// The events of each run as its journal has them, then its report, one JSON document a line.
        Jsonl = "jsonl",
        /// JUnit XML.
        Junit = "junit",
        /// SARIF 2.1.0.
        Sarif = "sarif",
        /// Common Test Report Format.
        Ctrf = "ctrf",
        /// Test Anything Protocol, version 14.
        Tap = "tap",
        /// GitLab Code Quality.
        CodeQuality = "code-quality",
        /// Reviewdog Diagnostic Format, a finding a line.
        Rdjsonl = "rdjsonl",
        /// Workflow commands of GitHub Actions.
        Github = "github",
        /// Markdown for a job summary or a merge request.
        Markdown = "markdown",
        /// One page of HTML that needs no other file.
        Html = "html",
    }
}

impl ReportFormat {
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

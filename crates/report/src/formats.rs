//! Output formats for programs, one module per format.

use std::io::{self, Write};

use referee_model::record::Log;
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

/// Returns the bytes of a stored picture of a run. None: it cannot be read, and is named only.
pub type PictureSource<'source> = &'source dyn Fn(&Report, &Log) -> Option<Vec<u8>>;

/// A format in which finished runs are given to other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// The sealed execution report; a list of them for several tasks.
    Json,
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
    pub const ALL: [Self; 10] = [
        Self::Json,
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

    /// Writes the runs of the tasks of a specification, without the pictures among their evidence. The same runs
    /// give the same bytes.
    ///
    /// # Errors
    /// Fails if the writer does, or if an execution report cannot be made.
    pub fn write(self, reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
        self.write_with(reports, &|_, _| None, out)
    }

    /// Writes as [`Self::write`] does, with pictures where the format can hold them.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_with(self, reports: &[&Report], pictures: PictureSource<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Json => write_json(reports, out),
            Self::Junit => junit::write(reports, out),
            Self::Sarif => sarif::write_runs(reports, out),
            Self::Ctrf => ctrf::write(reports, out),
            Self::Tap => tap::write(reports, out),
            Self::CodeQuality => code_quality::write(reports, out),
            Self::Rdjsonl => rdjson::write_runs(reports, out),
            Self::Github => github::write_runs(reports, out),
            Self::Markdown => markdown::write(reports, out),
            Self::Html => html::write(reports, pictures, out),
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

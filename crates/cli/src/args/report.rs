//! What is typed to write reports for other programs.

use std::path::PathBuf;

use clap::Args;
use referee_report::formats::ReportFormat;

use super::SealedRuns;

/// Returns the names of the formats, for help and messages.
fn formats() -> String {
    let [first @ .., last] = ReportFormat::ALL.map(ReportFormat::as_str);
    format!("{} or {last}", first.join(", "))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee report --format junit -o junit.xml    the last sealed runs of the nearest referee.yaml
  referee report --format html -o report.html --task T030
  referee report --format markdown --evidence evidence/T001
  referee run --report junit=junit.xml --report html=report.html
                                                write reports with a run

The evidence is verified against its seal and judged again; a report is never made from evidence that does not match.")]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) runs: SealedRuns,
    #[arg(long, value_name = "FORMAT", value_parser = report_format, help = format!("Format: {}.", formats()))]
    pub(crate) format: ReportFormat,
    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Reports that are written with a run.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportFiles {
    #[arg(
        long = "report",
        value_name = "FORMAT=PATH",
        value_parser = report_file,
        help = format!("Write a report for another program (can be repeated): {}; `-` is standard output.", formats())
    )]
    pub(crate) reports: Vec<ReportFile>,
}

/// A report to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportFile {
    pub(crate) format: ReportFormat,
    /// None: standard output, in place of the answer for people.
    pub(crate) path: Option<PathBuf>,
}

fn report_format(name: &str) -> Result<ReportFormat, String> {
    ReportFormat::parse(name).ok_or_else(|| format!("the formats are {}", formats()))
}

fn report_file(text: &str) -> Result<ReportFile, String> {
    let (name, path) = text.split_once('=').ok_or("a report is FORMAT=PATH, such as junit=junit.xml")?;
    if path.is_empty() {
        return Err("the path is empty".to_owned());
    }
    Ok(ReportFile { format: report_format(name)?, path: (path != "-").then(|| PathBuf::from(path)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_a_format_and_a_path() {
        let expected = ReportFile { format: ReportFormat::Junit, path: Some("a=b.xml".into()) };
        assert_eq!(report_file("junit=a=b.xml"), Ok(expected));
        assert_eq!(report_file("tap=-").unwrap().path, None);
        for wrong in ["junit", "junit=", "=a.xml", "JUNIT=a.xml", "pdf=a.pdf"] {
            assert!(report_file(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn help_names_every_format() {
        let formats = formats();
        assert!(ReportFormat::ALL.iter().all(|format| formats.contains(format.as_str())));
    }
}

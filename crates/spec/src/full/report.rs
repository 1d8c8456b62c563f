//! Reads the reports that a run writes for other programs.

use referee_model::id::WorkspacePath;
use referee_model::plan::Guard;
use referee_model::suite::RequestedReport;
use referee_syntax::tree::{Entry, Member, Node};

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Directories in which nothing but git and Referee writes.
const CLOSED: [&str; 2] = [".git", ".referee"];

/// Reads the reports, in order of the document. One that would lie outside the workspace, in the evidence, or in place of
/// another report has a complaint.
pub(super) fn read(written: Member<'_>, evidence: &WorkspacePath, findings: &mut Findings) -> Vec<RequestedReport> {
    let mut reports: Vec<RequestedReport> = Vec::new();
    for entry in written.one_or_more().iter().flat_map(Node::entries) {
        let Some(path) = path(entry, evidence, findings) else { continue };
        if reports.iter().any(|other| other.path == path) {
            let message = format!("{} is written by two reports", quote(path.as_str()));
            findings.push(Finding::error(Code::DuplicateName, entry.value.span, message));
            continue;
        }
        reports.push(RequestedReport { format: entry.key.clone(), path });
    }
    reports
}

/// Adds the reports to the outputs: what a run writes after it is no input of the next one.
pub(super) fn as_outputs(reports: &[RequestedReport], mut guard: Guard) -> Guard {
    for report in reports.iter().map(|report| report.path.as_str()) {
        if !guard.outputs.iter().any(|output| output == report) {
            guard.outputs.push(report.to_owned());
        }
    }
    guard
}

/// Reads where a report is written. None: it cannot be written there, which has its complaint.
fn path(entry: &Entry, evidence: &WorkspacePath, findings: &mut Findings) -> Option<WorkspacePath> {
    // An empty text is a complaint about the shape.
    let (text, span) = (entry.value.text().filter(|text| !text.is_empty())?, entry.value.span);
    let path = WorkspacePath::parse(text).ok().filter(|path| !path.as_str().is_empty());
    let Some(path) = path else {
        let message = format!("{} is no file of the workspace", quote(text));
        let help = "write a path relative to the workspace, such as `junit.xml`";
        findings.push(Finding::error(Code::LeavesWorkspace, span, message).help(help));
        return None;
    };
    let first = path.as_str().split('/').next().unwrap_or_default();
    let is_evidence = format!("{}/", path.as_str()).starts_with(&format!("{}/", evidence.as_str()));
    if is_evidence || CLOSED.contains(&first) {
        let message = format!("{} is in a directory that holds nothing but what Referee or git writes", quote(text));
        let help = "write the report to another directory, such as `reports/junit.xml`";
        findings.push(Finding::error(Code::EvidenceDirectory, span, message).help(help));
        return None;
    }
    Some(path)
}

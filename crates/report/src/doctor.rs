//! `referee doctor --format json`: whether the gate is really armed.

use referee_model::doctor::{Finding, Grade};
use serde::Serialize;

/// What was found, as a document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorDocument {
    doctor_version: &'static str,
    program_version: String,
    /// The project that was looked at, absolute. Null: there is none.
    project: Option<String>,
    /// Whether nothing was found that disarms the gate.
    armed: bool,
    /// What a program exits with.
    exit_code: u8,
    /// What was found, in the order in which it was looked for.
    findings: Vec<FindingDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingDocument {
    /// What was looked at; `referee doctor --explain ID` tells of it.
    id: &'static str,
    /// Of what, where there may be several: a host of coding agents, say. Null: there is one.
    subject: Option<String>,
    grade: Grade,
    what: String,
    /// What it means where this does not hold.
    means: &'static str,
    /// How to fix it. Null: there is nothing to fix.
    fix: Option<String>,
}

pub fn document(
    program_version: &str,
    project: Option<String>,
    (armed, exit_code): (bool, u8),
    findings: &[Finding],
) -> DoctorDocument {
    DoctorDocument {
        doctor_version: "1.0.0",
        program_version: program_version.to_owned(),
        project,
        armed,
        exit_code,
        findings: findings.iter().map(FindingDocument::from).collect(),
    }
}

impl From<&Finding> for FindingDocument {
    fn from(finding: &Finding) -> Self {
        Self {
            id: finding.check.as_str(),
            subject: finding.subject.clone(),
            grade: finding.grade,
            what: finding.what.clone(),
            means: finding.check.means(),
            fix: finding.fix.clone(),
        }
    }
}

//! The document of `referee doctor --format json`: whether the gate can really block.

use referee_model::doctor::{Finding, Grade};
use serde::Serialize;

/// Result of `referee doctor`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorDocument {
    doctor_version: &'static str,
    program_version: String,
    /// Absolute path of the project that was examined. Null: there is none.
    project: Option<String>,
    /// Whether no finding disarms the gate.
    armed: bool,
    /// Exit code of the command.
    exit_code: u8,
    /// Findings, in the order in which the checks were made.
    findings: Vec<FindingDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingDocument {
    /// Id of the check; `referee doctor --explain ID` describes it.
    id: &'static str,
    /// Subject of the check where it is made of several, such as a host of coding agents. Null: there is only one.
    subject: Option<String>,
    grade: Grade,
    what: String,
    /// Consequence where the check fails.
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

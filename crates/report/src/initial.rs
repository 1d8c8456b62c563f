//! The document of `referee init --format json`: what was detected, and what is proposed.

use referee_model::plan::Role;
use referee_model::selection::Level;
use serde::Serialize;

use referee_model::document::Kind;

/// Format of the document.
pub const KIND: Kind = Kind { name: "the answer of init", key: "initVersion", version: "1.0.0" };

/// Result of `referee init` in a directory. Every proposal states its reason.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InitialDocument {
    pub init_version: &'static str,
    /// Path of the file that was written, relative to the directory. Null: none was written.
    pub written: Option<String>,
    pub title: Option<String>,
    /// Projects in the directory.
    pub projects: Vec<DetectedProject>,
    /// CI configuration files whose commands were examined.
    pub workflows: Vec<String>,
    /// Proposed prerequisites of the checks.
    pub prerequisites: Vec<Proposed>,
    pub services: Vec<ProposedService>,
    /// Proposed checks. Without any, nothing is written.
    pub checks: Vec<Proposed>,
    pub policies: Vec<ProposedPolicy>,
    /// Detected checks that are left to a person, because an honest project may not pass them.
    pub left_to_people: Vec<Proposed>,
    /// Proposals that were tried and do not work here; they are written as comments.
    pub not_working: Vec<Proposed>,
    /// Files and directories that checks leave behind.
    pub outputs: Vec<ProposedOutput>,
    /// Ignore entries that keep tools away from Referee's own files.
    pub ignores: Vec<ProposedIgnore>,
    /// Why nothing was tried. Null: everything that was written was tried.
    pub not_tried: Option<String>,
    /// Detected servers that no proposed check needs.
    pub services_left_to_people: Vec<ProposedService>,
    /// Notes on what was skipped, and other remarks.
    pub notes: Vec<String>,
    /// Text of the specification. Null: there is no check to write.
    pub specification: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetectedProject {
    /// Kind of project, such as `node` or `rust`.
    pub ecosystem: &'static str,
    /// Directory of the project; `.` for the examined one.
    pub directory: String,
    pub signs: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposed {
    /// Name in the specification.
    pub name: String,
    pub run: String,
    /// Working directory; `.` for the examined one.
    pub directory: String,
    /// Smallest profile that includes the check.
    pub profile: Level,
    /// Role of the command, where the command line does not show it. Null: it does.
    pub role: Option<Role>,
    /// Names of the actions that must have passed before.
    pub needs: Vec<String>,
    /// Whether the exit code alone decides, because the runner prints no summary.
    pub exit_code_only: bool,
    /// Why the check is proposed, or left to a person.
    pub because: String,
    /// Result of trying the check. Null: it was not tried.
    pub trial: Option<Trial>,
}

/// Result of trying a check once.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// Result of the trial.
    pub result: TrialResult,
    pub reason: String,
    /// What would make the check work, or pass. Null: nothing has to be done, or it is not known.
    pub advice: Option<String>,
    /// First failed test or finding. Null: there is none.
    pub finding: Option<String>,
    /// Files that the check changed; they were restored.
    pub edited: Vec<String>,
    /// New files and directories that the check left behind; they were removed.
    pub left: Vec<String>,
    /// Duration of the trial in milliseconds. Null: the check did not run.
    pub duration_ms: Option<u64>,
}

/// Result of trying a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialResult {
    Passes,
    /// The check works, and the project does not pass it yet.
    Fails,
    /// The check passes, but no longer with the evidence and the specification inside the project.
    FailsBesideEvidence,
    /// The check does not work here.
    DoesNotWork,
    /// The check changes files of the project.
    EditsFiles,
}

/// An ignore entry that keeps a tool away from Referee's own files.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedIgnore {
    pub check: String,
    /// File to which the lines are added.
    pub file: String,
    pub lines: Vec<String>,
    /// Position of the lines in the file. Null: at its end.
    pub place: Option<String>,
    /// Whether the lines were written.
    pub written: bool,
    /// Whether the check passes with these lines beside the evidence and the specification. Null: not tried.
    pub suffices: Option<bool>,
}

/// A file or directory that checks leave behind, and which is not an input.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedOutput {
    pub path: String,
    pub because: String,
}

/// A proposed server.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedService {
    /// Name in the specification.
    pub name: String,
    /// Command line that starts the server.
    pub run: String,
    /// Working directory; `.` for the examined one.
    pub directory: String,
    /// Sign of readiness: a URL or a port.
    pub ready: String,
    pub because: String,
}

/// A proposed policy.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedPolicy {
    /// Tool, or category of tools.
    pub tool: String,
    /// Policy, as written in the specification.
    pub policy: String,
    pub because: String,
}

//! What `referee init` found, and what it proposes, as data.

use referee_model::plan::Role;
use referee_model::selection::Level;
use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the answer of init", key: "initVersion", version: "1.0.0" };

/// What was found in a directory. Everything carries its reason.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InitialDocument {
    pub init_version: &'static str,
    /// The file that was written, relative to the directory. Null: none was.
    pub written: Option<String>,
    pub title: Option<String>,
    /// The projects in the directory.
    pub projects: Vec<DetectedProject>,
    /// Files of CI whose commands were looked at.
    pub workflows: Vec<String>,
    /// What must hold before the checks.
    pub prerequisites: Vec<Proposed>,
    pub services: Vec<ProposedService>,
    /// The checks. Without one nothing is written.
    pub checks: Vec<Proposed>,
    pub policies: Vec<ProposedPolicy>,
    /// Checks that were found and are left to people: an honest project may not pass them.
    pub left_to_people: Vec<Proposed>,
    /// What was tried and does not work here; written down as comments.
    pub not_working: Vec<Proposed>,
    /// Files and directories that checks leave behind.
    pub outputs: Vec<ProposedOutput>,
    /// Entries that keep tools from Referee's own files.
    pub ignores: Vec<ProposedIgnore>,
    /// Why nothing was tried. Null: everything that is written was.
    pub not_tried: Option<String>,
    /// Servers that nothing proposed needs.
    pub services_left_to_people: Vec<ProposedService>,
    /// What was passed over, and what else should be known.
    pub notes: Vec<String>,
    /// The text of the specification. Null: there is no check to write.
    pub specification: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetectedProject {
    /// Its kind, such as `node` or `rust`.
    pub ecosystem: &'static str,
    /// Its directory; `.` for the one that was looked at.
    pub directory: String,
    pub signs: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposed {
    /// Its name in the specification.
    pub name: String,
    pub run: String,
    /// The directory that it runs in; `.` for the one that was looked at.
    pub directory: String,
    /// The smallest profile that it runs under.
    pub profile: Level,
    /// Its role, where the line does not tell it.
    pub role: Option<Role>,
    /// What must have passed before.
    pub needs: Vec<String>,
    /// Whether the exit code alone decides, as its runner leaves no summary.
    pub exit_code_only: bool,
    /// Why it is proposed, or left to people.
    pub because: String,
    /// What came of trying it. Null: it was not tried.
    pub trial: Option<Trial>,
}

/// What came of trying a check once.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// What it says of the check.
    pub result: TrialResult,
    pub reason: String,
    /// What would make it work, or pass. Null: nothing has to be done, or nobody knows.
    pub advice: Option<String>,
    /// The first failed test or finding.
    pub finding: Option<String>,
    /// Files that it edits; they were put back as they were.
    pub edited: Vec<String>,
    /// New files and directories that it leaves; they were removed again.
    pub left: Vec<String>,
    /// Milliseconds that it took. Null: it did not run.
    pub duration_ms: Option<u64>,
}

/// What one run says of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialResult {
    Passes,
    /// It works, and the project does not pass it yet.
    Fails,
    /// It passes, and no longer where the evidence and the specification lie in the project.
    FailsBesideEvidence,
    /// It does not work here.
    DoesNotWork,
    /// It edits files of the project.
    EditsFiles,
}

/// An entry that keeps a tool from Referee's own files.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedIgnore {
    pub check: String,
    /// The file that it belongs into.
    pub file: String,
    pub lines: Vec<String>,
    /// Where in the file they belong. Null: at its end.
    pub place: Option<String>,
    /// Whether they were written.
    pub written: bool,
    /// Whether the check passes with them, beside the evidence and the specification. Null: that was not tried.
    pub suffices: Option<bool>,
}

/// What checks leave behind, which is no input.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedOutput {
    pub path: String,
    pub because: String,
}

/// A server that is proposed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedService {
    /// Its name in the specification.
    pub name: String,
    /// The command line that starts it.
    pub run: String,
    /// The directory that it runs in; `.` for the one that was looked at.
    pub directory: String,
    /// What tells that it is ready: a URL, or a port.
    pub ready: String,
    pub because: String,
}

/// A policy that is proposed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedPolicy {
    /// The tool, or the category of tools.
    pub tool: String,
    /// What it says, as it stands in the specification.
    pub policy: String,
    pub because: String,
}

impl InitialDocument {
    /// An answer that says nothing yet.
    pub fn empty() -> Self {
        Self {
            init_version: KIND.version,
            written: None,
            title: None,
            projects: Vec::new(),
            workflows: Vec::new(),
            prerequisites: Vec::new(),
            services: Vec::new(),
            checks: Vec::new(),
            policies: Vec::new(),
            left_to_people: Vec::new(),
            not_working: Vec::new(),
            outputs: Vec::new(),
            ignores: Vec::new(),
            not_tried: None,
            services_left_to_people: Vec::new(),
            notes: Vec::new(),
            specification: None,
        }
    }
}

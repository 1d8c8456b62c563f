//! What `referee init` found, and what it proposes, as data.

use referee_model::plan::Role;
use referee_model::selection::Level;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::Kind;
use crate::form;

const KIND: Kind = Kind { name: "the answer of init", key: "initVersion", version: "1.0.0" };

/// What was found in a folder. Everything carries its reason.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee initial specification", deny_unknown_fields)]
pub struct InitialDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    pub init_version: &'static str,
    /// The file that was written, relative to the folder. Null: none was.
    pub written: Option<String>,
    /// A line for people.
    pub title: Option<String>,
    /// The projects in the folder.
    pub projects: Vec<Found>,
    /// Files of CI whose commands were looked at.
    pub workflows: Vec<String>,
    /// What must hold before the checks.
    pub prerequisites: Vec<Proposed>,
    /// Servers that checks need.
    pub services: Vec<ProposedService>,
    /// The checks. Without one nothing is written.
    pub checks: Vec<Proposed>,
    /// The policies.
    pub policies: Vec<ProposedPolicy>,
    /// Checks that were found and are left to people: an honest project may not pass them.
    pub left_to_people: Vec<Proposed>,
    /// Servers that nothing proposed needs.
    pub services_left_to_people: Vec<ProposedService>,
    /// What was passed over, and what else should be known.
    pub notes: Vec<String>,
    /// The text of the specification. Null: there is no check to write.
    pub specification: Option<String>,
}

/// A project that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Found {
    /// Its kind, such as `node` or `rust`.
    pub ecosystem: &'static str,
    /// Its folder; `.` for the one that was looked at.
    pub folder: String,
    /// What it was told from.
    pub signs: Vec<String>,
}

/// A check that is proposed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Proposed {
    /// Its name in the specification.
    pub name: String,
    /// The command line.
    pub run: String,
    /// The folder that it runs in; `.` for the one that was looked at.
    pub folder: String,
    /// The smallest profile that it runs under.
    #[schemars(with = "form::Profile")]
    pub profile: Level,
    /// Its role, where the line does not tell it.
    #[schemars(with = "Option<form::Role>")]
    pub role: Option<Role>,
    /// What must have passed before.
    pub needs: Vec<String>,
    /// Whether a run without a test is accepted.
    pub allow_no_tests: bool,
    /// Whether the exit code alone decides, as its runner leaves no summary.
    pub exit_code_only: bool,
    /// Why it is proposed, or left to people.
    pub because: String,
}

/// A server that is proposed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ProposedService {
    /// Its name in the specification.
    pub name: String,
    /// The command line that starts it.
    pub run: String,
    /// The folder that it runs in; `.` for the one that was looked at.
    pub folder: String,
    /// What tells that it is ready: a URL, or a port.
    pub ready: String,
    /// Why it is proposed.
    pub because: String,
}

/// A policy that is proposed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ProposedPolicy {
    /// The tool, or the category of tools.
    pub tool: String,
    /// What it says, as it stands in the specification.
    pub policy: String,
    /// Why.
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
            services_left_to_people: Vec::new(),
            notes: Vec::new(),
            specification: None,
        }
    }
}

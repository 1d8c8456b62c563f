//! What is looked at before work at a stage begins (preflight) and after it (validate), and what was found (seed 5).

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::path::StagePath;

/// A kind of check, under the name that the seed gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// The stage has a configuration.
    ConfigExists,
    /// It can be read, and is this stage's.
    ConfigValid,
    /// What was composed is as it was composed: configuration, schemas, prompts, specification.
    AsComposed,
    /// A path stays inside the stage's directory, and no link leads out of it.
    PathSecurity,
    /// A schema's path does.
    SchemaSecurity,
    /// A prompt is there.
    PromptExists,
    /// A prompt says something.
    PromptNotEmpty,
    /// An input is there.
    InputExists,
    /// An input holds something.
    InputNotEmpty,
    /// The stage that something comes from is done.
    SourceFinalized,
    /// What comes from it is there, as it was published.
    InputSourceExists,
    /// A parameter has a value.
    ParamResolved,
    /// Whether an executor has control: told, and in nobody's way.
    AcceptPresent,
    /// An output is there.
    FileExists,
    /// An output holds something.
    FileNotEmpty,
    /// An output is valid by its schema.
    SchemaValid,
    /// What is to be published stands where it is declared to.
    ParamExtracted,
    /// `handback.json` can be read.
    HandbackValid,
    /// The handback does not contradict what was found.
    HandbackHolds,
    /// The stage's specification is passed.
    Specification,
}

impl CheckKind {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::ConfigExists,
        Self::ConfigValid,
        Self::AsComposed,
        Self::PathSecurity,
        Self::SchemaSecurity,
        Self::PromptExists,
        Self::PromptNotEmpty,
        Self::InputExists,
        Self::InputNotEmpty,
        Self::SourceFinalized,
        Self::InputSourceExists,
        Self::ParamResolved,
        Self::AcceptPresent,
        Self::FileExists,
        Self::FileNotEmpty,
        Self::SchemaValid,
        Self::ParamExtracted,
        Self::HandbackValid,
        Self::HandbackHolds,
        Self::Specification,
    ];

    /// Returns it as documents and messages spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConfigExists => "config_exists",
            Self::ConfigValid => "config_valid",
            Self::AsComposed => "as_composed",
            Self::PathSecurity => "path_security",
            Self::SchemaSecurity => "schema_security",
            Self::PromptExists => "prompt_exists",
            Self::PromptNotEmpty => "prompt_not_empty",
            Self::InputExists => "input_exists",
            Self::InputNotEmpty => "input_not_empty",
            Self::SourceFinalized => "source_finalized",
            Self::InputSourceExists => "input_source_exists",
            Self::ParamResolved => "param_resolved",
            Self::AcceptPresent => "accept_present",
            Self::FileExists => "file_exists",
            Self::FileNotEmpty => "file_not_empty",
            Self::SchemaValid => "schema_valid",
            Self::ParamExtracted => "param_extracted",
            Self::HandbackValid => "handback_valid",
            Self::HandbackHolds => "handback_holds",
            Self::Specification => "specification",
        }
    }
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which.
    pub kind: CheckKind,
    /// The file or the value that it is about.
    pub path: String,
    /// What was found, in a sentence.
    pub message: String,
    /// None: it passed.
    pub failure: Option<CheckFailure>,
}

/// What something comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CheckStatus {
    /// It is as it should be.
    Pass,
    /// It is not, or nothing was looked at.
    Fail,
}

impl CheckStatus {
    /// Returns the word for what passed, or did not.
    pub fn of(is_pass: bool) -> Self {
        if is_pass { Self::Pass } else { Self::Fail }
    }
}

/// Why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckFailure {
    /// What to do about it.
    pub action: String,
    /// The schema that the file is held against.
    pub schema: Option<StagePath>,
    /// The place of the first thing that is wrong, as a JSON pointer.
    pub json_path: Option<String>,
    /// Everything that is wrong, one a line, each with its place in the document: `at /findings/0/id: …`. May be empty.
    pub details: Vec<String>,
}

/// What all checks of a stage come to. The same input gives the same checks in the same order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// What was looked at.
    pub checks: Vec<Check>,
    /// What should be known and stands in nobody's way, a sentence each.
    pub warnings: Vec<String>,
}

/// A check with the keys of the seed.
#[derive(Serialize)]
struct Row<'check> {
    check: CheckKind,
    path: &'check str,
    status: CheckStatus,
    message: &'check str,
    #[serde(flatten)]
    failure: Option<&'check CheckFailure>,
}

impl<'check> Row<'check> {
    fn new(check: &'check Check, failure: Option<&'check CheckFailure>) -> Self {
        let Check { kind, path, message, .. } = check;
        Self { check: *kind, path, status: CheckStatus::of(check.failure.is_none()), message, failure }
    }
}

/// Writes everything that was looked at, and once more what of it did not pass, with what to do. Warnings are told elsewhere.
impl Serialize for Checks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let checks: Vec<Row<'_>> = self.checks.iter().map(|check| Row::new(check, None)).collect();
        let errors: Vec<Row<'_>> = self.failed().map(|(check, failure)| Row::new(check, Some(failure))).collect();
        let mut keys = serializer.serialize_struct("Checks", 2)?;
        keys.serialize_field("checks", &checks)?;
        keys.serialize_field("errors", &errors)?;
        keys.end()
    }
}

impl Checks {
    /// Returns how many passed.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.failure.is_none()).count()
    }

    /// Returns what did not.
    pub fn failed(&self) -> impl Iterator<Item = (&Check, &CheckFailure)> {
        self.checks.iter().filter_map(|check| Some((check, check.failure.as_ref()?)))
    }

    /// Says whether something was looked at and nothing failed: no checks at all are no pass.
    pub fn is_pass(&self) -> bool {
        !self.checks.is_empty() && self.failed().next().is_none()
    }

    /// Returns the seed's line: `Result: PASS (11 checks, 0 errors)`, `Result: FAIL (6 passed, 3 errors)`.
    pub fn result_line(&self) -> String {
        let errors = self.failed().count();
        if self.is_pass() {
            format!("Result: PASS ({} checks, {errors} errors)", self.checks.len())
        } else {
            format!("Result: FAIL ({} passed, {errors} errors)", self.passed())
        }
    }
}

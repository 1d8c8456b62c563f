//! Checks of a stage before work begins (preflight) and after it (validate), and their results (seed 5).

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::path::StagePath;

document_words! {
    /// Kind of a check, under the name that the seed gives it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    pub enum CheckKind {
        /// The stage has a configuration file.
        ConfigExists = "config_exists",
        /// The configuration can be read, and names this stage.
        ConfigValid = "config_valid",
        /// Configuration, schemas, prompts and specification are unchanged since the run was composed.
        AsComposed = "as_composed",
        /// A path stays inside the stage's directory, and no symbolic link leads outside it.
        PathSecurity = "path_security",
        /// The path of a schema stays inside the stage's directory, and no symbolic link leads outside it.
        SchemaSecurity = "schema_security",
        /// A prompt file exists.
        PromptExists = "prompt_exists",
        /// A prompt file is not empty.
        PromptNotEmpty = "prompt_not_empty",
        /// An input file exists.
        InputExists = "input_exists",
        /// An input file is not empty.
        InputNotEmpty = "input_not_empty",
        /// The stage that an input or parameter comes from is finalized.
        SourceFinalized = "source_finalized",
        /// The source of an input exists, unchanged since it was published.
        InputSourceExists = "input_source_exists",
        /// A parameter has a value.
        ParamResolved = "param_resolved",
        /// Reports whether an executor has control. This check never fails.
        AcceptPresent = "accept_present",
        /// An output file exists.
        FileExists = "file_exists",
        /// An output file is not empty.
        FileNotEmpty = "file_not_empty",
        /// An output file is valid according to its schema.
        SchemaValid = "schema_valid",
        /// An output parameter is found where the workflow declares it.
        ParamExtracted = "param_extracted",
        /// `handback.json` can be read as a handback.
        HandbackValid = "handback_valid",
        /// The handback does not contradict the other findings.
        HandbackHolds = "handback_holds",
        /// The stage's specification passes.
        Specification = "specification",
    }
}

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Kind of the check.
    pub kind: CheckKind,
    /// File or value that was checked.
    pub path: String,
    /// Result of the check as a sentence.
    pub message: String,
    /// Details of the failure. None: the check passed.
    pub failure: Option<CheckFailure>,
}

/// Status of a check or of a set of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CheckStatus {
    /// Passed.
    Pass,
    /// Failed, or nothing was checked.
    Fail,
}

impl CheckStatus {
    /// Returns `Pass` for true and `Fail` for false.
    pub fn of(is_pass: bool) -> Self {
        if is_pass { Self::Pass } else { Self::Fail }
    }
}

/// Details of a failed check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckFailure {
    /// Instruction that resolves the failure.
    pub action: String,
    /// Schema that the file was validated against. None: the check involves no schema.
    pub schema: Option<StagePath>,
    /// Location of the first error, as a JSON pointer. None: the failure has no location in a document.
    pub json_path: Option<String>,
    /// All errors, one per element, each with its location in the document: `at /findings/0/id: …`. May be empty.
    pub details: Vec<String>,
}

/// Results of all checks of a stage. The same input gives the same checks in the same order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// Results, one for each check.
    pub checks: Vec<Check>,
    /// Warnings that do not fail the stage, one sentence each.
    pub warnings: Vec<String>,
}

/// A check with the keys that the seed uses.
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

/// Serializes all checks, and the failed ones once more with their actions. Warnings are reported elsewhere.
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
    /// Returns the number of checks that passed.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.failure.is_none()).count()
    }

    /// Returns the checks that failed, with their details.
    pub fn failed(&self) -> impl Iterator<Item = (&Check, &CheckFailure)> {
        self.checks.iter().filter_map(|check| Some((check, check.failure.as_ref()?)))
    }

    /// Returns whether every check passed. An empty set of checks is no pass.
    pub fn is_pass(&self) -> bool {
        !self.checks.is_empty() && self.failed().next().is_none()
    }

    /// Returns the result line of the seed: `Result: PASS (11 checks, 0 errors)`, `Result: FAIL (6 passed, 3
    /// errors)`.
    pub fn result_line(&self) -> String {
        let errors = self.failed().count();
        if self.is_pass() {
            format!("Result: PASS ({} checks, {errors} errors)", self.checks.len())
        } else {
            format!("Result: FAIL ({} passed, {errors} errors)", self.passed())
        }
    }
}

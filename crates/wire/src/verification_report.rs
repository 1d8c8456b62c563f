//! `verification-N.json`: what checked an agent's work, level by level (seed 2, 1.2 and 1.4).
//!
//! Two shapes are met, and both are read; the first is written:
//!
//! | what               | document                       | the program that it came from               |
//! |--------------------|--------------------------------|---------------------------------------------|
//! | all of it          | `overall.passed`, `.summary`   | `passed`                                    |
//! | a level            | `levels.L0` to `levels.L3`     | `l0Result` to `l3Result`                    |
//! | what a check says  | `output`                       | `message`, `details`                        |
//! | how long it took   | `duration`                     | `totalDuration`                             |
//! | when it was over   | `completedAt`                  | `createdAt`                                 |
//! | beside the checks  | –                              | `id`, `snapshotId`, `diagnostics` (`logs` is passed over) |

use referee_model::time::Timestamp;
use referee_model::verification::{
    Harness, VerificationCheck, VerificationDiagnostic, VerificationLevel, VerificationReport,
};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use referee_model::number::Count;

mod read;

pub use self::read::read;

/// The levels that every report names.
const LEVELS: [&str; 4] = ["L0", "L1", "L2", "L3"];

/// A verification of one turn of an agent's run. The format has no version of its own.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationReportDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    overall: Overall,
    levels: Levels,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticDocument>,
    /// Milliseconds.
    duration: Count,
    /// Null: it is not known.
    completed_at: Option<Timestamp>,
    /// When it was kept. Left out with what follows: it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    captured_at: Option<Timestamp>,
    /// Levels that were left out on purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_levels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    harness_config: Option<HarnessDocument>,
}

/// All of it.
#[derive(Debug, Clone, Serialize)]
struct Overall {
    passed: bool,
    summary: String,
}

/// The levels in stored order, and null for those of the four that did not run.
#[derive(Debug, Clone)]
struct Levels(Vec<LevelDocument>);

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct LevelDocument {
    level: String,
    passed: bool,
    checks: Vec<CheckDocument>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<Count>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct CheckDocument {
    name: String,
    passed: bool,
    output: String,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<Count>,
}

/// Something that was found beside the checks.
#[derive(Debug, Clone, Serialize)]
struct DiagnosticDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<Count>,
}

/// How the verifier was set up.
#[derive(Debug, Clone, Serialize)]
struct HarnessDocument {
    #[serde(rename = "waitForCI")]
    wait_for_ci: bool,
    #[serde(rename = "skipLevels")]
    skip_levels: Vec<String>,
}

/// Returns a verification report as a document.
pub fn document(report: &VerificationReport) -> VerificationReportDocument {
    let kept = report.kept.as_ref();
    VerificationReportDocument {
        id: report.id.clone(),
        run_id: report.run_id.clone(),
        iteration: report.iteration.map(Count::from),
        snapshot_id: report.snapshot_id.clone(),
        overall: Overall { passed: report.passed, summary: report.summary.clone().unwrap_or_default() },
        levels: Levels(report.levels.iter().map(LevelDocument::from).collect()),
        diagnostics: report.diagnostics.iter().map(DiagnosticDocument::from).collect(),
        duration: report.duration_ms.into(),
        completed_at: report.completed_at,
        captured_at: kept.map(|kept| kept.captured_at),
        skipped_levels: kept.map(|kept| kept.skipped_levels.clone()),
        harness_config: kept.and_then(|kept| kept.harness.as_ref()).map(HarnessDocument::from),
    }
}

impl From<&VerificationLevel> for LevelDocument {
    fn from(level: &VerificationLevel) -> Self {
        Self {
            level: level.name.clone(),
            passed: level.passed,
            checks: level.checks.iter().map(CheckDocument::from).collect(),
            duration: level.duration_ms.map(Count::from),
        }
    }
}

impl From<&VerificationCheck> for CheckDocument {
    fn from(check: &VerificationCheck) -> Self {
        Self {
            name: check.name.clone(),
            passed: check.passed,
            output: check.output.clone(),
            duration: check.duration_ms.map(Count::from),
        }
    }
}

impl From<&VerificationDiagnostic> for DiagnosticDocument {
    fn from(found: &VerificationDiagnostic) -> Self {
        Self {
            level: found.level.clone(),
            kind: found.kind.clone(),
            message: found.message.clone(),
            file: found.file.clone(),
            line: found.line.map(Count::from),
            column: found.column.map(Count::from),
        }
    }
}

impl From<&Harness> for HarnessDocument {
    fn from(harness: &Harness) -> Self {
        Self { wait_for_ci: harness.wait_for_ci, skip_levels: harness.skip_levels.clone() }
    }
}

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for level in &self.0 {
            map.serialize_entry(&level.level, level)?;
        }
        let did_not_run = LEVELS.iter().filter(|name| !self.0.iter().any(|level| level.level == **name));
        for name in did_not_run {
            map.serialize_entry(name, &())?;
        }
        map.end()
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Levels {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Levels".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The levels in stored order, and null for those of the four that did not run.",
            "type": "object",
            "required": LEVELS,
            "additionalProperties": generator.subschema_for::<Option<LevelDocument>>(),
        })
    }
}

#[cfg(test)]
mod tests;

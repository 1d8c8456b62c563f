//! Checks of an output: it exists, is not empty, and is valid by its schema.

use referee_model::stage::check::{Check, CheckKind};
use referee_model::stage::path::{StagePath, StagePathFault};

use super::{Scene, Sight, failed, insecure, outside, passed, shown};

/// Observation of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSeen {
    pub path: String,
    /// Whether the stage cannot be done without it.
    pub is_required: bool,
    pub sight: Sight,
    pub document: DocumentSeen,
    /// Result of its schema.
    pub schema: SchemaSeen,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentSeen {
    /// The output need not be a document, or cannot be read.
    NotAsked,
    /// The output is larger than the size limit; its size in bytes.
    TooLarge(u64),
    /// The output is not JSON: the error with its position.
    NotJson(String),
    Json,
    /// The output is the JSON result of another stage, which it names.
    OfAnotherStage(String),
}

/// Result of an output's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaSeen {
    /// There is no schema.
    None,
    /// The path of the schema is not inside the stage's directory.
    Outside(String, StagePathFault),
    /// A link, or something that is not a file, is at the path of the schema.
    NotAFile(StagePath),
    /// The schema is missing or invalid, with the reason.
    Unusable(StagePath, String),
    /// The schema is valid, but there is no document to validate.
    Idle(StagePath),
    /// The document was validated.
    Held {
        schema: StagePath,
        /// First errors, each with its position: `at /findings/0/id: …`.
        listed: Vec<String>,
        /// Number of errors. 0: the document is valid.
        count: u64,
    },
}

/// Returns the checks of an output. Empty: the output is optional and absent.
///
/// | observation                 | `file_exists` | `file_not_empty` | `schema_valid`            |
/// |-----------------------------|---------------|------------------|---------------------------|
/// | no path inside, link, …     | `path_security` fails in place of all                         |||
/// | absent, required            | fails         |                  |                           |
/// | absent, not required        |               |                  |                           |
/// | empty                       | passes        | fails            |                           |
/// | not empty, no schema        | passes        | passes           | fails if it is not JSON   |
/// | not empty, a schema         | passes        | passes           | passes or fails           |
pub fn checks(scene: &Scene, output: &OutputSeen) -> Vec<Check> {
    let path = output.path.as_str();
    if let Some(check) = insecure(CheckKind::PathSecurity, scene, path, &output.sight) {
        return vec![check].into_iter().chain(schema_security(scene, &output.schema)).collect();
    }
    let exists = passed(CheckKind::FileExists, path, "it is there");
    let mut checks = match output.sight {
        Sight::Absent if !output.is_required => Vec::new(),
        Sight::Absent => vec![failed(
            CheckKind::FileExists,
            path,
            "this output is required, and it is not there",
            format!("write it to {}", scene.file(path)),
        )],
        Sight::Empty => vec![
            exists,
            failed(
                CheckKind::FileNotEmpty,
                path,
                "it is empty",
                format!("write what this output is to hold to {}", scene.file(path)),
            ),
        ],
        _ => vec![exists, passed(CheckKind::FileNotEmpty, path, "it holds something")],
    };
    let holds = output.sight == Sight::Holds;
    checks.extend(schema_security(scene, &output.schema));
    checks.extend(holds.then(|| valid(scene, output)).flatten());
    checks
}

fn schema_security(scene: &Scene, schema: &SchemaSeen) -> Option<Check> {
    match schema {
        SchemaSeen::Outside(text, fault) => Some(outside(CheckKind::SchemaSecurity, text, *fault)),
        SchemaSeen::NotAFile(path) => insecure(CheckKind::SchemaSecurity, scene, path.as_str(), &Sight::NotAFile),
        _ => None,
    }
}

fn valid(scene: &Scene, output: &OutputSeen) -> Option<Check> {
    let path = output.path.as_str();
    let file = scene.file(path);
    let schema = output.schema.path();
    let wrong = |message: String, action: String, details: Vec<String>| {
        let mut check = failed(CheckKind::SchemaValid, path, message, action);
        if let Some(failure) = &mut check.failure {
            failure.json_path = details.first().and_then(|first| pointer(first));
            failure.details = details;
            failure.schema = schema.cloned();
        }
        Some(check)
    };
    match (&output.document, &output.schema) {
        (DocumentSeen::TooLarge(bytes), _) => wrong(
            format!("it has {bytes} bytes, which is more than is read of a document"),
            format!("make {file} smaller; what is large belongs into a file of its own that is not JSON"),
            Vec::new(),
        ),
        (DocumentSeen::NotJson(problem), _) => {
            wrong("it is not JSON".to_owned(), format!("write {file} again as JSON in UTF-8"), vec![problem.clone()])
        }
        (_, SchemaSeen::Unusable(schema, reason)) => wrong(
            format!("its schema {schema} cannot be used: {reason}"),
            format!(
                "put the schema right in the workflow that {} was composed from, and compose the run again",
                scene.run
            ),
            Vec::new(),
        ),
        (_, SchemaSeen::Held { schema, listed, count }) if *count > 0 => wrong(
            violations(schema, *count),
            format!("put {file} right until it holds by {}", scene.file(schema.as_str())),
            with_rest(listed, *count),
        ),
        (DocumentSeen::OfAnotherStage(other), _) => wrong(
            format!("it is the result of stage {}, and this is {}", shown(other), scene.stage),
            format!("write the result of {} to {file}, with `stage_id` \"{}\"", scene.stage, scene.stage),
            vec![format!("at /stage_id: it is {}", shown(other))],
        ),
        (DocumentSeen::Json, SchemaSeen::Held { schema, .. }) => {
            Some(passed(CheckKind::SchemaValid, path, format!("it is valid by {schema}")))
        }
        // A schema without a validated document is not a pass.
        (_, SchemaSeen::Held { .. } | SchemaSeen::Idle(_)) => wrong(
            "it was not validated against its schema".to_owned(),
            "judge it again; where this comes again, it is a fault of Referee".to_owned(),
            Vec::new(),
        ),
        (_, SchemaSeen::None | SchemaSeen::Outside(..) | SchemaSeen::NotAFile(_)) => None,
    }
}

fn violations(schema: &StagePath, count: u64) -> String {
    match count {
        1 => format!("it breaks {schema}"),
        _ => format!("it breaks {schema} in {count} places"),
    }
}

fn with_rest(listed: &[String], count: u64) -> Vec<String> {
    let mut details: Vec<String> = listed.iter().map(|complaint| placed(complaint)).collect();
    let left = count.saturating_sub(listed.len() as u64);
    if left > 0 {
        details.push(format!("and {left} more"));
    }
    details
}

/// Names the position of an error in the whole document, whose pointer is empty.
fn placed(complaint: &str) -> String {
    complaint.strip_prefix("at : ").map_or_else(|| complaint.to_owned(), |said| format!("at the top: {said}"))
}

/// Returns the position of an error, as a JSON pointer: `at /findings/0/id: …`.
fn pointer(complaint: &str) -> Option<String> {
    if complaint.starts_with("at the top: ") {
        return Some(String::new());
    }
    let (place, _) = complaint.strip_prefix("at ")?.split_once(": ")?;
    (place.is_empty() || place.starts_with('/')).then(|| place.to_owned())
}

impl SchemaSeen {
    fn path(&self) -> Option<&StagePath> {
        match self {
            Self::NotAFile(path) | Self::Unusable(path, _) | Self::Idle(path) | Self::Held { schema: path, .. } => {
                Some(path)
            }
            Self::None | Self::Outside(..) => None,
        }
    }
}

impl OutputSeen {
    /// Returns whether the contents can be used, as far as they were examined.
    pub fn is_sound(&self) -> bool {
        let by_schema = match &self.schema {
            SchemaSeen::None => true,
            SchemaSeen::Held { count, .. } => *count == 0,
            _ => false,
        };
        self.sight == Sight::Holds && self.document == DocumentSeen::Json && by_schema
    }
}

#[cfg(test)]
mod tests;

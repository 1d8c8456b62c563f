//! Turns observations of a stage into checks, in a fixed order. Callers pass plain data; this module decides
//! the result and the remedy.

use referee_model::plan::Invocation;
use referee_model::stage::check::{Check, CheckFailure, CheckKind};
use referee_model::stage::id::StageId;
use referee_model::stage::path::StagePathFault;
use referee_syntax::cut::characters;

pub mod closure;
pub mod configuration;
pub mod output;
pub mod parameter;
pub mod prerequisite;
pub mod source;

/// Location of a stage, for sentences with remedies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    pub stage: StageId,
    /// Absolute path of the run's directory.
    pub run: String,
}

/// Observation of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// Not examined: the path is not inside the stage's directory.
    Outside(StagePathFault),
    Absent,
    /// A link, a directory or something else, at the end of the path or on the way. It was not opened.
    NotAFile,
    /// The system prevents reading, with its message.
    Unreadable(String),
    /// An empty file.
    Empty,
    /// A file that is not empty.
    Holds,
}

impl Scene {
    /// Returns the path of a file of this stage.
    pub fn file(&self, path: &str) -> String {
        self.file_of(&self.stage, path)
    }

    /// Returns the path of a file of a stage.
    pub fn file_of(&self, stage: &StageId, path: &str) -> String {
        format!("{}/stages/{stage}/{path}", self.run)
    }

    /// Returns a command about a stage, as a person would type it.
    pub fn command(&self, operation: &str, stage: &StageId) -> String {
        let words = ["referee", "stage", operation, stage.as_str(), "--run-dir", &self.run];
        Invocation::Argv(words.map(str::to_owned).to_vec()).as_line()
    }
}

fn passed(kind: CheckKind, path: &str, message: impl Into<String>) -> Check {
    Check { kind, path: path.to_owned(), message: message.into(), failure: None }
}

fn failed(kind: CheckKind, path: &str, message: impl Into<String>, action: impl Into<String>) -> Check {
    let failure = CheckFailure { action: action.into(), schema: None, details: Vec::new(), json_path: None };
    Check { kind, path: path.to_owned(), message: message.into(), failure: Some(failure) }
}

fn outside(kind: CheckKind, path: &str, fault: StagePathFault) -> Check {
    let message = format!("the path cannot be used: {fault}");
    failed(kind, path, message, "name a file inside the stage's directory in wf.yaml, and compose the run again")
}

/// Returns the failed check of a path that must not be opened. None: it may be opened, by the observation.
fn insecure(kind: CheckKind, scene: &Scene, path: &str, sight: &Sight) -> Option<Check> {
    match sight {
        Sight::Outside(fault) => Some(outside(kind, path, *fault)),
        Sight::NotAFile => Some(failed(
            kind,
            path,
            "a link, a directory or something else that is no file stands there or on the way to it; it was not opened",
            format!("put a regular file at {}, in regular directories", scene.file(path)),
        )),
        Sight::Unreadable(reason) => Some(failed(
            kind,
            path,
            format!("the system keeps it from being read: {reason}"),
            format!("make {} readable", scene.file(path)),
        )),
        Sight::Absent | Sight::Empty | Sight::Holds => None,
    }
}

/// Returns text from outside as quoted in a sentence.
fn shown(text: &str) -> String {
    format!("{:?}", characters(text, 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_as_it_is_told() {
        let stage = StageId::parse("explore").unwrap();
        let scene = |run: &str| Scene { stage: stage.clone(), run: run.to_owned() };
        assert_eq!(
            scene("/runs/run-1").command("prepare", &stage),
            "referee stage prepare explore --run-dir /runs/run-1"
        );
        assert_eq!(
            scene("/my runs/it's").command("prepare", &stage),
            r"referee stage prepare explore --run-dir '/my runs/it'\''s'"
        );
    }
}

//! The specification of a stage: whether it is the one that was composed, how it runs, and its verdict (ruling 28).
//!
//! An executor can write into its stage's directory, so nothing there is trusted by itself: what counts are the
//! digests in the log of the specification and of the configuration that names it, and the workspace that the log
//! names.

use std::path::{Path, PathBuf};

use referee_ledger::State;
use referee_ledger::stages::{FileContent, LogTrust};
use referee_model::gate::GateAnswer;
use referee_model::id::Digest;
use referee_model::plan::Plan;
use referee_model::selection::Profile;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageVerdict;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::{STAGE_CONFIG, STAGES};
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_model::{exit_code, limit};
use referee_syntax::count::more;
use referee_syntax::line;

use super::history::{Composed, History};
use super::standing::Verdict;
use super::{Configuration, Opened, StageError, file_path};
use crate::inputs;

/// Name of the directory of a stage's specification, in the stage's directory.
pub const SPECIFICATION: &str = "specification";
/// Name of the directory for the evidence of its runs, in the stage's directory.
pub const EVIDENCE: &str = "evidence";

/// Variables that lead commands of a specification to the files that they check.
const RUN_DIRECTORY: &str = "REFEREE_RUN_DIR";
const STAGE: &str = "REFEREE_STAGE";
const STAGE_DIRECTORY: &str = "REFEREE_STAGE_DIR";

/// What a stage requests.
#[derive(Debug)]
pub enum VerdictRequest {
    /// The stage names no specification, and was composed with none.
    Nothing,
    /// The stage names a specification that must not run.
    Blocked(StageVerdict),
    /// The stage names this specification, as it was composed.
    Specification(Box<StageSpecification>),
}

/// The specification of a stage, with the data about the stage that its run needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageSpecification {
    /// Content of the file, as composed.
    pub bytes: Vec<u8>,
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Absolute path of the workspace, from the log. It need not exist.
    pub workspace: PathBuf,
    digest: Digest,
    run_directory: PathBuf,
    stage: StageId,
}

/// Determines what a stage requests. Reads only.
///
/// | the configuration names | the log                                     | request                 |
/// |-------------------------|---------------------------------------------|-------------------------|
/// | nothing                 | has no specification of this stage          | nothing                 |
/// | nothing, or is broken   | has one                                     | BLOCKED                 |
/// | one                     | is missing, broken, or of another machine   | BLOCKED                 |
/// | one                     | has another digest of it, or none           | BLOCKED                 |
/// | one                     | has another digest of the configuration     | BLOCKED                 |
/// | one                     | has the digests of both                     | the specification       |
///
/// # Errors
/// Fails on an I/O error.
pub fn asked(opened: &Opened) -> Result<VerdictRequest, StageError> {
    let composed = opened.history.composed.as_ref();
    let named = match &opened.configuration {
        Configuration::Read(stage) => stage.specification.as_ref(),
        Configuration::Absent | Configuration::Broken(_) => None,
    };
    let Some(named) = named else {
        let prefix = format!("{STAGES}/{}/{SPECIFICATION}/", opened.stage);
        let known = composed.and_then(|composed| composed.files.keys().find(|file| file.starts_with(&prefix)));
        return Ok(known.map_or(VerdictRequest::Nothing, |file| {
            VerdictRequest::Blocked(blocked(&format!(
                "the stage was composed with the specification {file}, and its configuration does not name it any more: put \
                 {STAGE_CONFIG} back as it was composed"
            )))
        }));
    };
    let path = match named {
        PathReference::Inside(path) => path,
        PathReference::Outside { text, fault } => {
            return Ok(VerdictRequest::Blocked(blocked(&format!(
                "the specification `{text}` cannot be used: {fault}"
            ))));
        }
    };
    Ok(match as_composed(opened, path)? {
        Ok(specification) => VerdictRequest::Specification(Box::new(specification)),
        Err(why) => VerdictRequest::Blocked(blocked(&why)),
    })
}

/// Compares a specification with the log. The inner error says why it is not the one that was composed.
fn as_composed(opened: &Opened, path: &StagePath) -> Result<Result<StageSpecification, String>, StageError> {
    let composed = match vouching(&opened.history, path) {
        Ok(composed) => composed,
        Err(why) => return Ok(Err(why)),
    };
    let bytes = match opened.run.read(&opened.stage, path)? {
        FileContent::Bytes(bytes) => bytes,
        FileContent::Absent => {
            return Ok(Err(format!("the specification {path} is gone: put it back as it was composed")));
        }
        FileContent::NotAFile => {
            return Ok(Err(format!("the specification {path} is not a regular file, or a link leads to it")));
        }
        FileContent::TooLarge => return Ok(Err(format!("the specification {path} is too large"))),
    };
    let digest = Digest::of(&bytes);
    if recorded(composed, &opened.stage, path.as_str()) != Some(digest) {
        let why =
            format!("the specification {path} differs from what was composed: put it back, or compose another run");
        return Ok(Err(why));
    }
    let seen = opened.run.look(&opened.stage, &file_path::path(STAGE_CONFIG)?)?.map(|seen| seen.digest);
    if seen.is_none() || recorded(composed, &opened.stage, STAGE_CONFIG) != seen {
        return Ok(Err(format!(
            "{STAGE_CONFIG}, which names the specification, differs from what was composed: put it back"
        )));
    }
    let workspace = PathBuf::from(&composed.workspace);
    if !workspace.is_absolute() || opened.run.path().to_str().is_none() {
        return Ok(Err("the run's log does not say which workspace the specification is about".to_owned()));
    }
    Ok(Ok(StageSpecification {
        bytes,
        file: opened.run.stage_path(&opened.stage).join(path.as_str()),
        workspace,
        digest,
        run_directory: opened.run.path().to_path_buf(),
        stage: opened.stage.clone(),
    }))
}

fn recorded(composed: &Composed, stage: &StageId, path: &str) -> Option<Digest> {
    composed.files.get(&format!("{STAGES}/{stage}/{path}")).copied()
}

/// Returns the composition of a run, or why its log is not reliable.
fn vouching<'history>(history: &'history History, path: &StagePath) -> Result<&'history Composed, String> {
    let why = match (&history.trust, &history.illegal, &history.composed) {
        (LogTrust::Kept, None, Some(composed)) => return Ok(composed),
        (LogTrust::Absent, ..) => "the run has no log: compose a run with `referee stage compose`".to_owned(),
        (LogTrust::Unknown, ..) => {
            "the run's log is not known on this machine: take the run on first, by `referee stage accept STAGE --adopt`"
                .to_owned()
        }
        (LogTrust::Broken(why) | LogTrust::Differs(why), ..) => format!("the run's log cannot be trusted: {why}"),
        (LogTrust::Kept, Some(illegal), _) => format!("the run's log cannot be trusted: {illegal}"),
        (LogTrust::Kept, None, None) => "the run's log does not say what was composed".to_owned(),
    };
    Err(format!("nothing vouches for the specification {path}: {why}"))
}

impl StageSpecification {
    /// Sets the specification's file in a suite to its path, regardless of the workspace, and rejects an evidence
    /// directory of its own: the evidence of a stage is kept in the stage's directory.
    ///
    /// # Errors
    /// Fails in that case, with the reason.
    pub fn located(&self, mut suite: Suite) -> Result<Suite, String> {
        let usual = [self.workspace.join(EVIDENCE), self.directory().join(SPECIFICATION).join(EVIDENCE)];
        for plan in &mut suite.tasks {
            // A workspace that is named through a link has another name here.
            if !usual.contains(&plan.evidence_root) && plan.evidence_root != plan.workspace.join(EVIDENCE) {
                return Err(format!(
                    "the specification keeps its evidence in {}, and that of a stage is in the stage's directory: leave the key out",
                    plan.evidence_root.display()
                ));
            }
            plan.specification.file = self.file.display().to_string();
        }
        suite.specification.file = self.file.display().to_string();
        Ok(suite)
    }

    /// Returns why these are not the checks that were composed. `None` if they are.
    pub fn differs(&self, suite: &Suite) -> Option<String> {
        if suite.specification.digest != self.digest {
            return Some("the specification was changed while it was being read".to_owned());
        }
        suite.tasks.is_empty().then(|| "the specification has no checks".to_owned())
    }

    /// Returns the suite to run: all of it, with its evidence in the stage's directory, and with variables that
    /// locate the stage's files. The run's directory is written meanwhile, and is no input.
    pub fn placed(&self, suite: Suite) -> Suite {
        let tasks = suite.tasks.into_iter().map(|plan| self.placed_task(plan)).collect();
        Suite { tasks, ..suite }
    }

    fn placed_task(&self, plan: Plan) -> Plan {
        let mut placed = Plan { profile: Profile::Strict, evidence_root: self.directory().join(EVIDENCE), ..plan };
        placed.completion.task_status_lock = false;
        let below = |workspace: &Path| {
            let inside = self.run_directory.strip_prefix(workspace).ok().and_then(Path::to_str);
            inside.filter(|inside| !inside.is_empty()).map(str::to_owned)
        };
        // In a clean room the same directory may exist as a copy.
        placed.guard.outputs.extend(below(&self.workspace).or_else(|| below(&placed.workspace)));
        let variables = [
            (RUN_DIRECTORY, self.run_directory.display().to_string()),
            (STAGE, self.stage.to_string()),
            (STAGE_DIRECTORY, self.directory().display().to_string()),
        ];
        placed.environment.extend(variables.map(|(name, value)| (name.to_owned(), value)));
        placed
    }

    /// Returns the verdict for the stage from the gate's answer. Only PASS supports a success.
    pub fn verdict(&self, answer: &GateAnswer) -> StageVerdict {
        let decision = match (answer.decision, answer.exit) {
            (Decision::Pass, Exit::Passed) => Decision::Pass,
            (Decision::Pass, _) => Decision::Blocked,
            (decision, _) => decision,
        };
        let checks: usize = answer.tasks.iter().map(|task| task.checks.len()).sum();
        let reason = match decision {
            Decision::Pass => format!("{checks} checks passed"),
            _ => why_not(answer),
        };
        StageVerdict {
            decision: decision.as_str().to_owned(),
            exit: match (decision, exit_code::of(answer.exit)) {
                // An answer that is no pass never has the exit code of a pass.
                (Decision::Fail | Decision::Blocked, exit_code::PASSED) => exit_code::FAILED,
                (_, exit) => exit,
            },
            reason: line::bounded(&reason, limit::STAGE_REASON_CHARACTERS),
            evidence: self.evidence(answer),
            tree: None,
        }
    }

    /// Returns the path of the evidence, relative to the run's directory: that of the only task, or that of all.
    fn evidence(&self, answer: &GateAnswer) -> Option<String> {
        let first = answer.tasks.first()?;
        let root = self.directory().join(EVIDENCE);
        let directory = match answer.tasks.len() {
            1 => root.join(first.task.as_str()),
            _ => root,
        };
        directory.strip_prefix(&self.run_directory).ok().and_then(Path::to_str).map(str::to_owned)
    }

    fn directory(&self) -> PathBuf {
        self.run_directory.join(STAGES).join(self.stage.as_str())
    }
}

/// Returns the first cause, with the check that showed it and the number of further ones.
fn why_not(answer: &GateAnswer) -> String {
    let Some(cause) = answer.causes.first() else {
        return answer.notes.first().unwrap_or(&answer.next).clone();
    };
    let check = cause.check.as_ref().map(|check| format!("{check}: ")).unwrap_or_default();
    let place = match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    let more = more(answer.causes_in_all.saturating_sub(1));
    format!("{check}{place}{}{more}", cause.message)
}

/// Returns the verdict for a specification that must not run: nothing can have passed.
pub fn blocked(reason: &str) -> StageVerdict {
    StageVerdict {
        decision: Decision::Blocked.as_str().to_owned(),
        exit: exit_code::SPECIFICATION,
        reason: line::bounded(reason, limit::STAGE_REASON_CHARACTERS),
        evidence: None,
        tree: None,
    }
}

/// Returns the digest of the current inputs of all tasks, in the workspace itself. It alone determines whether a
/// pass still applies. `None` if it cannot be computed.
pub fn tree(suite: &Suite, state: Option<&State>) -> Option<Digest> {
    let mut lines = Vec::new();
    for plan in &suite.tasks {
        let inputs = inputs::now(plan, state).ok().flatten()?;
        lines.push(format!("{} {inputs}\n", plan.task));
    }
    Some(Digest::of(lines.concat()))
}

/// Returns a recorded verdict if it still applies: a pass over inputs other than the current ones does not. `now`
/// is only called if it decides.
pub fn standing(recorded: Verdict, now: impl FnOnce() -> Option<Digest>) -> Verdict {
    match &recorded {
        Verdict::Known(found)
            if found.decision == Decision::Pass.as_str() && found.tree.is_some() && found.tree != now() =>
        {
            Verdict::Unknown
        }
        Verdict::NotAsked | Verdict::Unknown | Verdict::Known(_) => recorded,
    }
}

#[cfg(test)]
mod tests;

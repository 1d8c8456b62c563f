//! The standing of a stage's handback: its claims compared with the log, the outputs and the verdict. The files
//! are read here; the conclusions are in `judge::stage::standing`.

use referee_judge::stage::standing::{Control, Decision, Document, Facts, Logged, judge};
use referee_ledger::stages::LogTrust;
use referee_model::handback::Handback;
use referee_model::id::Digest;
use referee_model::stage::log::StageVerdict;
use referee_model::stage::standing::HandbackStanding;
use referee_model::time::Timestamp;

use super::history::StageHistory;
use super::outputs::Outputs;
use super::{Configuration, Opened, StageError, change};

mod files;
mod inputs;
mod standing_document;

pub use standing_document::{document, notes};

/// A handback and its standing.
#[derive(Debug, Clone)]
pub struct HandedBack {
    /// The handback.
    pub document: HandbackFound,
    /// The acceptance.
    pub accept: AcceptFound,
    /// Modification time of `handback.json`. `None` if there is no such file.
    pub written_at: Option<Timestamp>,
    /// Standing of the handback.
    pub standing: HandbackStanding,
}

/// The content of `handback.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandbackFound {
    /// There is no file.
    Missing,
    /// The file is not a valid handback, for all these reasons.
    Invalid(Vec<String>),
    /// A valid handback, with the digest of its bytes.
    Valid(Box<Handback>, Digest),
}

/// The content of `accept.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptFound {
    /// There is no file.
    Absent,
    /// The file does not give control, for all these reasons.
    Invalid(Vec<String>),
    /// An agent has had control since this time.
    Present(Timestamp),
}

/// The verdict of a stage's specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The stage names no specification.
    NotAsked,
    /// The stage names one, and there is no verdict for the current outputs.
    Unknown,
    /// The verdict for the current outputs.
    Known(StageVerdict),
}

/// The only decision that supports a success.
const PASS: &str = "PASS";

/// Inspects a stage's handback. Reads only. Invalid files are a result, not an error.
///
/// # Errors
/// Fails on an I/O error.
pub fn look(opened: &Opened, outputs: &Outputs, verdict: &Verdict) -> Result<HandedBack, StageError> {
    let (document, written_at) = files::handback(opened)?;
    let accept = files::accept(opened)?;
    let result = files::result(opened)?;
    let history = opened.history.stage(&opened.stage);
    let inputs_now = inputs::present(opened, &history)?;
    let sources = inputs::sources(opened, &history);
    let unsound = unsound(opened);
    let control = match (&opened.history.trust, &unsound) {
        (LogTrust::Absent, _) => Control::Unvouched { accepted_at: accept.given_at() },
        (_, Some(problem)) => Control::Unsound(problem),
        (_, None) => Control::Logged(Logged {
            state: history.state,
            attempt: history.attempt,
            accepted_at: history.accepted_at,
            inputs_then: &history.inputs,
            inputs_now: &inputs_now,
            sources: &sources,
        }),
    };
    let contradictions = match &opened.history.trust {
        // The files of a run without a log contradict nothing.
        LogTrust::Absent => Vec::new(),
        _ => change::against_run(opened)?,
    };
    let standing = judge(&Facts {
        stage: &opened.stage,
        document: document.told(written_at, &history),
        control,
        outputs: &outputs.checks,
        verdict: verdict.decision(),
        result: result.said(),
        contradictions,
    });
    Ok(HandedBack { document, accept, written_at, standing })
}

/// Returns the verdict that the log has for the current outputs; a verdict for other outputs does not count.
pub fn recorded_verdict(opened: &Opened, outputs: &Outputs) -> Verdict {
    let is_asked = matches!(&opened.configuration, Configuration::Read(stage) if stage.specification.is_some());
    if !is_asked {
        // If the configuration cannot be read, the outputs fail, which is reported.
        return Verdict::NotAsked;
    }
    let recorded = opened.history.is_sound().then(|| opened.history.stage(&opened.stage).validated).flatten();
    let recorded = recorded.filter(|validated| validated.outputs == outputs.found);
    recorded.and_then(|validated| validated.verdict).map_or(Verdict::Unknown, Verdict::Known)
}

/// Returns why a log is not reliable. `None` if it is.
fn unsound(opened: &Opened) -> Option<String> {
    let history = &opened.history;
    let problem = match &history.trust {
        LogTrust::Absent => return None,
        LogTrust::Unknown => "nothing is kept of it here: the run came from another place or machine".to_owned(),
        LogTrust::Broken(reason) => format!("it is broken: {reason}"),
        LogTrust::Differs(reason) => format!("it is not the one that was written here: {reason}"),
        LogTrust::Kept => match (&history.illegal, &history.composed) {
            (Some(illegal), _) => illegal.clone(),
            (None, None) => "it does not say what was composed".to_owned(),
            (None, Some(_)) => return None,
        },
    };
    Some(problem)
}

impl HandbackFound {
    fn told(&self, written_at: Option<Timestamp>, history: &StageHistory) -> Document<'_> {
        match self {
            Self::Missing => Document::Missing,
            Self::Invalid(complaints) => Document::Invalid(complaints),
            Self::Valid(handback, digest) => {
                let ended = history.handbacks.iter().filter(|(_, known)| known == digest).map(|(attempt, _)| *attempt);
                Document::Valid { handback, written_at, ended: ended.max() }
            }
        }
    }
}

impl AcceptFound {
    fn given_at(&self) -> Option<Timestamp> {
        match self {
            Self::Present(at) => Some(*at),
            Self::Absent | Self::Invalid(_) => None,
        }
    }
}

impl Verdict {
    fn decision(&self) -> Decision<'_> {
        match self {
            Self::NotAsked => Decision::NotAsked,
            Self::Unknown => Decision::Unknown,
            Self::Known(verdict) if verdict.decision == PASS && verdict.exit == 0 => Decision::Pass,
            Self::Known(verdict) => Decision::Other { decision: &verdict.decision, reason: &verdict.reason },
        }
    }
}

#[cfg(test)]
mod tests;

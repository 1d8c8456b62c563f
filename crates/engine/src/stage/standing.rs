//! What a stage's handback is worth now: what it says, held against the log, the outputs and the verdict. The files are read
//! here; what follows from them is `judge::stage::standing`.

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

/// A handback as it lies there, and what it is worth.
#[derive(Debug, Clone)]
pub struct HandedBack {
    /// What lies there.
    pub document: HandbackFound,
    /// What `accept.json` says.
    pub accept: AcceptFound,
    /// When `handback.json` was written, as the system says. None: it is not there.
    pub written_at: Option<Timestamp>,
    /// What it is worth.
    pub standing: HandbackStanding,
}

/// What lies under `handback.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandbackFound {
    /// Nothing.
    Missing,
    /// No handback: everything that is wrong with it.
    Invalid(Vec<String>),
    /// A handback, with the digest of its bytes.
    Valid(Box<Handback>, Digest),
}

/// What lies under `accept.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptFound {
    /// Nothing.
    Absent,
    /// Nothing that gives control: everything that is wrong with it.
    Invalid(Vec<String>),
    /// An agent has control since then.
    Present(Timestamp),
}

/// The verdict over a stage's specification, as far as there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The stage names no specification.
    NotAsked,
    /// It names one, and nothing ran for what is there now.
    Unknown,
    /// It came to this.
    Known(StageVerdict),
}

/// The only decision that carries a success.
const PASS: &str = "PASS";

/// Looks at a stage's handback. Reads only, and whatever lies there is an answer.
///
/// # Errors
/// Fails where the system refuses.
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
        // A run without a log has nothing that its files could contradict.
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

/// Returns the verdict that the log holds for the outputs that are there now: one that was found for others is none.
pub fn recorded_verdict(opened: &Opened, outputs: &Outputs) -> Verdict {
    let is_asked = matches!(&opened.configuration, Configuration::Read(stage) if stage.specification.is_some());
    if !is_asked {
        // Where the configuration cannot be read the outputs fail, and that is told.
        return Verdict::NotAsked;
    }
    let recorded = opened.history.is_sound().then(|| opened.history.stage(&opened.stage).validated).flatten();
    let recorded = recorded.filter(|validated| validated.outputs == outputs.found);
    recorded.and_then(|validated| validated.verdict).map_or(Verdict::Unknown, Verdict::Known)
}

/// Why a log cannot be gone by. None: it can.
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

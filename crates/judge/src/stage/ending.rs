//! What becomes of a stage that is to be finalized: the one decision, of everything that was found (seed 5; ruling 28).

use referee_model::handback::{HandbackCode, HandbackReason};
use referee_model::incident::class::FailureClass;
use referee_model::stage::check::Checks;
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};

use super::transition::next;

#[derive(Debug, Clone, Copy)]
pub struct Facts<'found> {
    /// Where the stage stands, as the log says.
    pub state: StageState,
    /// What stands against the run itself: its log, its record, what was composed.
    pub contradictions: &'found [Objection],
    /// What was found of the outputs.
    pub outputs: &'found Checks,
    /// What the stage's specification came to.
    pub verdict: SpecificationVerdict<'found>,
    /// What lies under `handback.json`.
    pub handback: Lying,
    pub standing: &'found HandbackStanding,
}

/// What a stage's specification came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecificationVerdict<'found> {
    /// The stage names none.
    NotAsked,
    Passed,
    /// It did not, or did not run, and why.
    NotPassed(&'found str),
}

/// What lies under `handback.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lying {
    Nothing {
        /// Whether a person said to go on without one.
        waived: bool,
    },
    /// No handback.
    Junk,
    Handback,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It is done, and what it wrote is published.
    Publish,
    Question,
    Error,
    /// Nothing becomes of it; everything that stands against it. Never empty.
    Refuse(Vec<Objection>),
}

/// Decides what becomes of a stage.
///
/// | `handback.json`       | what is looked at                                                  | ending     |
/// |-----------------------|--------------------------------------------------------------------|------------|
/// | success               | everything: run, state, handback, outputs, specification            | `Publish`  |
/// | error                 | who has control, that it is of this attempt, that the log holds     | `Error`    |
/// | question              | the same                                                            | `Question` |
/// | none, and a person says to go on | everything but the handback                              | `Publish`  |
/// | none, or no handback  |                                                                     | `Refuse`   |
///
/// Whatever of it does not hold refuses. A claim of failure needs less than one of success: outputs that are not there contradict
/// only a success.
pub fn decide(facts: &Facts<'_>) -> Ending {
    let all = objections(facts);
    let (ending, against): (Ending, Vec<Objection>) = match (facts.handback, facts.standing.reason) {
        (Lying::Handback, Some(HandbackReason::Success)) => (Ending::Publish, all),
        (Lying::Handback, Some(HandbackReason::Error)) => {
            (Ending::Error, all.into_iter().filter(|objection| is_of_control(objection.name)).collect())
        }
        (Lying::Handback, Some(HandbackReason::Question)) => {
            (Ending::Question, all.into_iter().filter(|objection| is_of_control(objection.name)).collect())
        }
        (Lying::Nothing { waived: true }, None) => {
            (Ending::Publish, all.into_iter().filter(|objection| objection.name != StandingName::Missing).collect())
        }
        // Missing or junk, or told of otherwise by who looked twice.
        _ => return Ending::Refuse(with_handback(facts, all)),
    };
    if against.is_empty() { ending } else { Ending::Refuse(against) }
}

/// What stands against ending an attempt in whatever way: nobody has control, it was not given back in this attempt, or it cannot
/// be told what happened.
fn is_of_control(name: StandingName) -> bool {
    use StandingName as Name;
    match name {
        Name::Missing
        | Name::Invalid
        | Name::WithoutControl
        | Name::Stale
        | Name::RecordContradicts
        | Name::LogContradicts => true,
        Name::Error
        | Name::Question
        | Name::InputsChanged
        | Name::OutputsContradict
        | Name::VerdictContradicts
        | Name::ResultContradicts
        | Name::NotAsComposed => false,
    }
}

/// Everything that stands against a success, in the order of the names; nothing twice.
fn objections(facts: &Facts<'_>) -> Vec<Objection> {
    let mut all: Vec<Objection> = facts.standing.objections.clone();
    for objection in facts.contradictions.iter().cloned().chain(found(facts)) {
        // Who looked at the handback says the same more closely.
        let is_told = facts.standing.objections.iter().any(|told| told.name == objection.name);
        if !is_told && !all.contains(&objection) {
            all.push(objection);
        }
    }
    all.sort_by_key(|objection| objection.name);
    all
}

fn found(facts: &Facts<'_>) -> Vec<Objection> {
    let mut found = Vec::new();
    if let Err(illegal) = next(facts.state, StageEvent::Finalized) {
        found.push(Objection {
            name: StandingName::WithoutControl,
            message: format!("nobody has control of the stage: it is {}", illegal.from.as_str()),
            action: "let an executor accept it, and hand it back".to_owned(),
        });
    }
    if !facts.outputs.is_pass() {
        let failed = facts.outputs.failed().count();
        let message = match failed {
            0 => "nothing was looked at: the stage declares no outputs".to_owned(),
            1 => "1 check of its outputs failed".to_owned(),
            failed => format!("{failed} checks of its outputs failed"),
        };
        let action = "do what the failed checks say, or declare what the stage is to write".to_owned();
        found.push(Objection { name: StandingName::OutputsContradict, message, action });
    }
    if let SpecificationVerdict::NotPassed(reason) = facts.verdict {
        found.push(Objection {
            name: StandingName::VerdictContradicts,
            message: format!("the stage's specification is not passed: {reason}"),
            action: "make it pass: look at what failed in its evidence".to_owned(),
        });
    }
    found
}

/// Whatever was said of it: what is no handback ends nothing.
fn with_handback(facts: &Facts<'_>, mut all: Vec<Objection>) -> Vec<Objection> {
    let (name, message, action) = match facts.handback {
        Lying::Nothing { .. } => (
            StandingName::Missing,
            "control was not handed back: there is no handback.json",
            "hand it back, or let a person say --without-handback",
        ),
        Lying::Junk | Lying::Handback => (
            StandingName::Invalid,
            "handback.json cannot be taken for a handback",
            "write it again, as prompt/wf.md says",
        ),
    };
    if !all.iter().any(|objection| objection.name == name) {
        all.push(Objection { name, message: message.to_owned(), action: action.to_owned() });
        all.sort_by_key(|objection| objection.name);
    }
    all
}

/// Returns the class of the incident that an error becomes (contracts of errors: what an executor's code comes to). None: it
/// becomes none, since somebody stopped the work.
pub fn class(code: HandbackCode) -> Option<FailureClass> {
    Some(match code {
        HandbackCode::InputMissing => FailureClass::PrerequisiteFailed,
        HandbackCode::InputInvalid | HandbackCode::SchemaViolation => FailureClass::ValidationFailed,
        HandbackCode::ExternalFailure | HandbackCode::ResourceExhausted => FailureClass::ExecutionError,
        HandbackCode::PermissionDenied => FailureClass::AuthExpired,
        HandbackCode::InternalError => FailureClass::AgentTaskFailure,
        HandbackCode::Timeout => FailureClass::AgentTimeout,
        HandbackCode::Cancelled => return None,
        HandbackCode::Unknown => FailureClass::Unknown,
    })
}

#[cfg(test)]
mod tests;

//! Decides how an attempt of a stage ends when it is finalized, by all observations (seed 5; ruling 28).

use referee_model::handback::{HandbackCode, HandbackReason};
use referee_model::incident::class::FailureClass;
use referee_model::stage::check::Checks;
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};

use super::transition::next;

#[derive(Debug, Clone, Copy)]
pub struct Facts<'found> {
    /// State of the stage by the log.
    pub state: StageState,
    /// Objections to the run itself: its log, its record, its composition.
    pub contradictions: &'found [Objection],
    /// Checks of the outputs.
    pub outputs: &'found Checks,
    /// Result of the stage's specification.
    pub verdict: SpecificationVerdict<'found>,
    /// Content of `handback.json`.
    pub handback: Lying,
    pub standing: &'found HandbackStanding,
}

/// Result of a stage's specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecificationVerdict<'found> {
    /// The stage has no specification.
    NotAsked,
    Passed,
    /// It did not pass or did not run, with the reason.
    NotPassed(&'found str),
}

/// Content of `handback.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lying {
    Nothing {
        /// Whether a person decided to go on without a handback.
        waived: bool,
    },
    /// The file is not a valid handback.
    Junk,
    Handback,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The stage is done, and its outputs are published.
    Publish,
    Question,
    Error,
    /// The attempt does not end, because of all these objections. Never empty.
    Refuse(Vec<Objection>),
}

/// Decides how the attempt ends.
///
/// | `handback.json`                  | conditions                                               | ending     |
/// |----------------------------------|----------------------------------------------------------|------------|
/// | success                          | everything: run, state, handback, outputs, specification | `Publish`  |
/// | error                            | control, handback of this attempt, intact log            | `Error`    |
/// | question                         | the same                                                 | `Question` |
/// | none, and a person says to go on | everything but the handback                              | `Publish`  |
/// | none, or invalid                 |                                                          | `Refuse`   |
///
/// Any unmet condition refuses. A claim of failure needs less than one of success: missing outputs contradict
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
        // Missing or invalid, or two observations of it contradict each other.
        _ => return Ending::Refuse(with_handback(facts, all)),
    };
    if against.is_empty() { ending } else { Ending::Refuse(against) }
}

/// Returns whether an objection prevents any ending of an attempt: no executor has control, it was not handed
/// back in this attempt, or the facts are uncertain.
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

/// Returns all objections to a success, in the order of their names, without duplicates.
fn objections(facts: &Facts<'_>) -> Vec<Objection> {
    let mut all: Vec<Objection> = facts.standing.objections.clone();
    for objection in facts.contradictions.iter().cloned().chain(found(facts)) {
        // The judgement of the handback says the same in more detail.
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

/// Adds the objection that an invalid handback never ends an attempt.
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

/// Returns the class of the incident for an error (contracts of errors: meaning of an executor's codes). None:
/// there is no incident, because the work was stopped on purpose.
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

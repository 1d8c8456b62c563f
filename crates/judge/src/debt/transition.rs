//! The transition table of debt items.

use std::fmt;

use referee_model::debt::{DebtEvent, DebtStatus, Destination};

/// Reason why an item was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Illegal {
    /// The event is not possible for an item of this status.
    Change { status: DebtStatus, event: DebtEvent },
    /// A person must choose a destination; "undecided" is not one.
    NoDestination,
    /// A change by a person needs a name.
    NoName,
    /// A change by a person needs a reason.
    NoReason,
    /// An item of the sprint needs a task.
    NoSprintTask,
    /// An item of the inventory cannot have a task of the sprint.
    SprintTaskOutside,
    /// The time until which the item is to be deferred is in the past.
    Past,
}

impl fmt::Display for Illegal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change { status, event } => {
                let because = match (status, event) {
                    (DebtStatus::Resolved, _) => "it is done, and only a run that shows it again reopens it",
                    (DebtStatus::InProgress, DebtEvent::Begun) => "it is in progress already",
                    (_, DebtEvent::Due) => "it is not put off",
                    _ => "that is no place for it",
                };
                write!(formatter, "an item that is {} cannot be {}: {because}", status.as_str(), operation(*event))
            }
            Self::NoDestination => formatter.write_str("an item goes to the sprint or to the inventory"),
            Self::NoName => formatter.write_str("a change needs the name of whoever makes it"),
            Self::NoReason => formatter.write_str("a change needs a reason"),
            Self::NoSprintTask => formatter.write_str("an item of the sprint needs a task, such as `T031`"),
            Self::SprintTaskOutside => formatter.write_str("only an item of the sprint is a task of it"),
            Self::Past => formatter.write_str("an item is put off until a time that is yet to come"),
        }
    }
}

impl std::error::Error for Illegal {}

fn operation(event: DebtEvent) -> &'static str {
    match event {
        DebtEvent::Seen => "seen",
        DebtEvent::Disproved => "resolved",
        DebtEvent::Routed(_) => "routed",
        DebtEvent::Deferred => "deferred",
        DebtEvent::Begun => "begun",
        DebtEvent::Due => "taken up again",
    }
}

/// Returns the new status of an item (ruling 20).
///
/// | status      | seen        | disproved | routed      | deferred | begun       | due  |
/// |-------------|-------------|-----------|-------------|----------|-------------|------|
/// | OPEN        | OPEN        | RESOLVED  | OPEN        | DEFERRED | IN_PROGRESS | –    |
/// | IN_PROGRESS | IN_PROGRESS | RESOLVED  | IN_PROGRESS | DEFERRED | –           | –    |
/// | RESOLVED    | REOPENED    | RESOLVED  | –           | –        | –           | –    |
/// | DEFERRED    | DEFERRED    | RESOLVED  | OPEN        | DEFERRED | IN_PROGRESS | OPEN |
/// | REOPENED    | REOPENED    | RESOLVED  | REOPENED    | DEFERRED | IN_PROGRESS | –    |
///
/// "–" is not possible. Only runs resolve and reopen items; a deferred item stays deferred while runs show it,
/// until it is due or a person takes it up again. A destination is required for routing.
///
/// # Errors
/// Fails if the event is not possible for an item of this status.
pub fn next(status: DebtStatus, event: &DebtEvent) -> Result<DebtStatus, Illegal> {
    use DebtStatus::{Deferred, InProgress, Open, Reopened, Resolved};
    Ok(match (status, *event) {
        (_, DebtEvent::Routed(Destination::Undecided)) => return Err(Illegal::NoDestination),
        (_, DebtEvent::Disproved) => Resolved,
        (Resolved, DebtEvent::Seen) => Reopened,
        (Open | Deferred, DebtEvent::Routed(_)) | (Deferred, DebtEvent::Due) => Open,
        (status, DebtEvent::Seen) | (status @ (InProgress | Reopened), DebtEvent::Routed(_)) => status,
        (Open | InProgress | Deferred | Reopened, DebtEvent::Deferred) => Deferred,
        (Open | Deferred | Reopened, DebtEvent::Begun) => InProgress,
        (status, event) => return Err(Illegal::Change { status, event }),
    })
}

#[cfg(test)]
mod tests;

//! Matches the actions of two plans.

use referee_model::plan::http::Method;
use referee_model::plan::{Action, FileRoot, Plan, Work};

use super::interaction;

/// Matched and unmatched actions.
pub(super) struct Pairs<'a> {
    /// Former and current version of matched actions, in order of the former plan.
    pub(super) same: Vec<(&'a Action, &'a Action)>,
    /// Removed actions.
    pub(super) gone: Vec<&'a Action>,
    /// Added actions.
    pub(super) new: Vec<&'a Action>,
}

/// A criterion by which actions match.
type SameAs = fn(&Action, &Action) -> bool;

/// Criteria, most reliable first. A renamed check does the same; a check that does something else keeps its
/// name, or at least its position and its kind.
const WAYS: [SameAs; 4] = [
    |old, new| old.name == new.name && essence(&old.work) == essence(&new.work),
    |old, new| old.phase == new.phase && essence(&old.work) == essence(&new.work),
    |old, new| old.name == new.name,
    |old, new| old.id == new.id && program(&old.work).is_some_and(|word| program(&new.work) == Some(word)),
];

/// Matches the actions of two plans; each is part of one pair at most.
pub(super) fn find<'a>(before: &'a Plan, after: &'a Plan) -> Pairs<'a> {
    let mut found: Vec<Option<&Action>> = vec![None; before.actions.len()];
    let mut free: Vec<&Action> = after.actions.iter().collect();
    for same in WAYS {
        for (old, place) in before.actions.iter().zip(&mut found) {
            if place.is_none()
                && let Some(at) = free.iter().position(|new| same(old, new))
            {
                *place = Some(free.remove(at));
            }
        }
    }
    let all = || before.actions.iter().zip(&found);
    Pairs {
        same: all().filter_map(|(old, new)| new.map(|new| (old, new))).collect(),
        gone: all().filter(|(_, new)| new.is_none()).map(|(old, _)| old).collect(),
        new: free,
    }
}

/// Properties by which work is recognized, however strictly it is checked.
#[derive(PartialEq)]
enum Essence {
    Command(String, String),
    File(Option<String>, String),
    Http(Method, String),
    Service(Option<String>),
    Interaction(Vec<String>),
}

fn essence(work: &Work) -> Essence {
    match work {
        Work::Command(command) => Essence::Command(command.directory.as_str().to_owned(), command.invocation.as_line()),
        Work::File(check) => {
            let root = match &check.root {
                FileRoot::Workspace => None,
                FileRoot::Listed(directory) => Some(directory.display().to_string()),
            };
            Essence::File(root, check.path.as_str().to_owned())
        }
        Work::Http(request) => Essence::Http(request.method, request.url.to_string()),
        Work::Service(service) => {
            Essence::Service(service.command.as_ref().map(|command| command.invocation.as_line()))
        }
        Work::Interaction(interaction) => Essence::Interaction(interaction::subject(interaction)),
    }
}

/// Returns the first word of a command.
fn program(work: &Work) -> Option<String> {
    let Work::Command(command) = work else { return None };
    let line = command.invocation.as_line();
    line.split_whitespace().next().map(str::to_owned)
}

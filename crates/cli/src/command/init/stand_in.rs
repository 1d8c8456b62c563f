//! Replacement for tests whose runner does not work here: tox, if CI uses it.

use referee_model::plan::Role;
use referee_spec::detect::{Project, Proposal};

/// A check that is tried only if another one does not work.
pub(super) struct StandIn {
    pub(super) name: String,
    /// Name of the replaced check.
    pub(super) stands_for: String,
}

impl StandIn {
    /// Moves it from the checks left to people to the proposed ones, if there is one.
    pub(super) fn take(project: &mut Project) -> Option<Self> {
        let is_it = |left: &Proposal| left.name == "tox" && left.role == Some(Role::Test);
        let place = project.left_to_people.iter().position(is_it)?;
        let directory = &project.left_to_people[place].directory;
        let runs_tests = |line: &str| ["pytest", "unittest"].iter().any(|runner| line.contains(runner));
        let first = project.checks.iter().find(|check| check.directory == *directory && runs_tests(&check.line))?;
        let stands_for = first.name.clone();
        let mut taken = project.checks.iter().chain(&project.prerequisites).map(|check| &check.name);
        let is_taken = taken.any(|name| name == "tox") || project.services.iter().any(|service| service.name == "tox");
        if is_taken {
            return None;
        }
        let proposal = project.left_to_people.remove(place);
        let name = proposal.name.clone();
        project.checks.push(proposal);
        Some(Self { name, stands_for })
    }

    /// Leaves it to people again.
    pub(super) fn put_back(&self, project: &mut Project) {
        if let Some(place) = project.checks.iter().position(|check| check.name == self.name) {
            let proposal = project.checks.remove(place);
            project.left_to_people.push(proposal);
        }
    }

    pub(super) fn explain(&self, project: &mut Project) {
        for check in project.checks.iter_mut().filter(|check| check.name == self.name) {
            check.because = format!("{}; `{}` by itself does not work here", check.because, self.stands_for);
        }
    }
}

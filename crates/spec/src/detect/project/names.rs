//! Makes names unique.

use std::collections::BTreeSet;

use super::{Draft, Project};

/// Returns a unique name: the plain one, else with a number.
pub(super) fn numbered(name: &str, is_free: impl Fn(&String) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// Returns a unique name: the plain one, else with the directory or the ecosystem before it, else with a number.
pub(super) fn free(name: &str, draft: &Draft, taken: &BTreeSet<String>) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() || character == '-' { character } else { '-' };
    let directory: String = draft.directory.chars().map(plain).collect();
    let longer = if directory.is_empty() {
        format!("{}-{name}", draft.ecosystem.as_str())
    } else {
        format!("{directory}-{name}")
    };
    let first = if draft.directory.is_empty() { name.to_owned() } else { longer.clone() };
    let numbered = (2_u32..).map(|number| format!("{longer}-{number}"));
    [first, longer.clone()].into_iter().chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// Makes names and lines unique, so that proposals left to people can be moved up without changes.
pub(super) fn number(project: &mut Project) {
    let proposed = project.prerequisites.iter().chain(&project.checks).map(|proposal| proposal.name.clone());
    let services = project.services.iter().map(|service| service.name.clone());
    let mut taken: BTreeSet<String> = proposed.chain(services).collect();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    project.left_to_people.retain(|left| seen.insert((left.directory.clone(), left.line.clone())));
    let mut renamed: Vec<(String, String, String)> = Vec::new();
    for left in &mut project.left_to_people {
        let name = numbered(&left.name, |name| !taken.contains(name));
        taken.insert(name.clone());
        renamed.push((left.directory.clone(), std::mem::replace(&mut left.name, name.clone()), name));
    }
    for left in &mut project.left_to_people {
        for need in &mut left.needs {
            if let Some((.., name)) =
                renamed.iter().find(|(directory, old, _)| *directory == left.directory && old == need)
            {
                name.clone_into(need);
            }
        }
    }
}

//! The files of the programs of checks, as a `pins` block for a specification.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use referee_model::id::{ActionId, Digest};
use referee_model::plan::Plan;
use referee_model::record::Executable;

use crate::untrusted;

/// Programs of one action, or why they cannot be determined.
pub type ActionExecutables = (ActionId, Result<Vec<Executable>, String>);

/// Writes the programs that the actions of a plan would start, under the names by which they are pinned. A program
/// inside the workspace is part of what is checked, and one that its name does not identify cannot be pinned; both
/// are listed as remarks.
pub fn write(plan: &Plan, found: &[ActionExecutables], out: &mut dyn Write) -> io::Result<()> {
    let mut programs: BTreeMap<&str, BTreeMap<&str, Option<Digest>>> = BTreeMap::new();
    for executable in found.iter().flat_map(|(_, found)| found.iter().flatten()) {
        let name = executable.name.rsplit('/').next().unwrap_or_default();
        programs.entry(name).or_default().insert(&executable.path, executable.sha256);
    }
    writeln!(out, "pins:")?;
    for (name, files) in &programs {
        for (path, digest) in files {
            let remark = remark(plan, name, (path, *digest), files.len());
            let lead = if remark.is_some() { "#" } else { " " };
            let digest = digest.map_or("?".to_owned(), |digest| digest.to_string());
            let remark = remark.or_else(|| standing(plan, name)).map_or(String::new(), |remark| format!("; {remark}"));
            let (name, path) = (untrusted::line(name), untrusted::line(path));
            writeln!(out, "{lead} {name:?}: {digest:?}  # {path}{remark}")?;
        }
    }
    for (action, problem) in found.iter().filter_map(|(action, found)| Some((action, found.as_ref().err()?))) {
        writeln!(out, "# {action}: {}", untrusted::line(problem))?;
    }
    for name in plan.guard.pins.keys().filter(|name| !programs.contains_key(name.as_str())) {
        writeln!(out, "# {:?} is pinned, and no check names it", untrusted::line(name))?;
    }
    Ok(())
}

/// Returns why a program should not be pinned, or that it differs from the pinned one.
fn remark(plan: &Plan, name: &str, (path, digest): (&str, Option<Digest>), files: usize) -> Option<String> {
    if let Some(pinned) = plan.guard.pins.get(name).filter(|pinned| Some(**pinned) != digest) {
        return Some(format!("NOT the pinned one, which is {pinned}"));
    }
    if digest.is_none() {
        return Some("it cannot be read, so it cannot be pinned".to_owned());
    }
    if files > 1 {
        return Some("several programs have this name".to_owned());
    }
    plan.workspaces().any(|workspace| Path::new(path).starts_with(workspace)).then(|| "in the workspace".to_owned())
}

fn standing(plan: &Plan, name: &str) -> Option<String> {
    plan.guard.pins.contains_key(name).then(|| "pinned".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{id, runs};

    #[test]
    fn programs_are_listed_by_the_names_that_they_are_pinned_by() {
        let mut plan = runs::various_plan();
        let digest = |byte| Digest::from_bytes([byte; 32]);
        let pins = [("node", 1), ("curl", 9), ("gone", 1)];
        plan.guard.pins = pins.map(|(name, byte)| (name.to_owned(), digest(byte))).into();
        let at = |name: &str, path: &str, byte: Option<u8>| Executable {
            name: name.to_owned(),
            path: path.to_owned(),
            sha256: byte.map(digest),
            version: None,
        };
        let inside = plan.workspace.join("check.sh").to_string_lossy().into_owned();
        let found = [
            (id("STEP.1"), Ok(vec![at("node", "/bin/node", Some(1)), at("./check.sh", &inside, Some(3))])),
            (id("STEP.2"), Ok(vec![at("curl", "/evil\u{1b}[31m/curl", Some(2)), at("/bin/sh", "/bin/dash", None)])),
            (id("STEP.3"), Ok(vec![at("make", "/bin/make", Some(4)), at("make", "/usr/bin/make", Some(5))])),
            (id("STEP.4"), Err("`missing` was not found".to_owned())),
        ];
        let mut text = Vec::new();
        write(&plan, &found, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let hash = |byte: u8| digest(byte).to_string();
        assert_eq!(
            lines,
            [
                "pins:".to_owned(),
                format!("# \"check.sh\": \"{}\"  # {inside}; in the workspace", hash(3)),
                format!("# \"curl\": \"{}\"  # /evil/curl; NOT the pinned one, which is {}", hash(2), hash(9)),
                format!("# \"make\": \"{}\"  # /bin/make; several programs have this name", hash(4)),
                format!("# \"make\": \"{}\"  # /usr/bin/make; several programs have this name", hash(5)),
                format!("  \"node\": \"{}\"  # /bin/node; pinned", hash(1)),
                "# \"sh\": \"?\"  # /bin/dash; it cannot be read, so it cannot be pinned".to_owned(),
                "# STEP.4: `missing` was not found".to_owned(),
                "# \"gone\" is pinned, and no check names it".to_owned(),
            ]
        );
    }
}

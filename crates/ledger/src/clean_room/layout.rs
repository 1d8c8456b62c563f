//! Plans the files of a clean room: the candidate's files, with the protected ones laid over them. Nothing here
//! accesses a disk.

use std::collections::BTreeMap;

use referee_model::id::WorkspacePath;

use super::error::RoomError;

/// Maximum length of a chain of links, as in the kernel.
const LINKS_FOLLOWED: usize = 40;

/// Planned content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// The candidate's file, with its mode.
    Candidate {
        mode: u32,
    },
    Link(String),
    /// Bytes from the baseline.
    Protected {
        bytes: Vec<u8>,
        mode: u32,
    },
}

pub(super) type Layout = BTreeMap<WorkspacePath, Content>;

/// Lays protected files over a candidate's files: the given bytes, or None for a path that the baseline does
/// not have and that must not exist. Where a directory is needed, a link or file is removed, and where a file
/// is needed, a directory is: otherwise a link in place of a directory would redirect the file. Returns the
/// paths that were removed or added.
pub(super) fn protect(layout: &mut Layout, protected: &BTreeMap<WorkspacePath, Option<Vec<u8>>>) -> Vec<WorkspacePath> {
    let mut removed: Vec<WorkspacePath> = Vec::new();
    for (path, bytes) in protected {
        if bytes.is_none() {
            removed.extend(layout.remove(path).map(|_| path.clone()));
            continue;
        }
        let below = format!("{path}/");
        let is_in_the_way = |other: &WorkspacePath| {
            other.as_str().starts_with(&below) || path.as_str().starts_with(&format!("{other}/"))
        };
        let in_the_way: Vec<WorkspacePath> = layout.keys().filter(|other| is_in_the_way(other)).cloned().collect();
        for other in in_the_way {
            layout.remove(&other);
            removed.push(other);
        }
    }
    for (path, bytes) in protected {
        if let Some(bytes) = bytes {
            let mode = match layout.get(path) {
                Some(Content::Candidate { mode }) => *mode,
                // A baseline has no modes; files that begin like this are meant to be executed.
                _ if bytes.starts_with(b"#!") => 0o755,
                _ => 0o644,
            };
            layout.insert(path.clone(), Content::Protected { bytes: bytes.clone(), mode });
        }
    }
    removed
}

/// Fails if a link leads out of the tree, directly or through other links.
pub(super) fn check_links(layout: &Layout) -> Result<(), RoomError> {
    for (path, content) in layout {
        if let Content::Link(target) = content
            && !stays_inside(layout, path, target)
        {
            return Err(RoomError::LinkLeaves { path: path.clone(), target: target.clone() });
        }
    }
    Ok(())
}

/// Follows a link as the kernel would, whether or not its target exists. Returns whether it stays inside the
/// tree.
fn stays_inside(layout: &Layout, link: &WorkspacePath, target: &str) -> bool {
    let mut place: Vec<String> = link.as_str().split('/').map(str::to_owned).collect();
    place.pop();
    let mut ahead: Vec<String> = Vec::new();
    if !push(&mut ahead, target) {
        return false;
    }
    let mut followed = 1;
    while let Some(step) = ahead.pop() {
        if step.is_empty() || step == "." {
            continue;
        }
        if step == ".." {
            if place.pop().is_none() {
                return false;
            }
            continue;
        }
        place.push(step);
        let here = WorkspacePath::parse(&place.join("/"));
        if let Some(Content::Link(target)) = here.ok().as_ref().and_then(|here| layout.get(here)) {
            followed += 1;
            // The kernel would give up as well: such a link leads nowhere.
            if followed > LINKS_FOLLOWED {
                return true;
            }
            place.pop();
            if !push(&mut ahead, target) {
                return false;
            }
        }
    }
    true
}

/// Pushes the components of a link's target onto the path still to follow. Returns false if the target is
/// absolute, and therefore starts outside the tree.
fn push(ahead: &mut Vec<String>, target: &str) -> bool {
    ahead.extend(target.split('/').rev().map(str::to_owned));
    !target.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).unwrap()
    }

    fn layout(entries: &[(&str, Option<&str>)]) -> Layout {
        let content = |target: Option<&str>| match target {
            Some(target) => Content::Link(target.to_owned()),
            None => Content::Candidate { mode: 0o755 },
        };
        entries.iter().map(|(at, target)| (path(at), content(*target))).collect()
    }

    #[test]
    fn links_may_lead_anywhere_in_the_tree_and_nowhere_else() {
        for (links, stays) in [
            (vec![("a", "b")], true),
            (vec![("d/a", "../b")], true),
            (vec![("d/a", "./../d/./b")], true),
            (vec![("a", "")], true),
            (vec![("a", "/etc/passwd")], false),
            (vec![("a", "..")], false),
            (vec![("d/a", "../../b")], false),
            (vec![("d/a", "x/../../../b")], false),
            // Lexically this path stays inside; followed through the first link it does not.
            (vec![("d/e/up", "../.."), ("out", "d/e/up/../secret")], false),
            (vec![("d/e/up", "../.."), ("in", "d/e/up/d")], true),
            (vec![("abs", "/"), ("out", "abs/etc")], false),
            (vec![("a", "b"), ("b", "a")], true),
            (vec![("a", "a/x")], true),
        ] {
            let entries: Vec<_> = links.iter().map(|(at, target)| (*at, Some(*target))).collect();
            assert_eq!(check_links(&layout(&entries)).is_ok(), stays, "{links:?}");
        }
    }

    #[test]
    fn protected_files_go_over_the_candidates_whatever_stands_in_their_way() {
        let mut tree = layout(&[
            ("kept.js", None),
            ("tests", Some("fake")),
            ("fake/a.test.js", None),
            ("check.sh/instead", None),
            ("conftest.py", None),
            ("referee.yaml", None),
            ("run", Some("evil")),
        ]);
        let baseline = BTreeMap::from([
            (path("tests/a.test.js"), Some(b"test".to_vec())),
            (path("check.sh"), Some(b"#!/bin/sh".to_vec())),
            (path("conftest.py"), None),
            (path("never.py"), None),
            (path("referee.yaml"), Some(b"checks".to_vec())),
            (path("run"), Some(b"text".to_vec())),
        ]);
        let mut removed = protect(&mut tree, &baseline);
        removed.sort();
        assert_eq!(removed, ["check.sh/instead", "conftest.py", "tests"].map(path));
        let protected = |text: &str, mode| Content::Protected { bytes: text.as_bytes().to_vec(), mode };
        let expected = BTreeMap::from([
            (path("kept.js"), Content::Candidate { mode: 0o755 }),
            (path("fake/a.test.js"), Content::Candidate { mode: 0o755 }),
            (path("tests/a.test.js"), protected("test", 0o644)),
            (path("check.sh"), protected("#!/bin/sh", 0o755)),
            (path("referee.yaml"), protected("checks", 0o755)),
            (path("run"), protected("text", 0o644)),
        ]);
        assert_eq!(tree, expected);
    }
}

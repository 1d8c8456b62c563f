//! Checks of prompts and inputs, which must be in a stage's directory before work begins, under paths that stay
//! inside.

use referee_model::stage::check::{Check, CheckKind};
use referee_model::stage::id::StageId;

use super::{Scene, Sight, failed, insecure, passed};

/// A path that a configuration names, with its observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSeen {
    pub path: String,
    pub sight: Sight,
}

/// An input with its observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSeen {
    pub path: String,
    /// Whether the stage requires it.
    pub is_required: bool,
    /// Stage that provides it. None: a person puts it there.
    pub from: Option<StageId>,
    pub sight: Sight,
    /// Change since an executor got control.
    pub since: Since,
}

/// Change of an input since an executor got control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Unchanged or added since; or the stage is not under control of an executor.
    Same,
    Changed,
    Gone,
}

/// Judges a path of a configuration: one that may be opened passes.
pub fn path(scene: &Scene, seen: &PathSeen) -> Check {
    insecure(CheckKind::PathSecurity, scene, &seen.path, &seen.sight)
        .unwrap_or_else(|| passed(CheckKind::PathSecurity, &seen.path, "it stays inside the stage's directory"))
}

/// Judges a prompt. A path that must not be opened has its own check.
pub fn prompt(scene: &Scene, seen: &PathSeen) -> Vec<Check> {
    let PathSeen { path, sight } = seen;
    let anew = || {
        format!("write it in the workflow's directory and compose the run again; it belongs at {}", scene.file(path))
    };
    let there = || passed(CheckKind::PromptExists, path, "it is there");
    match sight {
        Sight::Outside(_) | Sight::NotAFile | Sight::Unreadable(_) => Vec::new(),
        Sight::Absent => vec![failed(CheckKind::PromptExists, path, "this prompt is not there", anew())],
        Sight::Empty => vec![there(), failed(CheckKind::PromptNotEmpty, path, "this prompt says nothing", anew())],
        Sight::Holds => vec![there(), passed(CheckKind::PromptNotEmpty, path, "it says something")],
    }
}

/// Judges an input. Empty: the input is optional and absent, or its path must not be opened, which has its own check.
///
/// | observation      | since control was given | `input_exists`       | `input_not_empty` |
/// |------------------|-------------------------|----------------------|-------------------|
/// | absent, required |                         | fails                |                   |
/// | absent           | gone                    | fails                |                   |
/// | absent           | same                    |                      |                   |
/// | there            | changed                 | fails                | by its content    |
/// | empty            | same                    | passes               | fails             |
/// | not empty        | same                    | passes               | passes            |
pub fn input(scene: &Scene, seen: &InputSeen) -> Vec<Check> {
    let path = seen.path.as_str();
    let missing = |message: &str| failed(CheckKind::InputExists, path, message, bring(scene, seen));
    match seen.sight {
        Sight::Outside(_) | Sight::NotAFile | Sight::Unreadable(_) => Vec::new(),
        Sight::Absent if seen.since == Since::Gone => {
            vec![missing("this input was there when the executor got control, and is gone")]
        }
        Sight::Absent if !seen.is_required => Vec::new(),
        Sight::Absent => vec![missing("this input is required, and it is not there")],
        Sight::Empty => {
            vec![exists(scene, seen), failed(CheckKind::InputNotEmpty, path, "it is empty", bring(scene, seen))]
        }
        Sight::Holds => vec![exists(scene, seen), passed(CheckKind::InputNotEmpty, path, "it holds something")],
    }
}

fn exists(scene: &Scene, seen: &InputSeen) -> Check {
    let changed = |message: &str| {
        let action = format!(
            "put it back as it was, or begin another attempt with it as it is: {} --again",
            scene.command("accept", &scene.stage)
        );
        failed(CheckKind::InputExists, &seen.path, message, action)
    };
    match seen.since {
        Since::Same | Since::Gone => passed(CheckKind::InputExists, &seen.path, "it is there"),
        Since::Changed => changed("it is not what it was when the executor got control"),
    }
}

fn bring(scene: &Scene, seen: &InputSeen) -> String {
    match &seen.from {
        Some(from) => format!("it comes from stage {from}: {}", scene.command("prepare", &scene.stage)),
        None => format!("write it to {}", scene.file(&seen.path)),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::stage::path::StagePathFault;

    use super::*;

    fn scene() -> Scene {
        Scene { stage: StageId::parse("specify").unwrap(), run: "/run".to_owned() }
    }

    /// Returns the checks in short form: a name, and whether it passed.
    fn short(checks: &[Check]) -> String {
        let one = |check: &Check| format!("{}{}", if check.failure.is_none() { "+" } else { "-" }, check.kind.as_str());
        checks.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_input_comes_to_what_the_table_says() {
        let seen = |is_required, sight, since| InputSeen {
            path: "inputs/a.md".to_owned(),
            is_required,
            from: None,
            sight,
            since,
        };
        for (is_required, sight, since, expected) in [
            (true, Sight::Absent, Since::Same, "-input_exists"),
            (false, Sight::Absent, Since::Same, ""),
            (false, Sight::Absent, Since::Gone, "-input_exists"),
            (true, Sight::Empty, Since::Same, "+input_exists -input_not_empty"),
            (false, Sight::Empty, Since::Same, "+input_exists -input_not_empty"),
            (true, Sight::Empty, Since::Changed, "-input_exists -input_not_empty"),
            (true, Sight::Holds, Since::Same, "+input_exists +input_not_empty"),
            (true, Sight::Holds, Since::Changed, "-input_exists +input_not_empty"),
            (false, Sight::Holds, Since::Changed, "-input_exists +input_not_empty"),
            (true, Sight::Outside(StagePathFault::LeadsOut), Since::Same, ""),
            (true, Sight::NotAFile, Since::Same, ""),
        ] {
            let checks = input(&scene(), &seen(is_required, sight.clone(), since));
            assert_eq!(short(&checks), expected, "{is_required} {sight:?} {since:?}");
        }
    }

    #[test]
    fn what_is_missing_is_brought_by_whoever_brings_it() {
        let seen = |from| InputSeen {
            path: "inputs/a.md".to_owned(),
            is_required: true,
            from,
            sight: Sight::Absent,
            since: Since::Same,
        };
        let action = |from| input(&scene(), &seen(from)).remove(0).failure.unwrap().action;
        assert_eq!(action(None), "write it to /run/stages/specify/inputs/a.md");
        assert_eq!(
            action(Some(StageId::parse("explore").unwrap())),
            "it comes from stage explore: referee stage prepare specify --run-dir /run"
        );
    }

    #[test]
    fn a_path_that_may_not_be_opened_is_told_once_and_as_that() {
        for sight in [
            Sight::Outside(StagePathFault::LeadsOut),
            Sight::NotAFile,
            Sight::Unreadable("permission denied".to_owned()),
        ] {
            let seen = PathSeen { path: "prompt/main.md".to_owned(), sight };
            assert_eq!(short(&[path(&scene(), &seen)]), "-path_security");
            assert_eq!(prompt(&scene(), &seen), []);
        }
        for (sight, expected) in [
            (Sight::Absent, "-prompt_exists"),
            (Sight::Empty, "+prompt_exists -prompt_not_empty"),
            (Sight::Holds, "+prompt_exists +prompt_not_empty"),
        ] {
            let seen = PathSeen { path: "prompt/main.md".to_owned(), sight };
            assert_eq!(short(&[path(&scene(), &seen)]), "+path_security");
            assert_eq!(short(&prompt(&scene(), &seen)), expected);
        }
    }
}

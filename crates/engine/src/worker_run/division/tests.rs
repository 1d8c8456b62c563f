//! Which parts plans are split into.

use std::path::Path;

use super::*;

fn plan(text: &str) -> Plan {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    write(&file, text);
    let options = referee_spec::Options { workspace: Some(directory.path().to_path_buf()) };
    referee_spec::load(&file, &options).unwrap().suite.tasks.remove(0)
}

#[expect(clippy::disallowed_methods, reason = "tests make the specifications that they load")]
fn write(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap();
}

fn split(parts: usize) -> Split {
    Split { parts: NonZeroUsize::new(parts).unwrap(), jobs: None }
}

/// Returns the names of the actions of each part, or why there are none.
fn named(plan: &Plan, split: Split, cost: &dyn Fn(&Action) -> Option<u64>) -> Result<Vec<String>, String> {
    let parts = divide(plan, &PartLeftOut::new(), split, cost)?;
    let names = |left_out: &PartLeftOut| {
        let actions = plan.actions.iter().filter(|action| !left_out.contains_key(&action.id));
        actions.map(|action| action.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    Ok(parts.iter().map(names).collect())
}

const PLAIN: &str = "parallel: true\nchecks:\n  a: echo a\n  b: echo b\n  c: echo c\n  d: echo d\n";

#[test]
fn steps_are_split_along_their_needs_alone() {
    for (text, parts, expected) in [
        (PLAIN, 2, vec!["a c", "b d"]),
        (PLAIN, 3, vec!["a d", "b", "c"]),
        (PLAIN, 9, vec!["a", "b", "c", "d"]),
        ("parallel: true\nchecks:\n  a: echo a\n  b: { run: echo b, needs: [a] }\n  c: echo c\n", 2, vec!["a b", "c"]),
        // What several need is in the part of each.
        (
            "parallel: true\nchecks:\n  build: echo\n  b: { run: echo b, needs: [build] }\n  c: { run: echo c, needs: [build] }\n",
            2,
            vec!["build b", "build c"],
        ),
        // What has to be there before, and what has to be done after, is in every part.
        (
            "parallel: true\nprerequisites:\n  tool: echo\nchecks:\n  a: echo a\n  b: echo b\ncleanup:\n  sweep: echo\n",
            2,
            vec!["tool a sweep", "tool b sweep"],
        ),
        // What cleans up after steps is where all of them are.
        (
            "parallel: true\nchecks:\n  a: echo a\n  b: echo b\n  c: echo c\ncleanup:\n  sweep: { run: echo, needs: [a, c] }\n",
            2,
            vec!["a c sweep", "b"],
        ),
    ] {
        assert_eq!(named(&plan(text), split(parts), &|_| None).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_plan_that_does_not_tell_its_steps_apart_is_whole() {
    let sequential = "checks:\n  a: echo a\n  b: echo b\n";
    for (text, jobs, part) in [
        (sequential, None, "one after another"),
        (sequential, Some(1), "one after another"),
        ("parallel: true\nchecks:\n  a: echo a\n", None, "only one"),
        ("parallel: true\nchecks:\n  a: echo a\n  b: { run: echo b, needs: [a] }\n", None, "need one another"),
        (
            "parallel: true\nservices:\n  web: { run: sleep 9, port: 8080 }\nchecks:\n  a: echo a\n  b: echo b\n",
            None,
            "fixed port",
        ),
    ] {
        let split = Split { jobs: jobs.and_then(NonZeroUsize::new), ..split(2) };
        let why = named(&plan(text), split, &|_| None).unwrap_err();
        assert!(why.contains(part), "{text}: {why}");
    }
    let at_once = Split { jobs: NonZeroUsize::new(2), ..split(2) };
    assert_eq!(named(&plan(sequential), at_once, &|_| None).unwrap(), ["a", "b"]);
}

#[test]
fn what_is_left_out_stays_so_and_each_other_action_is_in_a_part() {
    let plan = plan(PLAIN);
    let left_out = PartLeftOut::from([(plan.actions[1].id.clone(), LeftOut::Named)]);
    let parts = divide(&plan, &left_out, split(2), &|_| None).unwrap();
    assert_eq!(parts.len(), 2);
    for action in &plan.actions {
        let in_parts = parts.iter().filter(|part| !part.contains_key(&action.id)).count();
        assert_eq!(in_parts, usize::from(!left_out.contains_key(&action.id)), "{}", action.id);
        assert!(parts.iter().all(|part| part.get(&action.id).is_none_or(|why| {
            *why == if left_out.contains_key(&action.id) { LeftOut::Named } else { LeftOut::NotNamed }
        })));
    }
}

#[test]
fn parts_are_balanced_by_known_times_and_do_not_change_with_small_differences() {
    let plan = plan(PLAIN);
    let cost = |more: u64| {
        move |action: &Action| match action.name.as_str() {
            "a" => Some(60_000 + more),
            "b" | "c" => Some(15_000 + more),
            _ => None,
        }
    };
    let expected = ["a", "b c d"];
    assert_eq!(named(&plan, split(2), &cost(0)).unwrap(), expected);
    assert_eq!(named(&plan, split(2), &cost(900)).unwrap(), expected);
    assert_eq!(named(&plan, split(2), &|_| Some(u64::MAX)).unwrap(), ["a c", "b d"]);
}

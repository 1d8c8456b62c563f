use referee_model::id::Digest;
use referee_model::outcome::AgentAction;
use referee_model::plan::Plan;
use referee_model::record::RunEnding;
use referee_model::run_context::tree::{TreeRewrite, TreeState};
use referee_model::verdict::{Decision, Exit, Verdict};

use super::*;
use crate::criteria::{EvaluatorOutput, verdict};
use crate::fixture::{self, exited, judged, line, plan};

/// A run of steps with these begins and ends in milliseconds, with the changes during the run.
struct Row {
    steps: Vec<(i64, i64)>,
    facts: TreeFacts,
}

fn change(kind: TreeChangeKind, at: Option<i64>) -> TreeChange {
    TreeChange { path: "src/main.rs".to_owned(), kind, at: at.map(Timestamp::from_millisecond) }
}

fn facts(changes: Vec<TreeChange>) -> TreeFacts {
    let of = |kind| changes.iter().filter(|change| change.kind == kind).count() as u64;
    let state = |byte, files| TreeState { digest: Digest::from_bytes([byte; 32]), files };
    TreeFacts {
        before: state(1, 10 + of(TreeChangeKind::Removed)),
        after: state(if changes.is_empty() { 1 } else { 2 }, 10 + of(TreeChangeKind::Added)),
        change_count: changes.len() as u64,
        changes,
        rewritten: Vec::new(),
    }
}

fn modified(at: impl Into<Option<i64>>) -> TreeFacts {
    facts(vec![change(TreeChangeKind::Modified, at.into())])
}

impl Row {
    fn judge(&self, failing: bool) -> Verdict {
        let mut plan: Plan = plan(Vec::new());
        let mut run = fixture::run(RunEnding::Finished);
        run.run_context.tree = Some(self.facts.clone());
        let mut reports = Vec::new();
        for (index, (started, ended)) in self.steps.iter().enumerate() {
            let mut action = line(&format!("STEP.{}", index + 1), "npx jest");
            action.name = format!("unit{}", index + 1);
            let is_last = index + 1 == self.steps.len();
            let failed = u64::from(failing && is_last);
            let mut record = exited(&action, i32::from(failing && is_last));
            record.span.started = Timestamp::from_millisecond(*started);
            record.span.ended = Timestamp::from_millisecond(*ended);
            plan.actions.push(action.clone());
            reports.push(judged(&plan, &action, record, fixture::tests("jest", 5, failed, 0)));
        }
        verdict(&plan, &run, &reports, &std::collections::BTreeMap::new(), EvaluatorOutput::default())
    }
}

#[test]
fn a_change_voids_the_steps_that_were_over_and_no_others() {
    let two = vec![(1_000, 2_000), (2_001, 3_000)];
    for (name, steps, facts, void) in [
        ("nothing changed", two.clone(), facts(Vec::new()), None),
        ("in the first step", two.clone(), modified(1_500), None),
        ("before the first step", two.clone(), modified(500), None),
        ("in the second step", two.clone(), modified(2_500), Some(1)),
        ("after both", two.clone(), modified(3_500), Some(2)),
        ("long after", two.clone(), modified(99_000), Some(2)),
        ("at no known moment", two.clone(), modified(None), Some(2)),
        ("before the run, which cannot be", two.clone(), modified(-60_000), Some(2)),
        ("at the end of the only step", vec![(1_000, 2_000)], modified(1_995), None),
        ("after the end of the only step", vec![(1_000, 2_000)], modified(2_003), Some(1)),
        (
            "within a tick of the next step's beginning, which may be the first step's own",
            two.clone(),
            modified(1_995),
            None,
        ),
        ("more than a tick before it", two.clone(), modified(1_989), None),
        ("in both of two at once", vec![(1_000, 2_000), (1_000, 3_000)], modified(1_500), None),
        ("in the longer of two at once", vec![(1_000, 2_000), (1_000, 3_000)], modified(2_500), Some(1)),
        ("added", two.clone(), facts(vec![change(TreeChangeKind::Added, Some(3_500))]), None),
        ("removed", two.clone(), facts(vec![change(TreeChangeKind::Removed, Some(2_500))]), Some(1)),
    ] {
        let verdict = Row { steps, facts }.judge(false);
        let told = verdict.reasons.iter().find(|reason| reason.contains("src/main.rs"));
        match void {
            None => assert_eq!((verdict.decision, told), (Decision::Pass, None), "{name}"),
            Some(count) => {
                let told = told.unwrap();
                // Another run does not help if a step of the run itself writes.
                let is_by_step = !told.contains(" during the run ");
                let asked = if is_by_step { AgentAction::FixSpecification } else { AgentAction::RequestRetest };
                let is = (verdict.decision, verdict.exit, verdict.agent_action);
                assert_eq!(is, (Decision::Blocked, Exit::Specification, asked), "{name}");
                assert_eq!(is_by_step, name.starts_with("in the ") || name == "removed", "{name}");
                let steps = if count == 1 { "1 step void".to_owned() } else { format!("{count} steps void") };
                assert!(
                    told.contains("after unit1") && told.contains(&steps) && told.contains("`outputs`"),
                    "{name}: {told}"
                );
                assert!(!verdict.completion.complete && verdict.build_error.is_some());
            }
        }
    }
}

#[test]
fn a_failure_stays_a_failure_and_names_the_change_too() {
    let verdict = Row { steps: vec![(1_000, 2_000), (2_001, 3_000)], facts: modified(2_500) }.judge(true);
    assert_eq!((verdict.decision, verdict.exit), (Decision::Fail, Exit::Failed));
    assert_ne!(verdict.agent_action, AgentAction::RequestRetest);
    assert!(
        verdict.reasons[0].contains("STEP.2") && verdict.reasons.iter().any(|reason| reason.contains("src/main.rs"))
    );
}

#[test]
fn changes_that_are_not_listed_void_everything_unless_they_can_only_be_additions() {
    let listed = |kind| {
        let mut facts = facts(vec![change(kind, Some(1_500)); limit::TREE_CHANGES_LISTED]);
        facts.change_count += 7;
        Row { steps: vec![(1_000, 2_000)], facts }.judge(false)
    };
    let verdict = listed(TreeChangeKind::Modified);
    assert_eq!((verdict.decision, verdict.exit), (Decision::Blocked, Exit::Specification));
    assert!(verdict.reasons.concat().contains("7 inputs more"), "{:?}", verdict.reasons);
    assert_eq!(listed(TreeChangeKind::Added).decision, Decision::Pass);
}

#[test]
fn many_changes_are_counted_beyond_the_first() {
    let verdict =
        Row { steps: vec![(1_000, 2_000)], facts: facts(vec![change(TreeChangeKind::Modified, Some(5_000)); 100]) }
            .judge(false);
    assert_eq!(verdict.reasons.len(), 1);
    assert!(verdict.reasons[0].contains("src/main.rs and 97 more were modified"), "{:?}", verdict.reasons);
}

/// Judges three checks in sequence, the last two of which overlap, with the changes during the run.
fn reasons(changes: Vec<TreeChange>) -> Vec<String> {
    let mut plan: Plan = plan(Vec::new());
    let mut run = fixture::run(RunEnding::Finished);
    run.run_context.tree = Some(facts(changes));
    let mut reports = Vec::new();
    let checks = [
        ("types", "npx tsc", (1_000, 2_000)),
        ("lint", "npx eslint --fix .", (2_010, 3_000)),
        ("api docs", "node docs.js", (2_500, 4_000)),
    ];
    for (index, (name, command, (started, ended))) in checks.into_iter().enumerate() {
        let mut action = line(&format!("STEP.{}", index + 1), command);
        name.clone_into(&mut action.name);
        let mut record = exited(&action, 0);
        record.span.started = Timestamp::from_millisecond(started);
        record.span.ended = Timestamp::from_millisecond(ended);
        plan.actions.push(action.clone());
        reports.push(judged(&plan, &action, record, referee_model::reading::Reading::default()));
    }
    let verdict = verdict(&plan, &run, &reports, &std::collections::BTreeMap::new(), EvaluatorOutput::default());
    assert_eq!(verdict.decision, Decision::Blocked);
    verdict.reasons
}

#[test]
fn who_wrote_a_file_is_named_with_what_to_do() {
    let of = |path: &str, kind, at| TreeChange { path: path.to_owned(), ..change(kind, Some(at)) };
    let told = reasons(vec![of("src/x.py", TreeChangeKind::Modified, 2_100)]);
    assert_eq!(
        told,
        [
            "lint rewrote src/x.py after types had looked at it (1 step void): a check must only look (eslint: leave out \
          `--fix`); what it makes belongs under `outputs`; if another process wrote there, run again"
        ]
    );
    let many = ["a", "b", "c", "d"].map(|path| of(path, TreeChangeKind::Modified, 2_700)).to_vec();
    let told = reasons(many);
    assert!(told[0].starts_with("one of lint, STEP.3 rewrote a, b, c and 1 more after types had"), "{told:?}");
    let told = reasons(vec![
        of("a", TreeChangeKind::Modified, 2_100),
        of("b", TreeChangeKind::Modified, 3_500),
        of("c", TreeChangeKind::Removed, 2_100),
    ]);
    assert!(told[0].starts_with("lint rewrote a "), "{told:?}");
    assert!(told[1].starts_with("STEP.3 rewrote b after types had looked at it (2 steps void)"), "{told:?}");
    assert!(told[2].starts_with("lint removed c "), "{told:?}");
    // The time of a file lags: a change by an action as it begins may have an earlier time.
    let told = reasons(vec![of("a", TreeChangeKind::Modified, 2_005)]);
    assert!(told[0].starts_with("lint rewrote a "), "{told:?}");
    let told = reasons(vec![of("a", TreeChangeKind::Modified, 9_000)]);
    assert!(told[0].starts_with("a was modified during the run at ") && told[0].contains("run again"), "{told:?}");
}

#[test]
fn how_a_tool_only_looks_is_said_by_what_its_command_gives_and_for_each_tool() {
    for (line, seen_through, told) in [
        ("ruff check .", &[][..], " (ruff: `--no-fix`)"),
        ("ruff check --fix .", &[], " (ruff: leave out `--fix`)"),
        ("ruff format .", &[], " (ruff format: `--check`)"),
        ("npx eslint .", &[], ""),
        ("npx eslint --fix .", &[], " (eslint: leave out `--fix`)"),
        (
            "npm run fmt",
            &["prettier --write src && eslint --fix src"],
            " (prettier: `--check` instead of `--write`; eslint: leave out `--fix`)",
        ),
        ("npx prettier -w . && npx prettier -w docs", &[], " (prettier: `--check` instead of `-w`)"),
        ("golangci-lint run", &[], " (golangci-lint: `--fix=false`)"),
        ("black .", &[], " (black: `--check`)"),
        ("node docs.js", &[], ""),
    ] {
        let mut command = fixture::command(line);
        command.seen_through = seen_through.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(looks(&command), told, "{line}");
    }
}

type Spoil = fn(&mut TreeFacts);

#[test]
fn facts_that_contradict_themselves_are_a_fault_and_never_a_pass() {
    let good = || facts(vec![change(TreeChangeKind::Removed, Some(500)), change(TreeChangeKind::Added, Some(500))]);
    assert_eq!(Row { steps: vec![(1_000, 2_000)], facts: good() }.judge(false).decision, Decision::Pass);
    let spoils: [Spoil; 7] = [
        |facts| facts.change_count = 0,
        |facts| facts.change_count = 50,
        |facts| facts.after.digest = facts.before.digest,
        |facts| facts.after.files += 1,
        |facts| facts.before.files = u64::MAX,
        |facts| facts.changes.reverse(),
        |facts| {
            facts.changes.clear();
            facts.change_count = 0;
        },
    ];
    for (number, spoil) in spoils.into_iter().enumerate() {
        let mut facts = good();
        spoil(&mut facts);
        let verdict = Row { steps: vec![(1_000, 2_000)], facts }.judge(false);
        assert_eq!((verdict.decision, verdict.exit), (Decision::Blocked, Exit::Internal), "spoil {number}");
        assert!(verdict.reasons.concat().contains("contradicts itself"), "spoil {number}");
    }
}

#[test]
fn a_source_that_is_written_while_tests_run_and_holds_the_same_voids_them() {
    let two = vec![(1_000, 2_000), (2_100, 3_000)];
    for (name, path, at, generated, void) in [
        ("before the first test", "src/sum.js", 900, false, 0),
        ("in the first", "src/sum.js", 1_500, false, 1),
        ("as the first ends", "src/sum.js", 2_001, false, 1),
        ("in the second", "src/sum.js", 2_500, false, 1),
        ("between both, by nobody of the run", "src/sum.js", 2_050, false, 1),
        ("after both", "src/sum.js", 3_500, false, 2),
        ("a test", "test/sum.test.js", 1_500, false, 1),
        ("what says that it is generated", "src/sum.js", 1_500, true, 0),
        ("what tests compare with", "test/fixtures/sum.js", 1_500, false, 0),
        ("a lock file", "package-lock.json", 1_500, false, 0),
    ] {
        let rewrite = TreeRewrite { path: path.to_owned(), at: Timestamp::from_millisecond(at), generated };
        let facts = TreeFacts { rewritten: vec![rewrite], ..facts(Vec::new()) };
        let verdict = Row { steps: two.clone(), facts }.judge(false);
        let told = verdict.reasons.iter().filter(|reason| reason.contains("may have been swapped")).count();
        assert_eq!(told, void, "{name}: {:?}", verdict.reasons);
        let expected = if void == 0 { Decision::Pass } else { Decision::Blocked };
        assert_eq!(verdict.decision, expected, "{name}");
    }
}

#[test]
fn inputs_that_cannot_be_read_void_several_steps_and_no_single_one() {
    for (steps, decision) in
        [(vec![(1_000, 2_000)], Decision::Pass), (vec![(1_000, 2_000), (2_001, 3_000)], Decision::Blocked)]
    {
        let mut plan: Plan = plan(Vec::new());
        let mut run = fixture::run(RunEnding::Finished);
        run.run_context.unread_inputs = Some("an input cannot be read: data/huge.bin (too large)".to_owned());
        let mut reports = Vec::new();
        for (index, (started, ended)) in steps.into_iter().enumerate() {
            let action = line(&format!("STEP.{}", index + 1), "npx jest");
            let mut record = exited(&action, 0);
            (record.span.started, record.span.ended) =
                (Timestamp::from_millisecond(started), Timestamp::from_millisecond(ended));
            plan.actions.push(action.clone());
            reports.push(judged(&plan, &action, record, fixture::tests("jest", 5, 0, 0)));
        }
        let verdict = verdict(&plan, &run, &reports, &std::collections::BTreeMap::new(), EvaluatorOutput::default());
        assert_eq!(verdict.decision, decision);
        if decision == Decision::Blocked {
            assert_eq!(verdict.agent_action, AgentAction::FixSpecification);
            let told = &verdict.reasons[0];
            assert!(told.contains("data/huge.bin") && told.contains("`outputs`"), "{told}");
        }
    }
}

use referee_model::plan::guard::Answer;
use referee_model::run_context::protection::{Protection, Suppression, TrustedBaseline, Weakening};
use referee_model::run_context::suppression::SuppressionKind;
use referee_model::run_context::weakening::WeakeningKind;

use super::*;

fn protection(suppressions: Vec<Suppression>, weakenings: Vec<Weakening>) -> Protection {
    Protection {
        baseline: TrustedBaseline::Git { reference: "main".to_owned(), commit: "0".repeat(40) },
        files: 0,
        drift: Vec::new(),
        tests: Vec::new(),
        suppressions,
        weakenings,
        notes: Vec::new(),
    }
}

fn suppression(blocks: bool) -> Suppression {
    Suppression {
        path: "src/quotes.ts".to_owned(),
        line: 12,
        kind: SuppressionKind::TsIgnore,
        text: "// @ts-ignore".to_owned(),
        blocks,
    }
}

fn weakening(kind: WeakeningKind) -> Weakening {
    Weakening {
        kind,
        subject: "unit".to_owned(),
        before: "10000 ms".to_owned(),
        after: "20000 ms".to_owned(),
        blocks: kind.blocks(),
    }
}

impl Task {
    fn weaker(mut self, suppressions: &[Suppression], weakenings: &[WeakeningKind]) -> Self {
        let weakenings = weakenings.iter().map(|kind| weakening(*kind)).collect();
        self.run.run_context.protection = Some(protection(suppressions.to_vec(), weakenings));
        self
    }

    fn earlier(mut self, tests: u64, answer: Answer) -> Self {
        self.plan.guard.suppressions = answer;
        self.run.run_context.earlier_tests = [(id("STEP.1"), tests)].into();
        self
    }
}

#[test]
fn what_is_weaker_and_blocks_keeps_a_run_from_being_judged() {
    use WeakeningKind::{CommandChanged, TimeoutRaised};
    let passed = || Task::new().passed("STEP.1");
    hold(vec![
        (passed().weaker(&[], &[]), "Success Pass Passed RequestStatusUpdate"),
        (passed().weaker(&[suppression(false)], &[CommandChanged]), "Success Pass Passed RequestStatusUpdate"),
        (passed().weaker(&[suppression(true)], &[]), "PartialSuccess Blocked Specification ImplementFix"),
        (passed().weaker(&[], &[TimeoutRaised]), "PartialSuccess Blocked Specification FixSpecification"),
        (
            passed().weaker(&[suppression(true)], &[TimeoutRaised]),
            "PartialSuccess Blocked Specification FixSpecification",
        ),
        (Task::new().failed("STEP.1").weaker(&[suppression(true)], &[]), "Failure Blocked Specification ImplementFix"),
        (
            passed().problem("wrong").weaker(&[suppression(true)], &[]),
            "SpecificationError Blocked Specification FixSpecification",
        ),
        (
            passed().weaker(&[suppression(true)], &[]).ending(RunEnding::Interrupted { signal: 2 }),
            "Interrupted Blocked Interrupted { signal: 2 } RequestRetest",
        ),
    ]);
}

#[test]
fn the_reasons_name_the_place_and_the_subject() {
    let verdict = Task::new().passed("STEP.1").weaker(&[suppression(true)], &[WeakeningKind::TimeoutRaised]).verdict();
    assert_eq!(
        verdict.reasons,
        [
            "the specification asks for less than at the baseline: unit: timeout-raised: 20000 ms, before: 10000 ms",
            "src/quotes.ts:12: ts-ignore was added: // @ts-ignore",
        ]
    );
    assert_eq!(verdict.completion.reason, verdict.reasons[0]);
    assert!(!verdict.completion.complete);
    let many = vec![suppression(true); 30];
    let reasons = Task::new().passed("STEP.1").weaker(&many, &[]).verdict().reasons;
    assert_eq!((reasons.len(), reasons[20].as_str()), (21, "and 10 suppressions more, each of which blocks"));
}

#[test]
fn fewer_tests_than_in_the_best_run_are_told_or_block() {
    let passed = || Task::new().passed("STEP.1");
    let unknown = || Task::new().ran("STEP.1", "npm test", 0, nothing());
    let (fine, blocked) =
        ("Success Pass Passed RequestStatusUpdate", "PartialSuccess Blocked Specification ImplementFix");
    hold(vec![
        (passed().earlier(5, Answer::Block), fine),
        (passed().earlier(4, Answer::Block), fine),
        (passed().earlier(0, Answer::Block), fine),
        (passed().earlier(6, Answer::Block), blocked),
        (passed().earlier(6, Answer::Report), fine),
        (passed().earlier(6, Answer::Ignore), fine),
        (passed().earlier(6, Answer::Default), fine),
        (passed().weaker(&[], &[]).earlier(6, Answer::Default), blocked),
        (passed().weaker(&[], &[]).earlier(5, Answer::Default), fine),
        (passed().weaker(&[], &[]).earlier(6, Answer::Report), fine),
        (passed().weaker(&[], &[]).earlier(6, Answer::Ignore), fine),
        (unknown().earlier(6, Answer::Block), blocked),
    ]);
    let reasons = |task: Task| task.verdict().reasons.join(" / ");
    let told = "fewer tests: 5 ran, 6 in the best run so far (fewer-tests, STEP.1 check)";
    assert_eq!(reasons(passed().earlier(6, Answer::Block)), told);
    assert_eq!(reasons(passed().earlier(6, Answer::Report)), format!("1 step passed / {told}"));
    assert_eq!(reasons(passed().earlier(6, Answer::Ignore)), "1 step passed");
    assert!(reasons(unknown().earlier(6, Answer::Report)).contains("nothing tells how many tests ran"));
    let since = reasons(passed().weaker(&[], &[]).earlier(6, Answer::Report));
    assert!(since.contains("5 ran, 6 in the best run since the commit 000000000000 (main)"), "{since}");
    let failed = Task::new().failed("STEP.1").earlier(6, Answer::Block).verdict();
    assert_eq!((failed.decision, failed.reasons.len()), (Decision::Fail, 1), "{:?}", failed.reasons);
}

#[test]
fn a_count_of_an_action_that_is_not_there_changes_nothing() {
    let mut task = Task::new().passed("STEP.1").earlier(6, Answer::Block);
    task.run.run_context.earlier_tests = [(id("STEP.9"), 6)].into();
    assert_eq!(task.verdict().decision, Decision::Pass);
}

use referee_model::condition::{Condition, parse};
use referee_model::debt::DebtAssessment;
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::plan::{Strategy, ToolPolicy};
use referee_model::record::RunEnding;
use referee_model::selection::LeftOut;

use super::*;
use crate::criteria;
use crate::fixture::{exited, findings, judged, line, nothing, plan, run, tests};

fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

/// An action's id, its command, and its exit code and reading, or why it was skipped.
type Row<'a> = (&'a str, &'a str, Result<(i32, Reading), SkipReason>);

/// Returns a report of commands that exited, each with its reading, or that were skipped.
fn report(change: impl FnOnce(&mut Plan), actions: Vec<Row<'_>>) -> Report {
    let mut plan = plan(actions.iter().map(|(id, text, _)| line(id, text)).collect());
    change(&mut plan);
    let mut run = run(RunEnding::Finished);
    let reports = actions.into_iter().map(|(id, text, came)| {
        let action = line(id, text);
        match came {
            Ok((code, reading)) => judged(&plan, &action, exited(&action, code), reading),
            Err(reason) => {
                run.skipped.insert(action.id.clone(), reason.clone());
                ActionReport { action, history: ActionHistory::Skipped(reason) }
            }
        }
    });
    let actions: Vec<_> = reports.collect();
    run.scope.reduced = run.skipped.values().any(|reason| matches!(reason, SkipReason::LeftOut(_)));
    let verdict = criteria::verdict(
        &plan,
        &run,
        &actions,
        &std::collections::BTreeMap::new(),
        crate::criteria::EvaluatorOutput::default(),
    );
    let (diagnostics, debt) = (DiagnosticLog::default(), DebtAssessment::default());
    Report { plan, run, actions, verdict, diagnostics, debt }
}

fn explained(report: &Report, action_id: &str) -> ActionExplanation {
    action(report, &id(action_id)).unwrap()
}

#[test]
fn an_action_that_blocks_by_an_option_names_it_with_the_numbers() {
    let limited = |plan: &mut Plan| {
        let policy = ToolPolicy {
            block_on: Some(Strategy::ErrorsOnly),
            max_warnings: Some(10),
            ignored_rules: vec!["no-console".to_owned()],
            ..ToolPolicy::default()
        };
        plan.policies.tools.insert("eslint".to_owned(), policy);
        let text = "STEP.1.warningCount < 20";
        let condition = Condition { text: text.into(), description: "few".into(), expression: parse(text).unwrap() };
        plan.criteria.success = vec![condition];
    };
    let report = report(limited, vec![("STEP.1", "npx eslint .", Ok((0, findings("eslint", 0, 15, 1))))]);
    let explained = explained(&report, "STEP.1");
    assert_eq!(
        explained.policy,
        [
            "strategy: BLOCK_ON_ERRORS_ONLY, the `blockOn` of eslint",
            "read: 0 errors, 15 warnings",
            "ignoredRules: takes nothing away",
            "maxWarnings: 15 warnings left, more than the 10 allowed",
            "what counts: 0 errors, 15 warnings; they block, decided by maxWarnings",
        ]
    );
    assert_eq!(explained.rule.map(referee_model::outcome::Rule::as_str), Some("validation/findings"));
    assert_eq!(explained.task[0], "it blocks: the task cannot pass");
    assert!(explained.task[1].starts_with("the decision on the task is FAIL, because STEP.1"), "{:?}", explained.task);
    assert_eq!(explained.conditions.len(), 1);
    assert!(!explained.conditions[0].against);
    assert!(explained.reader.unwrap().contains("because that is what the command runs"));
    assert_eq!(explained.next.unwrap(), "Fix the code that the findings name");
}

#[test]
fn skipped_actions_say_what_kept_them_and_where_to_look() {
    let actions = vec![
        ("STEP.1", "npx tsc", Ok((2, findings("tsc", 1, 0, 0)))),
        ("STEP.2", "npx jest", Err(SkipReason::NeedNotMet(id("STEP.1")))),
    ];
    let report = report(|_| {}, actions);
    let skipped = explained(&report, "STEP.2");
    assert_eq!(skipped.skipped.as_deref(), Some("STEP.1, which it needs, did not pass"));
    assert_eq!((skipped.rule, skipped.reader.is_some(), skipped.policy.len()), (None, false, 0));
    assert_eq!(skipped.task[0], "it should have run and did not: the task cannot pass");
    assert_eq!(skipped.next.as_deref(), Some("Fix STEP.1 first, then run again: `referee explain STEP.1`"));
    let blocker = explained(&report, "STEP.1");
    assert!(blocker.task.contains(&"because of it 1 action did not run, or does not count".to_owned()));
    assert!(action(&report, &id("STEP.9")).is_none());
}

#[test]
fn a_task_is_explained_by_what_stands_for_it_and_against_it() {
    let actions = vec![
        ("STEP.1", "npx tsc", Ok((0, nothing()))),
        ("STEP.2", "npx eslint .", Ok((0, findings("eslint", 0, 2, 0)))),
        ("STEP.3", "npx jest", Ok((1, tests("jest", 3, 2, 0)))),
        ("STEP.4", "./slow", Err(SkipReason::LeftOut(LeftOut::Profile))),
        ("CLEANUP.1", "./tidy", Ok((1, nothing()))),
    ];
    let report = report(|_| {}, actions);
    let task = task(&report);
    let stands: Vec<_> = task.actions.iter().map(|action| action.stand).collect();
    assert_eq!(stands, [Stand::For, Stand::Allowed, Stand::Against, Stand::NotCounted, Stand::NotCounted]);
    assert!(task.completion.starts_with("not complete: "), "{}", task.completion);
}

#[test]
fn whatever_is_against_a_pass_is_in_the_verdict_or_never_ran() {
    for code in [0, 1, 2, 127] {
        for reading in [nothing(), findings("eslint", 1, 2, 3), tests("jest", 1, 1, 0)] {
            let report = report(|_| {}, vec![("STEP.1", "npx eslint .", Ok((code, reading.clone())))]);
            let task = task(&report);
            let against = task.actions.iter().filter(|action| action.stand == Stand::Against);
            assert_eq!(against.map(|action| action.action.clone()).collect::<Vec<_>>(), report.verdict.blocking);
        }
    }
}

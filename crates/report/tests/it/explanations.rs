//! Explanations conform to their schema, and an action in them equals the one in the report.

use referee_model::explanation::{
    ActionExplanation, ActionStanding, ConditionKind, ConditionTold, RoleTold, Stand, TaskExplanation,
};
use referee_model::outcome::Rule;
use referee_model::plan::Role;
use referee_model::report::{ActionReport, Report};
use referee_model::verdict::Truth;
use referee_report::execution_report;
use referee_report::explanation;
use serde_json::Value;

use crate::fixture::{self, run_context};

fn condition(kind: ConditionKind) -> ConditionTold {
    ConditionTold {
        kind,
        condition: "STEP.1.success".to_owned(),
        truth: Truth::NotJudged,
        against: true,
        reason: "it was left out".to_owned(),
    }
}

fn explained(found: &ActionReport) -> ActionExplanation {
    ActionExplanation {
        action: found.action.id.clone(),
        role: Some(RoleTold { role: Role::Lint, because: "it runs eslint".to_owned(), contradiction: None }),
        reader: None,
        rule: found.ran().map(|ran| ran.judgement.rule),
        policy: vec!["read: 1 error, 0 warnings".to_owned()],
        skipped: None,
        task: vec!["it blocks".to_owned()],
        conditions: [ConditionKind::Success, ConditionKind::Failure, ConditionKind::ExpectedOutput]
            .map(condition)
            .into(),
        next: None,
    }
}

fn reports() -> impl Iterator<Item = Report> {
    let others = [run_context::requests(), run_context::services(), run_context::reduced()];
    fixture::of_each_outcome().into_iter().map(|(_, report)| report).chain(others)
}

#[test]
fn what_an_explanation_says_of_an_action_is_what_the_report_says() {
    for report in reports() {
        let whole: Value = serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap();
        let phases = ["prerequisiteExecution", "stepExecution", "cleanupExecution"];
        let results: Vec<&Value> =
            phases.iter().flat_map(|phase| whole[*phase]["results"].as_array().unwrap()).collect();
        for found in &report.actions {
            let (explained, notes) = (explained(found), ["a note".to_owned()]);
            let document = explanation::of_action(&report, &explained, &notes);
            let document = serde_json::to_value(&document).unwrap();
            let told = &document["action"];
            match found.ran() {
                Some(ran) => {
                    assert!(results.contains(&&told["result"]), "{}", found.action.id);
                    assert_eq!(document["rule"]["meaning"], ran.judgement.rule.meaning());
                }
                None => assert!(whole["skippedActions"].as_array().unwrap().contains(&told["skipped"])),
            }
        }
    }
}

#[test]
fn an_explanation_of_a_task_names_its_run_and_of_a_rule_says_so() {
    let stands = [Stand::Against, Stand::Allowed, Stand::For, Stand::NotCounted];
    for report in reports() {
        let actions = report.actions.iter().zip(stands.into_iter().cycle()).map(|(found, stand)| ActionStanding {
            action: found.action.id.clone(),
            name: found.action.name.clone(),
            stand,
            rule: found.ran().map(|ran| ran.judgement.rule),
            reason: "so it is".to_owned(),
        });
        let task = TaskExplanation {
            actions: actions.collect(),
            conditions: vec![condition(ConditionKind::Failure)],
            completion: "not complete".to_owned(),
        };
        let document = serde_json::to_value(explanation::of_task(&report, &task, &[])).unwrap();
        assert_eq!(document["run"]["taskId"], report.plan.task.as_str());
        assert_eq!(document["task"]["actions"][0]["stand"], stands[0].as_str());
    }
    for rule in Rule::ALL {
        let document = serde_json::to_value(explanation::of_rule(rule)).unwrap();
        assert_eq!(document["about"], "rule");
    }
}

//! Data that conditions need.

use super::*;

fn asking(texts: &[&str]) -> Plan {
    let mut plan = fixture::plan(vec![
        fixture::service("PREREQ.1", fixture::dev_server()),
        line("STEP.1", "npx eslint ."),
        fixture::http("STEP.2", fixture::request("http://localhost/")),
        fixture::file("STEP.3", FileExpectation::Present(FileContent::default())),
        fixture::query("STEP.5", Vec::new()),
        fixture::browser("STEP.6"),
        line("STEP.4", "./last"),
        line("CLEANUP.1", "./clean"),
    ]);
    let condition = |text: &&str| Condition {
        text: (*text).to_owned(),
        description: String::new(),
        expression: parse(text).unwrap(),
    };
    plan.criteria.success = texts.iter().map(condition).collect();
    plan
}

#[test]
fn only_what_conditions_ask_for_is_wanted() {
    for (text, expected) in [
        ("STEP.1.exitCode === 0", ""),
        ("STEP.1.stdout.includes('a') || STEP.1.stdout.includes('a')", "STEP.1 Stdout[\"a\"]"),
        ("!STEP.1.stderr.includes('é')", "STEP.1 Stderr[\"é\"]"),
        ("STEP.1.stdout.includes('')", "STEP.1 Stdout[]"),
        ("stdout.includes('a')", "STEP.4 Stdout[\"a\"]"),
        ("eslint.stdout.includes('a')", "STEP.1 Stdout[\"a\"]"),
        ("PREREQ.1.stdout.includes('ready')", "PREREQ.1 Stdout[\"ready\"]"),
        ("STEP.1.stdout === 'a'", "STEP.1 whole Stdout"),
        ("STEP.1.stdout.length > 1 && STEP.1.stdout", "STEP.1 whole Stdout"),
        ("STEP.1.stdout.includes(STEP.4.stderr)", "STEP.1 whole Stdout, STEP.4 whole Stderr"),
        ("STEP.2.body.id === 1 && STEP.2.body", "STEP.2 content"),
        ("Array.isArray(STEP.2.body)", "STEP.2 content"),
        ("STEP.3.json.version === '1'", "STEP.3 content"),
        ("STEP.5.rows[0].id === 1", "STEP.5 content"),
        ("STEP.5.result.length > 1", "STEP.5 content"),
        ("STEP.5.rowCount === 1", ""),
        ("STEP.6.result === 1", ""),
        // Actions of its kind have no such field, or the action does not exist.
        ("STEP.3.stdout.includes('a')", ""),
        ("STEP.1.body", ""),
        ("STEP.9.stdout === 'a'", ""),
        ("tsc.stdout === 'a'", ""),
    ] {
        assert_eq!(shown(&wanted(&asking(&[text]))), expected, "{text}");
    }
    let mut plan = asking(&[]);
    plan.criteria.failure = asking(&["STEP.1.stderr.includes('Error')"]).criteria.success;
    plan.criteria.expected_output =
        Some(ExpectedOutput { stdout_contains: vec!["ok".to_owned()], stderr_empty: Some(true), exit_code: Some(0) });
    assert_eq!(shown(&wanted(&plan)), "STEP.1 Stderr[\"Error\"], STEP.4 Stdout[\"ok\"]");
}

fn shown(wanted: &BTreeMap<ActionId, referee_model::condition_inputs::ConditionQuery>) -> String {
    let of = |(id, wanted): (&ActionId, &referee_model::condition_inputs::ConditionQuery)| {
        let mut parts = vec![id.to_string()];
        parts.extend(wanted.needles.iter().map(|(stream, needles)| format!("{stream:?}{needles:?}")));
        parts.extend(wanted.whole.iter().map(|stream| format!("whole {stream:?}")));
        parts.extend(wanted.content.then(|| "content".to_owned()));
        parts.join(" ")
    };
    wanted.iter().map(of).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_task_without_actions_makes_everything_unknown() {
    let empty = Fixture::new();
    empty.hold(&[
        ("exitCode === 0", 'U'),
        ("STEP.1", 'U'),
        ("tsc.exitCode === 0", 'U'),
        ("true", 'T'),
        ("1 === 2", 'F'),
    ]);
    // In the plan, but without a report.
    let mut unreported = commands();
    unreported.reports.clear();
    unreported.hold(&[("STEP.1.success", 'U'), ("STEP.3.skipped", 'U'), ("STEP.4.success", 'U')]);
}

#[test]
fn only_steps_are_last_steps() {
    let world = commands().command("CLEANUP.1", "./clean", 9, nothing());
    assert!(world.plan.actions.iter().any(|action| action.phase == Phase::Cleanup));
    world.hold(&[("exitCode === 0", 'T'), ("CLEANUP.1.exitCode === 9", 'T')]);
    assert!(matches!(last_command(&world.plan).map(|action| &action.work), Some(Work::Command(_))));
    assert_eq!(last_command(&world.plan).map(|action| action.id.as_str()), Some("STEP.5"));
    world.hold(&[("outcome === 'SUCCESS'", 'T')]);
}

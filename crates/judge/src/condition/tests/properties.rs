//! Properties of all conditions.

use super::*;

/// Generates a condition over facts of each kind, as text.
fn any_condition() -> impl Generator<Value = String> {
    let leaf = sample::select(vec![
        "STEP.1.success",
        "STEP.2.exitCode === 0",
        "STEP.1.exitCode > 1",
        "STEP.3.exitCode === 0",
        "STEP.3.skipped",
        "STEP.4.success",
        "STEP.4.exitCode !== 1",
        "STEP.5.stdout.includes('v20')",
        "STEP.5.stdout.includes('never looked for')",
        "STEP.2.stdout === 'all is well'",
        "Array.isArray(STEP.2.stdout)",
        "eslint.errorCount === 0",
        "STEP.1.exitCode < 'a'",
        "STEP.4.exitCode === STEP.3.exitCode",
        "null",
        "true",
        "''",
        "7",
    ])
    .prop_map(|leaf| format!("({leaf})"));
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} && {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} || {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} === {right})")),
            inner.clone().prop_map(|inner| format!("!{inner}")),
            inner.prop_map(|inner| format!("(!{inner})")),
        ]
    })
}

/// Generates texts that replace everything left out of a condition by something that was not.
fn any_replacement() -> impl Generator<Value = Vec<&'static str>> {
    let replaced = prop_oneof![Just("true"), Just("false"), Just("STEP.3.success")];
    collection::vec(replaced, 2)
}

proptest! {
    #[test]
    fn the_laws_of_the_logic_hold(left in any_condition(), right in any_condition(), third in any_condition()) {
        let world = commands();
        let same = |one: String, other: String| {
            let (one_truth, other_truth) = (world.evaluate(&one).truth, world.evaluate(&other).truth);
            (one_truth == other_truth).then_some(()).ok_or(format!("{one} and {other}"))
        };
        for law in [
            same(format!("!({left} && {right})"), format!("!{left} || !{right}")),
            same(format!("!({left} || {right})"), format!("!{left} && !{right}")),
            same(format!("!!{left}"), left.clone()),
            same(format!("{left} && {right}"), format!("{right} && {left}")),
            same(format!("{left} || {right}"), format!("{right} || {left}")),
            same(format!("({left} && {right}) && {third}"), format!("{left} && ({right} && {third})")),
            same(format!("{left} && {left}"), left.clone()),
            same(format!("{left} && true"), left.clone()),
            same(format!("{left} || false"), left.clone()),
            same(format!("{left} && false"), "false".to_owned()),
            same(format!("{left} || true"), "true".to_owned()),
        ] {
            prop_assert_eq!(law, Ok(()));
        }
        // Only for the three values of Kleene's logic: a left-out value hides more, the more often it occurs.
        if ![&left, &right, &third].iter().any(|text| text.contains("STEP.4.")) {
            let distributed = format!("({left} && {right}) || ({left} && {third})");
            prop_assert_eq!(same(format!("{left} && ({right} || {third})"), distributed), Ok(()));
            let distributed = format!("({left} || {right}) && ({left} || {third})");
            prop_assert_eq!(same(format!("{left} || ({right} && {third})"), distributed), Ok(()));
        }
    }

    #[test]
    fn values_and_judgements_agree_and_reasons_are_given(text in any_condition()) {
        let world = commands();
        let expression = parse(&text).unwrap();
        let evaluator = Evaluator::new(world.context());
        let evaluated = evaluator.evaluate(&expression, true);
        prop_assert_eq!(evaluator.value(&expression).truth(), evaluated.truth, "{}", text);
        prop_assert_eq!(evaluator.evaluate(&expression, false).truth, evaluated.truth);
        prop_assert!(!evaluated.reason.is_empty() && evaluated.reason.len() < 4_000);
    }

    #[test]
    fn what_is_judged_does_not_depend_on_what_was_left_out(text in any_condition(), with in any_replacement()) {
        let world = commands();
        let truth = world.evaluate(&text).truth;
        let replaced = text
            .replace("STEP.4.success", with[0])
            .replace("STEP.4.exitCode !== 1", with[1])
            .replace("STEP.4.exitCode === STEP.3.exitCode", "STEP.3.success");
        // Compared values are left unchanged: a truth cannot replace a value there.
        if truth != Truth::NotJudged && !text.contains(") === (") && !text.contains(") === !") {
            prop_assert_eq!(world.evaluate(&replaced).truth, truth, "{}", replaced);
        }
    }
}

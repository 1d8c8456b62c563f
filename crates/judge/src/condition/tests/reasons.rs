//! Reasons of results of conditions.

use super::*;

#[test]
fn reasons_say_what_is_and_what_is_expected() {
    commands().explain(&[
        ("STEP.2.exitCode === 0", "STEP.2.exitCode is 0"),
        ("STEP.1.exitCode === 0", "STEP.1.exitCode is 2, 0 is expected; tsc found 1 error and 2 warnings"),
        ("0 === STEP.1.exitCode", "STEP.1.exitCode is 2, 0 is expected; tsc found 1 error and 2 warnings"),
        (
            "STEP.1.exitCode === 0 || STEP.1.exitCode === 1",
            "STEP.1.exitCode is 2, 0 or 1 is expected; tsc found 1 error and 2 warnings",
        ),
        ("STEP.1.errorCount === 0", "STEP.1.errorCount is 1, 0 is expected"),
        ("STEP.1.success", "STEP.1.success is false; tsc found 1 error and 2 warnings"),
        ("STEP.1.failed === true", "STEP.1.failed is true"),
        ("!(STEP.2.exitCode === 0)", "STEP.2.exitCode is 0, anything but 0 is expected"),
        ("!(STEP.2.duration >= 5)", "STEP.2.duration is 2000, less than 5 is expected"),
        ("5 > STEP.2.duration", "STEP.2.duration is 2000, less than 5 is expected"),
        ("STEP.2.duration > 3000", "STEP.2.duration is 2000, more than 3000 is expected"),
        ("STEP.2.duration <= 3", "STEP.2.duration is 2000, at most 3 is expected"),
        (
            "STEP.1.exitCode === STEP.2.exitCode",
            "STEP.1.exitCode is 2, 0 (STEP.2.exitCode) is expected; tsc found 1 error and 2 warnings",
        ),
        ("STEP.3.exitCode === 0", "STEP.3 was skipped: STEP.1, which it needs, did not pass"),
        ("STEP.4.exitCode === 0", "STEP.4 was left out: the profile leaves it out"),
        ("STEP.9.exitCode === 0", "STEP.9 is not an action of this task"),
        ("STEP.5.stdout.includes('v18')", "STEP.5.stdout does not contain 'v18'"),
        ("STEP.5.stdout.includes('v20')", "STEP.5.stdout contains 'v20'"),
        ("Array.isArray(STEP.2.stdout)", "STEP.2.stdout is 'all is well', a list is expected"),
        (
            "STEP.2.stdout < 5",
            "`STEP.2.stdout < 5` cannot be determined: a text and a number cannot be compared by `<`",
        ),
        ("STEP.2.exitCode", "STEP.2.exitCode is 0, neither empty, 0 nor null is expected"),
        ("STEP.2.success && STEP.2.exitCode === 0", "STEP.2.success is true; STEP.2.exitCode is 0"),
    ]);
    let many = ["STEP.2.exitCode === 1 && STEP.2.duration === 1 && STEP.1.skipped"; 3].join(" && ");
    assert_eq!(
        commands().evaluate(&format!("{many} && STEP.2.failed && STEP.5.failed && STEP.1.success")).reason,
        "STEP.2.exitCode is 0, 1 is expected; STEP.2.duration is 2000, 1 is expected; STEP.1.skipped is false; \
         STEP.2.failed is false; and 2 more"
    );
}

#[test]
fn the_value_that_decided_is_shown() {
    let world = commands();
    for (text, actual) in [
        ("STEP.1.exitCode === 0", Some(Actual::Number(2.0))),
        ("0 === STEP.1.exitCode", Some(Actual::Number(2.0))),
        ("STEP.2.success && STEP.1.success", Some(Actual::Boolean(false))),
        ("STEP.2.success || STEP.1.success", Some(Actual::Boolean(true))),
        ("STEP.2.stdout.includes('x')", Some(Actual::Text("all is well".to_owned()))),
        ("STEP.5.stdout.includes('v18')", None),
        ("STEP.3.exitCode === 0", None),
        ("1 === 2", None),
        ("true", None),
    ] {
        assert_eq!(world.evaluate(text).actual, actual, "{text}");
    }
    let body = Fixture::new().answered("STEP.1", 200, r#"{"a":[1,2],"n":null}"#);
    assert_eq!(body.evaluate("body.a").actual, Some(Actual::List(2)));
    assert_eq!(body.evaluate("body").actual, Some(Actual::Object));
    assert_eq!(body.evaluate("body.n === 1").actual, Some(Actual::Null));
    let long = Fixture::new().answered("STEP.1", 200, &"ß".repeat(MESSAGE_BYTES));
    let Some(Actual::Text(text)) = long.evaluate("body").actual else { panic!("a text is shown") };
    assert_eq!(text.len(), MESSAGE_BYTES);
    assert!(long.evaluate("body === 'x'").reason.len() < 400);
}

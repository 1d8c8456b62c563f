use referee_model::build_error::FailedPhase;
use referee_model::build_error::SystemError as Thrown;
use referee_model::time::Timestamp;

use super::*;

fn at() -> Timestamp {
    Timestamp::from_millisecond(0)
}

fn thrown(message: &str) -> Thrown {
    Thrown { name: "Error".to_owned(), message: message.to_owned(), ..Thrown::default() }
}

fn error(thrown: &Thrown) -> BuildError {
    of_system_error(thrown, at(), Options::default())
}

#[test]
fn be_06_a_plain_error_is_the_systems_with_its_message_and_its_stack() {
    let stack = "Error: Connection refused\n    at connect()";
    let error = error(&Thrown { stack: Some(stack.to_owned()), ..thrown("Connection refused") });
    assert_eq!((error.kind, error.message.as_str()), (BuildErrorType::SystemError, "Connection refused"));
    assert_eq!((error.stderr_tail.as_str(), error.stdout_tail.as_str()), (stack, ""));
    assert_eq!(error.context["errorName"], ContextValue::text("Error"));
    assert_eq!(error.context["errorStack"], ContextValue::text(stack));
    assert_eq!((error.exit_code, error.agent_result_file, error.verification_file), (None, None, None));
}

#[test]
fn be_30_the_message_tells_the_type_where_nobody_gives_it() {
    use BuildErrorType::{GithubError, SnapshotError, SystemError, WorkspaceError};
    for (message, kind) in [
        ("Failed to create workspace directory", WorkspaceError),
        ("No such DIRECTORY", WorkspaceError),
        ("Git snapshot failed", SnapshotError),
        ("git: not found", SnapshotError),
        ("GitHub API rate limit exceeded", GithubError),
        ("octokit said no", GithubError),
        ("github workspace", WorkspaceError),
        ("digital legitimacy", SystemError),
        ("Something unexpected happened", SystemError),
        ("", SystemError),
    ] {
        assert_eq!(error(&thrown(message)).kind, kind, "{message:?}");
    }
    let named = Thrown { name: "OctokitError".to_owned(), ..thrown("no") };
    assert_eq!(error(&named).kind, GithubError);
    let given = Thrown { kind: Some(BuildErrorType::CiFailed), ..thrown("workspace") };
    assert_eq!(error(&given).kind, BuildErrorType::CiFailed);
}

#[test]
fn be_31_a_text_that_was_thrown_has_no_name_and_no_stack() {
    let error = error(&Thrown { message: "just a text".to_owned(), ..Thrown::default() });
    assert_eq!((error.message.as_str(), error.stderr_tail.as_str()), ("just a text", ""));
    assert_eq!(error.context["errorName"], ContextValue::text(""));
    assert_eq!(error.context["errorStack"], ContextValue::Null);
}

#[test]
fn be_32_the_callers_context_is_kept_but_for_our_own_keys() {
    let context = BTreeMap::from([
        ("runId".to_owned(), ContextValue::text("r")),
        ("errorName".to_owned(), ContextValue::text("forged")),
    ]);
    let error = error(&Thrown { context, ..thrown("no") });
    assert_eq!(error.context["runId"], ContextValue::text("r"));
    assert_eq!(error.context["errorName"], ContextValue::text("Error"));
}

#[test]
fn be_33_the_phase_is_the_callers_or_none_and_the_time_is_a_time() {
    let phase = FailedPhase::named("snapshot");
    let named = error(&Thrown { phase: phase.clone(), ..thrown("no") });
    assert_eq!((named.phase, named.failed_at), (phase, at()));
    assert_eq!(error(&thrown("no")).phase, None);
}

#[test]
fn a_long_stack_is_bounded_at_both_of_its_places() {
    let stack = format!("\u{1b}[31mError\u{1b}[0m{}", "\n    at ß()".repeat(10_000));
    let error = error(&Thrown { stack: Some(stack), ..thrown("no") });
    assert_eq!(error.stderr_tail.lines().count(), limit::TAIL_LINES);
    let ContextValue::Text(kept) = &error.context["errorStack"] else { panic!("{:?}", error.context) };
    assert!(kept.starts_with("Error\n") && kept.len() <= limit::EXCERPT_BYTES);
}

#[test]
fn a_message_is_plain_and_both_ends_of_a_long_one() {
    let error = error(&thrown(&format!("\u{1b}[31mno\u{1b}[0m{}end", "ß".repeat(1 << 20))));
    assert!(error.message.starts_with("noß") && error.message.ends_with("ßend"));
    assert!(error.message.contains("ß\n… 2064390 bytes left out …\nß"));
    assert!(error.message.len() < 2 * limit::EXCERPT_BYTES + 100);
}

#[test]
fn be_40_and_be_41_a_run_over_its_time_says_both_spans() {
    for (elapsed, limit, elapsed_s, limit_s) in
        [(65_000, 60_000, 65, 60), (90_000_000, 86_400_000, 90_000, 86_400), (1_499, 500, 1, 1)]
    {
        let error = of_wall_clock(elapsed, limit, at());
        assert_eq!(error.kind, BuildErrorType::AgentTimeout);
        for part in ["exceeded".to_owned(), format!("{elapsed_s}s"), format!("{limit_s}s")] {
            assert!(error.message.contains(&part), "{}", error.message);
        }
        for (key, number) in [
            ("elapsedMs", elapsed),
            ("maxWallClockMs", limit),
            ("elapsedSeconds", elapsed_s),
            ("maxWallClockSeconds", limit_s),
        ] {
            assert_eq!(error.context[key], ContextValue::Number(number), "{key}");
        }
        assert_eq!(error.context["timeoutType"], ContextValue::text("wall_clock"));
    }
    assert!(of_wall_clock(u64::MAX, u64::MAX, at()).message.contains("exceeded"));
}

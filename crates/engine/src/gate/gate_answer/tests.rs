use super::*;

#[test]
fn the_checks_leave_time_for_the_answer() {
    for (timeout, elapsed_ms, expected) in [
        // Without a grace period: a second and a twentieth, at most half of the time limit.
        (290_000, 0, 284_000),
        (290_000, 10_000, 274_000),
        (20_000, 0, 18_000),
        (1_000, 0, 500),
        (1_000, 500, 0),
        (1_000, 5_000, 0),
        (0, 0, 0),
    ] {
        assert_eq!(time_for_checks(timeout, elapsed_ms, &[]), expected, "{timeout} {elapsed_ms}");
    }
}

#[test]
fn what_is_not_judged_is_never_a_pass() {
    for unanswered in [
        Unanswered::TookTooLong { last_ms: 9_000, time_ms: 1_850, timeout: 3_000, is_reused: true },
        Unanswered::OthersAsk { timeout: 3_000 },
        Unanswered::NoTimeLeft { timeout: 3_000, is_reused: false },
        Unanswered::Interrupted { signal: 2 },
    ] {
        let answer = unanswered.answer(&[]);
        assert_eq!(answer.decision, Decision::Blocked);
        assert_ne!(answer.exit, Exit::Passed);
        assert!(!answer.next.is_empty());
    }
}

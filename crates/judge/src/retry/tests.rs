use proptest::prelude::{prop_assert, proptest};

use super::*;

fn policy(backoff_ms: u64, multiplier: Multiplier, max_backoff_ms: u64) -> RetryPolicy {
    RetryPolicy { backoff_ms, multiplier, max_backoff_ms, jitter: false, ..default_policy() }
}

fn stops(decision: &RetryDecision, part: &str) -> bool {
    matches!(decision, RetryDecision::Stop { reason } if reason.contains(part))
}

#[test]
fn rt_01_and_rt_02_waits_grow_up_to_the_longest() {
    let doubling = policy(1_000, Multiplier::TWO, 30_000);
    let delays = |policy: &RetryPolicy| [0, 1, 2, 3].map(|attempt| delay_ms(policy, attempt, Chance::new(1.0)));
    assert_eq!(delays(&doubling), [1_000, 2_000, 4_000, 8_000]);
    assert_eq!(delays(&policy(10_000, Multiplier::TWO, 15_000)), [10_000, 15_000, 15_000, 15_000]);
    assert_eq!(delays(&policy(1_000, Multiplier::ONE_AND_A_HALF, 60_000)), [1_000, 1_500, 2_250, 3_375]);
    assert_eq!(delays(&policy(20_000, Multiplier::ONE, 15_000)), [15_000; 4]);
}

#[test]
fn rt_03_jitter_adds_up_to_a_quarter_after_the_longest_wait_is_taken() {
    let jittered = RetryPolicy { jitter: true, ..policy(1_000, Multiplier::TWO, 1_000) };
    for (chance, wait) in [(0.0, 1_000), (0.5, 1_125), (1.0, 1_250)] {
        assert_eq!(delay_ms(&jittered, 0, Chance::new(chance)), wait);
        assert_eq!(delay_ms(&jittered, 9, Chance::new(chance)), wait, "the longest wait is not the end of it");
    }
}

#[test]
fn rt_04_exhausted_retries_stop_whatever_failed() {
    let policy = default_policy();
    assert!(stops(&decide(&policy, BuildErrorType::SystemError, 2), "exhausted"));
    assert!(stops(&decide(&policy, BuildErrorType::TypecheckFailed, 9), "exhausted"));
    assert!(stops(&decide(&no_retries(), BuildErrorType::AgentTimeout, 0), "exhausted"));
}

#[test]
fn rt_05_what_is_not_retryable_stops_at_once() {
    let presets = [default_policy(), aggressive_policy()];
    let verification = [
        BuildErrorType::TypecheckFailed,
        BuildErrorType::LintFailed,
        BuildErrorType::TestFailed,
        BuildErrorType::BlackboxFailed,
        BuildErrorType::CiFailed,
        BuildErrorType::AgentTaskFailure,
        BuildErrorType::SnapshotError,
        BuildErrorType::Unknown,
    ];
    for policy in &presets {
        for kind in verification {
            assert!(stops(&decide(policy, kind, 0), "not retryable"), "{kind:?}");
        }
    }
}

#[test]
fn rt_06_and_rt_07_timeouts_are_retried_by_their_own_switch_too() {
    let none = RetryPolicy { retryable: BTreeSet::new(), ..default_policy() };
    assert!(matches!(decide(&none, BuildErrorType::AgentTimeout, 0), RetryDecision::Retry { .. }));
    let off = RetryPolicy { retry_on_timeout: false, ..none };
    assert!(stops(&decide(&off, BuildErrorType::AgentTimeout, 0), "not retryable"));
    let listed = RetryPolicy { retry_on_timeout: false, ..default_policy() };
    assert!(matches!(decide(&listed, BuildErrorType::AgentTimeout, 0), RetryDecision::Retry { .. }));
}

#[test]
fn rt_08_and_rt_10_attempts_are_one_more_than_retries_and_numbered() {
    let policy = RetryPolicy { jitter: false, ..default_policy() };
    let is_tried_again = |attempt: &u32| {
        let decision = decide(&policy, BuildErrorType::SystemError, *attempt);
        matches!(decision, RetryDecision::Retry { reason } if reason.ends_with(&format!("retry {} of 2", attempt + 1)))
    };
    let waits: Vec<u64> =
        (0..9).take_while(is_tried_again).map(|attempt| delay_ms(&policy, attempt, Chance::NONE)).collect();
    assert_eq!(waits, [5_000, 10_000]);
}

proptest! {
    #[test]
    fn no_wait_is_longer_than_the_longest_and_a_quarter(
        backoff in 0_u64..1 << 40, by in 1.0_f64..1000.0, longest in 0_u64..1 << 40, attempt: u32, chance: f64,
    ) {
        let jittered =
            RetryPolicy { jitter: true, ..policy(backoff, Multiplier::new(by).unwrap(), longest) };
        let wait = delay_ms(&jittered, attempt, Chance::new(chance));
        prop_assert!(wait <= longest + longest / 4);
        prop_assert!(delay_ms(&jittered, attempt, Chance::NONE) <= wait);
    }
}

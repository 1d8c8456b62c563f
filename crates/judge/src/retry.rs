//! Decides whether a failure is retried, and after which wait (seed 2, 1.6). Random numbers are passed in:
//! judging has no source of its own.

use std::collections::BTreeSet;

use referee_model::build_error::BuildErrorType;
use referee_model::retry::{Chance, Multiplier, RetryPolicy};

/// Maximum random addition to a wait, as a fraction of it.
const JITTER: f64 = 0.25;

/// Returns the default policy: two retries of failures that are often transient.
///
/// | preset     | retries | first wait | longer by | longest | retried                        | timeouts | jitter |
/// |------------|---------|------------|-----------|---------|--------------------------------|----------|--------|
/// | default    | 2       | 5 s        | × 2       | 30 s    | agent_timeout, system_error, github_error | yes | yes |
/// | aggressive | 5       | 1 s        | × 1.5     | 60 s    | and agent_crash, workspace_error | yes    | yes    |
/// | none       | 0       | –          | –         | –       | nothing                        | no       | no     |
pub fn default_policy() -> RetryPolicy {
    RetryPolicy {
        max_retries: 2,
        backoff_ms: 5_000,
        multiplier: Multiplier::TWO,
        max_backoff_ms: 30_000,
        retryable: BTreeSet::from([
            BuildErrorType::AgentTimeout,
            BuildErrorType::SystemError,
            BuildErrorType::GithubError,
        ]),
        retry_on_timeout: true,
        jitter: true,
    }
}

/// Returns the policy with five retries, also of crashes and workspace errors; see [`default_policy`].
pub fn aggressive_policy() -> RetryPolicy {
    let mut retryable = default_policy().retryable;
    retryable.extend([BuildErrorType::AgentCrash, BuildErrorType::WorkspaceError]);
    RetryPolicy {
        max_retries: 5,
        backoff_ms: 1_000,
        multiplier: Multiplier::ONE_AND_A_HALF,
        max_backoff_ms: 60_000,
        retryable,
        retry_on_timeout: true,
        jitter: true,
    }
}

/// Returns the policy without retries; see [`default_policy`].
pub fn no_retries() -> RetryPolicy {
    RetryPolicy {
        max_retries: 0,
        backoff_ms: 0,
        multiplier: Multiplier::ONE,
        max_backoff_ms: 0,
        retryable: BTreeSet::new(),
        retry_on_timeout: false,
        jitter: false,
    }
}

/// Returns the wait in milliseconds after the attempt with this 0-based number: the first wait, multiplied for
/// each earlier attempt, up to the maximum, plus up to a quarter at random.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "waits are far below 2^53 milliseconds, and a cast of what is above saturates"
)]
pub fn delay_ms(policy: &RetryPolicy, attempt: u32, chance: Chance) -> u64 {
    let longest = policy.max_backoff_ms as f64;
    let mut wait = policy.backoff_ms as f64;
    for _ in 0..attempt {
        // A wait of zero stays zero, and the maximum wait stays the maximum.
        if wait >= longest || wait <= 0.0 || policy.multiplier == Multiplier::ONE {
            break;
        }
        wait *= policy.multiplier.get();
    }
    let wait = wait.min(longest);
    let added = if policy.jitter { wait * JITTER * chance.get() } else { 0.0 };
    (wait + added) as u64
}

/// Whether to retry, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryDecision {
    Retry { reason: String },
    Stop { reason: String },
}

/// Decides whether a failure is retried. `attempt` is the 0-based number of the failed attempt.
///
/// | retries so far | type                                      | again |
/// |----------------|-------------------------------------------|-------|
/// | all used up    | any                                       | no    |
/// | some left      | a retryable one                           | yes   |
/// | some left      | agent_timeout, where timeouts are retried | yes   |
/// | some left      | any other                                 | no    |
pub fn decide(policy: &RetryPolicy, kind: BuildErrorType, attempt: u32) -> RetryDecision {
    let name = kind.as_str();
    if policy.max_retries <= attempt {
        let reason = match policy.max_retries {
            0 => "retries are exhausted: there are none".to_owned(),
            most => format!("retries are exhausted: {attempt} of {most}"),
        };
        return RetryDecision::Stop { reason };
    }
    let next = attempt.saturating_add(1);
    let of = policy.max_retries;
    if policy.retryable.contains(&kind) {
        RetryDecision::Retry { reason: format!("{name} is retryable: retry {next} of {of}") }
    } else if kind == BuildErrorType::AgentTimeout && policy.retry_on_timeout {
        RetryDecision::Retry { reason: format!("timeouts are retried: retry {next} of {of}") }
    } else {
        RetryDecision::Stop { reason: format!("{name} is not retryable") }
    }
}

#[cfg(test)]
mod tests;

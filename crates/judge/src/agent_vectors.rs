//! Checks the shared vectors of seed 2 against this crate, if they are available.

use std::path::PathBuf;

use referee_model::agent_result::{AgentResult, KnownEnd, StructuredOutput};
use referee_model::build_error::{BuildErrorType, ContextValue, SystemError};
use referee_model::limit;
use referee_model::retry::{Chance, Multiplier, RetryPolicy};
use referee_model::run_state::{RunEvent, RunResult, RunState};
use referee_model::time::Timestamp;
use referee_model::verification::{Overall, VerificationCheck, VerificationLevel, VerificationReport};
use serde_json::Value;

use crate::build_error::{Options, of_agent_result, of_system_error, of_verification_report, of_wall_clock};
use crate::{retry, run_state};

/// Reads the vectors of this name. None: they are not available.
#[expect(clippy::disallowed_methods, reason = "the vectors stand outside of the repository")]
fn vectors(name: &str) -> Option<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/cases").join(name);
    if !path.exists() {
        println!("skipped: no ../shared");
        return None;
    }
    Some(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn at() -> Timestamp {
    Timestamp::from_millisecond(0)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn small(value: &Value) -> u32 {
    u32::try_from(number(value)).unwrap()
}

fn kind(value: &Value) -> BuildErrorType {
    BuildErrorType::parse(text(value)).unwrap()
}

#[test]
fn be_agent_results_have_the_types_of_the_document() {
    let Some(vectors) = vectors("agent_classification.json") else { return };
    for case in list(&vectors["cases"]) {
        let result = AgentResult {
            success: case["success"].as_bool().unwrap(),
            exit_code: Some(i32::try_from(case["exit"].as_i64().unwrap()).unwrap()),
            stdout: text(&case["stdout"]).to_owned(),
            stderr: text(&case["stderr"]).to_owned(),
            structured_output: case["structured"].as_bool().unwrap().then(StructuredOutput::default),
            session_id: None,
            tokens_used: None,
            duration_ms: number(&case["ms"]),
            total_cost_usd: None,
            model: None,
            turns: None,
            tool_calls: None,
            sandbox: None,
            captured: None,
        };
        let error = of_agent_result(&result, KnownEnd::Nothing, Some("agent-1.json"), at(), Options::default());
        assert_eq!(error.kind, kind(&case["doc"]), "{case}");
        assert!(error.message.contains(case["doc_message_contains"].as_str().unwrap_or_default()), "{case}");
    }
}

#[test]
fn be_messages_of_the_system_tell_their_types_and_wall_clocks_their_seconds() {
    let Some(vectors) = vectors("agent_classification.json") else { return };
    for case in list(&vectors["system"]) {
        let thrown = SystemError { message: text(&case[0]).to_owned(), ..SystemError::default() };
        assert_eq!(of_system_error(&thrown, at(), Options::default()).kind, kind(&case[1]), "{case}");
    }
    for case in list(&vectors["timeout"]) {
        let context = of_wall_clock(number(&case["elapsed_ms"]), number(&case["max_ms"]), at()).context;
        assert_eq!(context["elapsedSeconds"], ContextValue::Number(number(&case["elapsed_s"])));
        assert_eq!(context["maxWallClockSeconds"], ContextValue::Number(number(&case["max_s"])));
    }
}

#[test]
fn be_10_types_groups_prefixes_and_names_of_checks_are_those_of_the_vectors() {
    let Some(vectors) = vectors("build_error_types.json") else { return };
    let types = vectors["types"].as_object().unwrap();
    assert_eq!(types.len(), BuildErrorType::ALL.len());
    for kind in BuildErrorType::ALL {
        let stated = &types[kind.as_str()];
        assert_eq!((text(&stated["group"]), text(&stated["prefix"])), (kind.group().as_str(), kind.prefix()));
    }
    for (name, expected) in vectors["doc_check_name_map"].as_object().unwrap() {
        let check = VerificationCheck { name: name.clone(), passed: false, output: String::new(), duration_ms: None };
        let level = VerificationLevel { name: "L0".to_owned(), passed: false, checks: vec![check], duration_ms: None };
        let report = VerificationReport {
            id: None,
            run_id: None,
            iteration: None,
            snapshot_id: None,
            overall: Overall { passed: false, summary: String::new() },
            levels: vec![level],
            diagnostics: Vec::new(),
            duration_ms: 0,
            completed_at: None,
            kept: None,
        };
        let error = of_verification_report(&report, None, None, at(), Options::default());
        assert_eq!(error.kind, kind(expected), "{name}");
    }
    assert_eq!(number(&vectors["default_tail_lines"]), limit::TAIL_LINES as u64);
    for (name, policy) in [("default", retry::default_policy()), ("aggressive", retry::aggressive_policy())] {
        let stated = list(&vectors["retryable"][name]).map(kind).collect();
        assert_eq!(policy.retryable, stated, "{name}");
    }
}

#[test]
fn rt_policies_waits_and_decisions_are_those_of_the_vectors() {
    let Some(vectors) = vectors("retry_backoff.json") else { return };
    for (name, policy) in [
        ("default", retry::default_policy()),
        ("aggressive", retry::aggressive_policy()),
        ("none", retry::no_retries()),
    ] {
        let stated = &vectors["policies"][name];
        assert_eq!(u64::from(policy.max_retries), number(&stated["maxRetries"]), "{name}");
        assert_eq!(policy.backoff_ms, number(&stated["backoffMs"]), "{name}");
        assert_eq!(Some(policy.retry_on_timeout), stated["retryOnTimeout"].as_bool(), "{name}");
        assert_eq!(Some(policy.jitter), stated["jitter"].as_bool(), "{name}");
        if let Some(multiplier) = stated["backoffMultiplier"].as_f64() {
            assert_eq!(Multiplier::new(multiplier), Ok(policy.multiplier), "{name}");
            assert_eq!(policy.max_backoff_ms, number(&stated["maxBackoffMs"]), "{name}");
        }
    }
    for series in list(&vectors["series"]) {
        let policy = RetryPolicy {
            backoff_ms: number(&series["base"]),
            multiplier: Multiplier::new(series["mult"].as_f64().unwrap()).unwrap(),
            max_backoff_ms: number(&series["cap"]),
            jitter: false,
            ..retry::default_policy()
        };
        for (attempt, delay) in (0..).zip(list(&series["delays"])) {
            assert_eq!(retry::delay_ms(&policy, attempt, Chance::NONE), number(delay), "{series}");
        }
    }
    let jittered = RetryPolicy { backoff_ms: number(&vectors["jitter"]["base"]), ..retry::default_policy() };
    for (chance, end) in [(0.0, "min"), (1.0, "max")] {
        assert_eq!(retry::delay_ms(&jittered, 0, Chance::new(chance)), number(&vectors["jitter"][end]));
    }
    for case in list(&vectors["decisions"]) {
        let mut policy = RetryPolicy { max_retries: small(&case["maxRetries"]), ..retry::default_policy() };
        if let Some(stated) = case["list"].as_array() {
            policy.retryable = stated.iter().map(kind).collect();
        }
        policy.retry_on_timeout = case["retryOnTimeout"].as_bool().unwrap_or(policy.retry_on_timeout);
        let reason_has = case["reason_has"].as_str().unwrap_or_default();
        match retry::decide(&policy, kind(&case["type"]), small(&case["attempt"])) {
            retry::RetryDecision::Retry { .. } => assert_eq!(case["retry"], true, "{case}"),
            retry::RetryDecision::Stop { reason } => {
                assert_eq!(case["retry"], false, "{case}");
                assert!(reason.contains(reason_has), "{reason}");
            }
        }
    }
}

#[test]
fn sm_every_pair_of_state_and_event_is_as_the_vectors_have_it() {
    let Some(vectors) = vectors("run_state_machine.json") else { return };
    let transitions = vectors["transitions"].as_object().unwrap();
    assert_eq!(transitions.len(), RunState::ALL.len());
    for state in RunState::ALL {
        let stated = transitions[state.as_str()].as_object().unwrap();
        assert!(stated.keys().all(|event| RunEvent::parse(event).is_some()), "{stated:?}");
        for event in RunEvent::ALL {
            let follows = stated.get(event.as_str()).map(|next| RunState::parse(text(next)).unwrap());
            assert_eq!(run_state::next(state, event).ok(), follows, "{state:?} {event:?}");
        }
    }
    let terminal: Vec<&str> = list(&vectors["terminal"]).map(text).collect();
    assert!(RunState::ALL.iter().all(|state| state.is_terminal() == terminal.contains(&state.as_str())));
    let results: Vec<&str> = list(&vectors["run_results"]).map(text).collect();
    assert_eq!(RunResult::ALL.iter().map(|result| result.as_str()).collect::<Vec<_>>(), results);
}

#[test]
fn sm_paths_refusals_and_results_are_those_of_the_vectors() {
    let Some(vectors) = vectors("run_state_machine.json") else { return };
    let event = |value: &Value| RunEvent::parse(text(value)).unwrap();
    let initial = RunState::parse(text(&vectors["initial"])).unwrap();
    for (name, path) in vectors["paths"].as_object().unwrap() {
        let end = list(path).map(event).try_fold(initial, run_state::next);
        assert_eq!(end, Ok(RunState::Succeeded), "{name}");
    }
    for pair in list(&vectors["must_reject"]) {
        let state = RunState::parse(text(&pair[0])).unwrap();
        assert!(run_state::next(state, event(&pair[1])).is_err(), "{pair}");
    }
    let results = &vectors["result_for_event"];
    for event in RunEvent::ALL {
        for state in RunState::ALL {
            let Ok(ended @ (RunState::Failed | RunState::Canceled)) = run_state::next(state, event) else { continue };
            let stated = results.get(event.as_str()).unwrap_or(&results["*"]);
            let result = run_state::result(ended, event, None).unwrap();
            assert_eq!(result.as_str(), text(stated), "{event:?}");
        }
    }
}

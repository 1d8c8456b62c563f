use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::{Just, Strategy as Generator};
use proptest::{option, prop_oneof, sample};
use referee_model::plan::http::{Assertion, StatusRange};
use referee_model::plan::interaction::RowExpectation;
use referee_model::plan::service::Probe;
use referee_model::plan::{
    Category, Expectation, FileContent, FileExpectation, HttpRequest, SchemaSource, Strategy, ToolPolicy,
};
use referee_model::reading::{CountAuthority, Counts, TestCounts};
use referee_model::record::http::{AssertionObservation, HttpAnswer, HttpEnding, HttpError, NoAnswer, NoAnswerCause};
use referee_model::record::service::{ProbeObservation, Readiness};
use referee_model::record::{
    Ending, FileFacts, FileObservation, FileState, GlobFacts, InteractionEnding, Overrun, SchemaObservation,
    ServiceFacts, StartFailure,
};
use referee_model::report::Attempt;

use super::*;
use crate::fixture::{
    answer, browser, by_content, counts_only, dev_server, ended, exchanged, exited, file, found, glob, globbed, http,
    http_facts, interacted, interaction_facts, line, not_executed, nothing, observed, plan, problem, query, request,
    service, service_facts, serviced, tests,
};

fn any_reading() -> impl Generator<Value = Reading> {
    let number = || prop_oneof![Just(0_u64), 1_u64..5, Just(u64::MAX)];
    let counts = (number(), number(), number()).prop_map(|(errors, warnings, infos)| Counts {
        errors,
        warnings,
        infos,
        ..Counts::default()
    });
    let results = option::of((number(), number(), number(), 0_u8..3, option::of(number())));
    (counts, results, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(counts, results, known, content, note)| {
            let mut reading = counts_only("eslint", counts);
            reading.tests = results.map(|(passed, failed, skipped, authority, suites)| {
                let mut results = tests("jest", 0, 0, 0).tests.unwrap();
                results.counts = TestCounts { passed, failed, skipped, total: 0 };
                results.suites = suites.map(|failed| TestCounts { failed, ..TestCounts::default() });
                results.authority = [CountAuthority::Summary, CountAuthority::MachineReport, CountAuthority::Lines]
                    [usize::from(authority)];
                results
            });
            if note {
                reading.notes.push("cut".to_owned());
            }
            if !known {
                reading.reader = None;
            }
            if content { by_content(reading) } else { reading }
        },
    )
}

fn any_ending() -> impl Generator<Value = Ending> {
    prop_oneof![
        5 => prop_oneof![Just(0), Just(1), Just(2), Just(127), Just(137), any::<i32>()].prop_map(|code| Ending::Exited { code }),
        1 => any::<i32>().prop_map(|signal| Ending::Signaled { signal }),
        1 => (any::<u64>(), any::<bool>()).prop_map(|(timeout_ms, of_task)| Ending::DeadlineExceeded { timeout_ms, of_task, killed: of_task }),
        1 => any::<bool>().prop_map(|killed| Ending::Interrupted { killed }),
        1 => any::<u64>().prop_map(|limit_bytes| Ending::OutputLimitExceeded { limit_bytes }),
        1 => any::<u64>().prop_map(|limit| Ending::ProcessLimitExceeded { limit }),
        1 => any::<u64>().prop_map(|limit_bytes| Ending::MemoryLimitExceeded { limit_bytes }),
        1 => Just(Ending::CouldNotStart { cause: StartFailure::System, message: String::new() }),
    ]
}

fn any_line() -> impl Generator<Value = &'static str> {
    sample::select(vec![
        "npx jest",
        "npm test",
        "pytest",
        "npx eslint .",
        "npx eslint . --max-warnings 0",
        "npx tsc",
        "npx prettier -c .",
        "gcc a.c",
        "./deploy",
        "npm run lint",
    ])
}

fn any_block_on() -> impl Generator<Value = Option<Strategy>> {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    option::of(sample::select(vec![ErrorsAlways, ErrorsOnly, ErrorsAndWarnings, WarnOnly, Never]))
}

fn any_id() -> impl Generator<Value = &'static str> {
    sample::select(vec!["PREREQ.1", "STEP.1", "CLEANUP.1"])
}

fn any_outcome() -> impl Generator<Value = Option<Outcome>> {
    option::of(sample::select(Outcome::ALL.to_vec()))
}

fn any_schema() -> impl Generator<Value = Option<SchemaObservation>> {
    let said = || "said".to_owned();
    option::of(sample::select(vec![
        SchemaObservation::Valid,
        SchemaObservation::Invalid { errors: vec![said()], error_count: u64::MAX },
        SchemaObservation::Malformed { message: said() },
        SchemaObservation::Unusable { message: said() },
        SchemaObservation::TooLarge,
    ]))
}

fn any_found() -> impl Generator<Value = FileState> {
    let file = (any::<u64>(), any_schema(), option::of(proptest::collection::vec(any::<bool>(), 0..3)))
        .prop_map(|(bytes, schema, contains)| FileState::File(FileObservation { schema, contains, ..observed(bytes) }));
    prop_oneof![
        4 => file,
        1 => Just(FileState::Missing),
        1 => Just(FileState::Directory),
        1 => Just(FileState::Other),
        1 => Just(FileState::Outside { target: "/".to_owned() }),
        1 => Just(FileState::Unreadable { message: String::new() }),
        1 => any::<bool>().prop_map(|of_task| FileState::DeadlineExceeded(Overrun { timeout_ms: 1, of_task })),
    ]
}

/// Generates expectations of an answer: none, a text, a schema, or both.
fn any_asked() -> impl Generator<Value = HttpRequest> {
    let statuses = proptest::collection::vec((100_u16..600, 100_u16..600), 0..2);
    (statuses, any::<bool>(), any::<bool>()).prop_map(|(statuses, text, schema)| HttpRequest {
        expected_statuses: statuses.into_iter().map(|(from, to)| StatusRange { from, to }).collect(),
        assertions: [
            text.then(|| Assertion::ContainsText("a".to_owned())),
            schema.then(|| Assertion::JsonSchema(SchemaSource::Inline("{}".to_owned()))),
        ]
        .into_iter()
        .flatten()
        .collect(),
        ..request("http://localhost:3000/")
    })
}

fn any_http_ending() -> impl Generator<Value = HttpEnding> {
    let observation = (option::of(any::<bool>()), any_schema()).prop_map(|(holds, schema)| AssertionObservation {
        holds,
        found: String::new(),
        schema,
    });
    let answered = (prop_oneof![Just(200_u16), Just(404), any::<u16>()], proptest::collection::vec(observation, 0..3))
        .prop_map(|(status, assertions)| HttpEnding::Answered(Box::new(HttpAnswer { assertions, ..answer(status) })));
    let cause = sample::select(vec![NoAnswerCause::BadRequest, NoAnswerCause::Refused, NoAnswerCause::Protocol]);
    let none = (cause, option::of(any::<u16>()), option::of(any::<u16>())).prop_map(|(cause, port, status)| {
        let message = String::new();
        HttpEnding::NoAnswer(NoAnswer {
            cause,
            error: HttpError { code: None, errno: None, syscall: None, address: None, port, message },
            status,
        })
    });
    let deadline = (any::<u64>(), any::<bool>()).prop_map(|(timeout_ms, of_task)| HttpEnding::DeadlineExceeded {
        timeout_ms,
        of_task,
        waiting_for: String::new(),
        status: None,
    });
    prop_oneof![4 => answered, 1 => none, 1 => deadline, 1 => Just(HttpEnding::Interrupted)]
}

fn any_service_facts() -> impl Generator<Value = ServiceFacts> {
    let readiness = prop_oneof![
        4 => any::<u64>().prop_map(|after_ms| Readiness::Ready { after_ms }),
        1 => Just(Readiness::PortTaken),
        1 => Just(Readiness::ForeignPort),
        2 => any_ending().prop_map(|ending| Readiness::Ended { ending }),
        1 => any::<u64>().prop_map(|timeout_ms| Readiness::DeadlineExceeded { timeout_ms, of_task: true }),
        1 => Just(Readiness::Interrupted),
        1 => Just(Readiness::CouldNotStart { cause: StartFailure::NotFound, message: String::new() }),
    ];
    let probes = proptest::collection::vec(any::<bool>(), 0..3);
    (readiness, probes, any::<bool>()).prop_map(|(readiness, held, started)| {
        let mut facts = service_facts(readiness);
        facts.probes = held
            .into_iter()
            .map(|held| ProbeObservation {
                probe: String::new(),
                held,
                attempts: 0,
                last: String::new(),
                duration_ms: 0,
            })
            .collect();
        facts.started = facts.started.filter(|_| started);
        facts
    })
}

/// Generates any kind of action, with facts of its own kind, of another, or of none.
fn any_attempt() -> impl Generator<Value = (Action, Record)> {
    let content = |schema: bool| FileContent {
        contains: vec!["a".to_owned()],
        schema: schema.then(|| SchemaSource::Inline("{}".to_owned())),
        ..FileContent::default()
    };
    let expectation = option::of(any::<bool>()).prop_map(move |there| {
        there.map_or(FileExpectation::Absent, |schema| FileExpectation::Present(content(schema)))
    });
    let action =
        (any_id(), any_line(), expectation, any_asked(), 0_u8..8).prop_map(|(id, text, expectation, asked, kind)| {
            let mut server = dev_server();
            server.ready.push(Probe::Output("ready".to_owned()));
            match kind {
                0 => file(id, expectation),
                1 => glob(id, expectation),
                2 => http(id, asked),
                3 => service(id, server),
                4 => service(id, dev_server()),
                5 => query(id, vec![RowExpectation::Count(2)]),
                6 => browser(id),
                _ => line(id, text),
            }
        });
    let files = (proptest::collection::vec(any_found(), 0..3), any::<bool>(), any::<bool>());
    let asked = (any_interaction_ending(), any_observations());
    let facts = (any_ending(), any_found(), files, any_http_ending(), any_service_facts(), asked, 0_u8..20);
    (action, facts).prop_map(|(action, (ending, seen, (files, truncated, failed), answer, served, asked, other))| {
        let (interacting, observations) = asked;
        let kind = match (&action.work, other) {
            (_, 0..=6) => other,
            (Work::Command(_), _) => 0,
            (Work::File(check), _) => {
                if check.glob {
                    2
                } else {
                    1
                }
            }
            (Work::Http(_), _) => 3,
            (Work::Service(_), _) => 4,
            (Work::Interaction(_), _) => 5,
        };
        let record = match kind {
            0 => ended(&action, ending),
            1 => found(&action, seen),
            2 => {
                let files = files.into_iter().map(|found| FileFacts { path: "a".to_owned(), found }).collect();
                let failure = failed.then(String::new);
                globbed(&action, GlobFacts { pattern: "*".to_owned(), files, truncated, failure, overrun: None })
            }
            3 => exchanged(&action, http_facts(&action, answer)),
            4 => serviced(&action, served),
            5 => {
                let mut facts = interaction_facts(&action, interacting);
                facts.observations = observations;
                interacted(&action, facts)
            }
            _ => not_executed(&action),
        };
        (action, record)
    })
}

fn any_interaction_ending() -> impl Generator<Value = InteractionEnding> {
    let refused = (0..3_usize, "[a-z]{0,5}");
    prop_oneof![
        3 => Just(InteractionEnding::Completed),
        1 => refused.prop_map(|(request, message)| InteractionEnding::Refused { request, message }),
        1 => Just(InteractionEnding::Unavailable { message: "refused".to_owned() }),
        1 => any::<bool>().prop_map(|of_task| InteractionEnding::DeadlineExceeded {
            timeout_ms: 10_000,
            of_task,
            waiting_for: String::new(),
        }),
        1 => Just(InteractionEnding::Interrupted),
    ]
}

fn any_observations() -> impl Generator<Value = Vec<AssertionObservation>> {
    let observation =
        any::<Option<bool>>().prop_map(|holds| AssertionObservation { holds, found: String::new(), schema: None });
    proptest::collection::vec(observation, 0..3)
}

/// Generates a plan with this action alone, under any settings that affect its judgement.
fn any_plan(action: Action) -> impl Generator<Value = Plan> {
    let names = || proptest::collection::vec(Just("a test".to_owned()), 0..2);
    let expect = option::of((any_outcome(), names(), names()));
    let problems = sample::select(vec![None, Some(true), Some(false)]);
    (expect, any::<bool>(), any::<bool>(), any::<bool>(), problems, any_block_on()).prop_map(
        move |(expect, red_phase, flaky_fails, debt, problems, block_on)| {
            let expect =
                expect.map(|(outcome, fail_to_pass, pass_to_pass)| Expectation { outcome, fail_to_pass, pass_to_pass });
            let action = Action { expect, retries: 2, ..action.clone() };
            let mut plan = plan(vec![action.clone()]);
            plan.red_phase = red_phase;
            plan.flaky_fails = flaky_fails;
            plan.debt.enabled = debt;
            plan.problems.extend(problems.map(|own| problem(own.then_some(&action), "wrong")));
            plan.policies.categories.extend(block_on.map(|strategy| (Category::Linting, strategy)));
            plan
        },
    )
}

fn any_judged() -> impl Generator<Value = (Plan, Record, Reading)> {
    any_attempt().prop_flat_map(|(action, record)| (any_plan(action), Just(record), any_reading()))
}

/// Returns whether the action's own deadline ended it, and not the task's: that can be expected.
fn ran_out_of_its_own_time(facts: &Facts) -> bool {
    match facts {
        Facts::Command(facts) => matches!(facts.ending, Ending::DeadlineExceeded { of_task: false, .. }),
        Facts::Http(facts) => matches!(facts.ending, HttpEnding::DeadlineExceeded { of_task: false, .. }),
        Facts::Interaction(facts) => {
            matches!(facts.ending, InteractionEnding::DeadlineExceeded { of_task: false, .. })
        }
        Facts::File(_) | Facts::Glob(_) | Facts::Service(_) | Facts::NotExecuted => false,
    }
}

/// Returns whether the facts show that the work was done and completed.
fn was_done(facts: &Facts) -> bool {
    match facts {
        Facts::Command(facts) => matches!(facts.ending, Ending::Exited { .. }),
        Facts::File(facts) => !matches!(facts.found, FileState::Unreadable { .. }),
        Facts::Glob(facts) => facts.failure.is_none(),
        Facts::Http(facts) => matches!(facts.ending, HttpEnding::Answered(_) | HttpEnding::NoAnswer(_)),
        Facts::Service(facts) => matches!(facts.readiness, Readiness::Ready { .. }),
        Facts::Interaction(facts) => {
            matches!(facts.ending, InteractionEnding::Completed | InteractionEnding::Refused { .. })
        }
        Facts::NotExecuted => false,
    }
}

/// Returns whether an answer or service meets, by the facts alone, the conditions of success.
fn facts_succeed(action: &Action, facts: &Facts) -> bool {
    match (&action.work, facts) {
        (Work::Command(_), Facts::Command(facts)) => facts.log.is_some(),
        (Work::File(check), Facts::File(_)) => !check.glob,
        (Work::File(check), Facts::Glob(facts)) => {
            let some = !facts.files.is_empty() || check.expectation == FileExpectation::Absent;
            check.glob && some && !facts.truncated
        }
        (Work::Http(request), Facts::Http(facts)) => match &facts.ending {
            HttpEnding::Answered(answer) => {
                answer.assertions.len() == request.assertions.len()
                    && answer.assertions.iter().all(|assertion| assertion.holds == Some(true))
            }
            _ => false,
        },
        (Work::Interaction(interaction), Facts::Interaction(facts)) => {
            let wanted = match interaction.as_ref() {
                Interaction::Query(query) => query.expectations.len(),
                Interaction::Browser(_) => 0,
            };
            facts.ending == InteractionEnding::Completed
                && facts.observations.len() == wanted
                && facts.observations.iter().all(|observed| observed.holds == Some(true))
        }
        (Work::Service(service), Facts::Service(facts)) => {
            facts.started.is_some()
                && facts.probes.len() >= service.ready.len()
                && facts.probes.iter().all(|probe| probe.held)
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn every_judgement_blocks_is_expected_succeeds_or_is_allowed_by_policy((plan, record, reading) in any_judged()) {
        let action = &plan.actions[0];
        let judgement = judge(&plan, action, &record, &reading);
        let success = judgement.outcome == Outcome::Success;
        let allowed = judgement.policy.as_ref().is_some_and(|policy| !policy.blocking);
        let cleanup = action.phase == Phase::Cleanup;
        prop_assert!(judgement.blocking || judgement.expected || success || allowed || cleanup);
        prop_assert!(!(judgement.blocking && (judgement.expected || success)));
        prop_assert!(!(judgement.expected && success));
        prop_assert!(!judgement.reason.is_empty());
        prop_assert_eq!(success, judgement.severity == Severity::None);
        prop_assert_eq!(judgement.remedy.is_none(), success || judgement.expected);
        prop_assert!(success || judgement.expected || !judgement.advice.is_empty());
        let is_none = matches!(judgement.debt, DebtGeneration::None { .. });
        prop_assert!(is_none || (plan.debt.enabled && !success && !judgement.expected));
        if judgement.outcome == Outcome::SpecificationError || judgement.cause == Some(Outcome::SpecificationError) {
            prop_assert!(is_none);
        }
    }

    #[test]
    fn no_facts_succeed_that_do_not_say_so((plan, record, reading) in any_judged()) {
        let action = &plan.actions[0];
        let judgement = judge(&plan, action, &record, &reading);
        let is_success = judgement.outcome == Outcome::Success;
        let expected_late = ran_out_of_its_own_time(&record.facts)
            && (judgement.expected || action.phase == Phase::Prerequisite)
            && action.expect.as_ref().is_some_and(|expect| expect.outcome == Some(Outcome::Timeout));
        prop_assert!(!(is_success || judgement.expected) || was_done(&record.facts) || expected_late);
        // A prerequisite also passes if its failure is expected or does not block.
        if is_success && action.phase != Phase::Prerequisite {
            prop_assert!(facts_succeed(action, &record.facts), "{:?}", record.facts);
        }
        let own = std::mem::discriminant(&record.facts) != std::mem::discriminant(&Facts::NotExecuted);
        prop_assert!(own || !is_success);
        if !own {
            prop_assert!(judgement.blocking || action.phase == Phase::Cleanup);
            prop_assert!(matches!(judgement.rule, Rule::NotExecutable | Rule::FactsUnusable | Rule::PrerequisiteFailed));
        }
    }

    #[test]
    fn attempts_never_make_a_failure_pass(
        (plan, record, reading) in any_judged(),
        before in any_ending(),
    ) {
        let action = &plan.actions[0];
        let earlier = Attempt { judgement: judge(&plan, action, &ended(action, before.clone()), &nothing()), record: ended(action, before) };
        let last = judge(&plan, action, &record, &reading);
        let settled = settle(&plan, action, std::slice::from_ref(&earlier), last.clone());
        prop_assert!(settled.blocking >= last.blocking);
        prop_assert!(settled.severity >= last.severity);
        prop_assert!(!settled.flaky || !last.blocking);
        if plan.flaky_fails && settled.flaky && action.phase != Phase::Cleanup {
            prop_assert!(settled.blocking);
        }
        prop_assert_eq!(settle(&plan, action, &[], last.clone()), last.clone());
        prop_assert!(!retry(action, &last, 3));
        prop_assert!(!(retry(action, &last, 1) && (last.outcome == Outcome::Success || last.expected)));
    }

    #[test]
    fn whatever_happened_is_judged_without_panic_and_in_agreement_with_itself(
        text in any_line(),
        id in sample::select(vec!["PREREQ.1", "STEP.1", "CLEANUP.1"]),
        ending in any_ending(),
        reading in any_reading(),
        block_on in any_block_on(),
    ) {
        let action = line(id, text);
        let mut plan = plan(vec![action.clone()]);
        plan.policies.tools.insert("eslint".to_owned(), ToolPolicy { block_on, ..ToolPolicy::default() });
        let judgement = judge(&plan, &action, &ended(&action, ending.clone()), &reading);
        let success = judgement.outcome == Outcome::Success;
        prop_assert!(!judgement.reason.is_empty());
        prop_assert_eq!(success, judgement.severity == Severity::None);
        prop_assert!(!(success && judgement.blocking));
        prop_assert_eq!(success, judgement.advice.is_empty() && !matches!(judgement.rule, Rule::TestsFailedExpected));
        let leaves_none = matches!(judgement.debt, DebtGeneration::None { .. });
        prop_assert!(!success || leaves_none);
        if action.phase == Phase::Cleanup {
            prop_assert!(!judgement.blocking);
        }
        // Only a command that exited by itself can succeed.
        let exited = matches!(ending, Ending::Exited { .. });
        prop_assert!(!success || exited);
    }

    #[test]
    fn a_tool_that_did_not_work_blocks_under_every_policy(
        block_on in any_block_on(),
        category in any_block_on(),
        code in prop_oneof![1_i32..=255, Just(-1)],
        enabled in any::<bool>(),
        ignored in any::<bool>(),
    ) {
        let action = line("STEP.1", "npx eslint .");
        let mut plan = plan(vec![action.clone()]);
        let ignored_rules = if ignored { vec!["rule".to_owned()] } else { Vec::new() };
        plan.policies.tools.insert("eslint".to_owned(), ToolPolicy { enabled, block_on, ignored_rules, ..ToolPolicy::default() });
        plan.policies.categories.extend(category.map(|strategy| (Category::Linting, strategy)));
        let judgement = judge(&plan, &action, &exited(&action, code), &nothing());
        prop_assert_eq!((judgement.outcome, judgement.blocking), (Outcome::ExecutionError, true));
    }
}

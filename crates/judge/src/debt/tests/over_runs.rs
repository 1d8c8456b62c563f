//! Items over several runs.

use proptest::prelude::{ProptestConfig, prop, prop_assert_eq, proptest};
use referee_model::debt::RegisteredDebt;
use referee_model::reading::{TestCase, TestStatus};

use super::findings::{fingerprint_of, known};
use super::*;

fn sighting(number: i64) -> Sighting {
    Sighting {
        execution: ExecutionId::parse(format!("exec-{number}")).unwrap(),
        at: Timestamp::from_millisecond(number * 1_000),
    }
}

/// A register, with runs of one type check.
#[derive(Default)]
struct Story {
    register: Vec<RegisteredDebt>,
}

impl Story {
    /// Runs the check at a time, with this reading, and adds the run to the register.
    fn run(&mut self, number: i64, code: i32, reading: Reading) -> DebtAssessment {
        let action = types();
        let plan = plan(vec![action.clone()]);
        let seen = sighting(number);
        let standing = standing(&self.register, &plan, &[], seen.at);
        let assessment = assessed(&plan, &action, exited(&action, code), reading, &standing);
        apply(&mut self.register, &plan.task, &assessment, &seen);
        let once = self.register.clone();
        apply(&mut self.register, &plan.task, &assessment, &seen);
        assert_eq!(once, self.register, "twice is as good as once");
        assessment
    }

    fn told(&self) -> Vec<String> {
        let told = |debt: &RegisteredDebt| format!("{} {} ×{}", debt.item.id, debt.item.status.as_str(), debt.runs);
        self.register.iter().map(told).collect()
    }
}

#[test]
fn an_item_lives_from_its_first_run_to_its_last() {
    let mut story = Story::default();
    story.run(1, 2, type_errors(2));
    assert_eq!(story.told(), ["DEBT-T001-001 OPEN ×1", "DEBT-T001-002 OPEN ×1"]);
    story.run(2, 2, type_errors(1));
    assert_eq!(story.told(), ["DEBT-T001-001 OPEN ×2", "DEBT-T001-002 RESOLVED ×1"]);
    let assessment = story.run(3, 2, type_errors(3));
    assert_eq!(assessment.created, [DebtId::parse("DEBT-T001-003").unwrap()]);
    assert_eq!(story.told(), ["DEBT-T001-001 OPEN ×3", "DEBT-T001-002 REOPENED ×2", "DEBT-T001-003 OPEN ×1"]);
    // A tool that did not work proves nothing.
    story.run(4, 2, nothing());
    assert_eq!(story.told()[..3], ["DEBT-T001-001 OPEN ×3", "DEBT-T001-002 REOPENED ×2", "DEBT-T001-003 OPEN ×1"]);
    story.run(5, 0, nothing());
    let statuses: Vec<_> = story.register.iter().map(|debt| debt.item.status).collect();
    assert_eq!(statuses, [DebtStatus::Resolved; 4]);
    let history: Vec<_> = story.register[1].history.iter().map(|change| change.status.as_str()).collect();
    assert_eq!(history, ["OPEN", "RESOLVED", "REOPENED", "RESOLVED"]);
}

#[test]
fn an_older_run_that_comes_late_changes_nothing_that_is_newer() {
    let mut story = Story::default();
    let first = story.run(1, 2, type_errors(1));
    story.run(3, 0, nothing());
    let resolved = story.register.clone();
    for number in [1, 2] {
        apply(&mut story.register, &TaskId::parse("T001").unwrap(), &first, &sighting(number));
        assert_eq!(story.register, resolved);
    }
}

#[test]
fn what_a_person_decides_stands_over_runs() {
    let mut story = Story::default();
    story.run(1, 2, type_errors(1));
    let at = Timestamp::from_millisecond(1_500);
    let item = &mut story.register[0];
    assert_eq!(item.item.routing.destination, Destination::SprintTasks);
    route(item, Destination::Inventory, None, "ann", "not now", at).unwrap();
    defer(item, Some(Timestamp::from_millisecond(3_500)), "ann", "after the release", at).unwrap();
    story.run(2, 2, type_errors(1));
    assert_eq!(story.told(), ["DEBT-T001-001 DEFERRED ×2"]);
    assert_eq!(story.register[0].item.routing.reason, "ann: not now");
    // Once it is due it is open again, in its place.
    let standing = standing(&story.register, &plan(Vec::new()), &[], Timestamp::from_millisecond(4_000));
    assert_eq!(standing.known[0].status, DebtStatus::Open);
    story.run(4, 2, type_errors(1));
    assert_eq!(story.told(), ["DEBT-T001-001 OPEN ×3"]);
    assert_eq!(story.register[0].item.routing.destination, Destination::Inventory);
    assert_eq!(story.register[0].deferred_until, None);
}

#[test]
fn a_person_must_say_who_and_why_and_where_to() {
    let mut story = Story::default();
    story.run(1, 2, type_errors(1));
    let at = Timestamp::from_millisecond(5_000);
    let task = TaskId::parse("T040").ok();
    let before = story.register[0].clone();
    let item = &mut story.register[0];
    assert_eq!(route(item, Destination::Inventory, None, " ", "why", at), Err(Illegal::NoName));
    assert_eq!(route(item, Destination::Inventory, None, "ann", "", at), Err(Illegal::NoReason));
    assert_eq!(route(item, Destination::Undecided, None, "ann", "why", at), Err(Illegal::NoDestination));
    assert_eq!(route(item, Destination::Inventory, task.clone(), "ann", "why", at), Err(Illegal::SprintTaskOutside));
    assert_eq!(defer(item, Some(at), "ann", "why", at), Err(Illegal::Past));
    assert_eq!(*item, before, "what is refused changes nothing");
    route(item, Destination::Inventory, None, "ann", "why", at).unwrap();
    assert_eq!(route(item, Destination::SprintTasks, None, "ann", "why", at), Err(Illegal::NoSprintTask));
    route(item, Destination::SprintTasks, task.clone(), "ann", "why", at).unwrap();
    assert_eq!(item.item.routing.sprint_task, task);
    begin(item, "bob", "I am at it", at).unwrap();
    assert!(begin(item, "ann", "me too", at).is_err());
    story.run(6, 0, nothing());
    let item = &mut story.register[0];
    for refused in [
        route(item, Destination::Inventory, None, "ann", "why", at),
        defer(item, None, "ann", "why", at),
        begin(item, "ann", "why", at),
    ] {
        assert!(matches!(refused, Err(Illegal::Change { status: DebtStatus::Resolved, .. })), "{refused:?}");
    }
}

#[test]
fn the_standing_counts_the_sprint_of_all_tasks_and_gives_no_number_twice() {
    let mut story = Story::default();
    story.run(1, 2, type_errors(3));
    let mut other = story.register[0].clone();
    other.task = TaskId::parse("T007").unwrap();
    other.item.id = DebtId::parse("DEBT-T007-012").unwrap();
    other.item.routing.sprint_task = TaskId::parse("T055").ok();
    story.register.push(other);
    defer(&mut story.register[1], None, "ann", "later", Timestamp::from_millisecond(1_500)).unwrap();
    let tasks = [TaskId::parse("T060").unwrap()];
    let now = standing(&story.register, &plan(Vec::new()), &tasks, Timestamp::from_millisecond(9_000));
    assert_eq!((now.sprint_items, now.sprint_critical), (3, 3));
    assert_eq!((now.next_item, now.next_sprint_task, now.next_inventory), (4, 61, 4));
    assert_eq!(now.known.len(), 3);
    let next_day = Timestamp::from_millisecond(86_400_000);
    assert_eq!(standing(&story.register, &plan(Vec::new()), &[], next_day).next_inventory, 1);
    assert_eq!(standing(&[], &plan(Vec::new()), &[], next_day).next_sprint_task, 2);
}

#[test]
fn a_number_that_is_taken_is_not_given_again() {
    let mut lost = Story::default();
    let older = lost.run(1, 2, type_errors(2));
    let mut story = Story::default();
    story.run(2, 2, read_findings("tsc", vec![finding("tsc", Level::Error, "TS1", "z.ts", 1, "other")]));
    apply(&mut story.register, &TaskId::parse("T001").unwrap(), &older, &sighting(3));
    assert_eq!(story.told(), ["DEBT-T001-001 OPEN ×1", "DEBT-T001-002 OPEN ×1", "DEBT-T001-003 OPEN ×1"]);
}

/// One row per reason why a run says nothing about a known item.
#[test]
fn only_a_run_that_looked_disproves() {
    let action = types();
    let gone = fingerprint_of(&action, &type_errors(9), 8);
    let before = known(&action, gone, DebtStatus::Open);
    let cut = || {
        let mut reading = type_errors(1);
        reading.counts.errors = 5;
        reading
    };
    let doubtful = || {
        let mut reading = type_errors(1);
        reading.notes.push("1 line is too long".to_owned());
        reading
    };
    let limit = Ending::OutputLimitExceeded { limit_bytes: 5 };
    let deadline = Ending::DeadlineExceeded { timeout_ms: 1, of_task: false, killed: false };
    for (row, record, reading, expected) in [
        ("success", exited(&action, 0), nothing(), true),
        ("other findings", exited(&action, 2), type_errors(1), true),
        ("the same finding", exited(&action, 2), type_errors(9), false),
        ("not all findings are kept", exited(&action, 2), cut(), false),
        ("a reading with doubts", exited(&action, 2), doubtful(), false),
        ("a tool that did not work", exited(&action, 2), nothing(), false),
        ("too much output", ended(&action, limit), nothing(), false),
        ("a deadline", ended(&action, deadline), nothing(), false),
        ("an interruption", ended(&action, Ending::Interrupted { killed: true }), nothing(), false),
    ] {
        let plan = plan(vec![action.clone()]);
        let standing = DebtStanding { known: vec![before.clone()], next_item: 5, ..empty() };
        let resolved = assessed(&plan, &action, record, reading, &standing).resolved;
        assert_eq!(!resolved.is_empty(), expected, "{row}");
    }
    let skipped = |action: &Action| ActionReport {
        action: action.clone(),
        history: ActionHistory::Skipped(SkipReason::DeadlinePassed),
    };
    let passed = |action: &Action| judged(&plan(vec![action.clone()]), action, exited(action, 0), nothing());
    let other = named(action.clone(), "another check under the same number");
    let twin = Action { id: referee_model::id::ActionId::parse("STEP.2").unwrap(), ..action.clone() };
    for (row, actions, expected) in [
        ("skipped", vec![skipped(&action)], false),
        ("no longer in the plan", Vec::new(), false),
        ("another check under its number", vec![passed(&other)], false),
        ("under another number", vec![passed(&twin)], true),
        ("one of two did not run", vec![passed(&action), skipped(&twin)], false),
        ("both ran", vec![passed(&action), passed(&twin)], true),
    ] {
        assert_eq!(disproved::is_disproved(&before, &actions, &BTreeSet::new()), expected, "{row}");
    }
    for (status, expected) in [
        (DebtStatus::Open, true),
        (DebtStatus::InProgress, true),
        (DebtStatus::Reopened, true),
        (DebtStatus::Deferred, true),
        (DebtStatus::Resolved, false),
    ] {
        let before = known(&action, gone, status);
        assert_eq!(disproved::is_disproved(&before, &[passed(&action)], &BTreeSet::new()), expected, "{status:?}");
    }
}

#[test]
fn what_policy_ignores_is_there_all_the_same() {
    let action = types();
    let reading = type_errors(1);
    let mut plan = plan(vec![action.clone()]);
    plan.policies
        .tools
        .insert("tsc".to_owned(), ToolPolicy { block_on: Some(Strategy::Never), ..ToolPolicy::default() });
    let before = known(&action, fingerprint_of(&action, &reading, 0), DebtStatus::Open);
    let standing = DebtStanding { known: vec![before], next_item: 5, ..empty() };
    let assessment = assessed(&plan, &action, exited(&action, 2), reading, &standing);
    assert_eq!((assessment.items, assessment.resolved), (Vec::new(), Vec::new()));
}

/// A skipped or removed test has not been fixed.
#[test]
fn a_test_is_mended_only_where_it_passes() {
    let action = named(line("STEP.1", "npx jest"), "unit");
    let gone = failure("quotes › adds", "a.test.ts", 3, "no");
    let mut before = known(&action, crate::fingerprint::of_test(&action, "jest", &gone), DebtStatus::Open);
    before.test = Some("quotes › adds".to_owned());
    let case = |title: &str, status| TestCase {
        ancestors: vec!["quotes".to_owned()],
        title: title.to_owned(),
        file: None,
        status,
        duration_ms: None,
    };
    let with = |cases: Vec<TestCase>| {
        let passed = cases.iter().filter(|case| case.status == TestStatus::Passed).count() as u64;
        let mut reading = tests("jest", passed, 0, cases.len() as u64 - passed);
        if let Some(tests) = &mut reading.tests {
            tests.cases = cases;
        }
        reading
    };
    for (row, reading, expected) in [
        ("it passed", with(vec![case("adds", TestStatus::Passed)]), true),
        ("it was skipped", with(vec![case("adds", TestStatus::Skipped), case("b", TestStatus::Passed)]), false),
        ("it was taken away", with(vec![case("b", TestStatus::Passed)]), false),
        ("the runner names none", tests("jest", 4, 0, 0), true),
        ("its runner ended without its summary", nothing(), false),
    ] {
        let actions = [judged(&plan(vec![action.clone()]), &action, exited(&action, 0), reading)];
        assert_eq!(disproved::is_disproved(&before, &actions, &BTreeSet::new()), expected, "{row}");
    }
    let suite = TestFailure { suite: true, ..failure("b.test.ts", "b.test.ts", 1, "cannot load") };
    let actions = [judged(&plan(vec![action.clone()]), &action, exited(&action, 1), read_tests(3, vec![suite]))];
    assert!(!disproved::is_disproved(&before, &actions, &BTreeSet::new()), "a suite never ran");
}

#[test]
fn the_register_forgets_what_was_resolved_longest_ago_and_no_number() {
    let mut story = Story::default();
    story.run(1, 2, type_errors(1));
    let sample = story.register[0].clone();
    let most = referee_model::limit::DEBT_ITEMS_REGISTERED;
    story.register = (1..=most + 20)
        .map(|number| {
            let mut debt = sample.clone();
            "other".clone_into(&mut debt.item.case.action_name);
            debt.item.id = DebtId::new(&debt.task, u32::try_from(number).unwrap());
            debt.item.case.fingerprint = crate::fingerprint::of(&crate::fingerprint::Identity {
                outcome: referee_model::outcome::Outcome::TestFailure,
                action: "other",
                tool: None,
                code: Some(&"x".repeat(number)),
                message: "",
                file: None,
            });
            debt.item.status = if number % 2 == 0 { DebtStatus::Resolved } else { DebtStatus::Open };
            debt.last_seen.at = Timestamp::from_millisecond(1_000).plus_milliseconds(number as u64);
            debt
        })
        .collect();
    story.run(20, 0, nothing());
    assert_eq!(story.register.len(), most);
    assert_eq!(story.register.iter().filter(|debt| debt.item.status == DebtStatus::Open).count(), most.midpoint(20));
    let last = DebtId::new(&sample.task, u32::try_from(most + 20).unwrap());
    assert!(story.register.iter().any(|debt| debt.item.id == last));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the runs: ids and fingerprints correspond one to one, numbers of a day and of the sprint are
    /// unique, and the sprint's capacity matches the register.
    #[test]
    fn registers_stay_sound_over_any_runs(runs in prop::collection::vec((0..12_u32, prop::bool::ANY), 1..8)) {
        let mut story = Story::default();
        for (number, (errors, works)) in runs.into_iter().enumerate() {
            let reading = if works { type_errors(errors) } else { nothing() };
            let code = if works && errors == 0 { 0 } else { 2 };
            let assessment = story.run(i64::try_from(number).unwrap() + 1, code, reading);
            let ids: BTreeSet<_> = story.register.iter().map(|debt| debt.item.id.clone()).collect();
            let prints: BTreeSet<_> = story.register.iter().map(|debt| debt.item.case.fingerprint).collect();
            let entries: BTreeSet<_> = story.register.iter().map(|debt| debt.item.routing.inventory.clone()).collect();
            let tasks: Vec<_> = story.register.iter().filter_map(|debt| debt.item.routing.sprint_task.clone()).collect();
            prop_assert_eq!(ids.len(), story.register.len());
            prop_assert_eq!(prints.len(), story.register.len());
            prop_assert_eq!(entries.len(), story.register.len());
            prop_assert_eq!(tasks.iter().collect::<BTreeSet<_>>().len(), tasks.len());
            let in_sprint = story.register.iter().filter(|debt| {
                debt.item.status.is_active() && debt.item.routing.destination == Destination::SprintTasks
            });
            prop_assert_eq!(in_sprint.count() as u64, assessment.capacity.items);
            let bytes = referee_model::document::to_bytes(&referee_model::debt_register::document(&story.register)).unwrap();
            prop_assert_eq!(&referee_model::debt_register::read(&bytes).unwrap(), &story.register);
        }
    }
}

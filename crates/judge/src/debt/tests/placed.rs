//! Destinations and numbers of items: ruling 20.

use super::findings::{fingerprint_of, known};
use super::*;

/// Returns the destination of an item of this severity for this content of the sprint.
fn goes(routing: DebtRouting, severity: Severity, items: u64, critical: u64) -> Destination {
    let policy = DebtPolicy { routing, ..DebtPolicy::default() };
    let sprint = SprintCapacity { items, items_max: 6, critical, critical_max: 4 };
    routing::place(&policy, severity, &sprint).destination
}

#[test]
fn capacity_decides_on_high_alone_and_at_its_thresholds() {
    use Destination::{Inventory, SprintTasks};
    let by_capacity = DebtRouting::CapacityBased;
    for (severity, items, critical, expected) in [
        (Severity::High, 0, 0, SprintTasks),
        (Severity::High, 5, 0, SprintTasks),
        (Severity::High, 6, 0, Inventory),
        (Severity::High, 7, 0, Inventory),
        (Severity::High, 5, 3, SprintTasks),
        (Severity::High, 5, 4, Inventory),
        (Severity::Critical, 5, 4, SprintTasks),
        (Severity::Critical, 7, 7, SprintTasks),
        (Severity::Medium, 0, 0, Inventory),
        (Severity::Low, 0, 0, Inventory),
    ] {
        assert_eq!(goes(by_capacity, severity, items, critical), expected, "{severity:?} {items} {critical}");
    }
    for severity in [Severity::Critical, Severity::High, Severity::Medium, Severity::Low] {
        let expected = if severity >= Severity::High { SprintTasks } else { Inventory };
        assert_eq!(goes(DebtRouting::SeverityBased, severity, 99, 99), expected, "{severity:?}");
        assert_eq!(goes(DebtRouting::Manual, severity, 0, 0), Destination::Undecided, "{severity:?}");
    }
}

/// Eight failed tests (HIGH): the sprint fills up, and the rest goes to the inventory.
#[test]
fn items_of_one_run_fill_the_sprint_in_their_order() {
    let action = named(line("STEP.1", "npx jest"), "unit");
    let plan = plan(vec![action.clone()]);
    let failures = ["b", "a", "d", "c", "f", "e", "h", "g"].map(|name| failure(name, name, 1, name)).to_vec();
    let mut standing = empty();
    standing.sprint_items = 3;
    let assessment = assessed(&plan, &action, exited(&action, 1), read_tests(0, failures), &standing);
    let told: Vec<String> = assessment
        .items
        .iter()
        .map(|item| {
            let task = item.routing.sprint_task.as_ref().map_or("-", TaskId::as_str);
            let name = &item.case.test_failure.as_ref().unwrap().name;
            format!("{} {name} {task} {}", item.id, item.routing.inventory)
        })
        .collect();
    assert_eq!(
        told,
        [
            "DEBT-T001-001 a T031 DEBT-INV-1970-01-01-001",
            "DEBT-T001-002 b T032 DEBT-INV-1970-01-01-002",
            "DEBT-T001-003 c T033 DEBT-INV-1970-01-01-003",
            "DEBT-T001-004 d - DEBT-INV-1970-01-01-004",
            "DEBT-T001-005 e - DEBT-INV-1970-01-01-005",
            "DEBT-T001-006 f - DEBT-INV-1970-01-01-006",
            "DEBT-T001-007 g - DEBT-INV-1970-01-01-007",
            "DEBT-T001-008 h - DEBT-INV-1970-01-01-008",
        ]
    );
    assert_eq!(assessment.capacity, SprintCapacity { items: 6, items_max: 6, critical: 0, critical_max: 4 });
    assert_eq!(
        assessment.items[3].routing.reason,
        "HIGH goes to the inventory, as the sprint is full: it held 6 of 6 items, 0 of 4 critical ones (CAPACITY_BASED)"
    );
}

#[test]
fn a_known_item_keeps_its_id_and_its_place() {
    let action = types();
    let reading = type_errors(1);
    let fingerprint = fingerprint_of(&action, &reading, 0);
    for (status, by, destination, expected) in [
        (DebtStatus::Open, RoutedBy::Person, Destination::Inventory, (DebtStatus::Open, Destination::Inventory)),
        (
            DebtStatus::Deferred,
            RoutedBy::Person,
            Destination::Inventory,
            (DebtStatus::Deferred, Destination::Inventory),
        ),
        (
            DebtStatus::Resolved,
            RoutedBy::Person,
            Destination::Inventory,
            (DebtStatus::Reopened, Destination::Inventory),
        ),
        // The item is CRITICAL, and the rules put it where it is.
        (DebtStatus::Open, RoutedBy::Rules, Destination::Inventory, (DebtStatus::Open, Destination::SprintTasks)),
        (DebtStatus::Open, RoutedBy::Rules, Destination::Undecided, (DebtStatus::Open, Destination::SprintTasks)),
        (
            DebtStatus::InProgress,
            RoutedBy::Rules,
            Destination::SprintTasks,
            (DebtStatus::InProgress, Destination::SprintTasks),
        ),
    ] {
        let plan = plan(vec![action.clone()]);
        let mut standing = empty();
        let mut before = known(&action, fingerprint, status);
        before.routing.by = by;
        before.routing.destination = destination;
        if destination == Destination::SprintTasks {
            before.routing.sprint_task = TaskId::parse("T017").ok();
            standing.sprint_items = 1;
            standing.sprint_critical = 1;
        }
        standing.known = vec![before.clone()];
        standing.next_item = 5;
        let assessment = assessed(&plan, &action, exited(&action, 2), reading.clone(), &standing);
        let item = &assessment.items[0];
        assert_eq!((item.status, item.routing.destination), expected, "{status:?} {by:?}");
        assert_eq!((&item.id, &item.routing.inventory), (&before.id, &before.routing.inventory));
        assert_eq!(assessment.created, []);
        let in_sprint = u64::from(expected.1 == Destination::SprintTasks);
        assert_eq!((assessment.capacity.items, assessment.capacity.critical), (in_sprint, in_sprint));
        if destination == Destination::SprintTasks {
            assert_eq!(item.routing, before.routing);
        }
    }
}

#[test]
fn what_a_run_disproves_makes_room_in_the_sprint() {
    let action = named(line("STEP.1", "npx jest"), "unit");
    let plan = plan(vec![action.clone()]);
    let gone = crate::fingerprint::of_test(&action, "jest", &failure("gone", "a", 1, "gone"));
    let mut before = known(&action, gone, DebtStatus::Open);
    before.routing.destination = Destination::SprintTasks;
    before.routing.sprint_task = TaskId::parse("T017").ok();
    before.severity = Severity::High;
    let standing = DebtStanding { known: vec![before], sprint_items: 6, next_item: 5, ..empty() };
    let reading = read_tests(1, vec![failure("new", "a", 1, "new")]);
    let assessment = assessed(&plan, &action, exited(&action, 1), reading, &standing);
    assert_eq!(assessment.resolved.len(), 1);
    assert_eq!(assessment.items[0].routing.destination, Destination::SprintTasks);
    assert_eq!(assessment.capacity.items, 6);
}

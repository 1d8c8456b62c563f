//! Fields by the kind of action.

use referee_model::record::InteractionEnding;

use super::*;

#[test]
fn services_have_their_fields() {
    Fixture::new().service("PREREQ.1", Readiness::Ready { after_ms: 5 }).hold(&[
        ("PREREQ.1.status === 'started'", 'T'),
        ("PREREQ.1.initialized && PREREQ.1.background", 'T'),
        ("PREREQ.1.pid === 4711", 'T'),
        ("PREREQ.1.exitCode === 0", 'U'),
        ("PREREQ.1.stdout.includes('x')", 'U'),
        ("PREREQ.1.errorCount === 0", 'T'),
        ("PREREQ.1.success", 'T'),
    ]);
    Fixture::new().service("PREREQ.1", Readiness::Ended { ending: Ending::Exited { code: 3 } }).hold(&[
        ("PREREQ.1.status === 'started'", 'U'),
        ("PREREQ.1.initialized", 'F'),
        ("PREREQ.1.exitCode === 3", 'T'),
        ("PREREQ.1.failed", 'T'),
    ]);
}

/// Returns an action of each kind that ran and was judged.
fn of_every_kind() -> Vec<(Kind, Fixture)> {
    vec![
        (Kind::Command, Fixture::new().command("STEP.1", "./x", 0, nothing())),
        (Kind::Service, Fixture::new().service("STEP.1", Readiness::Ready { after_ms: 5 })),
        (Kind::File, Fixture::new().file("STEP.1", FileContent::default(), observed(|_| {}))),
        (Kind::Http, Fixture::new().answered("STEP.1", 200, "{}")),
        (Kind::Query, Fixture::new().query("STEP.1", Some(1), "{}")),
        (Kind::Browser, Fixture::new().browser("STEP.1", InteractionEnding::Completed, None)),
    ]
}

#[test]
fn every_field_that_a_kind_can_have_is_looked_up_and_no_other() {
    let lacks = |world: &Fixture, name: &str| {
        world.evaluate(&format!("STEP.1.{name}")).reason.contains(&format!("has no `{name}`: it is "))
    };
    for (kind, world) in of_every_kind() {
        for name in fields::known(kind) {
            assert!(!lacks(&world, name), "{kind:?} {name}");
        }
        for other in Kind::ALL {
            for name in fields::known(other).iter().filter(|name| !fields::is_known(kind, name)) {
                assert!(lacks(&world, name), "{kind:?} {name}");
                assert_eq!(world.evaluate(&format!("STEP.1.{name}")).truth, Truth::Unknown, "{kind:?} {name}");
            }
        }
    }
}

#[test]
fn an_action_that_was_not_executed_has_an_outcome_and_nothing_else() {
    let action = line("STEP.1", "./x");
    let record = fixture::not_executed(&action);
    let world = Fixture::new().ran(action, record, nothing());
    world.hold(&[("exitCode === 0", 'U'), ("success", 'F'), ("stdout", 'U')]);
}

#[test]
fn the_last_attempt_counts() {
    let mut world = commands();
    let action = world.plan.action(&id("STEP.2")).unwrap().clone();
    let earlier = fixture::attempt(&world.plan, &action, 1, exited(&action, 1), &fixture::tests("jest", 0, 5, 0));
    for report in &mut world.reports {
        if let ActionHistory::Ran(ran) = &mut report.history
            && report.action.id == action.id
        {
            ran.earlier.push(earlier.clone());
        }
    }
    world.hold(&[("STEP.2.exitCode === 0", 'T'), ("STEP.2.success", 'T')]);
}

//! Services: how they become ready, how they fail to, and that they always end.

use std::fs;
use std::net::TcpListener;

use referee_exec::Cancellation;
use referee_model::event::EventKind;
use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{CaptureName, Invocation, Phase, Service, Shell, Template, Work};
use referee_model::record::service::Readiness;
use referee_model::record::{Ending, NoticeCode, RunEnding, StartFailure, Stream};

use crate::world::{
    Failing, Fixture, RunLog, are_listeners_known, command, command_of, gets_away, is_alive, service, service_of,
};

const TERM: i32 = 15;

/// Returns a port that no process listens on right now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn url(port: u16) -> Probe {
    Probe::Url { url: Template::plain(format!("http://localhost:{port}/")), verify_tls: true }
}

fn output(pattern: &str) -> Probe {
    Probe::Output(pattern.to_owned())
}

const STOPPED: Ending = Ending::Interrupted { killed: false };

fn pid_in(file: &str) -> u32 {
    fs::read_to_string(file).unwrap().parse().unwrap()
}

#[test]
fn a_service_is_ready_when_all_its_signs_hold_and_is_stopped_when_the_run_is_over() {
    for host in ["127.0.0.1", "[::1]"] {
        let port = free_port();
        let url = || Probe::Url { url: Template::plain(format!("http://{host}:{port}/x?y")), verify_tls: true };
        let tables = [
            vec![],
            vec![url()],
            vec![Probe::Port(Port::Fixed(port))],
            vec![output("^ready$")],
            vec![Probe::Address { host: host.trim_matches(['[', ']']).into(), port }],
            vec![output("listening|ready"), Probe::Port(Port::Fixed(port)), url()],
        ];
        for ready in tables {
            let mut world = Fixture::new();
            let listen = format!("listen={host}:{port}");
            let pid = world.path("pid");
            let script = ["out=ready\\r\\nprompt>", &format!("write={pid}:%p"), &listen, "sleep=60000"];
            let count = ready.len();
            let web = service_of(world.service(&script));
            (web.ready, web.port) = (ready, Some(Port::Fixed(port)));
            world.tool(Phase::Step, &["out=step"]);
            world.tool(Phase::Cleanup, &["out=cleanup"]);
            let log = world.run();

            let facts = log.service("PREREQ.1");
            assert!(matches!(facts.readiness, Readiness::Ready { .. }), "{facts:?}");
            assert!(facts.probes.len() == count && facts.probes.iter().all(|probe| probe.held && probe.attempts > 0));
            assert_eq!((&facts.log, facts.port), (&None, Some(port)));
            assert!(facts.port_check.as_ref().unwrap().holders.iter().all(|holder| holder.own));
            assert_eq!(facts.started.as_ref().unwrap().pid, Some(pid_in(&pid)));
            let [stopped] = log.stopped()[..] else { panic!("one service was stopped") };
            assert_eq!((stopped.action.as_str(), stopped.attempt, &stopped.ending), ("PREREQ.1", 1, &STOPPED));
            assert!(stopped.in_cleanup && stopped.leaked.is_empty());
            assert_eq!(stopped.log.as_ref().unwrap().bytes, 14);
            assert_eq!(log.text("PREREQ.1", Stream::Stdout), "ready\r\nprompt>");
            assert!(matches!(log.happenings.last(), Some(EventKind::ServiceStopped(_))));
            for action in ["STEP.1", "CLEANUP.1"] {
                assert!(log.facts(action).leaked.is_empty() && log.record(action).notices.is_empty());
            }
        }
    }
}

#[test]
fn a_service_without_a_sign_is_ready_when_it_has_run_for_a_moment() {
    let mut world = Fixture::new();
    world.service(&["sleep=60000"]);
    let log = world.run();
    let Readiness::Ready { after_ms } = log.service("PREREQ.1").readiness else { panic!("it is ready") };
    assert!(after_ms >= referee_model::limit::SETTLE_MS);
}

#[test]
fn a_service_whose_port_is_taken_is_not_started() {
    let mut world = Fixture::new();
    let holder = TcpListener::bind("[::1]:0").unwrap();
    let port = holder.local_addr().unwrap().port();
    let started = world.path("started");
    let web = service_of(world.service(&[&format!("write={started}:x"), "sleep=60000"]));
    web.port = Some(Port::Fixed(port));
    let log = world.run();
    let facts = log.service("PREREQ.1");
    assert_eq!((&facts.readiness, &facts.started, &facts.log), (&Readiness::PortTaken, &None, &None));
    let holders = &facts.port_check.as_ref().unwrap().holders;
    let named = [(std::process::id(), false)];
    assert_eq!(
        holders.iter().map(|holder| (holder.pid, holder.own)).collect::<Vec<_>>(),
        if are_listeners_known() { &named[..] } else { &named[..0] }
    );
    assert!(!fs::exists(&started).unwrap() && log.stopped().is_empty());
}

#[test]
fn a_service_whose_port_somebody_else_holds_is_given_up_unless_that_may_be() {
    for external in [false, true] {
        let mut world = Fixture::new();
        let (started, go, port) = (world.path("started"), world.path("go"), free_port());
        let script = [&format!("write={started}:x"), &format!("wait={go}"), "out=ready\\n", "sleep=60000"];
        let web = service_of(world.service(&script));
        (web.ready, web.port, web.external) = (vec![output("ready")], Some(Port::Fixed(port)), external);
        let mut holder = None;
        let log = world
            .run_with(&mut |_| {
                if holder.is_none() && fs::exists(&started).unwrap() {
                    holder = Some(TcpListener::bind(("127.0.0.1", port)).unwrap());
                    fs::write(&go, "").unwrap();
                }
            })
            .unwrap();
        let facts = log.service("PREREQ.1");
        if external || !are_listeners_known() {
            assert!(matches!(facts.readiness, Readiness::Ready { .. }), "{:?}", facts.readiness);
            // Where it is not known who listens, it counts as the service, which is told.
            let told: &[NoticeCode] = if external { &[] } else { &[NoticeCode::UnknownListener] };
            assert_eq!(log.notices("PREREQ.1"), told);
        } else {
            assert_eq!(facts.readiness, Readiness::ForeignPort);
            assert_eq!(facts.port_check.as_ref().unwrap().holders[0].pid, std::process::id());
            assert_eq!(facts.log.as_ref().unwrap().bytes, 6);
            assert!(log.stopped().is_empty());
        }
    }
}

#[test]
fn a_service_that_ends_too_early_is_told_with_all_it_said_and_left() {
    let mut world = Fixture::new();
    let pid = world.path("pid");
    let child = format!("child=detached,closed:write={pid}:%p;sleep=60000");
    let web = world.service(&[&child, &format!("wait={pid}"), "err=no such file", "exit=3"]);
    service_of(web).ready = vec![output("ready")];
    let log = world.run();
    let facts = log.service("PREREQ.1");
    assert_eq!(facts.readiness, Readiness::Ended { ending: Ending::Exited { code: 3 } });
    assert_eq!(log.text("PREREQ.1", Stream::Stderr), "no such file");
    assert_eq!(facts.leaked.iter().map(|process| process.pid).collect::<Vec<_>>(), [pid_in(&pid)]);
    assert_eq!(log.notices("PREREQ.1"), [NoticeCode::LeakedProcess]);
    assert!(facts.log.is_some() && log.stopped().is_empty());
}

#[test]
fn a_service_that_is_never_ready_is_stopped_at_its_deadline() {
    for (script, killed) in [(&["out=starting", "sleep=60000"][..], false), (&["ignore-term", "sleep=60000"], true)] {
        let mut world = Fixture::new();
        let port = free_port();
        let web = world.service(script);
        web.timeout_ms = 400;
        service_of(web).ready = vec![Probe::Port(Port::Fixed(port)), url(port), output("ready")];
        let log = world.run();
        let facts = log.service("PREREQ.1");
        assert_eq!(facts.readiness, Readiness::DeadlineExceeded { timeout_ms: 400, of_task: false });
        let seen: Vec<(&str, bool)> = facts.probes.iter().map(|probe| (probe.last.as_str(), probe.held)).collect();
        assert_eq!(seen, [("CONNECTION_REFUSED", false), ("CONNECTION_REFUSED", false), ("not seen yet", false)]);
        assert_eq!(facts.log.as_ref().unwrap().bytes, if killed { 0 } else { 8 });
        assert!(facts.probes.iter().all(|probe| probe.attempts >= 1) && log.stopped().is_empty());
    }
}

#[test]
fn a_service_that_cannot_be_started_is_told_with_the_reason() {
    let mut world = Fixture::new();
    let missing = command(Invocation::Argv(vec!["no-such-program".to_owned()]));
    world.add(Phase::Prerequisite, Work::Service(Box::new(service(Some(missing)))));
    world.add(Phase::Prerequisite, Work::Service(Box::new(service(None))));
    let unfilled = {
        let mut template = Template::plain("http://localhost:");
        template.push_captured(CaptureName::parse("port").unwrap());
        Probe::Url { url: template, verify_tls: true }
    };
    for probe in [unfilled, output("(")] {
        service_of(world.service(&["sleep=60000"])).ready = vec![probe];
    }
    let log = world.run();
    for (number, expected, part) in [
        (1, StartFailure::NotFound, "`no-such-program` was not found"),
        (2, StartFailure::System, "nothing tells whether it is there"),
        (3, StartFailure::System, "needs `port`, which was not captured"),
        (4, StartFailure::System, "the pattern `(` cannot be used"),
    ] {
        let Readiness::CouldNotStart { cause, message } = &log.service(&format!("PREREQ.{number}")).readiness else {
            panic!("PREREQ.{number} was started")
        };
        assert!(*cause == expected && message.contains(part), "{message}");
    }
}

#[test]
fn a_free_port_is_given_to_the_service_and_to_later_actions() {
    let mut world = Fixture::new();
    let name = CaptureName::parse("api").unwrap();
    let mut text = Template::plain("http://localhost:");
    text.push_captured(name.clone());
    let web = service_of(world.service(&["listen=127.0.0.1:$PORT", "sleep=60000"]));
    web.port = Some(Port::Auto(name.clone()));
    web.ready = vec![Probe::Url { url: text.clone(), verify_tls: true }, Probe::Port(Port::Auto(name))];
    command_of(world.tool(Phase::Step, &["env"])).late_environment.insert("API".to_owned(), text);
    let mut unknown = Template::default();
    unknown.push_captured(CaptureName::parse("unknown").unwrap());
    command_of(world.tool(Phase::Step, &["env"])).late_environment.insert("X".to_owned(), unknown);
    let log = world.run();
    let facts = log.service("PREREQ.1");
    assert!(matches!(facts.readiness, Readiness::Ready { .. }), "{facts:?}");
    let port = facts.port.unwrap();
    assert_eq!(facts.started.as_ref().unwrap().environment["PORT"], port.to_string());
    assert!(log.text("STEP.1", Stream::Stdout).contains(&format!("API=http://localhost:{port}\n")));
    assert_eq!(log.facts("STEP.1").environment["API"], format!("http://localhost:{port}"));
    let Ending::CouldNotStart { cause: StartFailure::System, message } = log.ending("STEP.2") else {
        panic!("STEP.2 was started")
    };
    assert_eq!(message, "its variable `X` is made from `${unknown}`, which was not captured");
}

#[test]
fn what_somebody_else_runs_is_only_waited_for() {
    let mut world = Fixture::new();
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let (there, gone) = (holder.local_addr().unwrap().port(), free_port());
    for port in [there, gone] {
        let ready = vec![Probe::Port(Port::Fixed(port))];
        let port = Some(Port::Fixed(port));
        let waited_for = Service { ready, port, external: true, ..service(None) };
        world.add(Phase::Prerequisite, Work::Service(Box::new(waited_for))).timeout_ms = 300;
    }
    // The command that starts an external service is done when it has exited.
    let line = command(Invocation::Shell { line: "echo up".to_owned(), pipefail: false, shell: Shell::Posix });
    let up = Service { ready: vec![Probe::Port(Port::Fixed(there))], external: true, ..service(Some(line)) };
    world.add(Phase::Prerequisite, Work::Service(Box::new(up)));
    let log = world.run();
    assert!(matches!(log.service("PREREQ.1").readiness, Readiness::Ready { .. }));
    assert_eq!(log.service("PREREQ.1").started, None);
    assert_eq!(log.service("PREREQ.2").readiness, Readiness::DeadlineExceeded { timeout_ms: 300, of_task: false });
    assert!(matches!(log.service("PREREQ.3").readiness, Readiness::Ready { .. }));
    assert!(log.stopped().iter().all(|stopped| stopped.action.as_str() == "PREREQ.3"));
}

#[test]
fn services_are_stopped_in_reverse_order_and_told_in_plan_order_and_killed_where_they_do_not_listen() {
    let mut world = Fixture::new();
    let order = world.path("order");
    for name in ["a", "b"] {
        let ready = world.path(name);
        let line = format!("trap 'echo {name} >> {order}; exit 0' TERM; touch {ready}; echo up; sleep 60 & wait");
        let shell = command(Invocation::Shell { line, pipefail: false, shell: Shell::Posix });
        let started = Service { ready: vec![output("^up$")], ..service(Some(shell)) };
        world.add(Phase::Prerequisite, Work::Service(Box::new(started)));
    }
    service_of(world.service(&["ignore-term", "out=up\\n", "sleep=60000"])).ready = vec![output("up")];
    world.tool(Phase::Cleanup, &[&format!("write={order}:cleanup\n")]);
    let log = world.run();
    assert_eq!(fs::read_to_string(&order).unwrap(), "cleanup\nb\na\n");
    let told: Vec<(&str, &Ending)> =
        log.stopped().iter().map(|stopped| (stopped.action.as_str(), &stopped.ending)).collect();
    let killed = Ending::Interrupted { killed: true };
    assert_eq!(told, [("PREREQ.1", &STOPPED), ("PREREQ.2", &STOPPED), ("PREREQ.3", &killed)]);
}

/// Ways in which a service goes to the background.
const BACKGROUND: [&str; 4] =
    ["child=detached:", "child=detached,closed:", "child=closed,cleared:session;", "child=detached,closed,cleared:"];

#[test]
fn a_service_that_goes_to_the_background_runs_while_its_tree_does() {
    for child in BACKGROUND.into_iter().filter(|child| !gets_away(child)) {
        let mut world = Fixture::new();
        let (port, pid) = (free_port(), world.path("pid"));
        let child = format!("{child}listen=127.0.0.1:{port};write={pid}:%p;sleep=60000");
        let web = service_of(world.service(&[&child, &format!("wait={pid}")]));
        (web.ready, web.port) = (vec![url(port)], Some(Port::Fixed(port)));
        let (seen, over) = (world.path("seen"), world.path("over"));
        world.tool(Phase::Step, &[&format!("wait={seen}"), &format!("write={over}:x")]);
        let log = world
            .run_with(&mut |_| {
                if fs::exists(&pid).unwrap() && is_alive(pid_in(&pid)) {
                    fs::write(&seen, "").unwrap();
                }
            })
            .unwrap();
        let facts = log.service("PREREQ.1");
        assert!(matches!(facts.readiness, Readiness::Ready { .. }), "{child}: {facts:?}");
        let leaked = &log.facts("STEP.1").leaked;
        assert!(leaked.is_empty(), "{child}: {leaked:?}, {:?}", log.stopped());
        let [stopped] = log.stopped()[..] else { panic!("one service was stopped") };
        assert_eq!(stopped.ending, STOPPED, "{child}");
        assert!(stopped.leaked.is_empty(), "{child}: {:?}", stopped.leaked);
        assert!(!is_alive(pid_in(&pid)), "{child}");
    }
}

#[test]
fn a_service_in_the_background_is_over_when_nobody_of_it_is_left() {
    let mut world = Fixture::new();
    let (go, pid, gone) = (world.path("go"), world.path("pid"), world.path("gone"));
    let child = format!("child=detached:out=ready\\n;write={pid}:%p;wait={go};exit=1");
    service_of(world.service(&[&child])).ready = vec![output("ready")];
    world.tool(Phase::Step, &[&format!("write={go}:x"), &format!("wait={gone}")]);
    let mut looks = 0;
    let log = world
        .run_with(&mut |_| {
            // Some time after the process was last seen, so that its end has been noticed.
            looks += usize::from(fs::exists(&go).unwrap() && !is_alive(pid_in(&pid)));
            if looks > 5 {
                fs::write(&gone, "").unwrap();
            }
        })
        .unwrap();
    let [stopped] = log.stopped()[..] else { panic!("one service was told of") };
    assert_eq!((&stopped.ending, stopped.in_cleanup), (&Ending::Exited { code: 0 }, false));
    assert_eq!(log.notices("STEP.1"), [NoticeCode::ServiceEnded]);
}

#[test]
fn a_service_that_ends_before_it_is_stopped_is_told_of_once_and_its_end_is_seen() {
    let mut world = Fixture::new();
    let (go, pid, gone) = (world.path("go"), world.path("pid"), world.path("gone"));
    let script = [&format!("write={pid}:%p"), "out=ready\\n", &format!("wait={go}"), "exit=7"];
    service_of(world.service(&script)).ready = vec![output("ready")];
    world.tool(Phase::Step, &[&format!("write={go}:x"), &format!("wait={gone}")]);
    world.tool(Phase::Step, &[]);
    let mut looks = 0;
    let log = world
        .run_with(&mut |_| {
            looks += usize::from(fs::exists(&go).unwrap() && !is_alive(pid_in(&pid)));
            if looks > 2 {
                fs::write(&gone, "").unwrap();
            }
        })
        .unwrap();
    let [stopped] = log.stopped()[..] else { panic!("one service was told of") };
    assert_eq!((&stopped.ending, stopped.in_cleanup), (&Ending::Exited { code: 7 }, false));
    assert_eq!(log.notices("STEP.1"), [NoticeCode::ServiceEnded]);
    let message = &log.record("STEP.1").notices[0].message;
    assert!(message.starts_with("the service PREREQ.1 (PREREQ 1) exited with 7"), "{message}");
    assert!(log.notices("STEP.2").is_empty());
}

#[test]
fn what_a_step_leaves_behind_is_told_from_a_service_that_runs() {
    let hidden = "child=detached,closed,cleared:";
    let of_service = if gets_away(hidden) { "child=detached,closed:" } else { hidden };
    for (child, is_told) in [("child=detached,closed:", true), (hidden, false)] {
        if gets_away(child) {
            continue;
        }
        let mut world = Fixture::new();
        let (own, left) = (world.path("own"), world.path("left"));
        let web = format!("{of_service}write={own}:%p;sleep=60000");
        service_of(world.service(&[&web, &format!("wait={own}"), "out=ready\\n", "sleep=60000"])).ready =
            vec![output("ready")];
        world.tool(Phase::Step, &[&format!("{child}write={left}:%p;sleep=60000"), &format!("wait={left}")]);
        let (after, seen) = (world.path("after"), world.path("seen"));
        world.tool(Phase::Step, &[&format!("write={after}:x"), &format!("wait={seen}")]);
        let mut lived = false;
        let log = world
            .run_with(&mut |_| {
                if fs::exists(&after).unwrap() && !fs::exists(&seen).unwrap() {
                    lived = is_alive(pid_in(&own));
                    fs::write(&seen, "").unwrap();
                }
            })
            .unwrap();
        assert!(lived, "what the service started lives on");
        let of_step: Vec<u32> = log.facts("STEP.1").leaked.iter().map(|process| process.pid).collect();
        let of_service: Vec<u32> = log.stopped()[0].leaked.iter().map(|process| process.pid).collect();
        let left = pid_in(&left);
        // A process that does not show its origin must not be taken from a service that may need it.
        assert_eq!((of_step.contains(&left), of_service.contains(&left)), (is_told, !is_told), "{child}");
        assert!(!is_alive(left) && !is_alive(pid_in(&own)));
    }
}

#[test]
fn an_interrupted_run_stops_its_services_after_cleanup_and_at_once_when_asked_twice() {
    for twice in [false, true] {
        let mut world = Fixture::new();
        let (ready, cleaning) = (world.path("ready"), world.path("cleaning"));
        let web = world.service(&["ignore-term", "out=up\\n", "sleep=60000"]);
        web.grace_ms = if twice { 3_600_000 } else { 100 };
        service_of(web).ready = vec![output("up")];
        world.tool(Phase::Step, &[&format!("write={ready}:x"), "sleep=60000"]);
        world.tool(Phase::Cleanup, &[&format!("write={cleaning}:x")]);
        let mut requests = 0;
        let log = world
            .run_with(&mut |cancellation: &Cancellation| {
                let due = [fs::exists(&ready).unwrap(), twice && fs::exists(&cleaning).unwrap()];
                while requests < due.iter().filter(|due| **due).count() {
                    cancellation.request(TERM);
                    requests += 1;
                }
            })
            .unwrap();
        assert_eq!(log.ending, RunEnding::Interrupted { signal: TERM });
        assert_eq!(log.stopped()[0].ending, Ending::Interrupted { killed: true });
        assert_eq!(*log.ending("CLEANUP.1"), Ending::Exited { code: 0 });
    }
}

#[test]
fn an_interruption_while_a_service_is_waited_for_stops_it() {
    let mut world = Fixture::new();
    let ready = world.path("ready");
    let web = world.service(&["out=said", &format!("write={ready}:x"), "sleep=60000"]);
    service_of(web).ready = vec![output("never")];
    let log = world
        .run_with(&mut |cancellation: &Cancellation| {
            if fs::exists(&ready).unwrap() && cancellation.requests().is_empty() {
                cancellation.request(TERM);
            }
        })
        .unwrap();
    let facts = log.service("PREREQ.1");
    assert_eq!((&facts.readiness, facts.log.as_ref().unwrap().bytes), (&Readiness::Interrupted, 4));
}

#[test]
fn a_run_that_cannot_keep_what_a_service_says_ends_and_the_service_with_it() {
    for failing in [Failing::Begin, Failing::Append, Failing::Finish, Failing::Finished, Failing::Stopped] {
        let mut world = Fixture::new();
        world.failing = failing;
        let (go, cleaned) = (world.path("go"), world.path("cleaned"));
        // It prints only while the step runs, which waits forever if the failure can occur there.
        let web = service_of(world.service(&[&format!("wait={go}"), "out=x", "sleep=60000"]));
        web.ready = vec![];
        let wait = if failing == Failing::Append { "sleep=60000" } else { "sleep=0" };
        world.tool(Phase::Step, &[&format!("write={go}:x"), "close", wait]);
        world.tool(Phase::Cleanup, &[&format!("write={cleaned}:x")]);
        let error = world.run_with(&mut |_| ()).err().expect("the run fails").to_string();
        let expected = match failing {
            Failing::Begin | Failing::Append | Failing::Finish => "cannot store output: the disk is full",
            _ => "cannot write the journal: the journal is full",
        };
        assert_eq!(error, expected, "{failing:?}");
        assert!(fs::exists(&cleaned).unwrap(), "{failing:?}");
    }
}

#[test]
fn a_service_that_is_tried_again_starts_anew() {
    let mut world = Fixture::new();
    let tried = world.path("tried");
    let line = format!("if [ -e {tried} ]; then echo up; exec sleep 60; else touch {tried}; echo down; exit 1; fi");
    let shell = command(Invocation::Shell { line, pipefail: false, shell: Shell::Posix });
    let tried = Service { ready: vec![output("up")], ..service(Some(shell)) };
    world.add(Phase::Prerequisite, Work::Service(Box::new(tried))).retries = 1;
    let log: RunLog = world.run();
    let readiness: Vec<bool> = log
        .records()
        .iter()
        .map(|record| match &record.facts {
            referee_model::record::Facts::Service(facts) => matches!(facts.readiness, Readiness::Ready { .. }),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(readiness, [false, true]);
    assert_eq!(log.text("PREREQ.1", Stream::Stdout), "down\n");
    assert_eq!(log.text("PREREQ.1#2", Stream::Stdout), "up\n");
    assert_eq!(log.stopped()[0].attempt, 2);
}

#[test]
fn output_that_is_no_evidence_is_not_kept_and_still_tells_that_a_service_is_ready() {
    let mut world = Fixture::new();
    let web = world.service(&["out=up\\n", "err=note", "sleep=60000"]);
    web.evidence.stdout = false;
    service_of(web).ready = vec![output("up")];
    world.tool(Phase::Step, &["out=x", "err=y"]).evidence.stderr = false;
    let log = world.run();
    assert!(matches!(log.service("PREREQ.1").readiness, Readiness::Ready { .. }));
    assert_eq!(log.text("PREREQ.1", Stream::Stdout), "");
    assert_eq!(
        (log.text("STEP.1", Stream::Stdout).as_str(), log.facts("STEP.1").log.as_ref().unwrap().bytes),
        ("x", 1)
    );
}

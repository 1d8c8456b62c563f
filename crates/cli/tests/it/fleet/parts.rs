//! Tasks in parts, performed by two workers.

use super::*;

impl Fleet {
    fn in_parts(&self, parts: &str, more: &[&str]) -> Finished {
        self.run(&[&["--parts", parts], more].concat())
    }
}

/// Specifications that can be split, of which a run here and one in parts have to have the same report.
const IN_PARTS: &[&str] = &[
    "checks:\n  a: echo a from $PWD\n  b: { file: a.txt, minSize: 1 }\n  c: { run: echo c, needs: [a] }\n  d: echo d\n",
    "checks:\n  a: \"cat missing\"\n  b: echo b\n  c: { run: echo c, needs: [a] }\n",
    "checks:\n  a: { run: \"false\", continueOnFailure: false }\n  b: echo b\n  c: echo c\n",
    "outputs: [mark]\nchecks:\n  flaky: { run: \"test -f mark || { touch mark; exit 1; }\", retries: 2 }\n  b: echo b\n  c: echo c\n",
    "prerequisites:\n  tool: cat a.txt\noutputs: [out]\nchecks:\n  build: echo built > out\n  one: { run: cat out, needs: [build] }\n  \
     two: { run: cat out, needs: [build] }\ncleanup:\n  sweep: rm -f out\n",
    "setup: \"echo installed > deps.txt\"\noutputs: [deps.txt]\nchecks:\n  one: cat deps.txt\n  two: cat deps.txt\n",
    "checks:\n  tsc: \"echo 'a.ts(1,2): error TS2304: Cannot find name x.'; exit 2\"\n  two: \"echo 'b.ts(1,2): error TS2304: \
     Cannot find name y.'; exit 2\"\n",
    "services:\n  web: { run: \"python3 -m http.server $PORT --bind 127.0.0.1\", port: auto, ready: \
     \"http://127.0.0.1:${PORT}/a.txt\", timeout: 30s }\nchecks:\n  ask: { http: \"http://127.0.0.1:${PORT}/a.txt\", status: 200 }\n  \
     look: { file: a.txt }\n",
];

#[test]
fn a_run_in_parts_has_the_report_that_it_has_here() {
    if !has_queue() {
        return;
    }
    for specification in IN_PARTS {
        let specification = &format!("parallel: true\n{specification}");
        let here = Workspace::with(specification).file("a.txt", "text\n");
        let here = here.referee(&["run", "--clean-room", "--format", "json", "--jobs", "1"]);
        for parts in ["2", "3"] {
            let fleet = Fleet::new(specification);
            fleet.asker.write("a.txt", "text\n");
            let _workers = [fleet.work(), fleet.work()];
            let remote = fleet.in_parts(parts, &[]);
            assert_eq!(remote.code, here.code, "{specification}: {remote:?}");
            let (mut remote, mut here) = (remote.json(), here.json());
            assert!(remote.to_string().contains("part 2 of"), "{specification}: {remote}");
            without_place(&mut remote);
            without_place(&mut here);
            assert_eq!(remote, here, "{specification}");
        }
    }
}

#[test]
fn parts_are_one_sealed_run_that_names_who_signed_each_of_them() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new("parallel: true\nchecks:\n  a: echo a\n  b: echo b\n  c: cat missing\n");
    let _workers = [fleet.work(), fleet.work()];
    fleet.in_parts("3", &[]).exits(6);
    fleet.asker.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    let evidence = fleet.asker.evidence("T001");
    for part in 1..=3 {
        let signed = String::from_utf8(evidence[&format!("fleet-result.part-{part}.dsse.json")].clone()).unwrap();
        assert!(signed.contains("application/vnd.referee.run-order-result+json"), "{signed}");
    }
    assert!(!evidence.contains_key("fleet-result.dsse.json"));
    assert_eq!((&evidence["STEP.1-a.log"][..], &evidence["STEP.2-b.log"][..]), (&b"a\n"[..], &b"b\n"[..]));
    // A gate asks for parts alike.
    let arguments = ["gate", "--fleet", "--label", &fleet.label, "--parts", "2"];
    let mut command = fleet.command(&fleet.asker, &arguments);
    finish(command.envs(Queue::shared().map(Queue::address)).spawn().unwrap()).exits(6);
    let evidence = fleet.asker.evidence("T001");
    let has = |part: usize| evidence.contains_key(&format!("fleet-result.part-{part}.dsse.json"));
    assert_eq!([1, 2, 3].map(has), [true, true, false]);
}

#[test]
fn a_plan_that_cannot_be_split_is_run_whole_and_says_why() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new("checks:\n  a: echo a > left\n  b: cat left\noutputs: [left]\n");
    let _worker = fleet.work();
    let report = fleet.in_parts("2", &[]).exits(0).json();
    assert!(report.to_string().contains("not split into parts: its steps run one after another"), "{report}");
    assert!(fleet.asker.evidence("T001").contains_key("fleet-result.dsse.json"));
}

#[test]
fn a_part_without_a_trusted_signature_leaves_no_verdict_and_is_named() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new("parallel: true\nchecks:\n  a: echo a\n  b: echo b\n");
    let other = fleet.key("other.pem");
    fleet.worker.referee(&["key", "new", "--out", &other]).exits(0);
    let mut command = fleet.command(&fleet.worker, &["worker", "--label", &fleet.label, "--key", &other]);
    command.envs(Queue::shared().map(Queue::address));
    let _worker = Worker(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let refused = fleet.in_parts("2", &[]).exits(74);
    let told = refused.stderr.contains("part 1 of 2: the answer of a worker cannot be trusted");
    assert!(told && !refused.stdout.contains("PASS"), "{refused:?}");
}

#[test]
fn who_asks_for_parts_that_run_already_attaches_and_an_interruption_ends_all_of_them() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new("parallel: true\nchecks:\n  a: sleep 4; echo a\n  b: sleep 4; echo b\n");
    let _workers = [fleet.work(), fleet.work()];
    let ask = || {
        let arguments = ["run", "--fleet", "--label", &fleet.label, "--parts", "2"];
        let mut command = fleet.command(&fleet.asker, &arguments);
        command.envs(Queue::shared().map(Queue::address));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let orders = fleet.worker.state().join("orders");
    let open = || fs::read_dir(&orders).map_or(0, |rooms| rooms.flatten().filter(|room| room.path().is_dir()).count());
    let first = ask();
    wait_until("both parts are performed", || open() == 2);
    let second = finish(ask()).exits(0);
    let attached: Vec<&str> = second.stderr.lines().filter(|line| line.contains("in the queue already")).collect();
    assert_eq!(attached.len(), 2, "{}", second.stderr);
    let first = finish(first).exits(0);
    for part in ["worker, part 1 of 2: STEP.1 began", "worker, part 2 of 2: STEP.2 began"] {
        assert!(first.stderr.contains(part), "{}", first.stderr);
    }
    wait_until("the rooms are empty", || open() == 0);
    let third = ask();
    wait_until("both parts are performed", || open() == 2);
    drop(Command::new("kill").args(["-INT", &third.id().to_string()]).status());
    let stopped = finish(third).exits(130);
    assert!(!stopped.stdout.contains("PASS"), "{}", stopped.stdout);
    wait_until("no part is performed any more", || open() == 0);
}

//! Runs in parts: judged as a run in one piece, and never better than each of them.

use referee_model::plan::Action;
use referee_model::report::ActionReport;
use referee_model::run_context::tree::TreeChangeKind;
use referee_model::verdict::Exit;

use super::*;
use crate::worker_run::{Assembly, PartRun, Split, divide};

type LeftOuts = Vec<BTreeMap<ActionId, LeftOut>>;

/// Splits the task of a machine, as whoever asks does.
fn split(machine: &Machine, parts: usize, left_out: &BTreeMap<ActionId, LeftOut>) -> LeftOuts {
    let split = Split { parts: NonZeroUsize::new(parts).unwrap(), jobs: None };
    divide(&machine.suite().tasks[0], left_out, split, &|_: &Action| None).unwrap()
}

fn order(number: usize) -> Digest {
    Digest::of(format!("order {number}").as_bytes())
}

/// Performs each part on a machine of its own, which `prepare` may change before.
fn perform(specification: &str, parts: &LeftOuts, prepare: &dyn Fn(usize, &Machine)) -> Vec<(Machine, Answer)> {
    let performed = parts.iter().enumerate().map(|(number, left_out)| {
        let machine = Machine::new(specification);
        prepare(number, &machine);
        let answer = machine.perform_parts(order(number), true, left_out);
        (machine, answer)
    });
    performed.collect()
}

fn assembled(asker: &Machine, answers: &[(Machine, Answer)], parts: &LeftOuts) -> Assembly {
    let runs = answers.iter().zip(parts).map(|((_, answer), left_out)| PartRun {
        worker: asker.receive(answer, asker.inputs()).unwrap().unwrap(),
        left_out: left_out.clone(),
    });
    Assembly::new(runs.collect(), None, None)
}

fn judge(asker: &Machine, assembly: &Assembly, left_out: &BTreeMap<ActionId, LeftOut>, like: &RunRecord) -> Report {
    let played =
        |plan: &Plan, stage: &Stage, recorder: &mut RunRecorder<'_>| assembly.play(plan, stage, recorder).unwrap();
    let plan = assembly.plan().unwrap();
    asker.judge_played(&plan, (like, left_out), played, &|run| assembly.add_to(run, &str::to_owned))
}

/// Performs a task in parts, and judges it.
fn in_parts(specification: &str, parts: usize, prepare: &dyn Fn(usize, &Machine)) -> Report {
    let (asker, none) = (Machine::new(specification), BTreeMap::new());
    let parts = split(&asker, parts, &none);
    let answers = perform(specification, &parts, prepare);
    judge(&asker, &assembled(&asker, &answers, &parts), &none, &answers[0].1.report.run)
}

/// What is the same wherever and in how many parts a run takes place.
fn essence(report: &Report) -> (Decision, Exit, RunEnding, Vec<String>, Vec<(String, TreeChangeKind)>) {
    let of_action = |action: &ActionReport| {
        let id = &action.action.id;
        match action.ran() {
            Some(ran) => {
                let judgement = &ran.judgement;
                let (outcome, rule, tries) = (judgement.outcome, judgement.rule, ran.earlier.len());
                let found = &ran.reading.diagnostics;
                format!("{id} {outcome:?} {rule:?} {} {} {tries} {found:?}", judgement.blocking, judgement.flaky)
            }
            None => format!("{id} {:?}", report.run.skipped.get(id)),
        }
    };
    let changes = report.run.run_context.tree.iter().flat_map(|tree| &tree.changes);
    (
        report.verdict.decision,
        report.verdict.exit,
        report.run.ending.clone(),
        report.actions.iter().map(of_action).collect(),
        changes.map(|change| (change.path.clone(), change.kind)).collect(),
    )
}

#[test]
fn a_run_in_parts_is_judged_as_one_in_one_piece() {
    let left_out = |id: &str| BTreeMap::from([(ActionId::parse(id).unwrap(), LeftOut::Named)]);
    let none = BTreeMap::new();
    let wide = "checks:\n  a: echo a\n  b: echo b\n  c: { run: echo c, needs: [a] }\n  d: echo d\n  e: echo e\n";
    for (specification, left_out) in [
        (wide, none.clone()),
        (wide, left_out("STEP.4")),
        ("checks:\n  a: \"cat missing\"\n  b: echo b\n  c: { run: echo c, needs: [a] }\n", none.clone()),
        (
            "checks:\n  a: echo a\n  b: { run: \"false\", continueOnFailure: false }\n  c: echo c\n  d: echo d\n",
            none.clone(),
        ),
        (
            "checks:\n  a: { run: \"false\", continueOnFailure: false }\n  b: { run: \"false\", continueOnFailure: false }\n  \
             c: echo c\n",
            none.clone(),
        ),
        (
            "checks:\n  flaky: { run: \"test -f m || { touch m; exit 1; }\", retries: 2 }\n  b: echo b\noutputs: [m]\n",
            none.clone(),
        ),
        (
            "flaky: fail\noutputs: [m]\nchecks:\n  a: echo\n  flaky: { run: \"test -f m || { touch m; exit 1; }\", retries: 1 }\n",
            none.clone(),
        ),
        (
            "prerequisites:\n  tool: echo tool\nchecks:\n  build: echo built > out\n  a: { run: cat out, needs: [build] }\n  \
             b: { run: cat out, needs: [build] }\n  c: echo c\ncleanup:\n  sweep: rm -f out\noutputs: [out]\n",
            none.clone(),
        ),
        (
            "prerequisites:\n  tool: \"false\"\nchecks:\n  a: echo a\n  b: echo b\ncleanup:\n  sweep: echo\n",
            none.clone(),
        ),
        ("setup: echo installed > a.txt\nchecks:\n  a: cat a.txt\n  b: cat a.txt\n", none.clone()),
        ("setup: exit 3\nchecks:\n  a: echo a\n  b: echo b\n", none.clone()),
        (
            "checks:\n  tsc: \"echo $PWD'/a.ts(1,2): error TS2304: Cannot find name x.'; exit 2\"\n  \
             two: \"echo $PWD'/b.ts(1,2): error TS2304: Cannot find name x.'; exit 2\"\n",
            none.clone(),
        ),
        ("checks:\n  new: \"echo new > new.txt\"\n  b: echo b\n", none.clone()),
        ("checks:\n  slow: { run: sleep 60, timeout: 200ms }\n  b: echo b\n", none.clone()),
        (
            "services:\n  web: { run: \"echo up; sleep 60\", ready: { output: up } }\nchecks:\n  a: echo a\n  b: echo b\n",
            none.clone(),
        ),
        (
            "checks:\n  a: echo a\n  b: echo b\nconditions:\n  - a.exitCode == 0\nfailureConditions:\n  - b.exitCode != 0\n",
            none.clone(),
        ),
    ] {
        let specification = &format!("parallel: true\n{specification}");
        let alone = Machine::new(specification);
        let whole = alone.perform_with(order(0), true, (&left_out, Some(NonZeroUsize::MIN))).report;
        for number in [2, 3] {
            let asker = Machine::new(specification);
            let parts = split(&asker, number, &left_out);
            let answers = perform(specification, &parts, &|_, _| {});
            let report = judge(&asker, &assembled(&asker, &answers, &parts), &left_out, &answers[0].1.report.run);
            assert_eq!(essence(&report), essence(&whole), "{specification}: {:?}", report.verdict.reasons);
        }
    }
}

/// A plan of which two parts perform the prerequisite and the step that two others need.
const SHARED: &str = "parallel: true\noutputs: [bad, m]\nprerequisites:\n  tool: \"! grep -q tool bad\"\nchecks:\n  build: \
                      { run: \"! grep -q build bad && { ! grep -q flaky bad || test -f m || { touch m; exit 1; }; }\", retries: 1 }\n  \
                      a: { run: echo a, needs: [build] }\n  b: { run: echo b, needs: [build] }\n";

/// Makes an action fail in one part alone.
fn bad_in(part: usize, action: &'static str) -> impl Fn(usize, &Machine) {
    move |number, machine| fs::write(machine.path("tree/bad"), if number == part { action } else { "none" }).unwrap()
}

#[test]
fn what_several_parts_performed_counts_as_where_it_came_out_worst() {
    assert_eq!(in_parts(SHARED, 2, &bad_in(0, "nothing")).verdict.decision, Decision::Pass);
    for part in [0, 1] {
        let failed = in_parts(SHARED, 2, &bad_in(part, "tool"));
        assert_eq!((failed.verdict.decision, failed.verdict.exit), (Decision::Blocked, Exit::Prerequisite));
        assert!(failed.actions[1..].iter().all(|action| action.ran().is_none()), "{:?}", failed.run.skipped);
        let told = format!("PREREQ.1 failed in part {} of 2", part + 1);
        assert!(failed.run.notices.iter().any(|notice| notice.contains(&told)), "{:?}", failed.run.notices);

        let failed = in_parts(SHARED, 2, &bad_in(part, "build"));
        assert_eq!(failed.verdict.decision, Decision::Fail);
        let ran: Vec<bool> = failed.actions.iter().map(|action| action.ran().is_some()).collect();
        assert_eq!(ran, [true, true, false, false]);

        let flaky = in_parts(SHARED, 2, &bad_in(part, "flaky"));
        assert_eq!(flaky.verdict.decision, Decision::Pass, "{:?}", flaky.verdict.reasons);
        assert!(flaky.actions[1].ran().unwrap().judgement.flaky);
        let fails = format!("flaky: fail\n{SHARED}");
        assert_eq!(in_parts(&fails, 2, &bad_in(part, "flaky")).verdict.decision, Decision::Fail);
    }
}

#[test]
fn what_one_part_does_to_inputs_is_not_lost() {
    for (what, decision) in [
        ("echo more >> a.txt", Decision::Blocked),
        ("rm a.txt", Decision::Blocked),
        ("echo new > new.txt", Decision::Pass),
        ("cat a.txt", Decision::Pass),
    ] {
        let specification = format!("parallel: true\nchecks:\n  a: echo a\n  b: {what}\n  c: echo c\n");
        let report = in_parts(&specification, 3, &|_, _| {});
        assert_eq!(report.verdict.decision, decision, "{what}: {:?}", report.verdict.reasons);
        let tree = report.run.run_context.tree.as_ref().unwrap();
        assert_eq!(tree.change_count, u64::from(what != "cat a.txt"), "{what}");
        assert_eq!(tree.before.digest == tree.after.digest, what == "cat a.txt", "{what}");
    }
    // Two trees that differ: no tree is the one after the run.
    let both = "parallel: true\nchecks:\n  a: echo 1 > one.txt\n  b: echo 2 > two.txt\n";
    let report = in_parts(both, 2, &|_, _| {});
    assert_eq!(report.verdict.decision, Decision::Pass, "{:?}", report.verdict.reasons);
    assert_eq!(report.run.run_context.tree.as_ref().unwrap().change_count, 2);
}

#[test]
fn parts_that_are_missing_swapped_or_say_more_or_less_than_their_order_never_pass() {
    let specification = "parallel: true\nchecks:\n  a: echo a\n  b: echo b\n  c: { run: echo c, needs: [b] }\n";
    let (asker, none) = (Machine::new(specification), BTreeMap::new());
    let parts = split(&asker, 2, &none);
    let answers = perform(specification, &parts, &|_, _| {});
    let like = &answers[0].1.report.run;
    let directory = tempfile::tempdir().unwrap();
    let part = |of: usize, left_out: usize, change: &dyn Fn(&mut Files), name: &str| PartRun {
        worker: forged(&answers[of].1, &directory.path().join(name), |files| change(files)),
        left_out: parts[left_out].clone(),
    };
    let as_is = |_: &mut Files| {};
    let judged = |parts| judge(&Machine::new(specification), &Assembly::new(parts, None, None), &none, like);
    let honest = judged(vec![part(0, 0, &as_is, "h1"), part(1, 1, &as_is, "h2")]);
    assert_eq!(honest.verdict.decision, Decision::Pass, "{:?}", honest.verdict.reasons);

    let alone = Machine::new(specification);
    let whole = alone.perform_parts(order(7), true, &none);
    let more = PartRun { worker: forged(&whole, &directory.path().join("more"), |_| {}), left_out: parts[1].clone() };
    let other = Machine::new(&specification.replace("echo b", "echo x"));
    let another_plan = other.perform_parts(order(1), true, &parts[1]);
    assert!(asker.receive(&another_plan, other.inputs()).unwrap().err().unwrap().contains("plan of the worker"));
    let edits: Vec<Forgery> = vec![
        ("no record", Box::new(|files| drop(files.remove("STEP.2-b.json")))),
        ("no log", Box::new(|files| drop(files.remove("STEP.3-c.log")))),
        ("no end", Box::new(|files| without_lines(files, &["action-finished", "STEP.3"]))),
        ("never there", Box::new(|files| without_lines(files, &["STEP.2"]))),
        ("no journal", Box::new(|files| drop(files.insert(evidence_name::JOURNAL.to_owned(), Vec::new())))),
        ("another attempt", Box::new(|files| edit(files, evidence_name::JOURNAL, r#""attempt":1"#, r#""attempt":2"#))),
        (
            "a failure of its engine",
            Box::new(|files| {
                let failed = "\"kind\": \"failed\", \"message\": \"the disk is full\"";
                edit(files, evidence_name::RUN, "\"kind\": \"finished\"", failed);
            }),
        ),
    ];
    let mut bad: Vec<(&str, Vec<PartRun>)> = vec![
        ("swapped", vec![part(1, 0, &as_is, "s1"), part(0, 1, &as_is, "s2")]),
        ("the first one twice", vec![part(0, 0, &as_is, "t1"), part(0, 1, &as_is, "t2")]),
        ("the second one alone", vec![part(1, 1, &as_is, "alone")]),
        ("more than it was to run", vec![part(0, 0, &as_is, "m1"), more]),
    ];
    for (number, (name, change)) in edits.iter().enumerate() {
        bad.push((name, vec![part(0, 0, &as_is, &format!("e{number}")), part(1, 1, change, &format!("f{number}"))]));
    }
    for (name, parts) in bad {
        let count = parts.len();
        let report = judged(parts);
        assert_ne!(report.verdict.decision, Decision::Pass, "{name}");
        let RunEnding::Failed { message } = &report.run.ending else { panic!("{name}: {:?}", report.run.ending) };
        assert!(message.contains(&format!("of {count}")), "{name}: {message}");
    }
}

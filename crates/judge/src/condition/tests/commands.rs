//! Output and ending of commands.

use super::*;

#[test]
fn tools_are_those_of_the_last_step_that_ran_them() {
    let world = commands().command("STEP.6", "npx tsc -p other", 0, findings("tsc", 0, 0, 0));
    world.hold(&[
        ("tsc.exitCode === 0", 'T'),
        ("typescript.exitCode === 0", 'T'),
        ("TypeScript.errorCount === 0", 'T'),
        ("jest.success", 'T'),
        ("eslint.errorCount === 0", 'U'),
    ]);
    world.explain(&[("eslint.errorCount === 0", "no step of the task is known to run eslint")]);
    // A prerequisite is not a step.
    let only = Fixture::new().command("PREREQ.1", "npx eslint .", 0, findings("eslint", 0, 0, 0));
    only.hold(&[("eslint.success", 'U'), ("exitCode === 0", 'U')]);
}

#[test]
fn output_is_seen_as_a_whole_or_is_unknown() {
    let world = commands();
    world.hold(&[
        ("STEP.2.stdout === 'all is well'", 'T'),
        ("STEP.2.stdout !== 'all is well'", 'F'),
        ("STEP.2.stdout.includes('is')", 'T'),
        ("STEP.2.stdout.length === 11", 'T'),
        ("STEP.2.stdout.includes(STEP.2.stdout)", 'T'),
        ("STEP.5.stdout", 'T'),
        ("STEP.5.stdout === ''", 'F'),
        ("STEP.5.stdout !== ''", 'T'),
        // Its text was not kept in memory, so only the searched strings are known.
        ("STEP.5.stdout === 'v20'", 'U'),
        ("STEP.5.stdout.length > 0", 'U'),
        ("STEP.5.stdout.includes('other')", 'U'),
        ("STEP.5.stdout.includes('')", 'T'),
        ("STEP.5.stderr.includes('other')", 'U'),
        ("STEP.5.stdout < 5", 'U'),
        ("Array.isArray(STEP.5.stdout)", 'F'),
    ]);

    let mut action = line("STEP.1", "./x");
    action.evidence.stderr = false;
    let record = exited(&action, 0);
    let kept = Fixture::new().ran(action, record, nothing());
    kept.hold(&[("stderr === ''", 'U'), ("stderr", 'U'), ("stdout", 'T')]);
    kept.explain(&[("stderr", "STEP.1 keeps no standard error: `evidenceCapture` turns it off")]);
}

#[test]
fn empty_output_needs_no_look() {
    let action = line("STEP.1", "./x");
    let mut record = exited(&action, 0);
    if let referee_model::record::Facts::Command(facts) = &mut record.facts {
        facts.log.as_mut().unwrap().streams = referee_model::record::StreamMap::default();
    }
    Fixture::new().ran(action, record, nothing()).hold(&[
        ("stdout", 'F'),
        ("stdout === ''", 'T'),
        ("stdout.length === 0", 'T'),
        ("stdout.includes('x')", 'F'),
        ("stderr !== ''", 'F'),
    ]);
}

#[test]
fn commands_that_did_not_end_by_themselves_have_no_exit_code() {
    for (ending, reason) in [
        (Ending::Signaled { signal: 9 }, "STEP.1 has no exit code: it was ended by SIGKILL"),
        (
            Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: false },
            "STEP.1 has no exit code: it was stopped at its deadline of 10 s",
        ),
        (Ending::Interrupted { killed: true }, "STEP.1 has no exit code: it was stopped"),
        (
            Ending::OutputLimitExceeded { limit_bytes: 5 },
            "STEP.1 has no exit code: it was stopped, because it printed too much",
        ),
        (
            Ending::CouldNotStart {
                cause: referee_model::record::StartFailure::NotFound,
                message: "no `x`".to_owned(),
            },
            "STEP.1 has no exit code: it could not be started: no `x`",
        ),
    ] {
        let action = line("STEP.1", "npx eslint .");
        let record = fixture::ended(&action, ending);
        let world = Fixture::new().ran(action, record, findings("eslint", 0, 0, 0));
        world.explain(&[("exitCode === 0", reason)]);
        world.hold(&[("exitCode === 0", 'U'), ("exitCode !== 0", 'U'), ("errorCount === 0", 'U'), ("failed", 'T')]);
    }
    // The tool did not work, so the lack of findings says nothing.
    let broken = Fixture::new().command("STEP.1", "npx eslint .", 2, nothing());
    broken.hold(&[("errorCount === 0", 'U'), ("warningCount === 0", 'U'), ("exitCode === 2", 'T')]);
    // The same beneath a prerequisite.
    let prerequisite = Fixture::new().command("PREREQ.1", "npx eslint .", 2, nothing());
    prerequisite.hold(&[
        ("PREREQ.1.errorCount === 0", 'U'),
        ("PREREQ.1.failed === true", 'T'),
        ("PREREQ.1.outcome === 'PREREQUISITE_FAILURE'", 'T'),
    ]);
    let found = Fixture::new().command("PREREQ.1", "npx eslint .", 1, findings("eslint", 2, 0, 0));
    found.hold(&[("PREREQ.1.errorCount === 2", 'T')]);
}

//! The injected faults, and the required reaction to each.

use std::path::Path;
use std::time::Duration;

use referee_exec::own;
use referee_exec::sandbox::Kernel;
use referee_model::evidence_name;

use super::SelftestOutcome;
use super::stage::{Stage, all, exits, holds};
use crate::error::EngineError;

/// A specification whose only check passes.
const PASSES: &str = "checks: {works: 'echo it works'}\n";

/// Value of a declared secret, long enough not to be an ordinary word.
const DECLARED: &str = "q7-declared-w9x2-value";

/// A token recognized by its shape alone, split here so that no scanner reports this file as a leak.
const TOKEN: [&str; 2] = ["ghp_a8Fk2LmQ0zXc7VbN", "4tYu1RwE6pSd9GhJ3kLm"];

pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) operation: &'static str,
    pub(super) must: &'static str,
    pub(super) stage: fn(&Stage<'_>) -> Result<SelftestOutcome, EngineError>,
}

/// All faults, in the order in which they are injected.
pub(super) const ALL: &[Fault] = &[
    Fault {
        name: "masked exit code",
        operation: "a check that fails inside a pipe whose last command succeeds",
        must: "it does not pass",
        stage: |stage| Ok(exits(&stage.run("checks: {masked: 'false | cat'}\n")?, &[6])),
    },
    Fault {
        name: "forged output",
        operation: "a test command that prints the summary of a run that passed, and fails",
        must: "it does not pass",
        stage: |stage| {
            let line = "echo \"Tests:       5 passed, 5 total\"; exit 1";
            Ok(exits(&stage.run(&format!("checks:\n  unit: {{ run: '{line}', role: test }}\n"))?, &[1, 6]))
        },
    },
    Fault {
        name: "replay",
        operation: "the evidence of a run that passed is judged again",
        must: "the same report follows, byte for byte",
        stage: |stage| Ok(all([exits(&stage.run(PASSES)?, &[0]), exits(&stage.verify(&["--replay"])?, &[0])])),
    },
    Fault {
        name: "changed evidence",
        operation: "a byte is added to a sealed log",
        must: "it is found",
        stage: changed,
    },
    Fault {
        name: "changed seal",
        operation: "a hash in the seal is changed",
        must: "it is found",
        stage: changed_seal,
    },
    Fault {
        name: "dead run",
        operation: "Referee is killed in the middle of a run, after one that passed",
        must: "the old pass does not stand, and the next run ends what was left",
        stage: dead_run,
    },
    Fault {
        name: "deadline",
        operation: "a check that never ends, and starts more that does not",
        must: "it is a timeout, and nothing is left running",
        stage: deadline,
    },
    Fault {
        name: "flood",
        operation: "a check that prints without end",
        must: "it is stopped at its limit, and does not pass",
        stage: |stage| Ok(exits(&stage.run("limits: {output: 1MiB}\nchecks: {flood: 'yes'}\n")?, &[6])),
    },
    Fault {
        name: "fork bomb",
        operation: "a check that starts processes without end",
        must: "it is stopped at its limit, and nothing is left running",
        stage: forks,
    },
    Fault {
        name: "leaked process",
        operation: "a check that leaves a process running, in a session of its own",
        must: "it is ended with the check",
        stage: leaked,
    },
    Fault {
        name: "secrets",
        operation: "a check that prints a declared secret, and a token that nobody declared",
        must: "neither stands in the evidence or in what is printed",
        stage: secrets,
    },
    Fault {
        name: "confinement",
        operation: "a confined check that writes outside the workspace, and one that kills Referee",
        must: "both fail, and the workspace stays writable",
        stage: confinement,
    },
    Fault {
        name: "no evidence",
        operation: "a run whose evidence cannot be written",
        must: "there is no verdict (exit 74)",
        stage: |stage| {
            // A file is in the place of the directory.
            stage.specify(&format!("evidence: blocked\n{PASSES}"))?;
            referee_ledger::project_file::write(&stage.path(""), "blocked", b"")?;
            Ok(exits(&stage.referee(&["run"])?, &[74]))
        },
    },
];

fn changed(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let ran = exits(&stage.run(PASSES)?, &[0]);
    let Some((log, _)) = stage
        .evidence()?
        .into_iter()
        .find(|(name, _)| Path::new(name).extension().is_some_and(|ending| ending == "log"))
    else {
        return Ok(SelftestOutcome::Fails("the run left no log".to_owned()));
    };
    stage.change(&log, |mut bytes| {
        bytes.push(b'x');
        bytes
    })?;
    Ok(all([ran, exits(&stage.verify(&[])?, &[4])]))
}

fn changed_seal(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let ran = exits(&stage.run(PASSES)?, &[0]);
    stage.change(evidence_name::SEAL, |bytes| {
        // The last digit of the last hash in the seal, whatever it is a hash of.
        let is_hex = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let run_of = bytes.windows(64).rposition(|window| window.iter().all(is_hex));
        let mut bytes = bytes;
        if let Some(digit) = run_of.and_then(|start| bytes.get_mut(start + 63)) {
            *digit = if *digit == b'0' { b'1' } else { b'0' };
        }
        bytes
    })?;
    Ok(all([ran, exits(&stage.verify(&[])?, &[3, 4])]))
}

fn dead_run(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let first = exits(&stage.run(PASSES)?, &[0]);
    stage.specify("checks: {hangs: 'echo $$ > pid; sleep 600'}\n")?;
    let going = stage.start(&["run"])?;
    let pid = stage.pid_of("pid")?;
    going.kill().map_err(|error| EngineError::internal(format!("Referee could not be killed: {error}")))?;
    let stale = exits(&stage.verify(&[])?, &[3, 4]);
    let next = exits(&stage.run(PASSES)?, &[0]);
    Ok(all([first, stale, next, holds(!own::is_alive(pid), "what the dead run had started still runs")]))
}

fn deadline(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let line = "sleep 600 & echo $! > pid; trap : TERM; while :; do sleep 1; done";
    let check = format!("checks:\n  hangs: {{ run: '{line}', timeout: 300ms, grace: 200ms }}\n");
    let ran = exits(&stage.run(&check)?, &[7]);
    let pid = stage.pid_of("pid")?;
    Ok(all([ran, holds(!own::is_alive(pid), "what the check had started still runs")]))
}

fn forks(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let line = "for i in $(seq 200); do sleep 600 & done; echo $! > pid; wait";
    let ran = exits(&stage.run(&format!("limits: {{processes: 20}}\nchecks: {{forks: '{line}'}}\n"))?, &[6]);
    // If the check was stopped before it wrote the file, there is nothing to look for.
    let last = own::line_of(&stage.path("pid"), Duration::from_millis(1)).and_then(|line| line.trim().parse().ok());
    Ok(all([ran, holds(!last.is_some_and(own::is_alive), "what the check had started still runs")]))
}

fn leaked(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let line = "setsid sh -c \"echo \\$\\$ > pid; exec sleep 600\" & while [ ! -s pid ]; do sleep 0.01; done";
    let ran = exits(&stage.run(&format!("checks:\n  leaks: '{line}'\n"))?, &[0]);
    let pid = stage.pid_of("pid")?;
    Ok(all([ran, holds(!own::is_alive(pid), "what the check had left still runs")]))
}

fn secrets(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let [head, tail] = TOKEN;
    // The shell assembles the token: neither the specification nor the command line contains it.
    let line = format!("echo \"declared $SELFTEST_TOKEN\"; printf \"%s%s end\\n\" {head} {tail}; exit 1");
    let ended = stage.run(&format!("env: {{SELFTEST_TOKEN: {DECLARED}}}\nchecks:\n  tells: '{line}'\n"))?;
    let secrets = [DECLARED.to_owned(), TOKEN.concat()];
    let holds_one = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        secrets.iter().any(|secret| text.contains(secret.as_str()))
    };
    let files = stage.evidence()?;
    let leak = files.iter().find(|(_, bytes)| holds_one(bytes)).map(|(name, _)| name.clone());
    let kept = files.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("declared ***"));
    Ok(all([
        exits(&ended, &[6]),
        leak.map_or(SelftestOutcome::Holds, |file| SelftestOutcome::Fails(format!("{file} holds a secret"))),
        holds(!holds_one(ended.output.as_bytes()), "a secret was printed"),
        holds(kept, "the output around the secret was not kept"),
    ]))
}

fn confinement(stage: &Stage<'_>) -> Result<SelftestOutcome, EngineError> {
    let abi = match stage.kernel {
        Kernel::Landlock { abi } => *abi,
        Kernel::Missing { reason } => {
            return Ok(SelftestOutcome::NotPossible(format!("this machine cannot confine: {reason}")));
        }
    };
    let outside = stage.outside("outside");
    // Signals are restricted from ABI version 6 on; the parent of a check's shell is Referee.
    let kill = if abi >= 6 { "kill -9 $PPID" } else { "exit 1" };
    let specification = format!(
        "checks:\n  inside: 'echo a > inside && echo a > $TMPDIR/file'\n  outside: 'echo a > {}'\n  kill: '{kill}'\n",
        outside.display()
    );
    stage.specify(&specification)?;
    let ended = stage.referee(&["run", "--color=never", "--sandbox=require"])?;
    Ok(all([
        exits(&ended, &[6]),
        holds(own::exists(&stage.path("inside")), "the workspace could not be written to"),
        holds(!own::exists(&outside), "a check wrote outside the workspace"),
    ]))
}

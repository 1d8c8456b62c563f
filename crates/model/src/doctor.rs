//! Whether the gate is really armed: what is looked at, what each finding means, and how to fix it.

use serde::Serialize;

/// What was found about one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub check: Check,
    /// Of what, where there may be several: a host of coding agents, say.
    pub subject: Option<String>,
    /// How it stands.
    pub grade: Grade,
    /// What was found, in a sentence.
    pub what: String,
    /// How to fix it. None: there is nothing to fix.
    pub fix: Option<String>,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// It holds.
    Ok,
    /// It cannot be told from here.
    Unknown,
    /// It holds, and could be better.
    Warning,
    /// It disarms the gate, or lets it be disarmed unseen.
    Problem,
}

impl Grade {
    /// Returns the word for it, as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Finding {
    /// Something that holds.
    pub fn ok(check: Check, what: impl Into<String>) -> Self {
        Self { check, subject: None, grade: Grade::Ok, what: what.into(), fix: None }
    }

    /// Something that does not, or cannot be told, with the check's own advice.
    pub fn bad(check: Check, grade: Grade, what: impl Into<String>) -> Self {
        Self { check, subject: None, grade, what: what.into(), fix: Some(check.fix().to_owned()) }
    }

    /// The same about one of several.
    pub fn about(self, subject: impl Into<String>) -> Self {
        Self { subject: Some(subject.into()), ..self }
    }

    /// The same with other advice.
    pub fn fixed_by(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

/// Declares the checks: id, what it means where one does not hold, how to fix it.
macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident: $id:literal, $means:literal, $fix:literal;)*) => {
        /// What `referee doctor` looks at.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Check {
            $($(#[$doc])* $name,)*
        }

        impl Check {
            /// All of them, in the order in which they are told.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns its id, as it is typed and as documents spell it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// Returns what it means where it does not hold.
            pub fn means(self) -> &'static str {
                match self {
                    $(Self::$name => $means,)*
                }
            }

            /// Returns how to fix it.
            pub fn fix(self) -> &'static str {
                match self {
                    $(Self::$name => $fix,)*
                }
            }
        }
    };
}

checks! {
    /// The specification.
    Specification: "specification",
        "Without a specification that loads there is nothing to check: in an enrolled project every hook blocks.",
        "Fix what `referee check` names, or write a specification by `referee init`.";
    /// The enrolment.
    Enrolment: "enrolment",
        "Hooks have no opinion in a project that is not enrolled: an agent may hand back whatever it likes.",
        "Commit the specification, or run `referee enroll`.";
    /// An enrolment that was ended.
    Removal: "removal",
        "Somebody took the project out of the gate. Where that was not a person, it was an agent that switched the gate off.",
        "Find out who did, then enrol it again: `referee enroll`.";
    /// Held-out checks.
    HeldOut: "held-out",
        "Held-out checks that are missing, broken or in the agent's reach say nothing, and the gate blocks where they cannot be run.",
        "Put the specification back, outside of the repository, and name it: `referee enroll --held-out PATH`.";
    /// What protected files are held against.
    Baseline: "baseline",
        "Without a lock or a trusted commit nobody sees that tests, configuration, hooks or the specification were weakened.",
        "Run `referee lock` after a review of what it records, and commit referee.lock; or name a commit by its id: `referee enroll --trusted ID`.";
    /// Whether what is protected is as it was.
    Drift: "drift",
        "Something that the gate rests on differs from what was approved: runs are BLOCKED until a person looks.",
        "`referee lock explain` names what differs. Put it back, or accept it: `referee lock`.";
    /// Whether hooks, specification and CI are among what is protected.
    Protected: "protected",
        "A file that arms the gate and is not locked can be changed by the agent, and nobody is told.",
        "Run `referee lock`, which takes it down; where a rule exempts it, freeze it under `protect` in the specification.";
    /// Hooks of hosts of coding agents.
    Hook: "hook",
        "Where a host has no hook of Referee its agent hands back without being asked anything.",
        "Run `referee hook config HOST --write`, then `referee lock`.";
    /// Configurations that cannot be read.
    HookFile: "hook-file",
        "A host passes over a configuration that it cannot read, and all hooks in it.",
        "Fix the file, or have it written: `referee hook config HOST --write`.";
    /// Events.
    HookEvents: "hook-events",
        "An event without the hook is a way to hand back without being asked, or leaves a session without a beginning to compare with.",
        "Run `referee hook config HOST --write`.";
    /// What happens when the hook fails.
    HookFailClosed: "hook-fail-closed",
        "When the hook cannot start, crashes or is killed, the host goes on as if there were none.",
        "Run `referee hook config HOST --write`: its command answers in Referee's place. No host has an option that does.";
    /// The script that the hooks run.
    HookScript: "hook-script",
        "The command of a hook runs a script beside the configuration, by its checksum. Where that is gone or changed the command itself blocks: nothing is judged, and no work is handed back.",
        "Look who changed it, then `referee hook config HOST --write`, and `referee lock`.";
    /// Time limits.
    HookTimeout: "hook-timeout",
        "A host that gives up before the gate's own deadline goes on without an answer.",
        "Raise the host's timeout above the hook's `--deadline`, or lower that.";
    /// Switches that turn hooks off.
    HookSwitch: "hook-switch",
        "With hooks switched off at the host nothing asks the gate.",
        "Take the switch out of the file that is named.";
    /// Limits on how often a hook may block.
    HookCap: "hook-cap",
        "A host that ends the turn after fewer blocks than the gate's own loop guard lets an agent leave before a person is called.",
        "Unset it, or set it to 8 or more.";
    /// Whether the host trusts the hook.
    HookTrust: "hook-trust",
        "Codex skips hooks that nobody trusted or that changed since, and Codex, Copilot and Gemini CLI skip those of directories that are not trusted, without a word.",
        "Open `/hooks` in Codex, look at the command, and trust it; or have hooks that run in every directory: `referee hook config HOST --user --write`.";
    /// Whether the version of the host is known to do what the gate needs of it.
    HookVersion: "hook-version",
        "A version of the host that nobody tried may take settings in mid-session that take the hooks away, whatever the hook answers.",
        "Install the version that is named or a newer one, or have the administrator's hooks: `referee hook config claude --managed --write`.";
    /// What a host cannot do.
    HostLimits: "host-limits",
        "What a host cannot do no configuration fixes. CI has the last word.",
        "Let CI decide: `referee ci` in a workflow that must pass before a merge.";
    /// The program that hooks start.
    Program: "program",
        "A hook that starts nothing, or another program, is no gate; one that is in the workspace can be replaced by the agent.",
        "Install Referee outside the workspace, on the search path of the host, or name it by its whole path.";
    /// Who may replace that program.
    ProgramOwner: "program-owner",
        "Whoever may write to the program or its directory may replace it by one that always passes.",
        "Have another user own it, such as root: `sudo install -m 755 PROGRAM /usr/local/bin/referee`.";
    /// The state directory.
    StateDirectory: "state-directory",
        "Heads of chains, locks, trust and enrolments lie there. In reach of the agent, or unwritable, they hold nothing.",
        "Set REFEREE_STATE_DIR to a directory of yours alone outside the workspace, and take it back from others: `chmod -R go-rwx`.";
    /// Its file system.
    StateFileSystem: "state-file-system",
        "Locks and atomic renames do not hold everywhere: on a network file system two runs may lose each other's records.",
        "Set REFEREE_STATE_DIR to a directory on a local disk.";
    /// The key that runs are signed by.
    SigningKey: "signing-key",
        "An unsigned run is self-asserted: it proves nothing to anybody else. A key that the agent can read lets it sign, too.",
        "`referee key new`, then REFEREE_KEY, best as `agent:NAME`, where an SSH agent of another user or a device holds the key.";
    /// The trust store.
    TrustStore: "trust-store",
        "Without a trusted runner no signature counts, and without a trusted approver no waiver or signed lock does.",
        "`referee key trust PUBLIC.pem --name NAME --as runner|approver`.";
    /// Private keys of approvers.
    ApproverKey: "approver-key",
        "An agent that can use an approver's key can waive and lock whatever it wants.",
        "Keep the private key on another machine, with another user, or in a device that asks for a touch.";
    /// The sandbox.
    Sandbox: "sandbox",
        "Without it a check, and code under test, can write anywhere that the user can.",
        "Use a kernel with Landlock 3 (Linux 6.2) or newer, or run checks in a container.";
    /// Control groups.
    ControlGroups: "control-groups",
        "Without them limits on memory and processes are sampled, not enforced.",
        "Let systemd delegate a control group to the user, or run in a container that may make some.";
    /// The chains of runs.
    Chain: "chain",
        "A run was rolled back, replaced or removed: what stands in the evidence directory is not what ran last.",
        "`referee evidence verify` tells more; then run again: `referee run`.";
    /// How the tasks stand.
    LastVerdict: "last-verdict",
        "The gate is armed either way; this is what it would say of what was last sealed.",
        "`referee explain` says why; `referee run` runs again.";
    /// Waivers in force.
    Waivers: "waivers",
        "Each lets one named thing not block for a while. One that nobody trusted signed lifts nothing, and is an attempt.",
        "`referee waive list` shows them, `referee waive revoke ID` ends one.";
    /// The directory of evidence.
    EvidenceDirectory: "evidence-directory",
        "Evidence that is swept into commits by accident, or cannot be written, is lost or noise.",
        "Ignore it (`evidence/` in .gitignore), or commit it on purpose.";
    /// Git.
    Git: "git",
        "Without git no commit is a baseline, a committed specification enrols nothing, and ignored files are not told from others.",
        "Install git outside the workspace, and `git init` the project.";
    /// CI.
    Ci: "ci",
        "Hooks run where the agent runs. What CI does not check again rests on that machine alone.",
        "Call `referee ci` in a workflow that must pass before a merge.";
    /// Variables.
    Environment: "environment",
        "Variables of the shell that an agent is started from reach its hooks, and some change what is judged.",
        "Unset them where the agent is started, and take them out of the host's settings.";
    /// The clock.
    Clock: "clock",
        "Times order runs, end waivers and expire keys. With a wrong clock they do not.",
        "Set the clock, by NTP say.";
}

impl Check {
    /// Returns the check of an id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|check| check.as_str() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page that tells of all findings.
    const PAGE: &str = include_str!("../../../docs/design/setup.md");

    #[test]
    fn every_finding_is_documented_as_it_is_told() {
        for check in Check::ALL {
            let row = format!("| `{}` | {} | {} |", check.as_str(), check.means(), check.fix());
            let row = row.replace("runner|approver", "runner\\|approver");
            assert!(PAGE.lines().any(|line| line == row), "docs/design/setup.md lacks this row:\n{row}");
        }
        let rows = PAGE.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, Check::ALL.len(), "a row tells of a finding that there is not");
    }

    #[test]
    fn ids_are_told_apart() {
        for check in Check::ALL {
            assert_eq!(Check::parse(check.as_str()), Some(*check));
        }
        assert_eq!(Check::parse("nothing"), None);
    }
}

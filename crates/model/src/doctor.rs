//! Checks of `referee doctor`: whether the gate is effective, what each finding means, and how to fix it.

use serde::Serialize;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// The subject checked, where there are several, such as a host of coding agents.
    pub subject: Option<String>,
    /// Grade of the finding.
    pub grade: Grade,
    /// The finding, in one sentence.
    pub what: String,
    /// How to fix it. None: nothing to fix.
    pub fix: Option<String>,
}

document_words! {
    /// Grade of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    pub enum Grade {
        /// The check passes.
        Ok = "ok",
        /// Cannot be determined from here.
        Unknown = "unknown",
        /// The check passes, with room for improvement.
        Warning = "warning",
        /// The gate is ineffective, or can be disabled unnoticed.
        Problem = "problem",
    }
}

impl Finding {
    /// Creates a finding for a check that passes.
    pub fn ok(check: Check, what: impl Into<String>) -> Self {
        Self { check, subject: None, grade: Grade::Ok, what: what.into(), fix: None }
    }

    /// Creates a finding with the given grade and the check's own advice.
    pub fn bad(check: Check, grade: Grade, what: impl Into<String>) -> Self {
        Self { check, subject: None, grade, what: what.into(), fix: Some(check.fix().to_owned()) }
    }

    /// Sets the subject of the finding.
    pub fn about(self, subject: impl Into<String>) -> Self {
        Self { subject: Some(subject.into()), ..self }
    }

    /// Replaces the advice of the finding.
    pub fn fixed_by(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

/// Declares the checks: id, meaning of a check that does not pass, how to fix it.
macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident: $id:literal, $means:literal, $fix:literal;)*) => {
        words! {
            /// A check of `referee doctor`, with its id as typed and as used in documents, in report order.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Check {
                $($(#[$doc])* $name = $id,)*
            }
        }

        impl Check {
            /// Returns what it means when the check does not pass.
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
    /// Whether the specification loads.
    Specification: "specification",
        "Without a specification that loads there is nothing to check: in an enrolled project every hook blocks.",
        "Fix what `referee check` names, or write a specification by `referee init`.";
    /// Whether the project is enrolled.
    Enrolment: "enrolment",
        "Hooks have no opinion in a project that is not enrolled: an agent may hand back whatever it likes.",
        "Commit the specification, or run `referee enroll`.";
    /// Whether an enrollment of the project was ended.
    Removal: "removal",
        "Somebody took the project out of the gate. Where that was not a person, it was an agent that switched the gate off.",
        "Find out who did, then enrol it again: `referee enroll`.";
    /// Whether held-out checks are configured and can run.
    HeldOut: "held-out",
        "Held-out checks that are missing, broken or in the agent's reach say nothing, and the gate blocks where they cannot be run.",
        "Put the specification back, outside of the repository, and name it: `referee enroll --held-out PATH`.";
    /// Whether there is a lock or a trusted commit to compare protected files with.
    Baseline: "baseline",
        "Without a lock or a trusted commit nobody sees that tests, configuration, hooks or the specification were weakened.",
        "Run `referee lock` after a review of what it records, and commit referee.lock; or name a commit by its id: `referee enroll --trusted ID`.";
    /// Whether protected files are unchanged.
    Drift: "drift",
        "Something that the gate rests on differs from what was approved: runs are BLOCKED until a person looks.",
        "`referee lock explain` names what differs. Put it back, or accept it: `referee lock`.";
    /// Whether hooks, specification and CI configuration are protected.
    Protected: "protected",
        "A file that arms the gate and is not locked can be changed by the agent, and nobody is told.",
        "Run `referee lock`, which takes it down; where a rule exempts it, freeze it under `protect` in the specification.";
    /// Whether each host of coding agents has Referee's hook.
    Hook: "hook",
        "Where a host has no hook of Referee its agent hands back without being asked anything.",
        "Run `referee hook config HOST --write`, then `referee lock`.";
    /// Whether the hosts' configuration files can be read.
    HookFile: "hook-file",
        "A host passes over a configuration that it cannot read, and all hooks in it.",
        "Fix the file, or have it written: `referee hook config HOST --write`.";
    /// Whether the hook is configured for every required event.
    HookEvents: "hook-events",
        "An event without the hook is a way to hand back without being asked, or leaves a session without a beginning to compare with.",
        "Run `referee hook config HOST --write`.";
    /// Whether a hook that fails blocks.
    HookFailClosed: "hook-fail-closed",
        "When the hook cannot start, crashes or is killed, the host goes on as if there were none.",
        "Run `referee hook config HOST --write`: its command answers in Referee's place. No host has an option that does.";
    /// Whether the script that the hooks run is present and unchanged.
    HookScript: "hook-script",
        "The command of a hook runs a script beside the configuration, by its checksum. Where that is gone or changed the command itself blocks: nothing is judged, and no work is handed back.",
        "Look who changed it, then `referee hook config HOST --write`, and `referee lock`.";
    /// Whether the hosts' timeouts are longer than the hook's deadline.
    HookTimeout: "hook-timeout",
        "A host that gives up before the gate's own deadline goes on without an answer.",
        "Raise the host's timeout above the hook's `--deadline`, or lower that.";
    /// Whether hooks are switched off at the host.
    HookSwitch: "hook-switch",
        "With hooks switched off at the host nothing asks the gate.",
        "Take the switch out of the file that is named.";
    /// The host's limit on how often a hook may block.
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
    /// Limitations of the host that no configuration can remove.
    HostLimits: "host-limits",
        "What a host cannot do no configuration fixes. CI has the last word.",
        "Let CI decide: `referee ci` in a workflow that must pass before a merge.";
    /// Whether hooks start this program, and whether it lies outside the workspace.
    Program: "program",
        "A hook that starts nothing, or another program, is no gate; one that is in the workspace can be replaced by the agent.",
        "Install Referee outside the workspace, on the search path of the host, or name it by its whole path.";
    /// Who can replace that program.
    ProgramOwner: "program-owner",
        "Whoever may write to the program or its directory may replace it by one that always passes.",
        "Have another user own it, such as root: `sudo install -m 755 PROGRAM /usr/local/bin/referee`.";
    /// Whether the state directory is private and writable.
    StateDirectory: "state-directory",
        "Heads of chains, locks, trust and enrolments lie there. In reach of the agent, or unwritable, they hold nothing.",
        "Set REFEREE_STATE_DIR to a directory of yours alone outside the workspace, and take it back from others: `chmod -R go-rwx`.";
    /// Whether the state directory's file system supports locks and atomic renames.
    StateFileSystem: "state-file-system",
        "Locks and atomic renames do not hold everywhere: on a network file system two runs may lose each other's records.",
        "Set REFEREE_STATE_DIR to a directory on a local disk.";
    /// Whether runs are signed, and whether the key is protected.
    SigningKey: "signing-key",
        "An unsigned run is self-asserted: it proves nothing to anybody else. A key that the agent can read lets it sign, too.",
        "`referee key new`, then REFEREE_KEY, best as `agent:NAME`, where an SSH agent of another user or a device holds the key.";
    /// Whether the trust store holds the required keys.
    TrustStore: "trust-store",
        "Without a trusted runner no signature counts, and without a trusted approver no waiver or signed lock does.",
        "`referee key trust PUBLIC.pem --name NAME --as runner|approver`.";
    /// Whether private keys of approvers are out of the agent's reach.
    ApproverKey: "approver-key",
        "An agent that can use an approver's key can waive and lock whatever it wants.",
        "Keep the private key on another machine, with another user, or in a device that asks for a touch.";
    /// Whether commands can be run in a sandbox.
    Sandbox: "sandbox",
        "Without it a check, and code under test, can write anywhere that the user can.",
        "Use a kernel with Landlock 3 (Linux 6.2) or newer, or run checks in a container.";
    /// Whether control groups can enforce limits.
    ControlGroups: "control-groups",
        "Without them limits on memory and processes are sampled, not enforced.",
        "Let systemd delegate a control group to the user, or run in a container that may make some.";
    /// Whether the chains of runs are intact.
    Chain: "chain",
        "A run was rolled back, replaced or removed: what stands in the evidence directory is not what ran last.",
        "`referee evidence verify` tells more; then run again: `referee run`.";
    /// Status of the tasks by their last sealed run.
    LastVerdict: "last-verdict",
        "The gate is armed either way; this is what it would say of what was last sealed.",
        "`referee explain` says why; `referee run` runs again.";
    /// Waivers in force.
    Waivers: "waivers",
        "Each lets one named thing not block for a while. One that nobody trusted signed lifts nothing, and is an attempt.",
        "`referee waive list` shows them, `referee waive revoke ID` ends one.";
    /// Whether the evidence directory is writable, and either ignored or committed on purpose.
    EvidenceDirectory: "evidence-directory",
        "Evidence that is swept into commits by accident, or cannot be written, is lost or noise.",
        "Ignore it (`evidence/` in .gitignore), or commit it on purpose.";
    /// Whether git is available and the project is a repository.
    Git: "git",
        "Without git no commit is a baseline, a committed specification enrols nothing, and ignored files are not told from others.",
        "Install git outside the workspace, and `git init` the project.";
    /// Whether this machine has what databases, browsers and containers of the specification need.
    Requirements: "requirements",
        "A check whose browser, container program or database driver is missing fails wherever it runs, and blocks its task.",
        "Install what is named, or run these checks on a machine that has it.";
    /// Whether CI runs `referee ci`.
    Ci: "ci",
        "Hooks run where the agent runs. What CI does not check again rests on that machine alone.",
        "Call `referee ci` in a workflow that must pass before a merge.";
    /// Environment variables that change what is judged.
    Environment: "environment",
        "Variables of the shell that an agent is started from reach its hooks, and some change what is judged.",
        "Unset them where the agent is started, and take them out of the host's settings.";
    /// Whether the clock is plausible.
    Clock: "clock",
        "Times order runs, end waivers and expire keys. With a wrong clock they do not.",
        "Set the clock, by NTP say.";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page that documents all findings.
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
            assert_eq!(Check::parse(check.as_str()), Some(check));
        }
        assert_eq!(Check::parse("nothing"), None);
    }
}

//! Identity of failures: ruling 23, version 1.
//!
//! A fingerprint is the SHA-256 of outcome, action, tool, code, normalized message and innermost frame in the
//! project. The action is identified by name, because its number changes if a check is inserted before it; the
//! frame by its file, because its line changes with every edit above it.

use referee_model::fingerprint::Fingerprint;
use referee_model::id::Digest;
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::Action;
use referee_model::reading::{Diagnostic, TestFailure};
use sha2::{Digest as _, Sha256};

pub use self::normalize::normalized;

mod normalize;

/// Inputs of a fingerprint of version 1.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// Outcome of the action, or the outcome that such a finding has by itself.
    pub outcome: Outcome,
    pub action: &'a str,
    pub tool: Option<&'a str>,
    /// Code or rule; for a failed test its name.
    pub code: Option<&'a str>,
    /// Original message.
    pub message: &'a str,
    /// File of the innermost frame in the project.
    pub file: Option<&'a str>,
}

pub fn of(identity: &Identity<'_>) -> Fingerprint {
    let file = identity.file.filter(|file| is_in_project(file));
    let mut hasher = Sha256::new();
    let message = normalized(identity.message);
    let parts = [
        identity.outcome.as_str(),
        identity.action,
        identity.tool.unwrap_or_default(),
        identity.code.unwrap_or_default(),
        &message,
        file.unwrap_or_default(),
    ];
    for part in parts {
        // Each part is preceded by its length, so that different lists of parts never have the same encoding.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    Fingerprint::version_1(Digest::from_bytes(hasher.finalize().into()))
}

/// Returns the fingerprint of a tool's finding. It does not depend on whether the finding blocks.
pub fn of_finding(action: &Action, found: &Diagnostic) -> Fingerprint {
    of(&Identity {
        outcome: Outcome::ValidationFailure,
        action: &action.name,
        tool: Some(&found.tool),
        code: found.code.as_deref(),
        message: &found.message,
        file: found.file.as_deref(),
    })
}

/// Returns the fingerprint of a failed test, or of a suite that never ran.
pub fn of_test(action: &Action, framework: &str, failure: &TestFailure) -> Fingerprint {
    of(&Identity {
        outcome: Outcome::TestFailure,
        action: &action.name,
        tool: Some(framework),
        code: Some(&failure.name),
        message: &failure.message,
        file: failure.file.as_deref(),
    })
}

/// Returns the fingerprint of an action's failure as a whole.
pub fn of_action(action: &Action, judgement: &Judgement) -> Fingerprint {
    of(&Identity {
        outcome: judgement.cause.unwrap_or(judgement.outcome),
        action: &action.name,
        tool: judgement.tool.as_deref(),
        code: Some(judgement.rule.as_str()),
        message: &judgement.reason,
        file: None,
    })
}

/// Returns whether a file is the project's own: relative to the workspace, and not in a directory of dependencies.
pub fn is_in_project(file: &str) -> bool {
    let is_absolute = file.starts_with('/') || file.starts_with("../") || file.contains("://");
    let of_others = ["node_modules", "site-packages", "vendor", ".venv", "venv", ".cargo"];
    !is_absolute && !file.starts_with("node:") && !file.split(['/', '\\']).any(|part| of_others.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity<'_> = Identity {
        outcome: Outcome::ValidationFailure,
        action: "types",
        tool: Some("tsc"),
        code: Some("TS2345"),
        message: "Argument of type 'A' is not assignable",
        file: Some("src/a.ts"),
    };

    #[test]
    fn every_part_tells_failures_apart() {
        let others = [
            Identity { outcome: Outcome::TestFailure, ..IDENTITY },
            Identity { action: "types of tests", ..IDENTITY },
            Identity { tool: Some("vue-tsc"), ..IDENTITY },
            Identity { tool: None, ..IDENTITY },
            Identity { code: Some("TS2322"), ..IDENTITY },
            Identity { message: "Argument of type 'B' is not assignable", ..IDENTITY },
            Identity { file: Some("src/b.ts"), ..IDENTITY },
            Identity { file: None, ..IDENTITY },
            // Text that moves from one part into the next is another failure, too.
            Identity { action: "typestsc", tool: None, ..IDENTITY },
        ];
        for other in others {
            assert_ne!(of(&IDENTITY), of(&other), "{other:?}");
        }
        assert_eq!(of(&IDENTITY), of(&IDENTITY));
    }

    #[test]
    fn the_rule_of_version_1_never_changes() {
        let expected = "v1:f502e5c34f54b724efc73f9ca7427bad337209a9fb9d4c6fa47c5223ddc65476";
        assert_eq!(of(&IDENTITY).to_string(), expected);
    }

    #[test]
    fn files_of_others_are_no_frame() {
        let none = of(&Identity { file: None, ..IDENTITY });
        for file in ["/usr/lib/a.ts", "../a.ts", "node:internal/a", "node_modules/x/a.ts", "a/site-packages/b.py"] {
            assert_eq!(of(&Identity { file: Some(file), ..IDENTITY }), none, "{file}");
        }
    }
}

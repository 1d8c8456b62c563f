//! Properties of a host by its version.

use referee_model::doctor::{Check, Finding, Grade};

/// Oldest verified version of Claude Code that keeps its hooks if the answer to `ConfigChange` refuses new settings.
const KEEPS_HOOKS: [u64; 3] = [2, 1, 330];

/// Reports whether a version of Claude Code keeps the project's and the user's hooks while a session runs.
pub fn of_claude(version: &str) -> Finding {
    let oldest = KEEPS_HOOKS.map(|number| number.to_string()).join(".");
    if parts(version).is_some_and(|parts| parts >= KEEPS_HOOKS) {
        let what = format!("Claude Code {version} keeps its hooks in mid-session, as {oldest} does");
        return Finding::ok(Check::HookVersion, what);
    }
    let what = format!("Claude Code {version} may take settings in mid-session that take the hooks away");
    let fix = format!(
        "Install {oldest} or newer, or have the administrator's hooks: `referee hook config claude --managed --write`."
    );
    Finding::bad(Check::HookVersion, Grade::Warning, what).fixed_by(fix)
}

/// Returns the first three numbers of a version.
fn parts(version: &str) -> Option<[u64; 3]> {
    let mut numbers = version.split(['.', '-', '+']).map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_trusted_from_the_one_that_was_tried() {
        for (version, grade) in [
            ("2.1.330", Grade::Ok),
            ("2.1.330-beta.1", Grade::Ok),
            ("2.2.0", Grade::Ok),
            ("10.0.0", Grade::Ok),
            ("2.1.329", Grade::Warning),
            ("1.9.999", Grade::Warning),
            ("2.1", Grade::Warning),
            ("latest", Grade::Warning),
            ("", Grade::Warning),
        ] {
            assert_eq!(of_claude(version).grade, grade, "{version}");
        }
    }
}

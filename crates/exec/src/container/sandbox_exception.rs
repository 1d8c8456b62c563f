//! The one program that is started outside of the sandbox: podman on this machine.
//!
//! Landlock forbids every mount to confined processes, and podman mounts the file system of each container itself. A
//! container is confined by podman instead, as it is by the service that docker asks. The exception is made for a
//! podman that no confined command can have changed, and not for one that asks a service.

use std::ffi::OsStr;
use std::path::Path;

use referee_model::record::StartFailure;

use crate::environment::Selected;
use crate::resolve::{self, Refusal};
use crate::sandbox::Sandbox;

/// Options and variables by which podman asks a service.
const REMOTE_OPTIONS: [&str; 6] = ["--remote", "-r", "--url", "--connection", "-c", "--host"];
const REMOTE_VARIABLES: [&str; 2] = ["CONTAINER_HOST", "CONTAINER_CONNECTION"];

/// Returns what to say about a command that runs outside of the sandbox. None: it does not, or there is no sandbox.
/// `words` are the name of the program and the options before the subcommand.
pub(super) fn find(program: &Path, words: &[String], selected: &Selected, sandbox: Option<&Sandbox>) -> Option<String> {
    let sandbox = sandbox?;
    let real = std::fs::canonicalize(program).ok()?;
    let is_writable = sandbox.writable.iter().any(|directory| real.starts_with(directory));
    if is_writable || !is_podman(&real, words) || is_remote(words, selected) {
        return None;
    }
    Some(format!(
        "{} ran outside of the sandbox, in which it could not mount the file systems of containers; what its container \
         may write to is what the command gives it",
        real.display()
    ))
}

/// Whether a program is podman, or the script by which podman is named docker.
fn is_podman(program: &Path, words: &[String]) -> bool {
    let is_named = |name: &OsStr| name == "podman";
    let head = || resolve::head(program).unwrap_or_default();
    program.file_name().is_some_and(is_named)
        || words.first().and_then(|word| Path::new(word).file_name()).is_some_and(is_named)
        || (head().starts_with(b"#!") && memchr::memmem::find(&head(), b"podman").is_some())
}

/// Returns why podman is not started where nothing may run outside of the sandbox.
pub(super) fn refusal(program: &Path) -> Refusal {
    let message = format!(
        "{} can only run outside of the sandbox, and `--sandbox=require` forbids that: start containers by a service \
         (docker, or podman with `dockerHost`), or run with `--sandbox=on`",
        program.display()
    );
    Refusal::new(StartFailure::System, message)
}

fn is_remote(words: &[String], selected: &Selected) -> bool {
    let names = |word: &String, option: &str| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    words.iter().skip(1).any(|word| REMOTE_OPTIONS.iter().any(|option| names(word, option)))
        || REMOTE_VARIABLES.iter().any(|name| selected.variables.contains_key(OsStr::new(name)))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the program that it looks at")]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    #[test]
    fn only_podman_itself_runs_outside_and_only_where_no_command_can_change_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["podman", "docker"] {
            fs::write(root.join(name), "\x7fELF").unwrap();
        }
        fs::write(root.join("emulated"), "#!/bin/sh\nexec podman \"$@\"\n").unwrap();
        let decide = |name: &str, options: &[&str], variable: Option<&str>, writable: &Path| {
            let sandbox = Sandbox {
                abi: 3,
                writable: vec![writable.to_owned()],
                temporary: writable.to_owned(),
                is_required: false,
            };
            let words: Vec<String> = [name].iter().chain(options).map(|word| (*word).to_owned()).collect();
            let variables =
                variable.map(|name| (name.into(), "unix:///x".into())).into_iter().collect::<BTreeMap<_, _>>();
            let selected = Selected { variables, dropped: Vec::new() };
            find(&root.join(name), &words, &selected, Some(&sandbox)).is_some()
        };
        let elsewhere = Path::new("/no/such/directory");
        for (name, options, variable, writable, expected) in [
            ("podman", &[][..], None, elsewhere, true),
            ("podman", &["--log-level", "debug"], None, elsewhere, true),
            ("emulated", &[], None, elsewhere, true),
            ("docker", &[], None, elsewhere, false),
            ("podman", &["--remote"], None, elsewhere, false),
            ("podman", &["--url=unix:///x"], None, elsewhere, false),
            ("podman", &[], Some("CONTAINER_HOST"), elsewhere, false),
            ("podman", &[], None, root.as_path(), false),
            ("missing", &[], None, elsewhere, false),
        ] {
            assert_eq!(decide(name, options, variable, writable), expected, "{name} {options:?} {variable:?}");
        }
        let selected = Selected { variables: BTreeMap::new(), dropped: Vec::new() };
        assert_eq!(find(&root.join("podman"), &["podman".to_owned()], &selected, None), None);
    }
}

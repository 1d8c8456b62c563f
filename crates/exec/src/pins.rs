//! Pinned programs: a specification may state which exact file a program must be (design, "Evidence and trust";
//! attack 3: a trojaned program that comes first in PATH).

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::record::{Executable, StartFailure};

use crate::resolve::Refusal;

/// Refuses a command if one of its programs is another file than the one that its name is pinned to. A pin applies
/// whether the program is requested by its name or by a path that ends in it.
pub(crate) fn check(executables: &[Executable], pins: &BTreeMap<String, Digest>) -> Result<(), Refusal> {
    for executable in executables {
        let name = executable.name.rsplit('/').next().unwrap_or_default();
        let Some(pinned) = pins.get(name) else { continue };
        let found = match executable.sha256 {
            Some(digest) if digest == *pinned => continue,
            Some(digest) => format!("its SHA-256 is {digest}"),
            None => "it cannot be read, so nothing tells which file it is".to_owned(),
        };
        let message =
            format!("`{name}` is pinned, and {} is another file: {found}, and {pinned} is pinned", executable.path);
        return Err(Refusal::new(StartFailure::NotPinned, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(name: &str, sha256: Option<u8>) -> Executable {
        let digest = |byte| Digest::from_bytes([byte; 32]);
        Executable { name: name.to_owned(), path: format!("/bin/{name}"), sha256: sha256.map(digest), version: None }
    }

    #[test]
    fn a_program_must_be_the_file_that_its_name_is_pinned_to() {
        let pins = BTreeMap::from([("node".to_owned(), Digest::from_bytes([1; 32]))]);
        for (name, sha256, starts) in [
            ("node", Some(1), true),
            ("node", Some(2), false),
            ("node", None, false),
            ("./bin/node", Some(1), true),
            ("./bin/node", Some(2), false),
            ("curl", Some(2), true),
            ("node/curl", Some(2), true),
            ("node2", None, true),
        ] {
            let all = [executable("sh", Some(9)), executable(name, sha256)];
            match check(&all, &pins) {
                Ok(()) => assert!(starts, "{name} {sha256:?}"),
                Err(refusal) => {
                    assert!(!starts, "{name} {sha256:?}");
                    assert_eq!(refusal.cause, StartFailure::NotPinned);
                    assert!(refusal.message.contains("`node` is pinned"), "{}", refusal.message);
                    assert!(refusal.message.contains(&"01".repeat(32)), "{}", refusal.message);
                }
            }
        }
        assert!(check(&[executable("node", Some(2))], &BTreeMap::new()).is_ok());
    }
}

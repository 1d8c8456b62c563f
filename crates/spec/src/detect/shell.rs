//! Detects shell scripts: Bats and ShellCheck.

use std::collections::BTreeSet;

use referee_model::selection::Level;

use super::ProjectDirectory;
use super::project::{Draft, Ecosystem};
use super::text::has_extension;

pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let plain =
        |path: &&str| path.chars().all(|character| character.is_ascii_alphanumeric() || "._-/".contains(character));
    let files =
        place.files().filter(|path| has_extension(path, "bats") && path.matches('/').count() <= 1).filter(plain);
    let directories: BTreeSet<&str> =
        files.map(|path| path.split_once('/').map_or(".", |(directory, _)| directory)).collect();
    let config = place.first(&[".shellcheckrc"]);
    if directories.is_empty() && config.is_none() {
        return None;
    }
    let mut draft = Draft::new(Ecosystem::Shell, place.directory, config.unwrap_or("tests of Bats"));
    if !directories.is_empty() {
        let directories: Vec<&str> = directories.into_iter().collect();
        draft.check("test", format!("bats {}", directories.join(" ")), Level::Fast, "There are tests of Bats");
    }
    if let Some(config) = config {
        let run_by = place.run_by(&["shellcheck"]);
        let scripts: Vec<&str> =
            place.files().filter(|path| has_extension(path, "sh")).filter(plain).take(20).collect();
        if !scripts.is_empty() {
            draft.check_if_run(
                "lint",
                &format!("shellcheck {}", scripts.join(" ")),
                Level::Fast,
                &format!("There is {config}"),
                run_by,
            );
        }
    }
    Some(draft)
}

//! Where specifications are looked for.

#![expect(clippy::disallowed_methods, reason = "tests make the files that are looked for")]

use referee_spec::discover::{below, find};
use referee_spec::error::SpecError;

#[test]
fn the_nearest_directory_with_a_specification_wins() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("a/b/referee.json")).unwrap();
    std::fs::write(root.join("referee.yml"), "").unwrap();
    assert_eq!(find(&root.join("a/b")).unwrap().file, root.join("referee.yml"), "a directory of that name is none");
    std::fs::write(root.join("a/referee.jsonc"), "").unwrap();
    assert_eq!(find(&root.join("a/b")).unwrap().file, root.join("a/referee.jsonc"));
    assert_eq!(find(&root).unwrap().file, root.join("referee.yml"));
}

#[test]
fn of_several_in_one_directory_the_yaml_is_taken_and_the_others_are_named() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["referee.json", "referee.yaml"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let found = find(directory.path()).unwrap();
    assert!(found.file.ends_with("referee.yaml"));
    assert_eq!(found.beside, ["referee.json"]);
}

#[test]
fn all_below_a_directory_are_found_but_not_those_of_dependencies_and_hidden_directories() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["packages/b", "packages/a", "node_modules/x", ".git/x", "packages/a/evidence"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
        std::fs::write(root.join(name).join("referee.yaml"), "").unwrap();
    }
    std::os::unix::fs::symlink(&root, root.join("packages/circle")).unwrap();
    let found: Vec<_> = below(&root).unwrap().into_iter().map(|found| found.file).collect();
    assert_eq!(found, [root.join("packages/a/referee.yaml"), root.join("packages/b/referee.yaml")]);
    assert!(matches!(below(&root.join(".git/x/..")), Ok(found) if found.len() == 1));
    assert!(matches!(below(tempfile::tempdir().unwrap().path()), Err(SpecError::NotBelow { .. })));
}

#[test]
fn a_directory_that_is_not_there_is_an_error_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(find(&directory.path().join("missing")), Err(SpecError::Io { .. })));
    assert!(matches!(below(&directory.path().join("missing")), Err(SpecError::Io { .. })));
}

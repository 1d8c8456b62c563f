//! Where a specification is looked for.

#![expect(clippy::disallowed_methods, reason = "tests make the files that are looked for")]

use referee_spec::discover::find;
use referee_spec::error::SpecError;

#[test]
fn the_nearest_folder_with_a_specification_wins() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("a/b/referee.json")).unwrap();
    std::fs::write(root.join("referee.yml"), "").unwrap();
    assert_eq!(find(&root.join("a/b")).unwrap(), root.join("referee.yml"), "a folder of that name is none");
    std::fs::write(root.join("a/referee.jsonc"), "").unwrap();
    assert_eq!(find(&root.join("a/b")).unwrap(), root.join("a/referee.jsonc"));
    assert_eq!(find(&root).unwrap(), root.join("referee.yml"));
}

#[test]
fn several_in_one_folder_are_named_and_none_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["referee.json", "referee.yaml"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let error = find(folder.path()).unwrap_err();
    assert!(error.to_string().contains("referee.yaml, referee.json;"), "{error}");
    assert!(matches!(error, SpecError::Several { .. }));
}

#[test]
fn a_folder_that_is_not_there_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(find(&folder.path().join("missing")), Err(SpecError::Io { .. })));
}

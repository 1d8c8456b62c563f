use std::os::unix::fs::PermissionsExt;

use super::*;

struct Project {
    directory: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("work/src")).unwrap();
        let project = Self { directory };
        project.write("src/a.js", "one\n");
        project.write("run.sh", "#!/bin/sh\n");
        project.write(".gitignore", "dist/\n");
        fs::set_permissions(project.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("src/a.js", project.path("link")).unwrap();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("work").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn copy(&self) -> TreeCopy {
        let workspace = self.path("");
        let state = State::open(&self.directory.path().join("state")).unwrap();
        let exclusions = Exclusions::new(&workspace, &[], &[]).unwrap();
        TreeCopy::take(&workspace, exclusions, self.directory.path().join("copy"), &state).unwrap()
    }
}

fn named(changes: &[Change]) -> Vec<(&str, TreeChangeKind)> {
    changes.iter().map(|change| (change.path.to_str().unwrap(), change.kind)).collect()
}

#[test]
fn what_was_edited_removed_and_added_is_as_it_was() {
    let project = Project::new();
    let was = project.path("src/a.js").metadata().unwrap().modified().unwrap();
    let mut copy = project.copy();
    project.write("src/a.js", "two\n");
    fs::remove_file(project.path("run.sh")).unwrap();
    fs::remove_file(project.path("link")).unwrap();
    project.write("coverage/deep/x.info", "");
    project.write("src/report.xml", "");
    project.write("dist/out.js", "built");
    fs::create_dir_all(project.path("new/empty")).unwrap();
    let changes = copy.changes().unwrap();
    assert_eq!(
        named(&changes),
        [
            ("link", TreeChangeKind::Removed),
            ("run.sh", TreeChangeKind::Removed),
            ("src/a.js", TreeChangeKind::Modified),
            ("coverage/deep/x.info", TreeChangeKind::Added),
            ("src/report.xml", TreeChangeKind::Added),
        ]
    );
    assert_eq!(copy.outermost_new(Path::new("coverage/deep/x.info")), Path::new("coverage"));
    assert_eq!(copy.outermost_new(Path::new("src/report.xml")), Path::new("src/report.xml"));
    copy.put_back([Path::new("src/a.js")]).unwrap();
    assert_eq!(fs::read_to_string(project.path("src/a.js")).unwrap(), "one\n");
    assert!(copy.changes().unwrap().is_empty(), "what was put back is not a change of the next one");
    assert_eq!(copy.restore().unwrap(), Vec::<PathBuf>::new());
    assert_eq!(project.path("src/a.js").metadata().unwrap().modified().unwrap(), was);
    assert_eq!(project.path("run.sh").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_link(project.path("link")).unwrap(), Path::new("src/a.js"));
    assert!(!project.path("coverage").exists() && !project.path("src/report.xml").exists());
    assert!(!project.path("new").exists());
    assert!(project.path("dist/out.js").exists(), "what git ignores stays");
}

#[test]
fn what_a_new_rule_of_git_hides_is_found_all_the_same() {
    let project = Project::new();
    let mut copy = project.copy();
    project.write(".gitignore", "dist/\nsrc/\n");
    project.write("src/hidden.js", "");
    project.write("src/a.js", "two\n");
    assert_eq!(copy.restore().unwrap(), Vec::<PathBuf>::new());
    assert!(!project.path("src/hidden.js").exists());
    assert_eq!(fs::read_to_string(project.path("src/a.js")).unwrap(), "one\n");
}

#[test]
fn a_directory_that_is_put_in_is_taken_out_and_one_that_is_there_stays() {
    let project = Project::new();
    let mut copy = project.copy();
    let from = project.directory.path().join("evidence");
    fs::create_dir_all(from.join("T001")).unwrap();
    fs::write(from.join("T001/run.json"), "{}").unwrap();
    assert!(copy.add_directory(&from, "evidence").unwrap());
    assert!(project.path("evidence/T001/run.json").exists());
    assert!(!copy.add_directory(&from, "src").unwrap());
    copy.restore().unwrap();
    assert!(!project.path("evidence").exists() && project.path("src/a.js").exists());
}

#[test]
fn what_cannot_be_copied_is_refused_before_anything_is_tried() {
    let project = Project::new();
    let large = File::create(project.path("large.bin")).unwrap();
    large.set_len(BYTES + 1).unwrap();
    let workspace = project.path("");
    let state = State::open(&project.directory.path().join("state")).unwrap();
    let exclusions = Exclusions::new(&workspace, &[], &[]).unwrap();
    let refused = TreeCopy::take(&workspace, exclusions, project.directory.path().join("copy"), &state);
    assert!(matches!(refused, Err(CopyError::TooMuch { files: 5, mebibytes: 1024 })), "{refused:?}");
    assert!(!project.directory.path().join("copy").exists());
}

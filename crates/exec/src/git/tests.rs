#![expect(clippy::disallowed_methods, reason = "tests make repositories with the real git")]

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::*;

pub(super) fn git(directory: &Path, arguments: &[&str]) -> String {
    // Commands of other tests look for leftovers among the children of this process.
    let _registry = crate::process_registry::lock();
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(super) fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap()
}

/// Creates a repository with a directory, a link, and a file that is changed after the commit.
fn repository() -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().canonicalize().unwrap();
    git(&directory, &["init", "-q"]);
    fs::create_dir(directory.join("part")).unwrap();
    fs::write(directory.join("part/a b.txt"), "one\n").unwrap();
    fs::write(directory.join("top.txt"), "top").unwrap();
    std::os::unix::fs::symlink("a b.txt", directory.join("part/link")).unwrap();
    git(&directory, &["add", "."]);
    git(&directory, &["commit", "-q", "-m", "first"]);
    fs::write(directory.join("part/a b.txt"), "two\n").unwrap();
    (root, directory)
}

#[test]
fn a_commit_is_listed_and_read_as_it_was_below_the_workspace() {
    let (_root, directory) = repository();
    for (workspace, paths) in [
        (directory.clone(), vec!["part/a b.txt", "part/link", "top.txt"]),
        (directory.join("part"), vec!["a b.txt", "link"]),
    ] {
        let repository = Repository::open(&workspace, Some(&path())).unwrap();
        let commit = repository.commit("main").unwrap();
        let entries = repository.list(&commit).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), paths);
        let objects: Vec<&str> = entries.iter().map(|entry| entry.object.as_str()).collect();
        let contents = repository.read(&objects).unwrap();
        assert_eq!(contents[0], b"one\n");
        assert_eq!((entries[1].is_link, contents[1].as_slice()), (true, b"a b.txt".as_slice()));
    }
}

#[test]
fn what_is_not_there_is_said_in_words() {
    let (root, directory) = repository();
    let repository = Repository::open(&directory, Some(&path())).unwrap();
    for reference in ["gone", "", "--all", "main\n", "part"] {
        assert!(matches!(repository.commit(reference), Err(GitError::NoCommit { .. })), "{reference}");
    }
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(matches!(Repository::open(elsewhere.path(), Some(&path())), Err(GitError::NoRepository(_))));
    assert!(matches!(Repository::open(root.path(), None), Err(GitError::NoGit)));
    fs::create_dir(directory.join("bin")).unwrap();
    std::os::unix::fs::symlink("/usr/bin/git", directory.join("bin/git")).unwrap();
    assert!(
        matches!(Repository::open(&directory, Some(directory.join("bin").as_os_str())), Err(GitError::NoGit)),
        "one that the workspace brings along is none"
    );
}

#[test]
fn where_two_lines_of_work_parted_is_told() {
    let (_root, directory) = repository();
    let open = || Repository::open(&directory, Some(&path())).unwrap();
    let base = open().commit("HEAD").unwrap();
    assert_eq!(open().fork_point(&base).unwrap().as_ref(), Some(&base.id));
    git(&directory, &["checkout", "-q", "-b", "trusted"]);
    git(&directory, &["commit", "-q", "--allow-empty", "-m", "others"]);
    let trusted = open().commit("HEAD").unwrap();
    git(&directory, &["checkout", "-q", "-b", "work", &base.id]);
    git(&directory, &["commit", "-q", "--allow-empty", "-m", "work"]);
    assert_eq!(open().fork_point(&trusted).unwrap().as_ref(), Some(&base.id));
    git(&directory, &["checkout", "-q", "--orphan", "alone"]);
    git(&directory, &["commit", "-q", "--allow-empty", "-m", "alone"]);
    assert_eq!(open().fork_point(&trusted).unwrap(), None);
}

#[test]
fn an_object_that_was_overwritten_is_told() {
    let (_root, directory) = repository();
    let repository = Repository::open(&directory, Some(&path())).unwrap();
    let commit = repository.commit("HEAD").unwrap();
    let entries = repository.list(&commit).unwrap();
    // The content of one file under the object name of the other.
    let place = |entry: &Entry| directory.join(".git/objects").join(&entry.object[..2]).join(&entry.object[2..]);
    let other = fs::read(place(&entries[2])).unwrap();
    fs::remove_file(place(&entries[0])).unwrap();
    fs::write(place(&entries[0]), other).unwrap();
    assert!(matches!(repository.commit("HEAD"), Err(GitError::Damaged { .. })));
}

#[test]
fn nothing_that_the_repository_configures_runs() {
    let (_root, directory) = repository();
    let script = directory.join("run.sh");
    fs::write(&script, format!("#!/bin/sh\ntouch {}\n", directory.join("ran").display())).unwrap();
    std::os::unix::fs::PermissionsExt::set_mode(&mut fs::metadata(&script).unwrap().permissions(), 0o755);
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for key in ["core.fsmonitor", "core.pager", "pager.ls-tree", "core.alternateRefsCommand", "filter.x.smudge"] {
        git(&directory, &["config", key, script.to_str().unwrap()]);
    }
    fs::write(directory.join(".git/info/attributes"), "* filter=x\n").unwrap();
    let repository = Repository::open(&directory, Some(&path())).unwrap();
    let commit = repository.commit("main").unwrap();
    let entries = repository.list(&commit).unwrap();
    repository.read(&[entries[0].object.as_str()]).unwrap();
    assert!(!directory.join("ran").exists());
}

#[test]
fn what_the_current_commit_tracks_is_told_whatever_lies_in_the_directory() {
    let (_root, directory) = repository();
    fs::write(directory.join("new.txt"), "").unwrap();
    fs::remove_file(directory.join("top.txt")).unwrap();
    let asked: Vec<String> = ["top.txt", "new.txt", "part/a b.txt", "missing/x", "*.txt"].map(str::to_owned).to_vec();
    let repository = Repository::open(&directory, Some(&path())).unwrap();
    let mut tracked = repository.tracked(&asked).unwrap();
    tracked.sort();
    assert_eq!(tracked, ["part/a b.txt", "top.txt"]);
    assert_eq!(repository.tracked(&["part".to_owned()]).unwrap(), ["part"]);
    let empty = tempfile::tempdir().unwrap();
    git(empty.path(), &["init", "-q"]);
    assert_eq!(Repository::open(empty.path(), Some(&path())).unwrap().tracked(&asked).unwrap(), [""; 0]);
    fs::write(directory.join(".git/HEAD"), format!("{}\n", "0".repeat(40))).unwrap();
    assert!(
        Repository::open(&directory, Some(&path())).unwrap().tracked(&asked).is_err(),
        "a lost commit is not an empty one"
    );
}

/// Creates a repository with a bare one beside it as its remote, and the environment of a person.
fn with_remote() -> (TempDir, PathBuf, Vec<(std::ffi::OsString, std::ffi::OsString)>) {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().canonicalize().unwrap().join("work");
    fs::create_dir(&directory).unwrap();
    git(root.path(), &["init", "-q", "--bare", "remote.git"]);
    git(&directory, &["init", "-q"]);
    fs::create_dir(directory.join("src")).unwrap();
    for name in ["src/a.txt", "src/gone.txt", "other.txt"] {
        fs::write(directory.join(name), "one\n").unwrap();
    }
    fs::write(directory.join(".gitignore"), "*.log\n").unwrap();
    git(&directory, &["add", "."]);
    git(&directory, &["commit", "-q", "-m", "first"]);
    git(&directory, &["remote", "add", "origin", "../remote.git"]);
    let variables = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "a person"),
        ("GIT_AUTHOR_EMAIL", "a@b"),
        ("GIT_COMMITTER_NAME", "a person"),
        ("GIT_COMMITTER_EMAIL", "a@b"),
        // Leads elsewhere, and is removed.
        ("GIT_INDEX_FILE", "/nonexistent/index"),
    ];
    let mut environment: Vec<_> = variables.map(|(name, value)| (name.into(), value.into())).into();
    environment.push(("PATH".into(), path()));
    (root, directory, environment)
}

#[test]
fn a_commit_holds_the_files_that_are_named_and_nothing_else_that_is_staged() {
    let (_root, directory, environment) = with_remote();
    let committer = Committer::open(&directory, &environment).unwrap();
    fs::write(directory.join("src/a.txt"), "two\n").unwrap();
    fs::write(directory.join("src/new file.txt"), "new\n").unwrap();
    fs::write(directory.join("src/x.log"), "ignored\n").unwrap();
    fs::remove_file(directory.join("src/gone.txt")).unwrap();
    fs::write(directory.join("other.txt"), "staged\n").unwrap();
    git(&directory, &["add", "other.txt"]);
    let hook = directory.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ntouch hooked; exit 1\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let changed = committer.changed(&[directory.join("src")]).unwrap();
    assert_eq!(changed, ["src/a.txt", "src/gone.txt", "src/new file.txt"]);
    let commit = committer.commit(&changed, "fix it").unwrap().unwrap();
    assert_eq!(git(&directory, &["rev-parse", "HEAD"]), commit);
    let listed = git(&directory, &["show", "--name-status", "--format=%an %s", "HEAD"]);
    assert_eq!(listed, "a person fix it\n\nM\tsrc/a.txt\nD\tsrc/gone.txt\nA\tsrc/new file.txt");
    assert_eq!(git(&directory, &["diff", "--cached", "--name-only"]), "other.txt", "it stays staged");
    assert!(!directory.join("hooked").exists(), "no hook runs");
    assert_eq!(committer.changed(&[directory.join("src")]).unwrap(), Vec::<String>::new());
    assert_eq!(committer.commit(&[], "nothing").unwrap(), None);
    assert!(committer.is_ignored(&directory.join("src/x.log")).unwrap());
    assert!(!committer.is_ignored(&directory.join("src/a.txt")).unwrap());
}

#[test]
fn a_commit_that_git_refuses_leaves_the_index_as_it_was() {
    let (_root, directory, mut environment) = with_remote();
    environment
        .retain(|(name, _)| !name.to_string_lossy().contains("NAME") && !name.to_string_lossy().contains("EMAIL"));
    git(&directory, &["config", "user.useConfigOnly", "true"]);
    let committer = Committer::open(&directory, &environment).unwrap();
    fs::write(directory.join("src/new.txt"), "new\n").unwrap();
    let before = git(&directory, &["status", "--porcelain"]);
    let refused = committer.commit(&["src/new.txt".to_owned()], "fix it");
    assert!(matches!(refused, Err(GitError::Failed { operation: "commits", .. })), "{refused:?}");
    assert_eq!(git(&directory, &["status", "--porcelain"]), before);
}

#[test]
fn a_push_goes_to_a_known_remote_and_is_never_forced() {
    let (root, directory, environment) = with_remote();
    let committer = Committer::open(&directory, &environment).unwrap();
    let head = committer.head().unwrap().unwrap();
    assert_eq!(committer.branch().unwrap().as_deref(), Some("main"));
    committer.push("origin", &head, "main").unwrap();
    let remote = root.path().join("remote.git");
    assert_eq!(git(&remote, &["rev-parse", "main"]), head);
    for wrong in ["gone", "../remote.git", "--all", "ext::sh -c touch% x", ""] {
        assert!(committer.push(wrong, &head, "main").is_err(), "{wrong}");
    }
    assert!(committer.push("origin", &head, "--force").is_err());
    // The branch has diverged.
    git(&directory, &["checkout", "-q", "--orphan", "elsewhere"]);
    git(&directory, &["commit", "-q", "-m", "another"]);
    let other = committer.head().unwrap().unwrap();
    let refused = committer.push("origin", &other, "main").unwrap_err().to_string();
    assert!(refused.contains("rejected"), "why, and not where it went: {refused}");
    assert_eq!(git(&remote, &["rev-parse", "main"]), head);
    git(&directory, &["checkout", "-q", "--detach"]);
    assert_eq!(committer.branch().unwrap(), None);
}

#[test]
fn a_commit_is_checked_out_to_a_worktree_that_takes_the_place_of_an_earlier_one_and_of_nothing_else() {
    let (root, directory, environment) = with_remote();
    let hook = directory.join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ntouch hooked\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let begun = git(&directory, &["rev-parse", "HEAD"]);
    git(&directory, &["commit", "-q", "--allow-empty", "-m", "later"]);
    let below = directory.join("src");
    let committer = Committer::open(&below, &environment).unwrap();
    assert_eq!(committer.workspace(), Path::new("src"));

    let worktree = root.path().canonicalize().unwrap().join("loops/one");
    for _ in 0..2 {
        committer.add_worktree(&worktree, &begun).unwrap();
        assert_eq!(git(&worktree, &["rev-parse", "HEAD"]), begun);
        assert!(worktree.join("src/a.txt").exists() && !worktree.join("hooked").exists());
        assert_eq!(super::Worktree::of(&worktree).unwrap().main, committer.root());
        fs::write(worktree.join("src/a.txt"), "work\n").unwrap();
        fs::write(worktree.join("new.txt"), "new\n").unwrap();
    }
    committer.remove_worktree(&worktree).unwrap();
    assert!(!worktree.exists());
    // Somebody removed the directory, and git still knows it.
    committer.add_worktree(&worktree, &begun).unwrap();
    fs::remove_dir_all(&worktree).unwrap();
    committer.add_worktree(&worktree, &begun).unwrap();

    assert!(committer.add_worktree(&worktree, &"ab".repeat(20)).is_err(), "there is no such commit");
    let other = root.path().join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("mine.txt"), "mine\n").unwrap();
    assert!(committer.add_worktree(&other, &begun).is_err() && other.join("mine.txt").exists());
    assert!(committer.remove_worktree(&directory).is_err() && directory.join("src/a.txt").exists());
}

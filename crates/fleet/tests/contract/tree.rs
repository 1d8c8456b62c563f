//! Trees that go through a depot.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use referee_fleet::access::Access;
use referee_fleet::answer;
use referee_model::depot::{DepotAddress, DepotAnswer, DepotFailureKind, DepotOperation, DepotRequest};
use referee_model::id::{Digest, ProjectName, WorkspacePath};
use referee_model::time::Timestamp;
use referee_model::tree_manifest::{ContentLink, TreeFile, TreeFileContent, TreeManifest};
use referee_testkit::object_storage::SECRET_KEY;
use tempfile::TempDir;

use crate::server::Server;
use crate::size::object;

pub(crate) const MOST: u64 = 1 << 20;

/// A depot, and how it is reached.
pub(crate) struct TreeDepot {
    address: DepotAddress,
    access: Access,
}

impl TreeDepot {
    pub(crate) fn of_directory(directory: &Path) -> Self {
        let address = DepotAddress::Files { directory: directory.to_path_buf() };
        Self { address, access: Access::default() }
    }

    pub(crate) fn ask(&self, operation: DepotOperation) -> DepotAnswer {
        let project = ProjectName::parse("p").unwrap();
        answer(&DepotRequest { depot: self.address.clone(), project, operation }, &self.access)
    }

    fn put(&self, tree: &TempDir) -> ContentLink {
        match self.ask(put(tree)) {
            DepotAnswer::TreePut { tree, .. } => tree,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn fetch(
        &self,
        tree: ContentLink,
        into: &Path,
        max_bytes: u64,
    ) -> Result<(u64, u64), (DepotFailureKind, String)> {
        match self.ask(DepotOperation::FetchTree { tree, into: into.to_path_buf(), max_bytes }) {
            DepotAnswer::TreeFetched { manifest } => {
                let sizes = manifest.files.iter().filter_map(|file| match &file.content {
                    TreeFileContent::File { content, .. } => Some(content.bytes),
                    TreeFileContent::Link { .. } => None,
                });
                Ok((sizes.clone().count() as u64, sizes.sum()))
            }
            DepotAnswer::Failed { error } => Err((error.kind, error.message)),
            other => panic!("{other:?}"),
        }
    }
}

/// A depot in a directory, and one in object storage where there is a server.
pub(crate) fn every(check: &dyn Fn(&TreeDepot)) {
    let ground = tempfile::tempdir().unwrap();
    check(&TreeDepot::of_directory(ground.path()));
    if let Some(server) = Server::start() {
        let address = DepotAddress::S3 { bucket: "evidence".to_owned(), prefix: String::new() };
        check(&TreeDepot { address, access: server.access(SECRET_KEY) });
    }
}

/// A tree with a program, an empty file, two equal ones and a link.
fn tree() -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir_all(tree.path().join("src/deep")).unwrap();
    for (path, content) in FILES {
        fs::write(tree.path().join(path), content).unwrap();
    }
    fs::set_permissions(tree.path().join("build.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("deep/a", tree.path().join("src/alias")).unwrap();
    tree
}

const FILES: [(&str, &str); 4] =
    [("build.sh", "#!/bin/sh\n"), ("src/deep/a", "same"), ("src/deep/b", "same"), ("src/empty", "")];

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn manifest() -> TreeManifest {
    let file = |(name, content): &(&str, &str)| {
        let link = ContentLink { sha256: Digest::of(content.as_bytes()), bytes: content.len() as u64 };
        let content = TreeFileContent::File { content: link, executable: *name == "build.sh" };
        TreeFile { path: path(name), content }
    };
    let mut files: Vec<TreeFile> = FILES.iter().map(file).collect();
    let link = TreeFileContent::Link { target: "deep/a".to_owned() };
    files.push(TreeFile { path: path("src/alias"), content: link });
    files.sort_by(|one, other| one.path.cmp(&other.path));
    TreeManifest { files }
}

fn put(tree: &TempDir) -> DepotOperation {
    DepotOperation::PutTree {
        directory: tree.path().to_path_buf(),
        manifest: manifest(),
        now: Timestamp::from_millisecond(0),
    }
}

#[test]
fn a_tree_comes_back_as_it_was_and_equal_content_is_stored_once() {
    every(&|ground| {
        let tree = tree();
        let DepotAnswer::TreePut { files, bytes, tree: link } = ground.ask(put(&tree)) else { panic!() };
        assert!((3..=4).contains(&files) && bytes >= 14, "{files} {bytes}");
        let DepotAnswer::TreePut { files, tree: again, .. } = ground.ask(put(&tree)) else { panic!() };
        assert_eq!((files, again), (0, link));
        let into = tempfile::tempdir().unwrap();
        assert_eq!(ground.fetch(link, into.path(), MOST).unwrap(), (4, 18));
        for (name, content) in FILES {
            let found = into.path().join(name);
            assert_eq!(fs::read_to_string(&found).unwrap(), content, "{name}");
            let mode = found.metadata().unwrap().permissions().mode() & 0o111;
            assert_eq!(mode != 0, name == "build.sh", "{name}");
        }
        assert_eq!(fs::read_link(into.path().join("src/alias")).unwrap(), Path::new("deep/a"));
        let (kind, message) = ground.fetch(link, into.path(), MOST).unwrap_err();
        assert!(kind == DepotFailureKind::Local && message.contains("not empty"), "{message}");
    });
}

#[test]
fn a_tree_that_is_too_large_is_refused_before_a_file_is_written() {
    every(&|ground| {
        let link = ground.put(&tree());
        let into = tempfile::tempdir().unwrap();
        for most in [0, link.bytes - 1, link.bytes + 17] {
            let (kind, message) = ground.fetch(link, into.path(), most).unwrap_err();
            assert_eq!(kind, DepotFailureKind::TooLarge, "{message}");
            assert_eq!(into.path().read_dir().unwrap().count(), 0, "{most}");
        }
        assert!(ground.fetch(link, into.path(), link.bytes + 18).is_ok());
    });
}

#[test]
fn a_file_that_changed_since_it_was_listed_is_named_and_the_tree_is_not_stored() {
    let depot = tempfile::tempdir().unwrap();
    let ground = TreeDepot::of_directory(depot.path());
    for change in [
        |path: &Path| fs::write(path, "samf").unwrap(),
        |path: &Path| fs::remove_file(path).unwrap(),
        |path: &Path| {
            fs::remove_file(path).unwrap();
            symlink("/etc/passwd", path).unwrap();
        },
    ] {
        let tree = tree();
        change(&tree.path().join("src/deep/b"));
        // Otherwise `a`, which is equal, would have been stored already.
        fs::write(tree.path().join("src/deep/a"), "samf").unwrap();
        let DepotAnswer::Failed { error } = ground.ask(put(&tree)) else { panic!() };
        assert!(error.kind == DepotFailureKind::Local && error.message.contains("src/deep/"), "{}", error.message);
    }
    let digest = Digest::of(manifest().encode().unwrap());
    assert!(!object(depot.path(), "blobs", digest).exists());
}

#[test]
fn what_a_depot_lost_or_changed_of_a_tree_is_named_and_nothing_counts() {
    let depot = tempfile::tempdir().unwrap();
    let ground = TreeDepot::of_directory(depot.path());
    let link = ground.put(&tree());
    let fails = |expected: DepotFailureKind, about: Digest| {
        let into = tempfile::tempdir().unwrap();
        let (kind, message) = ground.fetch(link, into.path(), MOST).unwrap_err();
        assert!(kind == expected && message.contains(&about.to_string()[2..]), "{kind:?}: {message}");
    };
    let content = Digest::of(b"same");
    let file = object(depot.path(), "blobs", content);
    fs::remove_file(&file).unwrap();
    fails(DepotFailureKind::Missing, content);
    for wrong in ["samf", "sam", "same and more"] {
        fs::write(&file, wrong).unwrap();
        fails(DepotFailureKind::Corrupt, content);
    }
    fs::write(&file, "same").unwrap();
    let file = object(depot.path(), "blobs", link.sha256);
    let text = fs::read(&file).unwrap();
    fs::write(&file, &text[..text.len() - 1]).unwrap();
    fails(DepotFailureKind::Corrupt, link.sha256);
    fs::remove_file(&file).unwrap();
    fails(DepotFailureKind::Missing, link.sha256);
}

/// Stores a manifest that this program would not write.
fn stored(depot: &Path, manifest: &TreeManifest) -> ContentLink {
    let bytes = manifest.encode().unwrap();
    let link = ContentLink { sha256: Digest::of(&bytes), bytes: bytes.len() as u64 };
    let file = object(depot, "blobs", link.sha256);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
    link
}

#[test]
fn a_hostile_manifest_writes_nothing_outside_the_tree() {
    let depot = tempfile::tempdir().unwrap();
    let ground = TreeDepot::of_directory(depot.path());
    ground.put(&tree());
    let good = manifest();
    let content = good.files[0].content.clone();
    let outside = tempfile::tempdir().unwrap();
    let link = TreeFileContent::Link { target: outside.path().to_str().unwrap().to_owned() };
    let file = |name: &str, content: &TreeFileContent| TreeFile { path: path(name), content: content.clone() };
    for files in [
        vec![file("a", &link), file("a/b", &content)],
        vec![file("a", &content), file("a", &content)],
        vec![file("b", &content), file("a", &link)],
        vec![file("", &content)],
    ] {
        let into = tempfile::tempdir().unwrap();
        let link = stored(depot.path(), &TreeManifest { files });
        let (kind, _) = ground.fetch(link, into.path(), MOST).unwrap_err();
        assert_eq!(kind, DepotFailureKind::Corrupt);
        assert_eq!(into.path().read_dir().unwrap().count(), 0);
        assert_eq!(outside.path().read_dir().unwrap().count(), 0);
    }
}

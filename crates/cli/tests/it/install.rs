//! `install/install.sh`: from a directory of a release, whole and meddled with; where it fails nothing is installed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use referee_ledger::attest::{self, Signer};
use referee_ledger::attestation::statement::PAYLOAD_TYPE;
use referee_ledger::key::PrivateKey;
use referee_model::id::Digest;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Finished, finish, program, repository, skipped};

const TARGET: &str = "x86_64-unknown-linux-musl";

/// A program that is small, and says what the real one says.
const SMALL: &str = "#!/bin/sh\necho referee 0.1.0\n";

/// Programs that `referee` starts, and looks for beside itself.
const OTHERS: [&str; 3] = ["referee-database", "referee-fleet", "referee-mutants"];

/// A directory with a release of this machine, and a home to install into.
struct Release {
    directory: TempDir,
    home: TempDir,
    /// Programs that are found before those of the machine.
    machine: TempDir,
}

impl Release {
    fn new() -> Self {
        Self::of(|path| fs::write(path, SMALL).unwrap())
    }

    /// A release whose `referee` is written by `write`.
    fn of(write: impl Fn(&Path)) -> Self {
        let directory = || tempfile::Builder::new().prefix("referee-test-").tempdir().unwrap();
        let release = Self { directory: directory(), home: directory(), machine: directory() };
        release.put_archive("0.1.0", TARGET, write);
        release.sum(&[&archive("0.1.0", TARGET)]);
        release.run_on("Linux", "x86_64");
        release
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn put_archive(&self, version: &str, target: &str, write: impl Fn(&Path)) {
        let name = format!("referee-{version}-{target}");
        let inside = tempfile::tempdir().unwrap();
        let programs = inside.path().join(&name);
        fs::create_dir(&programs).unwrap();
        write(&programs.join("referee"));
        for program in OTHERS {
            fs::write(programs.join(program), SMALL).unwrap();
        }
        for program in OTHERS.into_iter().chain(["referee"]) {
            fs::set_permissions(programs.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(self.path(&archive(version, target))).arg("-C").arg(inside.path()).arg(&name);
        assert!(tar.status().unwrap().success());
    }

    /// Writes SHA256SUMS of these files.
    fn sum(&self, names: &[&str]) {
        let line = |name: &&str| format!("{}  {name}\n", Digest::of(fs::read(self.path(name)).unwrap()));
        fs::write(self.path("SHA256SUMS"), names.iter().map(line).collect::<Vec<_>>().concat()).unwrap();
    }

    /// Signs SHA256SUMS as they are, and returns the path of the public key.
    fn sign(&self) -> PathBuf {
        let signer = Signer::from(PrivateKey::generate().unwrap());
        let sums = Digest::of(fs::read(self.path("SHA256SUMS")).unwrap());
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [
                { "digest": { "sha256": "00" }, "name": archive("0.1.0", TARGET) },
                { "digest": { "sha256": sums.to_string() }, "name": "SHA256SUMS" },
            ],
            "predicateType": "https://slsa.dev/provenance/v1",
            "predicate": { "long": "x".repeat(10_000) },
        });
        let mut line = attest::sign(PAYLOAD_TYPE, statement.to_string().as_bytes(), &signer).unwrap();
        line.push(b'\n');
        fs::write(self.path("provenance.intoto.jsonl"), line).unwrap();
        let key = self.home.path().join("publisher.pub.pem");
        fs::write(&key, signer.public().to_pem()).unwrap();
        key
    }

    /// Has `uname` name this machine.
    fn run_on(&self, system: &str, processor: &str) {
        let script = format!("#!/bin/sh\ncase $1 in -s) echo {system} ;; -m) echo {processor} ;; esac\n");
        let uname = self.machine.path().join("uname");
        fs::write(&uname, script).unwrap();
        fs::set_permissions(uname, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn install(&self, variables: &[(&str, &OsStr)]) -> Finished {
        let path = format!("{}:{}", self.machine.path().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command
            .arg(repository().join("install/install.sh"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home.path())
            .env("REFEREE_BASE_URL", format!("file://{}", self.directory.path().display()))
            .envs(variables.iter().copied());
        finish(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn installed(&self) -> PathBuf {
        self.home.path().join(".local/bin/referee")
    }

    /// Holds that the installation is refused with this message, and that nothing is left of it.
    #[track_caller]
    fn refuses(&self, variables: &[(&str, &OsStr)], message: &str) {
        let refused = self.install(variables).exits(1);
        assert!(refused.stderr.contains(message), "`{message}` is not in: {}", refused.stderr);
        assert!(!self.home.path().join(".local/bin").exists(), "something was installed: {}", refused.stdout);
        let left: Vec<_> = fs::read_dir(self.home.path().join(".local")).into_iter().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn archive(version: &str, target: &str) -> String {
    format!("referee-{version}-{target}.tar.gz")
}

/// Whether openssl can verify Ed25519 here.
fn can_verify() -> bool {
    let can = Command::new("openssl").args(["list", "-public-key-algorithms"]).output();
    let can = can.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).to_lowercase().contains("ed25519"));
    if !can {
        skipped("no openssl that knows Ed25519");
    }
    can
}

#[test]
fn the_real_program_is_installed_and_runs() {
    let release = Release::of(|path| {
        fs::copy(program(), path).unwrap();
    });
    let finished = release.install(&[]).exits(0);
    assert!(finished.stdout.contains("checksum verified"), "{}", finished.stdout);
    assert!(finished.stdout.contains("is not on PATH"), "{}", finished.stdout);
    let version = Command::new(release.installed()).arg("--version").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&version.stdout), format!("referee {}\n", env!("CARGO_PKG_VERSION")));
    for program in OTHERS {
        assert!(release.installed().with_file_name(program).is_file(), "{program}");
    }
    let beside: Vec<_> = fs::read_dir(release.home.path().join(".local")).unwrap().collect();
    assert_eq!(beside.len(), 1, "only bin: {beside:?}");
}

#[test]
fn an_earlier_program_is_replaced_and_stays_where_an_installation_fails() {
    let release = Release::new();
    release.install(&[]).exits(0);
    fs::write(release.installed(), "earlier").unwrap();
    fs::write(release.path(&archive("0.1.0", TARGET)), "junk").unwrap();
    release.install(&[]).exits(1);
    assert_eq!(fs::read_to_string(release.installed()).unwrap(), "earlier");
    release.put_archive("0.1.0", TARGET, |path| fs::write(path, SMALL).unwrap());
    release.sum(&[&archive("0.1.0", TARGET)]);
    release.install(&[]).exits(0);
    assert_eq!(fs::read_to_string(release.installed()).unwrap(), SMALL);
}

#[test]
fn another_directory_may_be_named() {
    let release = Release::new();
    let home = release.home.path().join("a place");
    let path = format!("{}/bin:{}:/usr/bin:/bin", home.display(), release.machine.path().display());
    let finished = release.install(&[("REFEREE_HOME", home.as_os_str()), ("PATH", path.as_ref())]).exits(0);
    assert!(home.join("bin/referee").is_file() && !release.installed().exists());
    assert!(!finished.stdout.contains("PATH"), "{}", finished.stdout);
}

#[test]
fn an_archive_that_was_changed_or_is_missing_is_refused() {
    let release = Release::new();
    let name = archive("0.1.0", TARGET);
    let mut bytes = fs::read(release.path(&name)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(release.path(&name), bytes).unwrap();
    release.refuses(&[], "does not have the checksum");
    fs::remove_file(release.path(&name)).unwrap();
    release.refuses(&[], "cannot get");
}

#[test]
fn an_archive_without_a_checksum_is_refused() {
    let release = Release::new();
    release.sum(&[]);
    release.refuses(&[], "SHA256SUMS lists no archive");
    fs::remove_file(release.path("SHA256SUMS")).unwrap();
    release.refuses(&[], "cannot get");
}

#[test]
fn an_archive_that_holds_no_program_that_runs_is_refused() {
    let release = Release::of(|path| fs::write(path, "#!/bin/sh\nexit 1\n").unwrap());
    release.refuses(&[], "does not run on this machine");
}

#[test]
fn a_version_is_chosen_by_name_and_never_by_chance() {
    let release = Release::new();
    release.put_archive("0.2.0", TARGET, |path| fs::write(path, "#!/bin/sh\necho referee 0.2.0\n").unwrap());
    release.sum(&[&archive("0.1.0", TARGET), &archive("0.2.0", TARGET)]);
    release.refuses(&[], "several archives");
    release.refuses(&[("REFEREE_VERSION", "0.3.0".as_ref())], "no archive");
    release.refuses(&[("REFEREE_VERSION", "0.2".as_ref())], "no archive");
    let finished = release.install(&[("REFEREE_VERSION", "0.2.0".as_ref())]).exits(0);
    assert!(finished.stdout.contains("installed referee 0.2.0"), "{}", finished.stdout);
}

#[test]
fn a_signature_that_is_asked_for_must_verify() {
    if !can_verify() {
        return;
    }
    let release = Release::new();
    let key = release.sign();
    let finished = release.install(&[("REFEREE_PUBLIC_KEY", key.as_os_str())]).exits(0);
    assert!(finished.stdout.contains("signature verified"), "{}", finished.stdout);
}

#[test]
fn a_signature_that_is_missing_of_another_key_or_about_something_else_is_refused() {
    if !can_verify() {
        return;
    }
    let release = Release::new();
    let missing = release.home.path().join("publisher.pub.pem");
    release.refuses(&[("REFEREE_PUBLIC_KEY", missing.as_os_str())], "cannot read the public key");
    let key = release.sign();
    let asked: &[(&str, &OsStr)] = &[("REFEREE_PUBLIC_KEY", key.as_os_str())];
    let statement = release.path("provenance.intoto.jsonl");
    let signed = fs::read(&statement).unwrap();

    fs::remove_file(&statement).unwrap();
    release.refuses(asked, "cannot get");
    fs::write(&statement, "{}\n").unwrap();
    release.refuses(asked, "not a signed in-toto statement");
    fs::write(&statement, [&signed[..], &signed[..]].concat()).unwrap();
    release.refuses(asked, "not one signed statement");

    fs::write(&statement, signed).unwrap();
    fs::write(&key, PrivateKey::generate().unwrap().public().to_pem()).unwrap();
    release.refuses(asked, "the signature does not verify");

    // Whoever changes the archive changes its checksum as well.
    let key = release.sign();
    release.put_archive("0.1.0", TARGET, |path| fs::write(path, "#!/bin/sh\necho evil\n").unwrap());
    release.sum(&[&archive("0.1.0", TARGET)]);
    release.refuses(&[("REFEREE_PUBLIC_KEY", key.as_os_str())], "for other SHA256SUMS");
}

#[test]
fn a_system_without_an_archive_is_named() {
    let release = Release::new();
    release.run_on("SunOS", "x86_64");
    release.refuses(&[], "no archive for system SunOS: build from source");
    release.run_on("Linux", "riscv64");
    release.refuses(&[], "no archive for processor riscv64: build from source");
    release.run_on("Darwin", "arm64");
    release.refuses(&[], "SHA256SUMS lists no archive for aarch64-apple-darwin");
}

#[test]
fn a_place_that_anybody_on_the_way_can_change_is_refused() {
    let release = Release::new();
    release.refuses(&[("REFEREE_BASE_URL", "http://127.0.0.1:1".as_ref())], "is not encrypted");
    release.refuses(&[("REFEREE_BASE_URL", "ftp://127.0.0.1".as_ref())], "unknown place");
    release.refuses(&[("REFEREE_BASE_URL", "".as_ref())], "set REFEREE_BASE_URL");
}

/// The first script of the action.
fn action_script() -> String {
    let action = fs::read_to_string(repository().join("action.yml")).unwrap();
    let script = action.lines().skip_while(|line| line.trim() != "run: |").skip(1);
    let script = script.take_while(|line| line.starts_with("        ") || line.is_empty());
    script.map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn the_action_installs_a_release_that_is_named_and_takes_nothing_in_its_place() {
    let release = Release::new();
    let outputs = release.home.path().join("outputs");
    let place = |base_url: &str, version: &str, key: &str| {
        let path = format!("{}:{}", release.machine.path().display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-c", &action_script()]).env_clear().env("PATH", path);
        bash.env("RUNNER_TEMP", release.home.path()).env("GITHUB_OUTPUT", &outputs);
        bash.env("GITHUB_ACTION_PATH", repository()).env("HOME", release.home.path());
        let named = [("INPUT_PATH", ""), ("INPUT_UPLOAD", "true"), ("INPUT_PUBLIC_KEY", key)];
        let here = [("ACTION_REPOSITORY", ""), ("ACTION_REF", "main"), ("SERVER", "https://localhost:1")];
        bash.envs(named).envs(here).env("INPUT_VERSION", version).env("INPUT_BASE_URL", base_url);
        finish(bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    let here = format!("file://{}", release.directory.path().display());
    let program = release.home.path().join("referee/bin/referee");
    let other = place(&here, "v0.2.0", "").exits(1);
    assert!(other.stderr.contains("no archive") && !program.exists(), "{}", other.stderr);
    place(&here, "v0.1.0", "/nowhere.pem").exits(1);
    place("", "", "/nowhere.pem").exits(2);
    assert!(!program.exists() && !outputs.exists());
    place(&here, "v0.1.0", "").exits(0);
    let told = fs::read_to_string(&outputs).unwrap();
    assert!(told.contains(&format!("program={}\n", program.display())) && program.is_file(), "{told}");
}

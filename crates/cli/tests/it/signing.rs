//! Signed runs: by keys from files, pipes and agents; verified by us, by openssl and by Python, and meddled with.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use referee_ledger::attest;
use referee_ledger::attestation::envelope::Envelope;
use referee_ledger::attestation::statement::PAYLOAD_TYPE;
use referee_ledger::key::{PrivateKey, PublicKey, file};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Finished, Workspace, at_a_terminal, finish, repository, skipped};

const CHECKS: &str = "checks:\n  speak: echo hello\n  look: { file: referee.yaml }\n";

/// A workspace, and a directory outside with a key in it.
struct Signed {
    workspace: Workspace,
    outside: TempDir,
}

impl Signed {
    fn new(specification: &str) -> Self {
        let workspace = Workspace::with(specification);
        let signed = Self { workspace, outside: tempfile::tempdir().unwrap() };
        signed.workspace.referee(&["key", "new", "--out", signed.outside("ci.pem").to_str().unwrap()]).exits(0);
        signed
    }

    /// One whose run is signed already.
    fn run() -> Self {
        let signed = Self::new(CHECKS);
        signed.workspace.referee(&["run", "-q", "--key", signed.key()]).exits(0);
        signed
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().canonicalize().unwrap().join(name)
    }

    fn key(&self) -> &'static str {
        Box::leak(self.outside("ci.pem").to_str().unwrap().to_owned().into_boxed_str())
    }

    fn public(&self) -> &'static str {
        Box::leak(self.outside("ci.pub.pem").to_str().unwrap().to_owned().into_boxed_str())
    }

    fn id(&self) -> String {
        self.public_key().id().to_string()
    }

    fn public_key(&self) -> PublicKey {
        file::read_public(Path::new(self.public())).unwrap()
    }

    fn attestation(&self) -> PathBuf {
        self.workspace.path("evidence/T001/attestation.intoto.jsonl")
    }

    fn verify(&self, more: &[&str]) -> Finished {
        let arguments: Vec<&str> = ["evidence", "verify", "evidence/T001", "--replay", "--format", "json"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        self.workspace.referee(&arguments)
    }

    fn trust(&self, role: &str) {
        let typed = ["key", "trust", self.public(), "--name", "our CI", "--as", role];
        at_a_terminal(&self.workspace.command(&typed), "").exits(0);
    }
}

/// The state and the reasons of one axis.
#[track_caller]
fn axis(finished: &Finished, name: &str) -> (String, String) {
    let document = finished.json();
    let axes = document["axes"].as_array().unwrap();
    let axis = axes.iter().find(|axis| axis["name"] == name).unwrap_or_else(|| panic!("no {name}: {document:#}"));
    (axis["state"].as_str().unwrap().to_owned(), axis["reasons"].to_string())
}

#[track_caller]
fn assert_axis(finished: &Finished, name: &str, state: &str, reason: &str) {
    let (found, reasons) = axis(finished, name);
    assert!(found == state && reasons.contains(reason), "{name} is {found}: {reasons}");
}

#[test]
fn whose_signature_it_is_says_the_verifiers_trust_store_and_never_the_signer() {
    let signed = Signed::run();
    let unknown = signed.verify(&[]).exits(0);
    assert_axis(&unknown, "signature", "unknown", "signed by an unknown key");
    assert_axis(&unknown, "trust", "unknown", "not in your trust store");
    let asked = signed.verify(&["--key", signed.public()]).exits(0);
    assert_axis(&asked, "signature", "holds", &signed.id());
    assert_axis(&asked, "trust", "holds", "the key that was asked for");

    signed.trust("approver");
    assert_axis(&signed.verify(&[]).exits(0), "trust", "unknown", "not as runner");
    signed.trust("runner");
    let trusted = signed.verify(&[]).exits(0);
    assert_axis(&trusted, "signature", "holds", &signed.id());
    assert_axis(&trusted, "trust", "holds", "our CI");
    signed.workspace.referee(&["key", "distrust", &signed.id()[..8]]).exits(0);
    assert_axis(&signed.verify(&[]).exits(0), "trust", "unknown", "not in your trust store");

    let report = signed.workspace.report("T001");
    assert_eq!(
        (&report["authenticity"]["signed"], &report["authenticity"]["selfAsserted"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn an_unsigned_run_says_that_it_is_self_asserted_and_is_not_verifiable_where_a_signature_is_asked_for() {
    let signed = Signed::new(CHECKS);
    signed.workspace.referee(&["run", "-q"]).exits(0);
    let verified = signed.verify(&[]).exits(0);
    assert_axis(&verified, "signature", "unknown", "unsigned");
    assert_axis(&verified, "trust", "unknown", "not signed by a key that you trust");
    assert_axis(&signed.verify(&["--key", signed.public()]).exits(3), "signature", "unverifiable", &signed.id());
    assert_eq!(signed.workspace.report("T001")["authenticity"]["selfAsserted"], true);
}

#[test]
fn a_run_that_did_not_pass_is_signed_as_what_it_is() {
    let signed = Signed::new("checks:\n  fine: 'true'\n  bad: 'exit 3'\n  warn: { run: 'false', needs: [bad] }\n");
    signed.workspace.referee(&["run", "-q", "--key", signed.key()]).exits(6);
    signed.verify(&["--key", signed.public()]).exits(1);
    let statements = statements(&signed);
    let result = &statements[0]["predicate"];
    assert_eq!((&result["result"], &result["failedTests"]), (&json!("FAILED"), &json!(["STEP.2 bad"])));
    assert_eq!(result["passedTests"], json!(["STEP.1 fine"]));
    let verdict = &statements[1]["predicate"];
    assert_eq!(
        (&verdict["decision"], &verdict["exitCode"], &verdict["task"]),
        (&json!("FAIL"), &json!(6), &json!("T001"))
    );
    let text = statements.iter().map(Value::to_string).collect::<String>();
    assert!(!text.contains("exit 3"), "no command is told: {text}");
}

/// The statements of a run, their signatures not looked at.
fn statements(signed: &Signed) -> Vec<Value> {
    let lines = fs::read_to_string(signed.attestation()).unwrap();
    let payload = |line: &str| Envelope::read(line.as_bytes()).unwrap().payload;
    lines.lines().map(|line| serde_json::from_slice(&payload(line)).unwrap()).collect()
}

#[test]
fn statements_bind_source_plan_report_and_seal_of_the_run() {
    let signed = Signed::run();
    let statements = statements(&signed);
    let seal: Value = serde_json::from_slice(&signed.workspace.evidence("T001")["seal.json"]).unwrap();
    let report = signed.workspace.report("T001");
    let verdict = &statements[1]["predicate"];
    assert_eq!(statements[1]["predicateType"], "https://referee.dev/attestation/verdict/v1");
    assert_eq!(statements[1]["subject"][0]["name"], "seal.json");
    assert_eq!(statements[1]["subject"][0]["digest"]["sha256"], verdict["seal"]);
    assert_eq!(verdict["planDigest"], seal["planDigest"]);
    assert_eq!(verdict["execution"], seal["executionId"]);
    assert_eq!(verdict["reportHash"], report["authenticity"]["reportHash"]);
    assert_eq!(verdict["signer"]["keyId"], json!(signed.id()));
    let configuration = &statements[0]["predicate"]["configuration"];
    assert_eq!(configuration[0]["digest"]["sha256"], report["testSpecification"]["specificationDigest"]);
    assert_eq!(configuration[1]["digest"]["sha256"], seal["planDigest"]);
    let schema = referee_schema::published::schema("attestation-verdict").unwrap();
    assert!(jsonschema::is_valid(&schema, verdict), "{verdict:#}");
}

#[test]
fn a_flipped_bit_anywhere_in_the_attestation_is_found() {
    let signed = Signed::run();
    let whole = fs::read(signed.attestation()).unwrap();
    for step in 0..24 {
        let place = step * (whole.len() - 1) / 23;
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (step % 7);
        fs::write(signed.attestation(), flipped).unwrap();
        let verified = signed.verify(&[]);
        assert_eq!(verified.code, Some(4), "byte {place}: {}", verified.stdout);
        assert_axis(&verified, "signature", "broken", "");
    }
}

#[test]
fn what_is_done_to_an_attestation_is_named() {
    let signed = Signed::run();
    let other = Signed::run();
    let whole = fs::read_to_string(signed.attestation()).unwrap();
    let others = fs::read_to_string(other.attestation()).unwrap();
    let (first, second) = whole.split_once('\n').unwrap();
    let impostor = PrivateKey::generate().unwrap();
    let impostors_id = impostor.public().id().to_string();
    let impostor = impostor.into();
    let by_impostor = |payload: &dyn Fn(&str) -> Vec<u8>| {
        let line = |line: &str| {
            String::from_utf8(attest::sign(PAYLOAD_TYPE, &payload(line), &impostor).unwrap()).unwrap() + "\n"
        };
        whole.lines().map(line).collect::<String>()
    };
    let same = |line: &str| Envelope::read(line.as_bytes()).unwrap().payload;
    let renamed = |line: &str| {
        let mut statement: Value = serde_json::from_slice(&same(line)).unwrap();
        if let Some(signer) = statement["predicate"].get_mut("signer") {
            *signer = serde_json::to_value(impostor.document()).unwrap();
        }
        statement.to_string().into_bytes()
    };
    let changed = whole.replace(&signed.id(), &impostors_id);
    let rows: [(&str, String, &str); 9] = [
        ("dropped", String::new(), "there is no verdict that is signed"),
        ("only the test result", format!("{first}\n"), "there is no verdict"),
        ("only the verdict", second.to_owned(), "there is no test result"),
        ("one of another run", format!("{first}\n{}\n", others.lines().nth(1).unwrap()), "the run with another seal"),
        ("all of another run", others.clone(), "is about another run"),
        ("signed by another key", by_impostor(&same), "changed, or signed by another key"),
        ("resigned under another name", by_impostor(&renamed), &impostors_id),
        ("another key's name on it", changed, "as its signer"),
        ("told twice with another payload", format!("{whole}{others}"), "another seal"),
    ];
    for (what, content, named) in rows {
        fs::write(signed.attestation(), content).unwrap();
        let verified = signed.verify(&[]);
        assert_eq!(verified.code, Some(4), "{what}: {}", verified.stdout);
        assert_axis(&verified, "signature", "broken", named);
    }
    fs::remove_file(signed.attestation()).unwrap();
    assert_axis(&signed.verify(&[]).exits(4), "signature", "broken", "attestation.intoto.jsonl is gone");
    // Order does not matter, and what others say is passed over.
    fs::write(signed.attestation(), format!("{second}not ours\n\n{{\"payload\":1}}\n{first}\n")).unwrap();
    let verified = signed.verify(&["--key", signed.public()]).exits(0);
    assert_axis(&verified, "signature", "holds", "2 lines");
    // A signature by somebody else than was asked for.
    fs::write(signed.attestation(), &whole).unwrap();
    assert_axis(&signed.verify(&["--key", other.public()]).exits(4), "signature", "broken", &signed.id());
    signed.verify(&["--key", other.public(), "--key", signed.public()]).exits(0);
}

#[test]
fn a_change_beside_the_attestation_is_found_though_the_seal_is_made_anew() {
    let signed = Signed::run();
    signed.trust("runner");
    let path = signed.workspace.path("evidence/T001/seal.json");
    let seal = fs::read_to_string(&path).unwrap();
    fs::write(&path, seal.replace("\"previousSeal\": null", &format!("\"previousSeal\": \"{}\"", "ab".repeat(32))))
        .unwrap();
    assert_axis(&signed.verify(&[]).exits(4), "signature", "broken", "the run with another seal");
}

#[test]
fn a_trust_store_that_is_junk_believes_nobody_and_one_whose_time_is_over_verifies_nothing() {
    let signed = Signed::run();
    signed.trust("runner");
    let store = signed.workspace.state().join("trust/trust.json");
    let good = fs::read_to_string(&store).unwrap();
    let since = serde_json::from_str::<Value>(&good).unwrap()["keys"][0]["since"].clone();
    fs::write(&store, good.replace("\"until\": null", &format!("\"until\": {since}"))).unwrap();
    assert_axis(&signed.verify(&[]).exits(3), "trust", "unverifiable", "trusted until");
    fs::write(&store, &good[..good.len() / 2]).unwrap();
    let verified = signed.verify(&[]).exits(3);
    assert_axis(&verified, "trust", "unverifiable", "no key is trusted");
    assert_axis(&verified, "signature", "unknown", "signed by an unknown key");
    signed.verify(&["--key", signed.public()]).exits(0);
    let listed = signed.workspace.referee(&["key", "list"]).exits(74);
    assert!(listed.stderr.contains("no key is trusted"), "{}", listed.stderr);
    let trusted =
        signed.workspace.referee(&["key", "trust", signed.public(), "--name", "x", "--as", "runner"]).exits(74);
    assert!(trusted.stderr.contains("trust.json"), "{}", trusted.stderr);
    assert_eq!(fs::read_to_string(&store).unwrap(), good[..good.len() / 2], "what cannot be read is not written over");
}

#[test]
fn a_key_that_cannot_be_used_ends_the_run_before_the_first_action() {
    let signed = Signed::new("checks: {touch: touch ran}\n");
    let copy = |name: &Path, mode: u32| {
        fs::copy(signed.key(), name).unwrap();
        fs::set_permissions(name, fs::Permissions::from_mode(mode)).unwrap();
        name.to_str().unwrap().to_owned()
    };
    let made = |name: &str, arguments: &[&str]| {
        let path = signed.outside(name).to_str().unwrap().to_owned();
        let all: Vec<&str> = arguments.iter().copied().chain(["-out", &path]).collect();
        openssl(&all);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    };
    let rows = [
        (signed.outside("none.pem").to_str().unwrap().to_owned(), "cannot be found"),
        (copy(&signed.workspace.path("key.pem"), 0o600), "is in"),
        (copy(&signed.outside("open.pem"), 0o644), "chmod 600"),
        (signed.public().to_owned(), "holds a public key"),
        (made("rsa.pem", &["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]), "an RSA key"),
        (made("ec.pem", &["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]), "elliptic curve"),
        (made("locked.pem", &["genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:x"]), "with a password"),
        ("agent:".to_owned(), "SSH_AUTH_SOCK"),
        (fs::read_to_string(signed.key()).unwrap(), "make another one"),
    ];
    for (key, part) in rows {
        let finished = signed.workspace.referee(&["run", "--key", &key]).exits(2);
        assert!(finished.stderr.contains(part), "{key}: {}", finished.stderr);
        assert!(!finished.stderr.contains("MC4CAQ"), "nothing of a key is shown: {}", finished.stderr);
        assert!(!signed.workspace.path("ran").exists(), "{key}: something ran");
    }
}

#[test]
fn neither_key_nor_its_place_nor_the_agent_reach_commands_or_evidence() {
    let signed = Signed::new("checks:\n  look: 'env; cat /proc/self/environ; ls -l /proc/self/fd'\n");
    let mut run = signed.workspace.command(&["run", "-q"]);
    run.env("REFEREE_KEY", signed.key()).env("SSH_AUTH_SOCK", "/somewhere/agent.sock");
    finish(run.spawn().unwrap()).exits(0);
    signed.verify(&["--key", signed.public()]).exits(0);
    let pem = fs::read_to_string(signed.key()).unwrap();
    let seed = pem.lines().nth(1).unwrap();
    for (name, bytes) in signed.workspace.evidence("T001") {
        let text = String::from_utf8_lossy(&bytes);
        for secret in [seed, &seed[24..], signed.key(), "/somewhere/agent.sock"] {
            assert!(!text.contains(secret), "{secret} stands in {name}");
        }
    }
}

#[test]
fn a_key_comes_through_a_pipe_and_not_through_a_file_that_commands_could_read_again() {
    let signed = Signed::new("checks: {look: 'cat <&3 2>/dev/null; true'}\n");
    let through = |line: &str| {
        let program = signed.workspace.command(&[]);
        let mut shell = Command::new("bash");
        shell.args(["-c", line, "bash", program.get_program().to_str().unwrap(), signed.key()]);
        shell.current_dir(signed.workspace.path("")).env("REFEREE_STATE_DIR", signed.workspace.state());
        finish(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    through("exec \"$1\" run --key-fd 3 3< <(cat \"$2\")").exits(0);
    signed.verify(&["--key", signed.public()]).exits(0);
    assert!(!String::from_utf8_lossy(&signed.workspace.evidence("T001")["STEP.1-look.log"]).contains("PRIVATE"));
    let refused = through("exec \"$1\" run --key-fd 3 3< \"$2\"").exits(2);
    assert!(refused.stderr.contains("is not a pipe"), "{}", refused.stderr);
    let refused = through("exec \"$1\" run --key-fd 9").exits(2);
    assert!(refused.stderr.contains("/dev/fd/9"), "{}", refused.stderr);
    let refused = through("exec \"$1\" run --key-fd 3 3< <(head -c 100000 /dev/zero)").exits(2);
    assert!(refused.stderr.contains("larger than any key"), "{}", refused.stderr);
}

/// An SSH agent that ends with its test.
struct Agent {
    child: Child,
    socket: PathBuf,
    _directory: TempDir,
}

impl Agent {
    /// Starts one with a new key in it. None: there is none on this machine.
    fn start(comment: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("agent");
        let started = Command::new("ssh-agent").arg("-D").arg("-a").arg(&socket).stdout(Stdio::null()).spawn();
        let Ok(child) = started else {
            skipped("there is no ssh-agent on this machine");
            return None;
        };
        let agent = Self { child, socket, _directory: directory };
        crate::support::wait_until("the agent listens", || agent.socket.exists());
        let key = agent.socket.with_file_name("key");
        let made = ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", key.to_str().unwrap()];
        assert!(Command::new("ssh-keygen").args(made).status().unwrap().success());
        let add = Command::new("ssh-add").arg("-q").arg(&key).env("SSH_AUTH_SOCK", &agent.socket).status().unwrap();
        assert!(add.success());
        Some(agent)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_key_of_a_real_agent_signs_and_never_leaves_it() {
    let Some(agent) = Agent::start("ci@example.org") else { return };
    let signed = Signed::new(CHECKS);
    let with_agent = |arguments: &[&str]| {
        let mut command = signed.workspace.command(arguments);
        finish(command.env("SSH_AUTH_SOCK", &agent.socket).spawn().unwrap())
    };
    with_agent(&["run", "-q", "--key", "agent:ci@example.org"]).exits(0);
    let public = with_agent(&["key", "show", "agent:"]).exits(0).stdout;
    let path = signed.outside("agent.pub.pem");
    fs::write(&path, public).unwrap();
    assert_axis(&signed.verify(&["--key", path.to_str().unwrap()]).exits(0), "signature", "holds", "");
    let refused = with_agent(&["run", "-q", "--key", "agent:bob"]).exits(2);
    assert!(refused.stderr.contains("ci@example.org"), "{}", refused.stderr);
}

#[test]
fn where_the_signature_cannot_be_made_in_the_end_there_is_no_verdict() {
    let Some(agent) = Agent::start("ci") else { return };
    let signed = Signed::new(&format!("checks: {{rid: 'kill {}'}}\n", agent.child.id()));
    let mut command = signed.workspace.command(&["run", "--key", "agent:ci"]);
    let finished = finish(command.env("SSH_AUTH_SOCK", &agent.socket).spawn().unwrap()).exits(74);
    assert!(finished.stderr.contains("the agent cannot be asked"), "{}", finished.stderr);
    assert!(!finished.stdout.contains("PASS"), "{}", finished.stdout);
    assert!(!signed.workspace.path("evidence/T001").exists(), "nothing is published");
}

#[track_caller]
fn openssl(arguments: &[&str]) -> Output {
    let output = Command::new("openssl").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn openssl_verifies_our_signatures_and_its_keys_sign_for_us() {
    let signed = Signed::new(CHECKS);
    let (key, public) = (signed.outside("theirs.pem"), signed.outside("theirs.pub.pem"));
    let (key, public) = (key.to_str().unwrap(), public.to_str().unwrap());
    openssl(&["genpkey", "-algorithm", "ed25519", "-out", key]);
    openssl(&["pkey", "-in", key, "-pubout", "-out", public]);
    signed.workspace.referee(&["run", "-q", "--key", key]).exits(0);
    signed.verify(&["--key", public]).exits(0);
    for line in fs::read_to_string(signed.attestation()).unwrap().lines() {
        let envelope = Envelope::read(line.as_bytes()).unwrap();
        let (signed_bytes, signature) = (signed.outside("pae"), signed.outside("signature"));
        fs::write(&signed_bytes, envelope.signed_bytes()).unwrap();
        fs::write(&signature, &envelope.signatures[0].bytes).unwrap();
        let (signed_bytes, signature) = (signed_bytes.to_str().unwrap(), signature.to_str().unwrap());
        openssl(&[
            "pkeyutl",
            "-verify",
            "-pubin",
            "-inkey",
            public,
            "-rawin",
            "-in",
            signed_bytes,
            "-sigfile",
            signature,
        ]);
    }
    // Our own keys are theirs, too, and their id is what anybody computes.
    openssl(&["pkey", "-in", signed.key(), "-noout"]);
    let spki = openssl(&["pkey", "-in", signed.key(), "-pubout", "-outform", "DER"]).stdout;
    fs::write(signed.outside("spki"), spki).unwrap();
    let digest = openssl(&["dgst", "-sha256", "-r", signed.outside("spki").to_str().unwrap()]).stdout;
    assert!(String::from_utf8(digest).unwrap().starts_with(&signed.id()));
}

/// Runs the script of foreign implementations. None: they are not installed.
fn foreign(arguments: &[&str]) -> Option<String> {
    let python = std::env::var("REFEREE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = repository().join("crates/cli/tests/foreign/attestation.py");
    let output = Command::new(python).arg(script).args(arguments).output();
    match output {
        Ok(output) if output.status.code() != Some(77) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Ok(_) | Err(_) => {
            skipped("Python with securesystemslib[crypto] and in-toto-attestation is needed (REFEREE_PYTHON)");
            None
        }
    }
}

#[test]
fn python_implementations_verify_ours_and_we_verify_theirs() {
    let signed = Signed::run();
    let attestation = signed.attestation();
    let Some(told) = foreign(&["check", signed.public(), attestation.to_str().unwrap()]) else { return };
    let kinds: Vec<Value> =
        told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["predicateType"].clone()).collect();
    assert_eq!(
        kinds,
        ["https://in-toto.io/attestation/test-result/v0.1", "https://referee.dev/attestation/verdict/v1"]
    );
    let public = signed.outside("python.pub.pem");
    let theirs = foreign(&["sign", public.to_str().unwrap(), PAYLOAD_TYPE, "{\"ä\": 1}"]).unwrap();
    let key = file::read_public(&public).unwrap();
    let opened = attest::open(theirs.trim().as_bytes(), PAYLOAD_TYPE, &[signed.public_key(), key.clone()]).unwrap();
    assert_eq!((opened.payload.as_slice(), opened.signers), ("{\"ä\": 1}".as_bytes(), vec![key.id()]));
}

#[test]
fn keys_are_made_shown_believed_and_listed() {
    let workspace = Workspace::with(CHECKS);
    let home = tempfile::tempdir().unwrap();
    let at_home = |arguments: &[&str]| {
        let mut command = workspace.command(arguments);
        finish(command.env("XDG_CONFIG_HOME", home.path()).spawn().unwrap())
    };
    let made = at_home(&["key", "new"]).exits(0);
    let key = home.path().join("referee/key.pem");
    assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let shown = at_home(&["key", "show", "--format", "json"]).exits(0).json();
    let id = shown["keyId"].as_str().unwrap();
    assert!(made.stdout.contains(id) && made.stdout.contains("key.pub.pem"), "{}", made.stdout);
    assert!(!made.stdout.contains("MC4CAQ") && !shown.to_string().contains("MC4CAQ"));
    let again = at_home(&["key", "new"]).exits(2);
    assert!(again.stderr.contains("never overwritten"), "{}", again.stderr);
    at_home(&["key", "new", "--name", "second"]).exits(0);
    let inside = at_home(&["key", "new", "--out", "sub/key.pem"]).exits(2);
    assert!(inside.stderr.contains("is in the project") && !workspace.path("sub").exists(), "{}", inside.stderr);

    let public = home.path().join("referee/key.pub.pem");
    let public = public.to_str().unwrap();
    let trust = |until: &[&str]| {
        let all: Vec<&str> =
            ["key", "trust", public, "--name", "Ada", "--as", "approver"].iter().chain(until).copied().collect();
        at_a_terminal(&workspace.command(&all), "")
    };
    trust(&["--until", "2020-01-01"]).exits(2);
    trust(&["--until", "soon"]).exits(2);
    trust(&["--until", "2999-12-31"]).exits(0);
    at_home(&["key", "trust", key.to_str().unwrap(), "--name", "Ada", "--as", "approver"]).exits(2);
    let listed = at_home(&["key", "list", "--format", "json"]).exits(0).json();
    assert_eq!(listed["keys"][0]["keyId"], id);
    assert_eq!(listed["keys"][0]["roles"], json!(["approver"]));
    assert_eq!(listed["keys"][0]["until"], "2999-12-31T23:59:59.999Z");
    assert!(at_home(&["key", "list"]).exits(0).stdout.contains("Ada"));
    at_home(&["key", "distrust", "0000"]).exits(2);
    at_home(&["key", "distrust", id]).exits(0);
    at_home(&["key", "distrust", id]).exits(2);
}

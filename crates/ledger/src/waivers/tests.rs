use std::fs;
use std::os::unix::fs::symlink;

use referee_model::run_context::waiver::WaiverScope;
use referee_model::time::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::key::PrivateKey;
use crate::state::State;
use crate::trust::{Role, TrustStore};

struct Fixture {
    root: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("workspace")).unwrap();
        Self { root }
    }

    fn workspace(&self) -> PathBuf {
        self.root.path().join("workspace")
    }

    fn waivers(&self) -> PathBuf {
        self.workspace().join(".referee/waivers")
    }

    /// Returns the approvers of a trust store that trusts exactly these keys.
    fn trusting(&self, keys: &[(&Signer, &str, Role)]) -> Approvers {
        let state = State::open(&self.root.path().join("state")).unwrap();
        let store = TrustStore::read(&state).unwrap();
        for entry in store.entries() {
            TrustStore::distrust(&state, entry.key.id()).unwrap();
        }
        for (signer, name, role) in keys {
            TrustStore::trust(&state, signer.public(), name, *role, (now(), None)).unwrap();
        }
        Approvers::load(Some(&state), now())
    }
}

fn now() -> Timestamp {
    Timestamp::from_millisecond(0)
}

fn key() -> Signer {
    PrivateKey::generate().unwrap().into()
}

fn terms(action: &str) -> WaiverTerms {
    WaiverTerms {
        scope: WaiverScope::Action { task: None, action: action.to_owned() },
        reason: "the registry is down".to_owned(),
        person: "Ada".to_owned(),
        given: Timestamp::from_millisecond(0),
        until: Timestamp::from_millisecond(1_000),
    }
}

fn why(waiver: &Waiver) -> &str {
    match &waiver.standing {
        WaiverStanding::Signed { .. } => "signed",
        WaiverStanding::Refused { reason } => reason,
    }
}

#[test]
fn a_waiver_of_an_approver_is_believed_and_one_of_anybody_else_is_refused() {
    let place = Fixture::new();
    let (ada, runner, stranger) = (key(), key(), key());
    let of_runner = (&runner, "ci", Role::Runner);
    let approvers = place.trusting(&[(&ada, "Ada", Role::Approver), of_runner]);
    assert!(find(&place.workspace(), &approvers).is_empty(), "no directory, no waiver");
    for (key, action) in [(&ada, "STEP.1"), (&runner, "STEP.2"), (&stranger, "STEP.3")] {
        give(&place.workspace(), &terms(action), key).unwrap();
    }
    let found = find(&place.workspace(), &approvers);
    let believed: Vec<_> = found.iter().filter_map(Waiver::terms).collect();
    assert_eq!(believed, [&terms("STEP.1")]);
    assert_eq!(found.iter().filter(|waiver| why(waiver).contains("not that of a key that is trusted")).count(), 2);
    let WaiverStanding::Signed { approver, .. } =
        &found.iter().find(|waiver| why(waiver) == "signed").unwrap().standing
    else {
        unreachable!()
    };
    assert_eq!(approver, "Ada", "by the trust store");
    for (approvers, part) in [
        (Approvers::load(None, now()), "there is no state directory"),
        (place.trusting(&[]), "no key is trusted to approve"),
        (place.trusting(&[of_runner]), "no key is trusted to approve"),
    ] {
        let found = find(&place.workspace(), &approvers);
        assert!(found.iter().all(|waiver| why(waiver).contains(part)), "{found:?}");
    }
}

#[test]
fn a_waiver_that_is_changed_renamed_or_junk_is_refused_with_the_reason() {
    let place = Fixture::new();
    let ada = key();
    let approvers = place.trusting(&[(&ada, "Ada", Role::Approver)]);
    let good = give(&place.workspace(), &terms("STEP.1"), &ada).unwrap();
    let envelope: Value = serde_json::from_slice(&fs::read(&good).unwrap()).unwrap();
    fs::remove_file(&good).unwrap();
    let changed = |key: &str, value: Value| {
        let mut envelope = envelope.clone();
        envelope[key] = value;
        envelope.to_string()
    };
    let of_other = {
        let payload = waiver_document::render(&terms("STEP.2")).unwrap();
        referee_syntax::base64::encode(payload.as_ref())
    };
    let name = good.file_name().unwrap().to_str().unwrap();
    let rows = [
        (name, changed("payload", json!(of_other)), "not that of a key that is trusted"),
        (name, changed("payload", json!("%%")), "not a"),
        (name, changed("payloadType", json!("application/vnd.in-toto+json")), "not a signed envelope of"),
        (name, changed("signatures", json!([])), "not signed"),
        (name, changed("signatures", json!(null)), "not a"),
        (name, String::new(), "not a"),
        (name, " ".repeat(65 * 1024), "the limit for a document is 65536 bytes"),
        ("waiver-other.json", envelope.to_string(), "its file has another name"),
        ("notes.txt", "hello".to_owned(), "is not named as a waiver is"),
    ];
    for (name, text, part) in rows {
        let file = place.waivers().join(name);
        fs::write(&file, text).unwrap();
        let found = find(&place.workspace(), &approvers);
        assert!(found.len() == 1 && why(&found[0]).contains(part), "{part}: {found:?}");
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn links_are_not_followed_and_too_many_files_are_said() {
    let place = Fixture::new();
    let ada = key();
    let approvers = place.trusting(&[(&ada, "Ada", Role::Approver)]);
    let good = give(&place.workspace(), &terms("STEP.1"), &ada).unwrap();
    let elsewhere = place.root.path().join(good.file_name().unwrap());
    fs::rename(&good, &elsewhere).unwrap();
    symlink(&elsewhere, &good).unwrap();
    let found = find(&place.workspace(), &approvers);
    assert!(why(&found[0]).contains("a regular file is needed"), "{found:?}");
    for number in 0..limit::WAIVERS {
        fs::write(place.waivers().join(format!("a{number:03}.json")), "{}").unwrap();
    }
    let found = find(&place.workspace(), &approvers);
    assert_eq!(found.len(), limit::WAIVERS + 1);
    assert!(why(found.last().unwrap()).contains("1 files beyond the first 200"), "{:?}", found.last());
    fs::remove_dir_all(place.waivers()).unwrap();
    symlink(place.root.path(), place.waivers()).unwrap();
    assert!(why(&find(&place.workspace(), &approvers)[0]).contains("a link"), "the directory is a link");
}

#[test]
fn a_waiver_is_revoked_by_its_id_alone_and_one_that_breaks_a_rule_is_not_given() {
    let place = Fixture::new();
    let ada = key();
    let file = give(&place.workspace(), &terms("STEP.1"), &ada).unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap();
    assert!(revoke(&place.workspace(), id).unwrap() && !file.exists());
    assert!(!revoke(&place.workspace(), id).unwrap());
    assert!(revoke(&place.workspace(), "../../key").is_err());
    let broken = WaiverTerms { reason: "no".to_owned(), ..terms("STEP.1") };
    assert!(matches!(give(&place.workspace(), &broken, &ada), Err(GiveError::Waiver(_))));
}

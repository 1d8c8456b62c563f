use super::*;
use crate::key::PrivateKey;

struct Fixture {
    directory: tempfile::TempDir,
    state: State,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        std::fs::create_dir(directory.path().join("root")).unwrap();
        Self { directory, state }
    }

    fn look(&self, envelope: &[u8]) -> Result<Approval, String> {
        look(&self.state, &self.root(), &id(), envelope, at(9_000)).unwrap()
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("root")
    }

    fn trust(&self, signer: &Signer, role: Role) {
        TrustStore::trust(&self.state, signer.public(), "Ada", role, (at(0), Some(at(10_000)))).unwrap();
    }
}

fn id() -> IncidentId {
    IncidentId::parse("incident_1").unwrap()
}

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds)
}

fn terms(approved: i64) -> ApprovalTerms {
    ApprovalTerms {
        incident: id(),
        plan: Digest::of(b"plan"),
        revision: 1,
        person: "Ada".to_owned(),
        approved_at: at(approved),
        commands: Vec::new(),
        note: String::new(),
    }
}

fn signer() -> Signer {
    PrivateKey::generate().unwrap().into()
}

#[test]
fn a_signature_counts_for_an_approver_who_is_trusted_now_and_for_nobody_else() {
    let place = Fixture::new();
    let (ada, runner, stranger) = (signer(), signer(), signer());
    let envelope = sign(&terms(1_000), &ada).unwrap();
    assert!(place.look(&envelope).unwrap_err().contains("no key is trusted to approve"));
    place.trust(&ada, Role::Approver);
    place.trust(&runner, Role::Runner);
    let approval = place.look(&envelope).unwrap();
    assert_eq!(approval.terms, terms(1_000));
    assert!(matches!(approval.standing, ApprovalStanding::Signed { approver, .. } if approver == "Ada"));
    for other in [&runner, &stranger] {
        let envelope = sign(&terms(1_000), other).unwrap();
        assert!(place.look(&envelope).unwrap_err().contains("not that of a key that is trusted to approve"));
    }
    let over = look(&place.state, &place.root(), &id(), &envelope, at(20_000)).unwrap();
    assert!(over.unwrap_err().contains("no key is trusted to approve"), "trust has ended");
    TrustStore::distrust(&place.state, ada.public().id()).unwrap();
    assert!(place.look(&envelope).is_err(), "distrusted since");
}

#[test]
fn a_bare_word_counts_by_its_digest_in_the_state_directory_and_only_while_nobody_may_sign() {
    let place = Fixture::new();
    let envelope = unsigned(&terms(1_000)).unwrap();
    assert!(place.look(&envelope).unwrap_err().contains("not given at a terminal"), "written into the workspace");
    keep_self_asserted(&place.state, &place.root(), &id(), &envelope).unwrap();
    assert_eq!(place.look(&envelope).unwrap().standing, ApprovalStanding::SelfAsserted);
    let other = unsigned(&terms(1_001)).unwrap();
    assert!(place.look(&other).is_err());
    let elsewhere = look(&place.state, place.directory.path(), &id(), &envelope, at(9_000)).unwrap();
    assert!(elsewhere.is_err(), "another root");
    place.trust(&signer(), Role::Approver);
    assert!(place.look(&envelope).unwrap_err().contains("approve by that key"));
}

#[test]
fn a_refusal_voids_what_was_given_before_it_signed_or_not() {
    let place = Fixture::new();
    let bare = unsigned(&terms(1_000)).unwrap();
    keep_self_asserted(&place.state, &place.root(), &id(), &bare).unwrap();
    void(&place.state, &place.root(), &id(), at(2_000)).unwrap();
    assert!(place.look(&bare).is_err());
    let ada = signer();
    place.trust(&ada, Role::Approver);
    assert!(place.look(&sign(&terms(2_000), &ada).unwrap()).unwrap_err().contains("refused after"));
    assert!(place.look(&sign(&terms(2_001), &ada).unwrap()).is_ok());
    void(&place.state, &place.root(), &id(), at(1_000)).unwrap();
    assert!(place.look(&sign(&terms(2_000), &ada).unwrap()).is_err(), "an earlier refusal frees nothing");
}

#[test]
fn junk_counts_for_nothing_and_an_unreadable_record_is_an_error() {
    let place = Fixture::new();
    let ada = signer();
    place.trust(&ada, Role::Approver);
    let other_kind = attest::sign("application/vnd.referee.waiver+json", b"{}", &ada).unwrap();
    let no_approval = attest::sign(document::PAYLOAD_TYPE, b"{}", &ada).unwrap();
    for junk in [&b""[..], b"{}", b"\xff", &other_kind, &no_approval] {
        assert!(place.look(junk).is_err());
    }
    void(&place.state, &place.root(), &id(), at(1)).unwrap();
    let file = place.state.area(Area::Approvals).unwrap().join(key(&place.root(), &id()).name());
    std::fs::write(file, "junk").unwrap();
    let envelope = sign(&terms(1_000), &ada).unwrap();
    assert!(look(&place.state, &place.root(), &id(), &envelope, at(9_000)).is_err());
}

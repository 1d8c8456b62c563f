use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::{Value, json};

use super::*;

pub(super) const ISSUER: &str = "https://login.example";
pub(super) const CLIENT: &str = "referee";
pub(super) const NOW: i64 = 1_800_000_000;

/// A key of a provider.
pub(super) enum Signer {
    Rsa(Box<RsaKeyPair>),
    P256(Box<EcdsaKeyPair>),
}

impl Signer {
    /// ring makes no RSA keys, so this one lies beside the certificates of the tests.
    pub(super) fn rsa() -> Self {
        let pem = include_bytes!("../../../testkit/certificates/rsa.key");
        let der = PrivateKeyDer::from_pem_slice(pem).unwrap();
        Self::Rsa(Box::new(RsaKeyPair::from_pkcs8(der.secret_der()).unwrap()))
    }

    pub(super) fn p256() -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self::P256(Box::new(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap()))
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
        }
    }

    pub(super) fn public(&self, id: &str) -> Value {
        let encoded = base64::encode_for_url;
        match self {
            Self::Rsa(key) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({ "kty": "RSA", "kid": id, "use": "sig", "n": encoded(&public.n), "e": encoded(&public.e) })
            }
            Self::P256(key) => {
                let point = key.public_key().as_ref();
                let (x, y) = (encoded(&point[1..33]), encoded(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "alg": "ES256", "x": x, "y": y })
            }
        }
    }

    pub(super) fn keys(&self, id: &str) -> String {
        json!({ "keys": [self.public(id)] }).to_string()
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::P256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
        }
    }

    pub(super) fn token(&self, id: &str, claims: &Value) -> String {
        self.with_header(&json!({ "alg": self.algorithm(), "kid": id, "typ": "JWT" }), claims)
    }

    pub(super) fn with_header(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| base64::encode_for_url(value.to_string().as_bytes());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = self.signature(signed.as_bytes());
        format!("{signed}.{}", base64::encode_for_url(&signature))
    }
}

pub(super) fn claims(nonce: &str) -> Value {
    json!({
        "iss": ISSUER, "sub": "ada", "aud": CLIENT, "exp": NOW + 300, "iat": NOW, "nonce": nonce,
        "groups": ["staff", "referees"],
    })
}

/// A provider in memory. What it gives for a code depends on the nonce that it was told when the sign-in began.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    asked: Vec<ProviderRequest>,
    answers: BTreeMap<String, (u16, String)>,
}

impl Fake {
    fn new(keys: &str) -> Self {
        let fake = Self::default();
        let document = json!({
            "issuer": ISSUER, "authorization_endpoint": format!("{ISSUER}/auth"), "token_endpoint": format!("{ISSUER}/token"),
            "jwks_uri": format!("{ISSUER}/keys"), "scopes_supported": ["openid", "groups"],
        });
        fake.answers("/.well-known/openid-configuration", 200, &document.to_string());
        fake.answers("/keys", 200, keys);
        fake
    }

    fn answers(&self, path: &str, status: u16, body: &str) {
        let mut state = self.0.lock().unwrap();
        state.answers.insert(format!("{ISSUER}{path}"), (status, body.to_owned()));
    }

    fn asked(&self, path: &str) -> Vec<ProviderRequest> {
        let state = self.0.lock().unwrap();
        state.asked.iter().filter(|ask| ask.address == format!("{ISSUER}{path}")).cloned().collect()
    }

    fn oidc(&self, viewer_group: Option<&str>) -> Oidc {
        self.oidc_with(viewer_group, None)
    }

    fn oidc_with(&self, viewer_group: Option<&str>, key: Option<&SessionKey>) -> Oidc {
        let state = Arc::clone(&self.0);
        let fetch: Fetch = Box::new(move |ask| {
            let mut state = state.lock().unwrap();
            state.asked.push(ask.clone());
            let (status, body) = state.answers.get(&ask.address).cloned().ok_or("nothing is there")?;
            Ok((status, body.into_bytes()))
        });
        let options = OidcOptions {
            issuer: ISSUER.to_owned(),
            client: CLIENT.to_owned(),
            client_secret: "s3cret:&".to_owned(),
            operator_group: "referees".to_owned(),
            viewer_group: viewer_group.map(str::to_owned),
            public_url: "https://referee.example/".to_owned(),
        };
        Oidc::new(options, key, fetch).unwrap()
    }
}

fn now() -> Timestamp {
    Timestamp::from_millisecond(NOW * 1_000 + 500)
}

fn parameter(address: &str, name: &str) -> String {
    let query = address.split_once('?').unwrap().1;
    percent::fields(query.as_bytes()).find(|(key, _)| key == name).unwrap_or_else(|| panic!("{name}: {address}")).1
}

/// Signs in with a token for the nonce of this sign-in.
fn signed_in(fake: &Fake, oidc: &Oidc, token: impl FnOnce(&str) -> String) -> Result<(Caller, Duration), SignInError> {
    let departure = oidc.begin(now()).unwrap();
    let token = json!({ "id_token": token(&parameter(&departure.address, "nonce")) });
    fake.answers("/token", 200, &token.to_string());
    oidc.finish(&back(&departure), now())
}

fn back(departure: &AuthorizationRequest) -> AuthorizationResponse {
    AuthorizationResponse {
        code: Some("c0de".to_owned()),
        state: Some(parameter(&departure.address, "state")),
        browser: Some(departure.browser.clone()),
        ..AuthorizationResponse::default()
    }
}

#[test]
fn a_person_signs_in_by_code_and_is_what_the_groups_say() {
    for signer in [Signer::rsa(), Signer::p256()] {
        let fake = Fake::new(&signer.keys("1"));
        let oidc = fake.oidc(Some("staff"));
        let (caller, left) = signed_in(&fake, &oidc, |nonce| signer.token("1", &claims(nonce))).unwrap();
        let who = Actor::Person { issuer: ISSUER.to_owned(), subject: "ada".to_owned() };
        assert_eq!((caller, left), (Caller { who, role: Role::Operator }, Duration::from_mins(5)));
        // The code is exchanged with the client's secret and the verifier of the challenge that was shown.
        let ask = fake.asked("/token").pop().unwrap();
        let pair = base64::encode(b"referee:s3cret%3A%26");
        assert_eq!(ask.authorization, Some(format!("Basic {pair}")));
        let fields: BTreeMap<_, _> = percent::fields(ask.form.unwrap().as_bytes()).collect();
        assert_eq!((fields["code"].as_str(), fields["grant_type"].as_str()), ("c0de", "authorization_code"));
        assert_eq!(fields["redirect_uri"], "https://referee.example/login/callback");
        assert!(fields["code_verifier"].len() >= 43 && !fields.contains_key("client_secret"));
        let role = |groups: Value| {
            let token = |nonce: &str| {
                let mut claims = claims(nonce);
                claims["groups"] = groups;
                signer.token("1", &claims)
            };
            signed_in(&fake, &oidc, token).map(|(caller, _)| caller.role)
        };
        assert_eq!(role(json!(["staff"])), Ok(Role::Viewer));
        assert_eq!(role(json!("referees")), Ok(Role::Operator));
        for nobody in [json!([]), Value::Null, json!(["Referees", "referees ", ""])] {
            assert!(matches!(role(nobody), Err(SignInError::NoGroup(Actor::Person { .. }))));
        }
    }
}

#[test]
fn a_sign_in_shows_a_challenge_and_no_secret() {
    let oidc = Fake::new("{\"keys\":[]}").oidc(None);
    let one = oidc.begin(now()).unwrap();
    let other = oidc.begin(now()).unwrap();
    assert!(
        one.address.starts_with(&format!("{ISSUER}/auth?response_type=code&client_id=referee&")),
        "{}",
        one.address
    );
    for (name, value) in [("scope", "openid groups"), ("code_challenge_method", "S256")] {
        assert_eq!(parameter(&one.address, name), value);
    }
    for name in ["state", "nonce", "code_challenge"] {
        assert_ne!(parameter(&one.address, name), parameter(&other.address, name));
    }
    assert!(!one.address.contains(&one.browser) && !one.address.contains("s3cret"), "{}", one.address);
}

#[test]
fn an_answer_counts_once_for_the_browser_that_began_and_from_this_provider() {
    let signer = Signer::p256();
    let fake = Fake::new(&signer.keys("1"));
    let oidc = fake.oidc(None);
    let refused = |change: &dyn Fn(&mut AuthorizationResponse)| {
        let departure = oidc.begin(now()).unwrap();
        let mut back = back(&departure);
        change(&mut back);
        oidc.finish(&back, now()).unwrap_err()
    };
    let changes: [&dyn Fn(&mut AuthorizationResponse); 7] = [
        &|back| back.state = None,
        &|back| back.state = Some("x".to_owned()),
        &|back| back.browser = None,
        &|back| back.browser = Some("another".to_owned()),
        &|back| back.code = None,
        &|back| back.error = Some("access_denied".to_owned()),
        &|back| back.issuer = Some("https://evil.example".to_owned()),
    ];
    for change in changes {
        assert!(matches!(refused(change), SignInError::Refused(_)));
    }
    assert_eq!(fake.asked("/token"), [], "no code was shown to anybody");
    let departure = oidc.begin(now()).unwrap();
    let token = json!({ "id_token": signer.token("1", &claims(&parameter(&departure.address, "nonce"))) });
    fake.answers("/token", 200, &token.to_string());
    oidc.finish(&back(&departure), now()).unwrap();
    assert!(matches!(oidc.finish(&back(&departure), now()), Err(SignInError::Refused(_))));
}

#[test]
fn keys_that_changed_are_asked_for_again() {
    let (old, new) = (Signer::p256(), Signer::p256());
    let fake = Fake::new(&old.keys("old"));
    let oidc = fake.oidc(None);
    signed_in(&fake, &oidc, |nonce| old.token("old", &claims(nonce))).unwrap();
    fake.answers("/keys", 200, &new.keys("new"));
    // Not within the same minute, whatever tokens say.
    for _ in 0..3 {
        assert!(signed_in(&fake, &oidc, |nonce| new.token("new", &claims(nonce))).is_err());
    }
    assert_eq!(fake.asked("/keys").len(), 1);
    let later = now().plus_milliseconds(60_000);
    let departure = oidc.begin(later).unwrap();
    let token = json!({ "id_token": new.token("new", &claims(&parameter(&departure.address, "nonce"))) });
    fake.answers("/token", 200, &token.to_string());
    oidc.finish(&back(&departure), later).unwrap();
    assert_eq!(fake.asked("/keys").len(), 2);
}

#[test]
fn a_provider_that_answers_with_junk_signs_nobody_in() {
    let signer = Signer::p256();
    for (path, status, body) in [
        ("/token", 500, "{}"),
        ("/token", 200, "junk"),
        ("/token", 200, "{}"),
        ("/token", 200, "{\"id_token\":7}"),
        ("/keys", 200, "junk"),
        ("/keys", 404, "{\"keys\":[]}"),
    ] {
        let fake = Fake::new(&signer.keys("1"));
        let oidc = fake.oidc(None);
        let departure = oidc.begin(now()).unwrap();
        let token = json!({ "id_token": signer.token("1", &claims(&parameter(&departure.address, "nonce"))) });
        fake.answers("/token", 200, &token.to_string());
        fake.answers(path, status, body);
        assert!(
            matches!(oidc.finish(&back(&departure), now()), Err(SignInError::Provider(_))),
            "{path} {status} {body}"
        );
    }
    let fake = Fake::new("{}");
    fake.answers("/.well-known/openid-configuration", 200, "{\"issuer\":\"https://evil.example\"}");
    assert!(matches!(fake.oidc(None).begin(now()), Err(SignInError::Provider(_))));
}

#[test]
fn a_sign_in_that_one_server_of_a_fleet_begins_ends_at_another() {
    let signer = Signer::p256();
    let fake = Fake::new(&signer.keys("1"));
    let server = |byte| fake.oidc_with(None, Some(&SessionKey::new(&[byte; 32]).unwrap()));
    let departure = server(1).begin(now()).unwrap();
    let token = json!({ "id_token": signer.token("1", &claims(&parameter(&departure.address, "nonce"))) });
    fake.answers("/token", 200, &token.to_string());
    assert!(matches!(server(2).finish(&back(&departure), now()), Err(SignInError::Refused(_))));
    assert_eq!(fake.asked("/token"), [], "no code was shown to anybody");
    let (caller, _) = server(1).finish(&back(&departure), now()).unwrap();
    assert_eq!(caller.role, Role::Operator);
    let challenge = parameter(&departure.address, "code_challenge");
    let form = fake.asked("/token").remove(0).form.unwrap();
    let (_, verifier) = percent::fields(form.as_bytes()).find(|(key, _)| key == "code_verifier").unwrap();
    assert_eq!(base64::encode_for_url(&Sha256::digest(verifier.as_bytes())), challenge);
}

#[test]
fn secrets_are_sent_to_no_open_address() {
    let options = |issuer: &str, public_url: &str| OidcOptions {
        issuer: issuer.to_owned(),
        client: CLIENT.to_owned(),
        client_secret: String::new(),
        operator_group: String::new(),
        viewer_group: None,
        public_url: public_url.to_owned(),
    };
    let new =
        |issuer, public_url| Oidc::new(options(issuer, public_url), None, Box::new(|_| Err(String::new()))).is_ok();
    assert!(new(ISSUER, "http://127.0.0.1:4747") && new("http://localhost:5556/dex", "https://referee.example"));
    assert!(!new("http://login.example", "https://referee.example") && !new(ISSUER, "http://referee.example"));
}

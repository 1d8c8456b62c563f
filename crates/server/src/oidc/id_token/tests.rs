use serde_json::{Value, json};

use super::super::tests::{CLIENT, ISSUER, NOW, Signer, claims};
use super::*;

const NONCE: &str = "n0nce";

fn expected() -> TokenExpectation<'static> {
    TokenExpectation { issuer: ISSUER, client: CLIENT, nonce: NONCE, now: NOW }
}

fn keys(signer: &Signer) -> Keys {
    Keys::parse(signer.keys("1").as_bytes()).unwrap()
}

fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut claims = claims(NONCE);
    change(&mut claims);
    claims
}

fn is_refused(found: &Result<Claims, TokenError>) -> bool {
    matches!(found, Err(TokenError::Refused(_)))
}

#[test]
fn a_token_of_either_algorithm_is_taken() {
    for signer in [Signer::rsa(), Signer::p256()] {
        let found = verify(&signer.token("1", &claims(NONCE)), &keys(&signer), &expected()).unwrap();
        let groups = vec!["staff".to_owned(), "referees".to_owned()];
        assert_eq!(found, Claims { subject: "ada".to_owned(), groups, seconds_left: 300 });
    }
}

#[test]
fn claims_that_are_not_for_this_sign_in_are_refused() {
    let signer = Signer::p256();
    let keys = keys(&signer);
    let verified = |claims: &Value| verify(&signer.token("1", claims), &keys, &expected());
    let wrong: Vec<(&str, Value)> = vec![
        ("iss", json!("https://login.example/")),
        ("iss", Value::Null),
        ("aud", json!("another")),
        ("aud", json!([])),
        ("aud", json!([CLIENT, "another"])),
        ("aud", Value::Null),
        ("azp", json!("another")),
        ("exp", json!(NOW - 60)),
        ("exp", json!("2100-01-01")),
        ("exp", json!(1e300)),
        ("exp", Value::Null),
        ("nbf", json!(NOW + 61)),
        ("iat", json!(NOW + 61)),
        ("iat", json!(-1)),
        ("iat", Value::Null),
        ("nonce", json!("another")),
        ("nonce", Value::Null),
        ("sub", json!("")),
        ("sub", json!("x".repeat(256))),
        ("sub", Value::Null),
        ("groups", json!({ "referees": true })),
    ];
    for (name, value) in wrong {
        let found = verified(&changed(|claims| claims[name] = value.clone()));
        assert!(is_refused(&found), "{name}: {value}: {found:?}");
    }
    let right: Vec<(&str, Value)> = vec![
        ("aud", json!([CLIENT])),
        ("azp", json!(CLIENT)),
        ("exp", json!(NOW - 59)),
        ("exp", json!(1_800_000_000.5)),
        ("nbf", json!(NOW + 60)),
        ("iat", json!(NOW + 60)),
        ("iat", json!(NOW - 86_400)),
        ("groups", Value::Null),
    ];
    for (name, value) in right {
        assert!(verified(&changed(|claims| claims[name] = value.clone())).is_ok(), "{name}: {value}");
    }
    let several = changed(|claims| (claims["aud"], claims["azp"]) = (json!([CLIENT, "x"]), json!(CLIENT)));
    assert!(verified(&several).is_ok());
}

#[test]
fn a_token_that_is_not_signed_by_the_provider_is_refused() {
    let (signer, other) = (Signer::rsa(), Signer::p256());
    let keys = keys(&signer);
    let verified = |token: &str| verify(token, &keys, &expected());
    let part = |value: &Value| base64::encode_for_url(value.to_string().as_bytes());
    let good = signer.token("1", &claims(NONCE));
    let (head, signature) = good.rsplit_once('.').unwrap();
    let (header, _) = head.split_once('.').unwrap();
    // Unsigned, or signed with what everybody knows.
    for algorithm in ["none", "None", "HS256", "RS512", "PS256", "ES384", ""] {
        let header = json!({ "alg": algorithm, "kid": "1" });
        assert!(is_refused(&verified(&signer.with_header(&header, &claims(NONCE)))), "{algorithm}");
        assert!(is_refused(&verified(&format!("{}.{}.", part(&header), part(&claims(NONCE))))), "{algorithm}");
    }
    let forged = changed(|claims| claims["groups"] = json!(["root"]));
    assert!(is_refused(&verified(&format!("{header}.{}.{signature}", part(&forged)))));
    assert!(is_refused(&verified(&format!("{head}.{}", base64::encode_for_url(&[0; 256])))));
    assert!(is_refused(&verified(&format!("{head}."))));
    // By another key, under the name of the provider's, or under its own.
    assert_eq!(verified(&other.token("1", &claims(NONCE))), Err(TokenError::UnknownKey));
    assert_eq!(verified(&signer.token("2", &claims(NONCE))), Err(TokenError::UnknownKey));
    let extended = json!({ "alg": "RS256", "kid": "1", "crit": ["exp"] });
    assert!(is_refused(&verified(&signer.with_header(&extended, &claims(NONCE)))));
    let mine = Keys::parse(Signer::p256().keys("1").as_bytes()).unwrap();
    assert!(is_refused(&verify(&other.token("1", &claims(NONCE)), &mine, &expected())));
}

#[test]
fn what_is_no_token_is_refused() {
    let signer = Signer::p256();
    let keys = keys(&signer);
    let good = signer.token("1", &claims(NONCE));
    for junk in [
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "e30.e30.",
        "\u{e4}.b.c",
        &format!("{good}."),
        &format!("x{good}"),
        &format!("{good}.{good}"),
    ] {
        assert!(is_refused(&verify(junk, &keys, &expected())), "{junk}");
    }
    let long = changed(|claims| claims["name"] = json!("x".repeat(TOKEN_BYTES)));
    assert!(is_refused(&verify(&signer.token("1", &long), &keys, &expected())));
}

#[test]
fn keys_for_other_purposes_are_left_out() {
    let signer = Signer::p256();
    let token = signer.token("1", &claims(NONCE));
    let unnamed = signer.with_header(&json!({ "alg": "ES256" }), &claims(NONCE));
    let known = |keys: Value| {
        let keys = Keys::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap();
        (verify(&token, &keys, &expected()).is_ok(), verify(&unnamed, &keys, &expected()).is_ok())
    };
    let public = signer.public("1");
    let with = |name: &str, value: Value| {
        let mut public = public.clone();
        public[name] = value;
        public
    };
    assert_eq!(known(json!([public])), (true, true));
    // Without a name a token means the only key.
    assert_eq!(known(json!([public, Signer::p256().public("2")])), (true, false));
    assert_eq!(known(json!([{ "kty": "OKP" }, { "kty": "RSA" }, public, Signer::rsa().public("1")])), (true, true));
    for (name, value) in [
        ("use", json!("enc")),
        ("alg", json!("ES384")),
        ("crv", json!("P-384")),
        ("kty", json!("oct")),
        ("x", json!("AAAA")),
        ("y", json!("!")),
    ] {
        assert_eq!(known(json!([with(name, value.clone())])), (false, false), "{name}: {value}");
    }
    for junk in ["", "{}", "[]", "{\"keys\":{}}"] {
        assert!(Keys::parse(junk.as_bytes()).is_err(), "{junk}");
    }
}

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::Arc;

use proptest::prelude::*;

use super::agent::{AgentKey, Exchange};
use super::*;

/// The first key pair of RFC 8032, 7.1, as openssl writes it.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";

#[test]
fn a_key_is_read_as_it_is_pasted() {
    let key = PrivateKey::generate().unwrap();
    let pem = key.to_pem();
    let line = pem.lines().nth(1).unwrap();
    let packed = base64::encode(pem.as_bytes());
    for pasted in
        [&pem[..], line, &format!("  {line}\r\n"), &pem.replace('\n', ""), &pem.replace('\n', "\r\n"), &packed]
    {
        assert_eq!(PrivateKey::from_pasted(pasted).unwrap().public(), key.public());
    }
    for junk in ["", "x", "-----BEGIN RSA PRIVATE KEY-----", &line[..40], &"A".repeat(100_000)] {
        let error = PrivateKey::from_pasted(junk).unwrap_err().to_string();
        assert!(junk.is_empty() || !error.contains(junk), "{error}");
    }
}

#[test]
fn a_key_is_read_and_written_as_openssl_has_it_and_signs_as_the_standard_says() {
    let key = PrivateKey::from_pem(PRIVATE).unwrap();
    assert_eq!(*key.to_pem(), PRIVATE);
    assert_eq!(key.public().to_pem(), PUBLIC);
    assert_eq!(PublicKey::from_pem(PUBLIC).unwrap(), *key.public());
    assert_eq!(PublicKey::from_spki(&key.public().spki()).unwrap(), *key.public());
    let signature = key.sign(b"");
    assert_eq!(signature[..4], [0xe5, 0x56, 0x43, 0x00]);
    assert!(key.public().fits(b"", &signature) && !key.public().fits(b"x", &signature));
    // Neither the seed nor any other part of the key is shown.
    assert_eq!(format!("{key:?}"), format!("PrivateKey {{ id: KeyId(Digest({})), .. }}", key.public().id()));
}

#[test]
fn a_new_key_is_another_one_each_time_and_is_read_back() {
    let (one, other) = (PrivateKey::generate().unwrap(), PrivateKey::generate().unwrap());
    assert_ne!(one.public(), other.public());
    assert_eq!(PrivateKey::from_pem(&one.to_pem()).unwrap().public(), one.public());
}

#[test]
fn keys_of_other_forms_are_refused_by_name_with_the_way_to_a_good_one() {
    let block = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    let rows = [
        (block("ENCRYPTED PRIVATE KEY"), "with a password", "openssl pkey -in FILE -out key.pem"),
        (block("ENCRYPTED SIGSTORE PRIVATE KEY"), "cosign encrypted", "openssl genpkey -algorithm ed25519"),
        (block("ENCRYPTED COSIGN PRIVATE KEY"), "cosign encrypted", "openssl genpkey -algorithm ed25519"),
        (block("RSA PRIVATE KEY"), "an RSA key", "openssl genpkey -algorithm ed25519"),
        (block("EC PRIVATE KEY"), "another elliptic curve", "openssl genpkey -algorithm ed25519"),
        (block("OPENSSH PRIVATE KEY"), "form of OpenSSH", "ssh-add"),
        (PUBLIC.to_owned(), "a public key", "openssl genpkey"),
        (PRIVATE[..60].to_owned(), "cut short or damaged", "openssl genpkey"),
        (String::new(), "no key", "openssl genpkey"),
    ];
    for (text, found, advice) in rows {
        let error = PrivateKey::from_pem(&text).unwrap_err().to_string();
        assert!(error.contains(found) && error.contains(advice), "{text}: {error}");
    }
    let error = PublicKey::from_pem(PRIVATE).unwrap_err().to_string();
    assert!(error.contains("holds a private key") && error.contains("referee key show"), "{error}");
    // The point of order one fits signatures that nobody has made.
    let mut weak = [0; 32];
    weak[0] = 1;
    assert_eq!(PublicKey::from_bytes(&weak), None);
}

proptest! {
    #[test]
    fn whatever_the_text_no_key_is_made_of_it_and_nothing_panics(text in ".{0,200}", cut in 0..PRIVATE.len()) {
        prop_assert!(PrivateKey::from_pem(&text).is_err());
        prop_assert!(PublicKey::from_pem(&text).is_err());
        prop_assert!(PrivateKey::from_pem(&PRIVATE[..cut.min(PRIVATE.len() - 10)]).is_err());
    }
}

#[test]
fn a_key_in_reach_of_the_workspace_or_open_to_others_is_refused() {
    let outside = tempfile::tempdir().unwrap();
    let workspace = tempfile::tempdir().unwrap();
    let path = outside.path().join("keys/signer.pem");
    let key = PrivateKey::generate().unwrap();
    let public = file::write_new(&path, &key).unwrap();
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(file::read_public(&public).unwrap(), *key.public());
    let read = |path: &Path| file::read(path, &[workspace.path()]).map(|key| key.public().id());
    assert_eq!(read(&path).unwrap(), key.public().id());
    let around = workspace.path().join("..").join(outside.path().file_name().unwrap()).join("keys/signer.pem");
    assert_eq!(read(&around).unwrap(), key.public().id(), "named by way of the workspace, and not in it");
    assert!(matches!(file::write_new(&path, &key), Err(KeyError::Exists { .. })), "nothing is overwritten");

    let inside = workspace.path().join("key.pem");
    fs::copy(&path, &inside).unwrap();
    assert!(matches!(read(&inside), Err(KeyError::InReach { .. })));
    let from_inside = workspace.path().join("link.pem");
    symlink(&path, &from_inside).unwrap();
    assert!(matches!(read(&from_inside), Err(KeyError::InReach { .. })), "who changes the link chooses the key");
    let into = outside.path().join("link.pem");
    symlink(&inside, &into).unwrap();
    assert!(matches!(read(&into), Err(KeyError::InReach { .. })));

    for mode in [0o640, 0o604, 0o620] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert!(matches!(read(&path), Err(KeyError::Open { .. })), "{mode:o}");
    }
    assert!(matches!(read(outside.path()), Err(KeyError::NotAFile { .. })));
    assert!(matches!(read(&outside.path().join("missing")), Err(KeyError::Io { .. })));
    let huge = outside.path().join("huge");
    fs::write(&huge, vec![b'x'; 20_000]).unwrap();
    fs::set_permissions(&huge, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(read(&huge).unwrap_err().to_string().contains("larger than any key"));
}

/// An agent in memory: answers according to the protocol with these keys.
fn agent(keys: Vec<(PrivateKey, &'static str)>, tell: fn(&[u8]) -> Vec<u8>) -> Exchange {
    Arc::new(move |request: &[u8]| {
        let field = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat();
        let blob = |key: &PrivateKey| [field(b"ssh-ed25519"), field(key.public().key.as_bytes())].concat();
        let answer = if request[0] == 11 {
            let rsa = [field(&[field(b"ssh-rsa"), field(b"x")].concat()), field(b"other")].concat();
            let ours = keys.iter().map(|(key, comment)| [field(&blob(key)), field(comment.as_bytes())].concat());
            let count = u32::try_from(keys.len() + 1).unwrap().to_be_bytes();
            [vec![12], count.to_vec(), rsa, ours.collect::<Vec<_>>().concat()].concat()
        } else {
            let (key, _) = keys.iter().find(|(key, _)| request[5..].starts_with(&blob(key))).unwrap();
            let data = &request[5 + blob(key).len() + 4..request.len() - 4];
            [vec![14], field(&[field(b"ssh-ed25519"), field(&key.sign(data))].concat())].concat()
        };
        Ok(tell(&answer))
    })
}

#[test]
fn a_key_in_an_agent_is_found_by_name_and_signs() {
    let key = || PrivateKey::generate().unwrap();
    let (one, two) = (key(), key());
    let id = one.public().id().to_string();
    let exchange = agent(vec![(one, "ci"), (two, "ada"), (key(), "ada")], <[u8]>::to_vec);
    let found = AgentKey::find("ci", &exchange).unwrap();
    assert_eq!(found.public().id().to_string(), id);
    let signature = found.sign(b"text").unwrap();
    assert!(found.public().fits(b"text", &signature));
    for name in [found.fingerprint(), id[..8].to_owned(), id] {
        assert_eq!(AgentKey::find(&name, &exchange).unwrap().public(), found.public());
    }
    for (name, part) in [("ada", "more than one"), ("", "more than one"), ("bob", "holds no key \"bob\"")] {
        let error = AgentKey::find(name, &exchange).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("SHA256:"), "{error}");
    }
    let error = AgentKey::find("", &agent(Vec::new(), <[u8]>::to_vec)).unwrap_err().to_string();
    assert!(error.contains("no Ed25519 key"), "{error}");
}

#[test]
fn an_agent_that_refuses_lies_or_speaks_something_else_signs_nothing() {
    let key = || vec![(PrivateKey::generate().unwrap(), "ci")];
    for (tell, part) in [
        ((|_: &[u8]| vec![5]) as fn(&[u8]) -> Vec<u8>, "does not answer"),
        (|_| Vec::new(), "does not answer"),
        (|answer| answer[..answer.len() / 2].to_vec(), "does not answer"),
        (|_| vec![12, 0xff, 0xff, 0xff, 0xff], "does not answer"),
    ] {
        let error = AgentKey::find("ci", &agent(key(), tell)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    for (tell, part) in [
        // The agent refuses to sign.
        (
            (|answer: &[u8]| if answer[0] == 14 { vec![5] } else { answer.to_vec() }) as fn(&[u8]) -> Vec<u8>,
            "did not sign",
        ),
        // The agent signs something else.
        (
            |answer| {
                let mut answer = answer.to_vec();
                if let (14, Some(last)) = (answer[0], answer.last_mut()) {
                    *last ^= 1;
                }
                answer
            },
            "does not fit",
        ),
    ] {
        let found = AgentKey::find("ci", &agent(key(), tell)).unwrap();
        let error = found.sign(b"text").unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

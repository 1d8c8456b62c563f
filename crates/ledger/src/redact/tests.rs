use proptest::prelude::*;

use super::{RedactionSpan, Redactor};

/// Returns secrets of every kind, assembled so that secret scanners do not report this file.
fn planted() -> Vec<String> {
    let random = "a8Fk2LmQ0zXc7VbN4tYu1RwE6pSd9GhJ3kLm";
    vec![
        "hunter2-is-my-secret".to_owned(),
        format!("ghp_{random}"),
        format!("glpat-{}", &random[..20]),
        format!("AKIA{}", "J7Q2X4M9B1C8D3E5"),
        format!("xoxb-{}", &random[..24]),
        format!("sk-ant-api03-{random}"),
        format!("eyJ{random}.eyJ{random}.{random}"),
        format!("npm_{random}"),
    ]
}

fn redactor() -> Redactor {
    let secrets = vec![
        ("MY_SECRET".to_owned(), planted()[0].clone()),
        ("MULTI_TOKEN".to_owned(), "first line\n second line".to_owned()),
    ];
    Redactor::new(secrets, vec!["keeps ghp_KEPTKEPTKEPTKEPTKEPTKEPTKEPTKEPTKEPT0 whole".to_owned()])
}

fn in_pieces(redactor: &Redactor, text: &[u8], lengths: &[usize]) -> (Vec<u8>, Vec<RedactionSpan>) {
    let mut stream = redactor.stream();
    let mut stored = Vec::new();
    let mut rest = text;
    let mut lengths = lengths.iter().cycle();
    while !rest.is_empty() {
        let length = lengths.next().map_or(rest.len(), |&length| length.clamp(1, rest.len()));
        let (piece, after) = rest.split_at(length);
        stored.extend_from_slice(stream.push(piece));
        rest = after;
    }
    stored.extend_from_slice(stream.finish());
    (stored, stream.found().to_vec())
}

/// Generates text of words, line breaks, secrets and frames of keys; occasionally a line of many windows.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => "[ -~]{0,40}",
        4 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        3 => proptest::sample::select(planted()).prop_map(|secret| format!(" {secret} ")),
        1 => Just("password=x7Kq2mP9vR4tW8zB1n".to_owned()),
        1 => Just("\n-----BEGIN PRIVATE KEY-----\n".to_owned()),
        1 => Just(format!("{}\nAbC=\n-----END PRIVATE KEY-----\n", "MIIEvQIBADANBgkq".repeat(4))),
        1 => (1_usize..150_000).prop_map(|length| "long line ".repeat(length / 10)),
        1 => "\\PC{0,20}",
    ];
    proptest::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_result_is_the_same_however_the_text_arrives(
        text in text(),
        lengths in proptest::collection::vec(prop_oneof![1_usize..20, 1_usize..70_000], 1..6),
    ) {
        let redactor = redactor();
        let whole = in_pieces(&redactor, text.as_bytes(), &[]);
        let pieces = in_pieces(&redactor, text.as_bytes(), &lengths);
        prop_assert!(whole == pieces, "{:?}", whole.1);
        prop_assert_eq!(whole.0.len(), text.len());
        for secret in planted() {
            prop_assert!(memchr::memmem::find(&whole.0, secret.as_bytes()).is_none(), "{} survives", secret);
        }
        let changed: u64 = whole.0.iter().zip(text.as_bytes()).filter(|(stored, given)| stored != given).count() as u64;
        prop_assert!(changed <= whole.1.iter().map(|found| found.bytes).sum::<u64>());
        let again = in_pieces(&redactor, &whole.0, &lengths);
        prop_assert_eq!(&again.0, &whole.0);
    }

    #[test]
    fn text_without_secrets_is_not_touched(lines in proptest::collection::vec("[a-z ]{0,60}(token|password|key: )?[a-z ]{0,12}", 0..50)) {
        let text = lines.join("\n");
        prop_assert_eq!(redactor().text(&text), text);
    }
}

#[test]
fn every_split_of_a_text_with_secrets_gives_the_same() {
    let redactor = redactor();
    let text = planted().join("\n")
        + "\r\nCookie: sid=42; theme=dark\r\nAuthorization: Basic dTpw\r\nGET /x?token=abc&y=1\r\nhttps://me:s3cr3t@host/ -----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\nend";
    let whole = in_pieces(&redactor, text.as_bytes(), &[]);
    for split in 1..text.len() {
        assert_eq!(in_pieces(&redactor, text.as_bytes(), &[split, text.len()]), whole, "split at {split}");
    }
    assert_eq!(whole.1.len(), planted().len() + 5);
}

#[test]
fn redactions_are_named_and_placed() {
    let text = format!("a\nlogin with {} now\n  second line\n", planted()[0]);
    let (stored, found) = in_pieces(&redactor(), text.as_bytes(), &[]);
    assert_eq!(String::from_utf8(stored).unwrap(), format!("a\nlogin with {} now\n  ***********\n", "*".repeat(20)));
    let named: Vec<_> = found.iter().map(|found| (found.rule.as_str(), found.offset, found.bytes)).collect();
    assert_eq!(named, [("variable:MY_SECRET", 13, 20), ("variable:MULTI_TOKEN", 40, 11)]);
}

#[test]
fn what_was_cut_is_not_cut_further_when_it_is_cut_again() {
    for text in ["?password=x7Kq2mP9vR4tW8zB1n#\u{1F800}", "?token=x7Kq2mP9vR4tW8zB1n#part of a page"] {
        let once = redactor().text(text);
        assert!(!once.contains("x7Kq"), "{once}");
        assert_eq!(redactor().text(&once), once);
    }
}

#[test]
fn words_that_are_known_to_be_no_secrets_stay() {
    let token = "ghp_KEPTKEPTKEPTKEPTKEPTKEPTKEPTKEPTKEPT0";
    let kept = format!("✓ keeps {token} whole");
    assert_eq!(redactor().text(&kept), kept);
    assert!(!redactor().text(&format!("leaks {token}")).contains("KEPT"));
    let needle =
        Redactor::new(vec![("A_TOKEN".into(), "secret-looking".into())], vec!["a secret-looking needle".into()]);
    assert_eq!(needle.text("secret-looking"), "secret-looking");
}

#[test]
fn secrets_across_windows_of_a_long_line_are_found() {
    let redactor = redactor();
    for before in [65_500, 57_300, 57_344, 65_536, 114_600, 200_000] {
        for secret in planted() {
            let text = format!("{} {secret} {}", "x".repeat(before), "y ".repeat(50_000));
            assert!(!redactor.text(&text).contains(&secret), "{secret} after {before} bytes");
        }
    }
}

#[test]
fn thousands_of_redactions_are_counted_and_the_first_thousand_listed() {
    let mut stream = redactor().stream();
    let line = format!("{}\n", planted()[0]);
    for _ in 0..1_500 {
        stream.push(line.as_bytes());
    }
    assert_eq!((stream.found().len(), stream.found_count()), (1_000, 1_500));
}

#[test]
fn secrets_that_begin_with_an_ordinary_word_are_found_with_few_secrets_and_with_many() {
    for more in [0, 200] {
        let mut secrets: Vec<_> =
            ["Key9f8e7d6c", "en-route-to-99", "_keys4everyone", "eyJust-a-secret", "://not-an-address"]
                .map(|value| ("A_TOKEN".to_owned(), value.to_owned()))
                .to_vec();
        secrets.extend((0..more).map(|number| (format!("SECRET_{number}"), format!("secret-number-{number}"))));
        let redactor = Redactor::new(secrets.clone(), Vec::new());
        for (_, secret) in &secrets {
            for text in [format!("a token Key _key {secret} ://\n"), format!("tok{secret}"), format!("K{secret}")] {
                assert!(!redactor.text(&text).contains(secret.as_str()), "{secret} of {more} in {text}");
            }
        }
    }
}

#[test]
fn a_captured_secret_is_cut_from_when_it_is_learned_also_in_streams_that_run() {
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let mut stream = redactor.stream();
    let mut redacted = stream.push(b"id 4711-x before\nheld ").to_vec();
    redactor.clone().learn("id", "4711-x");
    redacted.extend_from_slice(stream.push(b"4711-x\nand 4711-x\n"));
    redacted.extend_from_slice(stream.finish());
    assert_eq!(String::from_utf8(redacted).unwrap(), "id 4711-x before\nheld ******\nand ******\n");
    assert_eq!(stream.found().iter().map(|found| found.rule.as_str()).collect::<Vec<_>>(), ["captured:id"; 2]);
    assert_eq!(redactor.text("x 4711-x"), "x ******");
}

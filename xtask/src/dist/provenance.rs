//! How a release was made: an in-toto statement with SLSA's provenance, signed.

use std::collections::BTreeMap;
use std::io;

use referee_ledger::attest::{self, Signer};
use referee_ledger::attestation::statement::{PAYLOAD_TYPE, STATEMENT_TYPE};
use referee_model::id::Digest;
use serde_json::{Value, json};

use super::build::PROFILE;
use super::source::Source;

const PREDICATE_TYPE: &str = "https://slsa.dev/provenance/v1";

/// How these parameters are to be understood: `cargo xtask dist`.
const BUILD_TYPE: &str = "https://referee.dev/build/xtask-dist/v1";

/// What a statement is about.
pub(crate) struct Build<'a> {
    pub(crate) source: &'a Source,
    pub(crate) targets: &'a [String],
    /// Who ran the build, as a URI.
    pub(crate) builder: &'a str,
    /// Lock files that the programs are built with, by their path in the repository.
    pub(crate) locks: &'a BTreeMap<String, Digest>,
    /// Files of the release.
    pub(crate) files: &'a BTreeMap<String, Digest>,
}

/// Returns the signed statement: an envelope on one line.
pub(crate) fn sign(build: &Build<'_>, signer: &Signer) -> io::Result<Vec<u8>> {
    let payload = statement(build).to_string();
    let mut line = attest::sign(PAYLOAD_TYPE, payload.as_bytes(), signer).map_err(io::Error::other)?;
    line.push(b'\n');
    Ok(line)
}

fn statement(build: &Build<'_>) -> Value {
    let descriptor =
        |name: &str, algorithm: &str, digest: &str| json!({ "digest": { algorithm: digest }, "name": name });
    let subject: Vec<Value> =
        build.files.iter().map(|(name, digest)| descriptor(name, "sha256", &digest.to_string())).collect();
    let mut dependencies = vec![descriptor("source", "gitCommit", &build.source.commit)];
    dependencies.extend(build.locks.iter().map(|(path, digest)| descriptor(path, "sha256", &digest.to_string())));
    let tools: BTreeMap<&str, &str> =
        build.source.tools.iter().map(|(name, version)| (name.as_str(), version.as_str())).collect();
    json!({
        "_type": STATEMENT_TYPE,
        "subject": subject,
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": { "targets": build.targets, "profile": PROFILE },
                "internalParameters": { "sourceDateEpoch": build.source.time, "tools": tools },
                "resolvedDependencies": dependencies,
            },
            "runDetails": { "builder": { "id": build.builder } },
        },
    })
}

#[cfg(test)]
mod tests {
    use referee_ledger::attestation::statement;
    use referee_ledger::key::PrivateKey;

    use super::*;

    #[test]
    fn the_statement_names_every_file_and_opens_with_the_key_that_signed_it() {
        let source = Source {
            commit: "ab".repeat(20),
            time: 7,
            changed: Vec::new(),
            tools: vec![("rustc".into(), "1.95".into())],
        };
        let digest = Digest::of(b"x");
        let files = BTreeMap::from([("SHA256SUMS".to_owned(), digest), ("a.tar.gz".to_owned(), digest)]);
        let targets = ["one".to_owned()];
        let locks = BTreeMap::from([("Cargo.lock".to_owned(), digest)]);
        let build = Build { source: &source, targets: &targets, builder: "https://ci", locks: &locks, files: &files };
        let signer = Signer::from(PrivateKey::generate().unwrap());
        let line = sign(&build, &signer).unwrap();
        assert_eq!(line.split(|byte| *byte == b'\n').count(), 2, "one line");
        let opened = attest::open(&line, PAYLOAD_TYPE, &[signer.public().clone()]).unwrap();
        let read = statement::read(&opened.payload).unwrap();
        assert_eq!(read.predicate_type, PREDICATE_TYPE);
        let names: Vec<&str> = read.subject.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["SHA256SUMS", "a.tar.gz"]);
        assert_eq!(read.predicate["buildDefinition"]["resolvedDependencies"][0]["digest"]["gitCommit"], source.commit);
        assert_eq!(read.predicate["runDetails"]["builder"]["id"], "https://ci");
        // What install.sh looks for.
        let part = format!(r#"{{"digest":{{"sha256":"{digest}"}},"name":"SHA256SUMS"}}"#);
        assert!(String::from_utf8(opened.payload).unwrap().contains(&part));
    }
}

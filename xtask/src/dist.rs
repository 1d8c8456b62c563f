//! Makes a release: for each target an archive and its bill of materials, then SHA256SUMS and signed provenance.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use referee_ledger::attest::Signer;
use referee_ledger::key;
use referee_model::id::Digest;
use referee_model::time::Timestamp;

use self::archive::Entry;
use self::build::{Builder, TARGETS};
pub(crate) use self::build::{PROGRAMS, programs};
use self::source::Source;
use crate::command_line::CommandLine;
use crate::repository;

pub(crate) mod archive;
mod bill_of_materials;
mod build;
mod provenance;
mod source;

pub(crate) const USAGE: &str = "\
cargo xtask dist [--target T]... [--out DIR] [--key FILE] [--builder URI] [--host-only]
    --target T      build only this target (can be repeated) [default: musl and macOS, x86_64 and aarch64]
    --out DIR       new or empty directory for the release [default: target/release-files]
    --key FILE      sign the provenance with this private key, Ed25519 in PKCS#8 PEM, outside of the repository
    --builder URI   who builds, for the provenance [default: https://referee.dev/builder/local]
    --host-only     build only for this machine, by plain cargo in place of cargo-zigbuild
    Needs cargo-zigbuild (pip install ziglang cargo-zigbuild), and the targets (rustup target add T).";

/// Names in the directory of a release.
pub(crate) const SUMS: &str = "SHA256SUMS";
const PROVENANCE: &str = "provenance.intoto.jsonl";

/// Files of the repository that stand in every archive.
const TEXTS: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

pub(crate) struct Options {
    targets: Vec<String>,
    out: PathBuf,
    key: Option<PathBuf>,
    builder: String,
    host_only: bool,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> io::Result<Self> {
        let read = CommandLine::parse(arguments, &["--target", "--out", "--key", "--builder"], &["--host-only"])?;
        let mut targets = read.values("--target");
        let host_only = read.has("--host-only");
        if host_only && !targets.is_empty() {
            return Err(io::Error::other("--host-only and --target exclude each other"));
        }
        if targets.is_empty() {
            targets = if host_only { vec![source::host()?] } else { TARGETS.map(str::to_owned).to_vec() };
        }
        targets.sort();
        targets.dedup();
        Ok(Self {
            targets,
            out: read.value("--out").map_or_else(|| repository::root().join("target/release-files"), PathBuf::from),
            key: read.value("--key").map(PathBuf::from),
            builder: read.value("--builder").unwrap_or_else(|| "https://referee.dev/builder/local".to_owned()),
            host_only,
        })
    }
}

pub(crate) fn run(options: &Options) -> io::Result<()> {
    let root = repository::root();
    let builder = if options.host_only { Builder::Cargo } else { Builder::Zig };
    let source = Source::inspect(&root, builder)?;
    let signer = options.key.as_deref().map(|key| signer(key, &root)).transpose()?;
    if let (Some(_), Some(changed)) = (&signer, source.changed.first()) {
        // A signed statement would name a commit that this is not.
        return Err(io::Error::other(format!("the tree differs from its commit, so it is not signed: {changed}")));
    }
    make_empty(&options.out)?;
    let mut built = BTreeMap::new();
    for target in &options.targets {
        built.insert(target.as_str(), build::build(&root, target, builder)?);
    }
    let texts = texts(&root, &built)?;
    for (target, directory) in &built {
        write_target(&options.out, target, directory, &texts, &source)?;
    }
    write_sums(&options.out)?;
    if let Some(signer) = signer {
        let locks = build::locks(&root)?;
        let files = digests(&options.out)?;
        let build = provenance::Build {
            source: &source,
            targets: &options.targets,
            builder: &options.builder,
            locks: &locks,
            files: &files,
        };
        fs::write(options.out.join(PROVENANCE), provenance::sign(&build, &signer)?)?;
    } else {
        writeln!(io::stderr(), "note: no key was given, so there is no {PROVENANCE}")?;
    }
    writeln!(io::stderr(), "the release is in {}", options.out.display())
}

fn signer(key: &Path, root: &Path) -> io::Result<Signer> {
    key::file::read(key, &[root]).map(Signer::from).map_err(io::Error::other)
}

/// Makes a directory, which must not hold anything: the sums would list it.
fn make_empty(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    if fs::read_dir(directory)?.next().is_some() {
        return Err(io::Error::other(format!("{} is not empty: remove it, or choose another", directory.display())));
    }
    Ok(())
}

/// What is in every archive beside the programs.
fn texts(root: &Path, built: &BTreeMap<&str, PathBuf>) -> io::Result<BTreeMap<String, Entry>> {
    let host = source::host()?;
    let of_host =
        built.iter().find(|(target, _)| build::runs_on(target, &host)).map(|(_, directory)| directory.clone());
    let directory = of_host.map_or_else(|| build::build(root, &host, Builder::Cargo), Ok)?;
    let mut texts = build::printed(&directory.join("referee"))?;
    for name in TEXTS {
        let bytes = fs::read(root.join(name)).map_err(|error| io::Error::other(format!("{name}: {error}")))?;
        texts.insert(name.to_owned(), Entry::text(bytes));
    }
    Ok(texts)
}

/// Writes the archive of a target and its bill of materials.
fn write_target(
    out: &Path,
    target: &str,
    built: &Path,
    texts: &BTreeMap<String, Entry>,
    source: &Source,
) -> io::Result<()> {
    let name = format!("referee-{}-{target}", env!("CARGO_PKG_VERSION"));
    let mut files = texts.clone();
    for program in programs(target) {
        files.insert(program.to_owned(), Entry::program(fs::read(built.join(program))?));
    }
    archive::write(&out.join(format!("{name}.tar.gz")), &name, &files, source.time)?;
    let time = Timestamp::from_millisecond(i64::try_from(source.time).map_err(io::Error::other)?.saturating_mul(1000));
    let bill = bill_of_materials::make(&repository::root(), target, time)?;
    fs::write(out.join(format!("{name}.cdx.json")), format!("{bill:#}\n"))
}

/// Writes the digests of all files, as `sha256sum --check` reads them.
fn write_sums(out: &Path) -> io::Result<()> {
    let lines = digests(out)?.into_iter().map(|(name, digest)| format!("{digest}  {name}\n"));
    fs::write(out.join(SUMS), lines.collect::<Vec<_>>().concat())
}

fn digests(directory: &Path) -> io::Result<BTreeMap<String, Digest>> {
    let mut digests = BTreeMap::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        digests.insert(entry.file_name().to_string_lossy().into_owned(), Digest::of(fs::read(entry.path())?));
    }
    Ok(digests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> io::Result<Options> {
        Options::parse(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_a_target_all_are_built_and_host_only_builds_one() {
        let mut all = TARGETS.to_vec();
        all.sort_unstable();
        assert_eq!(parse(&[]).unwrap().targets, all);
        assert_eq!(parse(&["--target", "b", "--target", "a", "--target", "b"]).unwrap().targets, ["a", "b"]);
        let host = parse(&["--host-only"]).unwrap();
        assert!(host.host_only && host.targets == [source::host().unwrap()]);
        assert!(parse(&["--host-only", "--target", "a"]).is_err());
    }

    #[test]
    fn a_directory_that_holds_something_is_refused() {
        let directory = std::env::temp_dir().join(format!("referee-xtask-empty-{}", std::process::id()));
        make_empty(&directory).unwrap();
        fs::write(directory.join("b"), "x").unwrap();
        assert!(make_empty(&directory).is_err());
        fs::write(directory.join("a"), "").unwrap();
        write_sums(&directory).unwrap();
        let sums = fs::read_to_string(directory.join(SUMS)).unwrap();
        let names: Vec<&str> = sums.lines().map(|line| &line[66..]).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(sums.starts_with("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n"), "{sums}");
        fs::remove_dir_all(directory).unwrap();
    }
}

//! Makes packages from a release: a Homebrew formula, packages of npm, and the install script with the release's place in it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use referee_model::id::Digest;

use crate::command_line::CommandLine;
use crate::dist::SUMS;

mod homebrew;
mod npm;

pub(crate) const USAGE: &str = "\
cargo xtask packages --dist DIR --out DIR --base-url URL
    --dist DIR      directory of a release, as `cargo xtask dist` writes it
    --out DIR       new or empty directory for the packages
    --base-url URL  where the files of the release are published";

pub(crate) struct Options {
    dist: PathBuf,
    out: PathBuf,
    base_url: String,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> io::Result<Self> {
        let read = CommandLine::parse(arguments, &["--dist", "--out", "--base-url"], &[])?;
        let needed = |name: &str| read.value(name).ok_or_else(|| io::Error::other(format!("{name} is needed")));
        let base_url = needed("--base-url")?.trim_end_matches('/').to_owned();
        if !["https://", "file:///"].iter().any(|scheme| base_url.starts_with(scheme))
            || base_url.contains(['\'', '"', '\\', ' ', '#'])
        {
            return Err(io::Error::other(format!("--base-url: expected a plain https:// or file:/// URL: {base_url}")));
        }
        Ok(Self { dist: needed("--dist")?.into(), out: needed("--out")?.into(), base_url })
    }
}

/// An archive of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Archive {
    path: PathBuf,
    /// Name of its file.
    name: String,
    /// Its name without the extensions, which is the directory that it holds.
    directory: String,
    digest: Digest,
    platform: Platform,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Platform {
    system: System,
    processor: Processor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum System {
    Linux,
    MacOs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Processor {
    Arm64,
    X64,
}

impl Platform {
    /// The platform of a target. None: no package is made for it.
    fn of(target: &str) -> Option<Self> {
        let (processor, rest) = target.split_once('-')?;
        let processor = match processor {
            "x86_64" => Processor::X64,
            "aarch64" => Processor::Arm64,
            _ => return None,
        };
        let system = match rest {
            "unknown-linux-musl" | "unknown-linux-gnu" => System::Linux,
            "apple-darwin" => System::MacOs,
            _ => return None,
        };
        Some(Self { system, processor })
    }
}

pub(crate) fn run(options: &Options) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let archives = archives(&options.dist, version)?;
    fs::create_dir_all(&options.out)?;
    if fs::read_dir(&options.out)?.next().is_some() {
        return Err(io::Error::other(format!("{} is not empty: remove it, or choose another", options.out.display())));
    }
    let homebrew = options.out.join("homebrew");
    fs::create_dir(&homebrew)?;
    fs::write(homebrew.join("referee.rb"), homebrew::formula(version, &options.base_url, &archives))?;
    npm::write(&options.out.join("npm"), version, &archives)?;
    fs::write(options.out.join("install.sh"), install_script(&options.base_url)?)?;
    writeln!(io::stderr(), "the packages are in {}", options.out.display())
}

/// Returns the install script of a release.
fn install_script(base_url: &str) -> io::Result<String> {
    const SCRIPT: &str = include_str!("../../install/install.sh");
    const PLACE: &str = "\nbase_url_of_release=''\n";
    if SCRIPT.matches(PLACE).count() != 1 {
        return Err(io::Error::other("install/install.sh has no line for the place of the release"));
    }
    Ok(SCRIPT.replacen(PLACE, &format!("\nbase_url_of_release='{base_url}'\n"), 1))
}

/// The archives that SHA256SUMS lists, each verified, in the order of their platforms.
fn archives(dist: &Path, version: &str) -> io::Result<Vec<Archive>> {
    let path = dist.join(SUMS);
    let sums = fs::read_to_string(&path).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    let mut archives: Vec<Archive> = Vec::new();
    for line in sums.lines() {
        let (digest, name) =
            line.split_once("  ").ok_or_else(|| io::Error::other(format!("{SUMS} has a line {line:?}")))?;
        let Some(directory) = name.strip_suffix(".tar.gz") else { continue };
        let target = directory.strip_prefix(&format!("referee-{version}-"));
        let platform = target.and_then(Platform::of);
        let platform = platform
            .ok_or_else(|| io::Error::other(format!("{name} is not of version {version}, or of no known platform")))?;
        let path = dist.join(name);
        let found = Digest::of(fs::read(&path).map_err(|error| io::Error::other(format!("{name}: {error}")))?);
        if found.to_string() != digest {
            return Err(io::Error::other(format!("{name} does not have the checksum in {SUMS}")));
        }
        if archives.iter().any(|other| other.platform == platform) {
            return Err(io::Error::other(format!("{name} is the second archive for its platform")));
        }
        let (name, directory) = (name.to_owned(), directory.to_owned());
        archives.push(Archive { path, name, directory, digest: found, platform });
    }
    if archives.is_empty() {
        return Err(io::Error::other(format!("{SUMS} lists no archive")));
    }
    archives.sort_by_key(|archive| archive.platform);
    Ok(archives)
}

#[cfg(test)]
mod fixture;

#[cfg(test)]
mod tests {
    use super::fixture::Release;
    use super::*;
    use crate::dist::PROGRAMS;

    #[test]
    fn archives_are_taken_only_with_the_checksum_of_the_release_and_once_for_a_platform() {
        let release = Release::new("archives");
        let found = archives(&release.dist, "1.2.3").unwrap();
        let platforms: Vec<_> = found.iter().map(|one| (one.platform.system, one.platform.processor)).collect();
        assert_eq!(platforms, [(System::Linux, Processor::X64), (System::MacOs, Processor::Arm64)]);
        assert!(archives(&release.dist, "1.2.4").is_err(), "of another version");

        let sums = fs::read_to_string(release.dist.join(SUMS)).unwrap();
        release.write_sums(&sums.replace("linux-musl", "linux-gnu"));
        assert!(archives(&release.dist, "1.2.3").is_err(), "a file that is missing");
        release.write_sums(&format!("{sums}{sums}"));
        assert!(archives(&release.dist, "1.2.3").is_err(), "a platform twice");
        release.write_sums("");
        assert!(archives(&release.dist, "1.2.3").is_err(), "nothing");
        release.write_sums(&sums);
        fs::write(&found[0].path, "junk").unwrap();
        let error = archives(&release.dist, "1.2.3").unwrap_err().to_string();
        assert!(error.contains("does not have the checksum"), "{error}");
    }

    #[test]
    fn cargo_binstall_is_told_the_names_of_the_archives() {
        let release = Release::new("binstall");
        let root = crate::repository::root();
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.current_dir(root).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
        let metadata: serde_json::Value = serde_json::from_str(&crate::process::output(&mut cargo).unwrap()).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let package = packages.iter().find(|package| package["name"] == "referee").unwrap();
        let told = |key: &str, target: &str, program: &str| {
            let template = package["metadata"]["binstall"][key].as_str().unwrap();
            let fields = [("version", "1.2.3"), ("target", target), ("bin", program), ("binary-ext", "")];
            fields.iter().fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{ {name} }}"), value))
        };
        for archive in archives(&release.dist, "1.2.3").unwrap() {
            let target = archive.directory.strip_prefix("referee-1.2.3-").unwrap();
            let url = told("pkg-url", target, "referee");
            assert!(url.ends_with(&format!("/v1.2.3/{}", archive.name)), "{url}");
            for program in PROGRAMS {
                assert_eq!(told("bin-dir", target, program), format!("{}/{program}", archive.directory));
            }
        }
    }

    #[test]
    fn the_workflow_of_a_release_types_commands_that_there_are_and_pins_its_actions() {
        let path = crate::repository::root().join(".github/workflows/release.yml");
        let workflow = fs::read_to_string(path).unwrap().replace("\\\n", " ");
        let typed = |command: &str| -> Vec<String> {
            let mut lines = workflow.lines().filter_map(|line| line.trim().strip_prefix(command));
            let (Some(options), None) = (lines.next(), lines.next()) else { panic!("{command} is not typed once") };
            options.split_whitespace().map(|word| word.trim_matches('"').to_owned()).collect()
        };
        assert!(crate::dist::Options::parse(&typed("cargo xtask dist ")).is_ok());
        let packages = typed("cargo xtask packages ");
        let url = packages.iter().position(|word| word == "--base-url").unwrap();
        let known = [&packages[..=url], &["https://example.org/v1".to_owned()]].concat();
        assert!(Options::parse(&known).is_ok(), "{known:?}");
        for line in workflow.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")) {
            let pin = line.rsplit('@').next().unwrap();
            assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
        }
    }

    #[test]
    fn the_install_script_knows_its_release_and_a_url_cannot_end_its_quotes() {
        let script = install_script("https://example.org/v1").unwrap();
        assert!(script.contains("\nbase_url_of_release='https://example.org/v1'\n"));
        let parse = |url: &str| {
            let arguments = ["--dist", "d", "--out", "o", "--base-url", url].map(str::to_owned);
            Options::parse(&arguments)
        };
        assert_eq!(parse("https://example.org/v1/").unwrap().base_url, "https://example.org/v1");
        for wrong in ["http://example.org", "https://a'; rm", "https://a\"", "example.org", ""] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}

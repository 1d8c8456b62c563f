//! Packages of npm: one that is installed by name, and one for each platform, of which npm installs the fitting one.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Archive, Platform, Processor, System};
use crate::dist::{PROGRAMS, archive, programs};

/// Name of the package that is installed by name.
const NAME: &str = "referee-gate";

/// Writes the directories that are packed, named as the packages.
pub(super) fn write(directory: &Path, version: &str, archives: &[Archive]) -> io::Result<()> {
    let mut platforms = Map::new();
    for archive in archives {
        let name = package_name(archive.platform);
        write_platform(&directory.join(&name), &name, version, archive)?;
        platforms.insert(name, version.into());
    }
    let wrapper = directory.join(NAME);
    fs::create_dir_all(wrapper.join("bin"))?;
    let launch = include_str!("../../../install/npm/launch.js");
    for program in PROGRAMS {
        write_program(&wrapper.join(format!("bin/{program}.js")), launch.as_bytes())?;
    }
    fs::write(wrapper.join("README.md"), include_str!("../../../install/npm/README.md"))?;
    let programs: Map<String, Value> =
        PROGRAMS.iter().map(|program| ((*program).to_owned(), format!("bin/{program}.js").into())).collect();
    let mut manifest = manifest(NAME, version, "The impartial gate between a coding agent and the word done");
    manifest["bin"] = programs.into();
    manifest["engines"] = json!({ "node": ">=18" });
    manifest["optionalDependencies"] = platforms.into();
    write_manifest(&wrapper, &manifest)
}

fn write_platform(directory: &Path, name: &str, version: &str, archive: &Archive) -> io::Result<()> {
    let unpacked = directory.join("unpacked");
    archive::unpack(&archive.path, &unpacked)?;
    fs::create_dir_all(directory.join("bin"))?;
    let from = unpacked.join(&archive.directory);
    for program in programs(&archive.directory) {
        write_program(&directory.join("bin").join(program), &fs::read(from.join(program))?)?;
    }
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(from.join(license), directory.join(license))?;
    }
    fs::remove_dir_all(unpacked)?;
    let (system, processor) = node_names(archive.platform);
    let description = format!("The programs of {NAME} for {system} on {processor}");
    let mut manifest = manifest(name, version, &description);
    manifest["os"] = json!([system]);
    manifest["cpu"] = json!([processor]);
    // It is a program: nothing in it is required as a module of this package.
    manifest["preferUnplugged"] = true.into();
    write_manifest(directory, &manifest)
}

fn manifest(name: &str, version: &str, description: &str) -> Value {
    json!({
        "name": name,
        "version": version,
        "description": description,
        "license": "(MIT OR Apache-2.0)",
        "homepage": "https://referee.dev",
    })
}

fn write_manifest(directory: &Path, manifest: &Value) -> io::Result<()> {
    fs::write(directory.join("package.json"), format!("{manifest:#}\n"))
}

fn write_program(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    fs::write(path, bytes)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

fn package_name(platform: Platform) -> String {
    let (system, processor) = node_names(platform);
    format!("{NAME}-{system}-{processor}")
}

/// What node calls a platform: `process.platform` and `process.arch`.
fn node_names(platform: Platform) -> (&'static str, &'static str) {
    let system = match platform.system {
        System::Linux => "linux",
        System::MacOs => "darwin",
    };
    let processor = match platform.processor {
        Processor::Arm64 => "arm64",
        Processor::X64 => "x64",
    };
    (system, processor)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::fixture::Release;
    use super::*;
    use crate::process::output;

    #[test]
    fn the_wrapper_depends_on_exactly_the_platforms_of_the_release() {
        let release = Release::new("npm-manifests");
        let out = release.dist.join("npm");
        write(&out, "1.2.3", &super::super::archives(&release.dist, "1.2.3").unwrap()).unwrap();
        let read = |name: &str| -> Value {
            serde_json::from_slice(&fs::read(out.join(name).join("package.json")).unwrap()).unwrap()
        };
        let wrapper = read("referee-gate");
        assert_eq!(
            wrapper["optionalDependencies"],
            json!({ "referee-gate-darwin-arm64": "1.2.3", "referee-gate-linux-x64": "1.2.3" })
        );
        assert_eq!(wrapper.get("scripts"), None, "nothing runs when it is installed");
        let mac = read("referee-gate-darwin-arm64");
        assert_eq!((&mac["os"], &mac["cpu"]), (&json!(["darwin"]), &json!(["arm64"])));
        assert!(!out.join("referee-gate-linux-x64/unpacked").exists());
    }

    #[test]
    fn what_npm_packs_is_installed_without_a_network_and_runs() {
        let Some(platform) = Platform::of(&format!("{}-unknown-linux-musl", std::env::consts::ARCH)) else { return };
        if Command::new("npm").arg("--version").output().is_err() {
            return;
        }
        let release = Release::of("npm-install", &[&format!("{}-unknown-linux-musl", std::env::consts::ARCH)]);
        let out = release.dist.join("npm");
        write(&out, "1.2.3", &super::super::archives(&release.dist, "1.2.3").unwrap()).unwrap();
        let project = release.dist.join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("package.json"), "{ \"private\": true }\n").unwrap();
        let mut install = Command::new("npm");
        install.current_dir(&project).args(["install", "--offline", "--no-audit", "--no-fund", "--cache", ".cache"]);
        for name in [NAME, &package_name(platform)] {
            let packed = output(Command::new("npm").current_dir(&project).arg("pack").arg(out.join(name))).unwrap();
            install.arg(format!("./{}", packed.trim()));
        }
        output(&mut install).unwrap();
        let referee = || Command::new(project.join("node_modules/.bin/referee"));
        assert_eq!(output(referee().arg("--version")).unwrap(), "referee 1.2.3\n");
        assert_eq!(referee().arg("fail").status().unwrap().code(), Some(3), "the exit code is the program's");
        // Without the package of the platform there is no verdict, and no pass.
        fs::remove_dir_all(project.join("node_modules").join(package_name(platform))).unwrap();
        let alone = referee().arg("--version").output().unwrap();
        assert_eq!(alone.status.code(), Some(70));
        assert!(String::from_utf8_lossy(&alone.stderr).contains("is not installed"));
    }
}

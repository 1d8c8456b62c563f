//! Writes what is generated: the JSON Schemas and the command reference. The walls of the workspace are held by this
//! crate's tests.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let cargo = |variable: &str, arguments: &[&str]| {
        Command::new(env!("CARGO"))
            .current_dir(root())
            .args(["test", "--quiet"])
            .args(arguments)
            .env(variable, "1")
            .status()
            .is_ok_and(|status| status.success())
    };
    let written = cargo("REFEREE_UPDATE_SCHEMAS", &["-p", "referee-wire", "published_schemas"])
        && cargo("REFEREE_UPDATE_REFERENCE", &["-p", "referee", "reference"]);
    if written { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

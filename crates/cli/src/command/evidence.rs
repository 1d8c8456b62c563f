//! `referee evidence`: recorded evidence.

use referee_engine::verification::{self, AxisState, Standing, Verification};
use referee_report::human::verification as shown;
use serde_json::json;

use crate::args::{PlainFormat, Verify};
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Exit codes of `evidence verify` (design, "Exit codes").
mod verify_exit {
    pub(super) const PASSED: u8 = 0;
    pub(super) const FAILED: u8 = 1;
    pub(super) const UNVERIFIABLE: u8 = 3;
    pub(super) const TAMPERED: u8 = 4;
}

/// Verifies a folder of evidence, each axis by itself.
pub(super) fn verify(world: &World, arguments: &Verify) -> Result<u8, Problem> {
    let folder = world.directory.join(&arguments.folder);
    if !folder.is_dir() {
        return Err(Problem::usage(format!("{} is no folder of evidence", arguments.folder.display())));
    }
    let verification = verification::verify(&folder, arguments.replay)?;
    let (code, standing) = match verification.standing() {
        Standing::Passed => (verify_exit::PASSED, "authentic, and the run passed"),
        Standing::Failed => (verify_exit::FAILED, "authentic, and the run did not pass"),
        Standing::Unverifiable => (verify_exit::UNVERIFIABLE, "it cannot be verified"),
        Standing::Tampered => (verify_exit::TAMPERED, "something was changed after it was sealed"),
    };
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&document(&verification, standing, code))?,
        PlainFormat::Human => {
            let mut text = Vec::new();
            let axes: Vec<_> = verification.axes.iter().map(axis).collect();
            shown::write(&axes, &world.terminal.stdout, &mut text)?;
            text.extend(format!("{}: {standing}\n", arguments.folder.display()).into_bytes());
            text
        }
    };
    output::answer(&text)?;
    Ok(code)
}

fn axis(axis: &verification::Axis) -> shown::Axis {
    shown::Axis {
        name: axis.name.to_owned(),
        state: match axis.state {
            AxisState::Holds => shown::State::Good,
            AxisState::Unknown => shown::State::Unknown,
            AxisState::Unverifiable | AxisState::Broken => shown::State::Bad,
        },
        reason: axis.reasons.join("\n"),
    }
}

fn document(verification: &Verification, standing: &str, code: u8) -> serde_json::Value {
    let axes: Vec<_> = verification
        .axes
        .iter()
        .map(|axis| {
            let state = match axis.state {
                AxisState::Holds => "holds",
                AxisState::Unknown => "unknown",
                AxisState::Unverifiable => "unverifiable",
                AxisState::Broken => "broken",
            };
            json!({ "name": axis.name, "state": state, "reasons": axis.reasons })
        })
        .collect();
    json!({
        "verificationVersion": "1.0.0",
        "standing": standing,
        "exitCode": code,
        "decision": verification.decision,
        "axes": axes,
    })
}

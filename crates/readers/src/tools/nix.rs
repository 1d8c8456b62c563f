//! Nix: the message, then its location, below the calls that led there.
//!
//! ```text
//! error: undefined variable 'stdnev'
//!
//!        at /home/user/project/flake.nix:18:23:
//!            17|     packages.x86_64-linux.default =
//!            18|       pkgs.callPackage ./. { inherit stdnev; };
//! ```

use crate::prelude::*;
use crate::rows::at_line;

pub(crate) static TOOL: Tool =
    Tool::new("nix", &["nix-build", "nix-shell", "nixos-rebuild", "nix-instantiate"], Role::Compile).lines(&[
        LineFormat::rows(&["       at /", "       at \u{ab}", ".nix:", "/nix/store/", "warning: Git tree "], &TEXT),
    ]);

static TEXT: Rows = Rows::new("nix", "text")
    .spans_blank_lines()
    .wakeful()
    .complete(|found| {
        for place in &mut found.related {
            "called from here".clone_into(&mut place.message);
        }
        !found.message.is_empty()
    })
    .rows(&[
        // In old versions the location follows the message.
        head(r"^(?<level>error|warning): (?<message>.*?),? at (?<file>/[^:\s]+\.nix):(?<line>\d+):(?<column>\d+)$")
            .vouches(),
        head(r"^(?<level>error|warning): (?<message>.*/nix/store/.*|Git tree .*)$").vouches(),
        head(r"^(?<level>error|warning):(?: (?<message>\S.*))?$").common(),
        // Indented, it is the error that the calls above led to.
        part(r"^ {7}(?:error|warning): (?<message>.*?),? at (?<file>/[^:\s]+\.nix):(?<line>\d+):(?<column>\d+)$")
            .then(anew)
            .vouches(),
        part(r"^ {7}(?:error|warning): (?<message>.*/nix/store/.*|Git tree .*)$").then(anew).vouches(),
        part(r"^ {7}(?:error|warning):(?: (?<message>\S.*))?$").then(anew),
        related(r"^ {7,9}at (?:\u{ab}(?<file>[^\u{bb}]+)\u{bb}|(?<file2>/[^:]+)):(?<line>\d+)(?::(?<column>\d+))?:?$")
            .check(|made, _| made.message.is_empty()),
        part(r"^ {7,9}at (?<file>/[^:]+\.nix):(?<line>\d+)(?::(?<column>\d+))?:?$").vouches(),
        part(r"^ {7,9}at (?:\u{ab}(?<file>[^\u{bb}]+)\u{bb}|(?<file2>/[^:]+)):(?<line>\d+)(?::(?<column>\d+))?:?$"),
        part(r"^ +(?<number>\d+)\|(?: (?<source>.*))?$").check(at_line),
        part(r"^(?: {7}| +\d*\|)"),
    ]);

fn anew(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    made.message.clear();
}

//! The floors: the least that anybody has to do for the same, as small programs of their own. The bench starts itself for them,
//! so that each is measured as a program, like Referee.

use std::io::{self, BufWriter, Read as _, Write as _};
use std::process::Command;

use crate::log;
use crate::measurement::{Fallible, timed};

/// Does what a floor's name says.
pub(crate) fn run(arguments: &[String]) -> Fallible<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["spawn", times, program] => spawn(times.parse()?, program),
        ["strip"] => strip(),
        ["write", kind, bytes] => {
            let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
            log::write(&mut out, log::Kind::named(kind).ok_or("no kind of log has this name")?, bytes.parse()?)?;
            Ok(out.flush()?)
        }
        _ => Err("no floor has this name".into()),
    }
}

/// Starts a program and waits for it, so many times.
fn spawn(times: usize, program: &str) -> Fallible<()> {
    (0..times).try_for_each(|_| timed(&mut Command::new(program)).map(drop))
}

/// Takes the control sequences out of what comes in.
fn strip() -> Fallible<()> {
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut state = anstream::adapter::StripBytes::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        for kept in state.strip_next(&buffer[..read]) {
            out.write_all(kept)?;
        }
    }
}

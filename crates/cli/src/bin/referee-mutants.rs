//! Parses sources for `referee probe`: one question on standard input, one answer on standard output, both
//! JSON. It is a separate program, so that no parser written in C runs in the process that judges, and grammars
//! are only loaded on demand.

use std::io::{Read, Write};
use std::process::ExitCode;

use referee_model::mutant::MutantRequest;

/// Maximum size of a question in bytes: a source of the maximum size, with the mutants to find in it.
const QUESTION_BYTES: u64 = 64 * 1024 * 1024;

fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // If standard error is closed, the error cannot be reported.
            let _ = writeln!(std::io::stderr(), "error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn answer() -> Result<(), Box<dyn std::error::Error>> {
    let mut question = Vec::new();
    std::io::stdin().lock().take(QUESTION_BYTES).read_to_end(&mut question)?;
    let request: MutantRequest = serde_json::from_slice(&question)?;
    let answer = serde_json::to_vec(&referee_mutation::answer(&request))?;
    let mut output = std::io::stdout().lock();
    output.write_all(&answer)?;
    output.flush()?;
    Ok(())
}

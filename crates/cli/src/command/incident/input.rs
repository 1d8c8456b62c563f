//! Documents that are handed in: a file, or standard input.

use std::io::Read;
use std::path::Path;

use crate::error::Problem;
use crate::resolve::World;

/// Reads a document of bounded size; `-` is standard input.
pub(in crate::command) fn read(world: &World, file: &Path, limit_bytes: u64) -> Result<Vec<u8>, Problem> {
    let shown = file.display();
    let unreadable = |error: std::io::Error| Problem::usage(format!("{shown} cannot be read: {error}"));
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().take(limit_bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        let opened = std::fs::File::open(world.directory.join(file)).map_err(unreadable)?;
        opened.take(limit_bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if bytes.len() as u64 > limit_bytes {
        return Err(Problem::usage(format!("{shown} is larger than {limit_bytes} bytes")));
    }
    Ok(bytes)
}

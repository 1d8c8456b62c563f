//! Reads input files and standard input, up to a size limit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::tail::Tail;

/// Name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads the named input completely. Input over the limit is refused.
pub(crate) fn read(context: &Context, path: &Path, limit_bytes: u64) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().take(limit_bytes + 1).read_to_end(&mut bytes)
    } else {
        let file = File::open(context.directory.join(path));
        file.and_then(|file| file.take(limit_bytes + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| unusable(path, &format_args!("cannot be read: {error}")))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(unusable(path, &format_args!("it is larger than {limit_bytes} bytes")));
    }
    Ok(bytes)
}

/// Reads text; see [`read`].
pub(crate) fn text(context: &Context, path: &Path, limit_bytes: u64) -> Result<String, EngineError> {
    String::from_utf8(read(context, path, limit_bytes)?).map_err(|_| unusable(path, &"it is not text (UTF-8)"))
}

/// Reads the end of the named input, at most `bytes` bytes.
pub(crate) fn end(context: &Context, path: &Path, bytes: u64) -> Result<Vec<u8>, EngineError> {
    let most = usize::try_from(bytes).unwrap_or(usize::MAX / 2);
    let end = if path.as_os_str() == STANDARD_INPUT {
        Tail::of(io::stdin().lock(), most)
    } else {
        File::open(context.directory.join(path)).and_then(|mut file| {
            let about = file.metadata()?;
            if about.is_file() {
                file.seek(SeekFrom::Start(about.len().saturating_sub(bytes)))?;
            }
            Tail::of(file, most)
        })
    };
    end.map_err(|error| unusable(path, &format_args!("cannot be read: {error}")))
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> EngineError {
    EngineError::usage(format!("{}: {why}", path.display()))
}

//! Files of sealed runs as resources: `referee://evidence/T001/execution-report.json`, or with the id of a run between
//! task and file. A file is a name in the seal of its run; no path on disk is made from an address.

use std::path::Path;

use referee_engine::library::{Library, Part, Which};
use referee_model::evidence_name;
use referee_model::id::{ExecutionId, TaskId};
use referee_model::limit;
use referee_syntax::{base64, percent};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::answer::Refusal;
use crate::project::Project;

/// Beginning of every address.
const BASE: &str = "referee://evidence/";

/// Number of resources of a page.
const LISTED: usize = 100;

/// Maximum size of a file that is given whole, and of a part, in bytes.
const BYTES: u64 = 1024 * 1024;

/// A parsed address.
#[derive(Debug, PartialEq, Eq)]
struct Address {
    task: TaskId,
    which: Which,
    file: String,
    /// First byte, and number of bytes. `None`: the whole file.
    part: Option<(u64, u64)>,
}

/// Returns the address of the report of a run.
pub(crate) fn report_of(task: &TaskId, run: &ExecutionId) -> String {
    format!("{BASE}{task}/{run}/{}", evidence_name::EXECUTION_REPORT)
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |address: &str, name: &str, description: &str| {
        ResourceTemplate::new(format!("{BASE}{address}"), name).with_description(description)
    };
    vec![
        template("{task}/{file}{?offset,length}", "evidence", "A file of the latest sealed run of a task."),
        template("{task}/{run}/{file}{?offset,length}", "evidence of a run", "A file of one sealed run of a task."),
    ]
}

/// Returns a page of the files of the latest runs, and the cursor of the next page.
pub(crate) fn list(project: &Project, cursor: Option<&str>) -> Result<(Vec<Resource>, Option<String>), Refusal> {
    let after = match cursor {
        Some(cursor) => cursor.parse::<usize>().map_err(|_| Refusal::new("the cursor is none that was given"))?,
        None => 0,
    };
    let library = project.library(None)?;
    let mut all = Vec::new();
    for task in library.tasks()? {
        // A run that is not as it was sealed has no files to show; a verification says why.
        if let Ok(run) = library.open(&task, &Which::Latest) {
            all.extend(run.seal().files.iter().map(|file| described(&task, &file.path, file.bytes)));
        }
    }
    let page: Vec<Resource> = all.iter().skip(after).take(LISTED).cloned().collect();
    let end = after.saturating_add(page.len());
    Ok((page, (end < all.len()).then(|| end.to_string())))
}

fn described(task: &TaskId, file: &str, bytes: u64) -> Resource {
    Resource::new(format!("{BASE}{task}/{}", percent::component(file)), format!("{task} {file}"))
        .with_mime_type(media_type(file))
        .with_size(bytes)
}

/// Reads a file of a sealed run, or a part of it. The whole file is compared with the seal.
pub(crate) fn read(project: &Project, address: &str) -> Result<ReadResourceResult, Refusal> {
    let Address { task, which, file, part } = parse(address)?;
    let library: Library = project.library(None)?;
    let run = library.open(&task, &which)?;
    let size = run.size(&file)?;
    let (start, length) = match part {
        Some((start, length)) => (start, length.min(BYTES)),
        None if size > BYTES => {
            return Err(Refusal::new(format!(
                "`{file}` has {size} bytes, and at most {BYTES} are given: read a part with `?offset=0&length={BYTES}`"
            )));
        }
        None => (0, size),
    };
    let Part { bytes, .. } = run.part(&file, start, length)?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, address),
        Err(bytes) => ResourceContents::blob(base64::encode(bytes.as_bytes()), address),
    };
    Ok(ReadResourceResult::new(vec![contents.with_mime_type(media_type(&file))]))
}

fn parse(address: &str) -> Result<Address, Refusal> {
    let invalid = || {
        Refusal::new(format!("not an address of evidence: {address}; expected {BASE}TASK/FILE or {BASE}TASK/RUN/FILE"))
    };
    let rest = address.strip_prefix(BASE).ok_or_else(invalid)?;
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    let decoded = |part: &str| String::from_utf8(percent::decode(part)).map_err(|_| invalid());
    let parts = path.split('/').map(decoded).collect::<Result<Vec<_>, _>>()?;
    let (task, which, file) = match parts.as_slice() {
        [task, file] => (task, Which::Latest, file),
        [task, run, file] => (task, Which::Run(ExecutionId::parse(run.as_str()).map_err(|_| invalid())?), file),
        _ => return Err(invalid()),
    };
    let task = TaskId::parse(task.as_str()).map_err(|_| invalid())?;
    let part = query.map(part).transpose()?;
    Ok(Address { task, which, file: file.clone(), part })
}

/// Parses `offset` and `length`.
fn part(query: &str) -> Result<(u64, u64), Refusal> {
    let (mut start, mut length) = (0, limit::EVIDENCE_PART_BYTES);
    for (name, value) in percent::fields(query.as_bytes()) {
        let number = value.parse::<u64>().map_err(|_| Refusal::new(format!("`{name}` is a number of bytes")))?;
        match name.as_str() {
            "offset" => start = number,
            "length" => length = number,
            _ => return Err(Refusal::new(format!("unknown parameter `{name}`: expected offset or length"))),
        }
    }
    Ok((start, length))
}

fn media_type(file: &str) -> &'static str {
    if Path::new(file).extension().is_some_and(|extension| extension == "json") {
        "application/json"
    } else {
        "text/plain"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_task_perhaps_a_run_and_a_file() {
        let address = |text: &str| parse(text).unwrap();
        let latest = address("referee://evidence/T001/execution-report.json");
        assert_eq!((latest.which, latest.file.as_str(), latest.part), (Which::Latest, "execution-report.json", None));
        let part = address("referee://evidence/T001/STEP.1-a%20b.log?offset=5&length=7");
        assert_eq!((part.file.as_str(), part.part), ("STEP.1-a b.log", Some((5, 7))));
        let run = ExecutionId::parse("exec-20260101T000000000Z-00000000").unwrap();
        assert_eq!(address(&report_of(&latest.task, &run)).which, Which::Run(run));
    }

    #[test]
    fn nothing_else_is_an_address() {
        for wrong in [
            "file:///etc/passwd",
            "referee://evidence/",
            "referee://evidence/T001",
            "referee://evidence/../etc/passwd",
            "referee://evidence/T001/../../etc/passwd",
            "referee://evidence/T001/exec-1/a/b",
            "referee://evidence/T001/%ff",
            "referee://evidence/T001/a?offset=-1",
            "referee://evidence/T001/a?path=/etc/passwd",
            "referee://other/T001/a",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}

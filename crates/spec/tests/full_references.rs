//! Documents in the full form that others wrote.

use std::path::Path;

use referee_spec::complaint::{Complaint, render_plain};
use referee_spec::error::SpecError;
use referee_spec::plan::{Options, load};

fn rendered(complaints: &[Complaint]) -> String {
    complaints.iter().map(render_plain).collect()
}

#[test]
fn the_documents_that_came_with_the_form_load() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/execution-spec");
    let Ok(entries) = directory.read_dir() else {
        println!("skipped: no ../shared");
        return;
    };
    let workspace = tempfile::tempdir().unwrap();
    let mut loaded = Vec::new();
    for file in entries.map(|entry| entry.unwrap().path()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if file.extension().is_none_or(|extension| extension != "json") || name == "test-task.schema.json" {
            continue;
        }
        for given in [None, Some(workspace.path().to_owned())] {
            let elsewhere = given.is_none();
            let found = match load(&file, &Options { workspace: given }) {
                Ok(found) => found,
                Err(SpecError::Complaints(complaints)) => panic!("{name}: {}", rendered(&complaints)),
                Err(error) => panic!("{name}: {error}"),
            };
            let [plan] = found.suite.tasks.as_slice() else { panic!("{name}: one task each") };
            assert!(!plan.actions.is_empty() && !plan.criteria.success.is_empty(), "{name}");
            let absent = plan.problems.iter().any(|problem| problem.keyword == "workspace");
            let windows = plan.workspace.starts_with("/D:");
            assert_eq!(absent, elsewhere && windows, "{name}");
        }
        loaded.push(name);
    }
    assert!(loaded.len() >= 7, "{loaded:?}");
}

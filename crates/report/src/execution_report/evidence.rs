//! Names of the evidence files of an action, as the report gives them.

use std::path::Path;

use referee_model::plan::{Action, Plan};
use referee_model::record::{Facts, FileFacts, Log, Record, ServiceRecord};
use referee_model::report::{Ran, Report};

use referee_model::evidence_name;

/// All evidence files of an action; those of its last attempt where it was retried.
#[document]
pub(super) struct EvidenceFiles {
    /// File with the output of the command, both streams. Left out where none is kept.
    log: Option<String>,
    /// File with the body of the HTTP answer. Left out where none is kept.
    body: Option<String>,
    /// File with the answer of a database or a browser, a JSON document. Left out where none is kept.
    answer: Option<String>,
    /// Files with pictures of the page in a browser, in order. Left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    screenshots: Vec<String>,
    /// Files with the content of the files that were checked. Left out where none is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contents: Vec<String>,
    /// File with the record of what was observed when the action ran.
    record: String,
    /// File with the findings that were read from the output. Left out where there are none.
    diagnostics: Option<String>,
    /// File with the test results that were read from the output. Left out where there are none.
    test_results: Option<String>,
}

impl EvidenceFiles {
    pub(super) fn new(report: &Report, action: &Action, ran: &Ran) -> Self {
        let path = |name: &str| shown(&report.plan, name);
        let reading = &ran.reading;
        Self {
            log: output(report, &ran.record).map(|log| path(&log.file)),
            body: body(&ran.record).map(|log| path(&log.file)),
            answer: answer(&ran.record).map(|log| path(&log.file)),
            screenshots: ran.record.screenshots().iter().map(|taken| path(&taken.image.file)).collect(),
            contents: contents(&ran.record).map(|log| path(&log.file)).collect(),
            record: path(&evidence_name::record(action, ran.record.attempt)),
            diagnostics: (reading.counts.total() > 0).then(|| path(&evidence_name::diagnostics(&action.id))),
            test_results: reading.tests.as_ref().map(|_| path(&evidence_name::test_results(&action.id))),
        }
    }

    /// Returns the file to look at first: the output where there is one, else the record.
    pub(super) fn first(&self) -> &str {
        self.log.as_ref().unwrap_or(&self.record)
    }
}

/// Returns the path of a file of the task, relative to the workspace where it lies inside it. The directories are
/// compared as text, as they appear in the plan's document, so that a replay shows the same path.
pub(super) fn shown(plan: &Plan, name: &str) -> String {
    let (workspace, root) = (plan.workspace.to_string_lossy(), plan.evidence_root.to_string_lossy());
    let directory = match Path::new(&*root).strip_prefix(&*workspace) {
        Ok(below) => below.join(plan.task.as_str()),
        Err(_) => Path::new(&*root).join(plan.task.as_str()),
    };
    directory.join(name).to_string_lossy().into_owned()
}

/// Returns the output of an attempt. For a service that became ready it belongs to the run, because the service
/// went on printing.
pub(super) fn output<'report>(report: &'report Report, record: &'report Record) -> Option<&'report Log> {
    match &record.facts {
        Facts::Command(facts) => facts.log.as_ref(),
        Facts::Service(facts) => {
            facts.log.as_ref().or_else(|| service(report, record).and_then(|service| service.log.as_ref()))
        }
        Facts::File(_) | Facts::Glob(_) | Facts::Http(_) | Facts::Interaction(_) | Facts::NotExecuted => None,
    }
}

/// Returns the record of the service that an attempt made ready.
fn service<'report>(report: &'report Report, record: &Record) -> Option<&'report ServiceRecord> {
    let services = &report.run.services;
    services.iter().find(|service| service.action == record.action && service.attempt == record.attempt)
}

/// Returns the stored body of the answer to a request. None: it is not kept.
pub(super) fn body(record: &Record) -> Option<&Log> {
    record.log().filter(|_| matches!(record.facts, Facts::Http(_)))
}

/// Returns the stored answer of a database or a browser. None: it is not kept.
fn answer(record: &Record) -> Option<&Log> {
    record.log().filter(|_| matches!(record.facts, Facts::Interaction(_)))
}

/// Returns the stored contents of the files that were checked.
fn contents(record: &Record) -> impl Iterator<Item = &Log> {
    let files = match &record.facts {
        Facts::File(facts) => std::slice::from_ref(facts),
        Facts::Glob(facts) => facts.files.as_slice(),
        Facts::Command(_) | Facts::Http(_) | Facts::Service(_) | Facts::Interaction(_) | Facts::NotExecuted => &[],
    };
    files.iter().filter_map(FileFacts::content)
}

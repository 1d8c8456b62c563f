//! Every reader over whatever bytes there are: nothing panics, and what is read holds together.
//!
//! The first byte says which tool is named, if one is; the second where the bytes are split into the two streams.
#![no_main]

use libfuzzer_sys::fuzz_target;
use referee_model::limit;
use referee_readers::source::MemorySource;
use referee_readers::{Hint, read};

fuzz_target!(|bytes: &[u8]| {
    let [tool, split, output @ ..] = bytes else {
        return;
    };
    let tools: Vec<&str> = referee_readers::tools().collect();
    // Every second input is read without a name.
    let tool = tool.is_multiple_of(2).then(|| tools[usize::from(*tool / 2) % tools.len()].to_owned());
    let (stdout, stderr) = output.split_at(output.len() * usize::from(*split) / 256);
    let source = MemorySource::new(stdout.to_vec(), stderr.to_vec());
    let reading = read(&source, &Hint { tool, role: None }).expect("memory can always be read");

    let counts = &reading.counts;
    let by_rule: u64 = counts.by_rule.values().map(|rule| rule.errors + rule.warnings + rule.infos).sum();
    assert_eq!(by_rule, counts.total());
    assert!(reading.diagnostics.len() as u64 <= counts.total());
    assert!(reading.diagnostics.len() <= limit::FINDINGS_KEPT);
    for found in &reading.diagnostics {
        assert!(found.origin.start <= found.origin.end && found.origin.end <= output.len() as u64);
        assert!(found.message.len() <= limit::MESSAGE_BYTES);
        assert!(found.line != Some(0) && found.column != Some(0));
    }
    for tests in &reading.tests {
        let counts = tests.counts;
        assert_eq!(counts.total, counts.passed + counts.failed + counts.skipped);
        assert!(tests.failures.len() <= limit::FINDINGS_KEPT && tests.cases.len() <= limit::TEST_CASES_KEPT);
    }
});

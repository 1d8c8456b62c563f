use super::*;

fn samples(text: &str) -> Vec<&str> {
    text.split("```json\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect()
}

#[test]
fn every_sample_is_a_handback_and_there_is_one_for_each_reason() {
    let text = section();
    let reasons: Vec<HandbackReason> =
        samples(&text).iter().map(|sample| handback::read(sample.as_bytes()).unwrap().reason()).collect();
    assert_eq!(reasons, HandbackReason::ALL);
}

#[test]
fn every_code_stands_once_in_the_table_with_its_meaning() {
    let text = section();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `") && !line.contains(".json")).collect();
    assert_eq!(rows.len(), HandbackCode::ALL.len());
    for (row, code) in rows.iter().zip(HandbackCode::ALL) {
        assert_eq!(*row, format!("| `{}` | {} |", code.as_str(), code.meaning()));
    }
}

#[test]
fn the_section_says_what_an_executor_has_to_know() {
    let text = section();
    assert!(text.starts_with(HEADING) && text.ends_with('\n'));
    for said in [
        "you always give it back",
        "run/output-data/handback.json",
        "run/output-data/wf-result.json",
        "referee stage validate STAGE --run-dir RUN",
        "referee handback STAGE --run-dir RUN",
        "run/messages/",
        "is a contradiction",
        "It is stale",
    ] {
        assert!(text.contains(said), "{said}");
    }
    insta::assert_snapshot!(text);
}

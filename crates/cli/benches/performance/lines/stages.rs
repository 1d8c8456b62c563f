//! What workflows of many stages cost.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::growth::Curve;
use crate::measurement::{Fallible, Task, in_turns, output, timed, usage};
use crate::table::Aim;
use crate::workbench::{Measured, Workbench};

pub(crate) const NAME: &str = "stages";
/// The last is the most that a workflow may have.
const SIZES: [(usize, f64); 4] = [(10, 10.0), (50, 50.0), (100, 100.0), (200, 200.0)];

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let mut composed = Curve::new("stages-compose", "A run of a workflow is composed", "stages");
    let mut status = Curve::new("stages-status", "The status of a run of a workflow", "stages");
    for (stages, size) in SIZES {
        let workspace = bench.directory(&format!("stages-{stages}"))?;
        workflow(&workspace.join("workflow"), stages)?;
        let compose = || bench.referee(&workspace, &["stage", "compose", "workflow", "-o", "runs"]);
        let mut tasks: [Task<'_>; 1] = [Box::new(|| timed(&mut compose()))];
        let times = in_turns(bench.choose(3, 7), &mut tasks)?;
        composed.add(size, times[0].median(), &usage(&mut compose())?);
        let told = output(&mut compose())?;
        let run = told.lines().find_map(|line| line.strip_prefix("Created: ")).ok_or("the run is told")?.to_owned();
        let show = || bench.referee(&workspace, &["stage", "status", "--run-dir", &run]);
        let mut tasks: [Task<'_>; 1] = [Box::new(|| timed(&mut show()))];
        let times = in_turns(bench.choose(5, 11), &mut tasks)?;
        status.add(size, times[0].median(), &usage(&mut show())?);
        fs::remove_dir_all(&workspace)?;
    }
    let curves = vec![composed, status];
    let rows = curves.iter().flat_map(|curve| [curve.power(NAME), curve.peak(NAME, Aim::None)]);
    Ok(Measured { rows: rows.flatten().collect(), curves })
}

/// Writes a workflow in which each stage takes what the one before wrote.
fn workflow(directory: &Path, stages: usize) -> Fallible<()> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore-specify");
    let mut text = "version: \"1.0\"\nmetadata: { name: many, description: Stages in a row }\nstages:\n".to_owned();
    for number in 0..stages {
        let input = if number == 0 {
            "{ name: wish.md, path: inputs/wish.md }".to_owned()
        } else {
            let before = number - 1;
            format!(
                "{{ name: notes.md, path: inputs/notes.md, from_stage: s{before}, source: run/output-files/notes.md }}"
            )
        };
        let _ = write!(
            text,
            "  - id: s{number}\n    name: Stage {number}\n    inputs: {{ required: [{input}] }}\n    outputs:\n      \
             files: [{{ name: notes.md, path: run/output-files/notes.md }}]\n      data: [{{ name: wf-result.json, path: \
             run/output-data/wf-result.json, schema: schemas/wf-result.schema.json }}]\n    prompt: {{ entry: \
             prompt/wf.md, main: prompt/main.md }}\n"
        );
        let prompt = directory.join(format!("stages/s{number}/prompt"));
        fs::create_dir_all(&prompt)?;
        fs::write(prompt.join("main.md"), format!("# Stage {number}\n\nWrite notes.\n"))?;
    }
    text.push_str("shared_templates:\n");
    for (source, target) in
        [("templates/wf.md", "prompt/wf.md"), ("schemas/wf-result.schema.json", "schemas/wf-result.schema.json")]
    {
        let _ = writeln!(text, "  - {{ source: {source}, target: {target} }}");
        let to = directory.join(source);
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::copy(example.join(source), to)?;
    }
    Ok(fs::write(directory.join("wf.yaml"), text)?)
}

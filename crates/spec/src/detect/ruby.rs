//! Ruby: RSpec, Minitest by rake, Rails, RuboCop.

use referee_model::selection::Level;

use super::Place;
use super::project::{Draft, Ecosystem};
use super::text::mentions;

/// Looks for a bundle, a Rakefile or specs.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let sign = place.first(&["Gemfile", "Rakefile", "rakefile", ".rspec"])?;
    let mut draft = Draft::new(Ecosystem::Ruby, place.folder, sign);
    let bundle = if place.has("Gemfile") { "bundle exec " } else { "" };
    let rakefile = place.text("Rakefile").or_else(|| place.text("rakefile")).unwrap_or_default();
    if place.has(".rspec") || place.files().any(|path| path.ends_with("_spec.rb")) {
        draft.check("test", format!("{bundle}rspec"), Level::Fast, "There are specs of RSpec");
    } else if place.has("bin/rails") && place.has_folder("test") {
        draft.check("test", "bin/rails test", Level::Fast, "There are bin/rails and tests");
    } else if rakefile.contains("TestTask") {
        draft.check("test", format!("{bundle}rake test"), Level::Fast, "The Rakefile has a task of tests");
    } else {
        draft.notes.push("no test of Ruby was found".to_owned());
    }
    if let Some(config) = place.first(&[".rubocop.yml"]) {
        let in_rake = mentions(rakefile, "RuboCop").then(|| "the Rakefile".to_owned());
        let run_by = place.ci.line_with(&["rubocop"]).map(|line| line.file.clone()).or(in_rake);
        draft.check_if_run("lint", &format!("{bundle}rubocop"), Level::Fast, &format!("There is {config}"), run_by);
    }
    Some(draft)
}

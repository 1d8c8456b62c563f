//! Inserts the handback protocol into the first prompt of every stage (WF-03).

/// Line of a prompt that the section replaces.
pub const MARKER: &str = "<!-- referee:handback-protocol -->";

/// A prompt, and whether it describes handing back in its own words.
pub(super) struct PromptText {
    pub(super) text: String,
    pub(super) has_its_own: bool,
}

/// Replaces the marker by the section, or appends the section if there is neither a marker nor a heading of
/// that name.
pub(super) fn told(prompt: &str, section: &str) -> PromptText {
    let is_marker = |line: &str| line.trim() == MARKER;
    let section = section.trim_end();
    if prompt.lines().any(is_marker) {
        let mut place = Some(section);
        let mut text = String::new();
        for line in prompt.lines() {
            text.push_str(if is_marker(line) { place.take().unwrap_or_default() } else { line });
            text.push('\n');
        }
        return PromptText { text, has_its_own: false };
    }
    let has_its_own = prompt.lines().any(is_heading);
    let text = if has_its_own || section.is_empty() {
        prompt.to_owned()
    } else {
        format!("{}\n\n{section}\n", prompt.trim_end())
    };
    PromptText { text, has_its_own }
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.to_ascii_lowercase().contains("handback protocol")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_goes_to_its_place_once() {
        let section = "## Handback Protocol\n\nAlways.\n";
        let cases = [
            (
                "# A\n\n<!-- referee:handback-protocol -->\n\nZ\n",
                "# A\n\n## Handback Protocol\n\nAlways.\n\nZ\n",
                false,
            ),
            ("# A\n", "# A\n\n## Handback Protocol\n\nAlways.\n", false),
            ("# A\n## The handback protocol\nX", "# A\n## The handback protocol\nX", true),
            (
                "<!-- referee:handback-protocol -->\n  <!-- referee:handback-protocol -->\n",
                "## Handback Protocol\n\nAlways.\n\n",
                false,
            ),
        ];
        for (prompt, expected, has_its_own) in cases {
            let told = told(prompt, section);
            assert_eq!((told.text.as_str(), told.has_its_own), (expected, has_its_own), "{prompt}");
        }
    }
}

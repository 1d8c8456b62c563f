//! Tests in a source text: the title, the lines and the body of each.

use std::collections::BTreeSet;

use super::{Line, is_attribute, lines_of, test_names, words};

#[derive(Debug)]
pub struct Source {
    pub lines: Vec<Line>,
    /// Tests that the source declares, in order.
    pub tests: Vec<Declaration>,
}

/// A test that a source declares.
#[derive(Debug)]
pub struct Declaration {
    /// Title, as [`test_names`] returns it.
    pub title: String,
    /// Line range (0-based), from the attributes above it to its end.
    pub lines: std::ops::Range<usize>,
    /// Code and texts of the test, without comments, whitespace and the title.
    pub body: String,
}

impl Source {
    /// Parses a source. Returns `None` if tests in such files are not supported.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        test_names(path, text)?;
        let lines = lines_of(path, text)?;
        let written: Vec<&str> = text.split('\n').collect();
        let is_indented = path.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "py" | "rb"));
        let mut tests = Vec::new();
        for at in 0..written.len().min(lines.len()) {
            let Some(title) = title_at(path, &written, at) else { continue };
            let first = (0..at).rev().take_while(|line| is_attribute(written[*line])).last().unwrap_or(at);
            let end = if is_indented { indented_end(&lines, at) } else { bracket_end(&lines, at) };
            let body = body(&lines[first..end], &title);
            tests.push(Declaration { title, lines: first..end, body });
        }
        Some(Self { lines, tests })
    }

    pub fn titles(&self) -> BTreeSet<&str> {
        self.tests.iter().map(|test| test.title.as_str()).collect()
    }

    /// Returns the lines outside of tests with these titles.
    pub fn without(&self, titles: &BTreeSet<&str>) -> Vec<&Line> {
        let known: Vec<&Declaration> = self.tests.iter().filter(|test| titles.contains(test.title.as_str())).collect();
        let is_outside = |at: usize| !known.iter().any(|test| test.lines.contains(&at));
        self.lines.iter().enumerate().filter(|(at, _)| is_outside(*at)).map(|(_, line)| line).collect()
    }
}

/// Returns the title of the test that a line declares.
fn title_at(path: &str, lines: &[&str], at: usize) -> Option<String> {
    let line = lines.get(at)?;
    if line.trim().is_empty() || is_attribute(line) {
        return None;
    }
    let first = (0..at).rev().take_while(|line| is_attribute(lines[*line])).last().unwrap_or(at);
    // The title may be on the next line.
    let last = if line.trim_end().ends_with('(') { at + 1 } else { at };
    test_names(path, &lines.get(first..=last)?.join("\n"))?.pop_first()
}

/// Returns the line after the block that is indented more than line `at`.
fn indented_end(lines: &[Line], at: usize) -> usize {
    let indent = |line: &Line| line.code.len() - line.code.trim_start().len();
    let depth = indent(&lines[at]);
    let is_over = |line: &Line| !line.code.trim().is_empty() && indent(line) <= depth;
    lines.iter().skip(at + 1).position(is_over).map_or(lines.len(), |more| at + 1 + more)
}

/// Returns the line after the one that closes the brackets opened by a declaration.
fn bracket_end(lines: &[Line], at: usize) -> usize {
    let (mut depth, mut has_block) = (0_i64, false);
    for (number, line) in lines.iter().enumerate().skip(at) {
        for character in line.code.chars() {
            match character {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            has_block |= character == '{';
        }
        // The block of a function may begin on the line after its name.
        let is_awaited =
            !has_block && lines.get(number + 1).is_some_and(|next| next.code.trim_start().starts_with('{'));
        if depth <= 0 && !is_awaited {
            return number + 1;
        }
    }
    lines.len()
}

fn body(lines: &[Line], title: &str) -> String {
    let mut is_title_open = true;
    let mut body = String::new();
    for line in lines {
        let mut code: String = line.code.split_whitespace().collect();
        let mut texts = line.texts.as_slice();
        let is_attribute = is_attribute(&line.code);
        if is_title_open && !is_attribute {
            // A title with escapes is written differently than it reads; then it is the first text.
            let is_text = texts.first().is_some_and(|text| text == title);
            if !is_text && words(&line.code).any(|word| word == title) {
                code = code.replacen(title, "", 1);
                is_title_open = false;
            } else if let Some((_, rest)) = texts.split_first() {
                texts = rest;
                is_title_open = false;
            }
        }
        body.push_str(&code);
        for text in texts {
            body.push('\u{1}');
            body.push_str(text.trim());
        }
    }
    // A trailing comma in a list that was split into lines carries no meaning.
    [")", "]", "}"].iter().fold(body, |body, end| body.replace(&format!(",{end}"), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_the_same_whatever_its_title_its_blanks_and_its_comments_are() {
        for (path, one, other) in [
            (
                "a.test.js",
                "test('adds', () => {\n  equal(sum(1, 2), 3);\n});\n",
                "test('sums', () => { // x\n  equal(\n    sum(1, 2),\n    3,\n  );\n});\n",
            ),
            ("a.test.js", "it('a', f)\nit('b', g)\n", "it(\n  'c', f)\n"),
            (
                "test_a.py",
                "def test_adds():\n    assert f(1) == 2\n\ndef other(): pass\n",
                "def test_sums():\n    # it does\n\n    assert f(1) == 2\n",
            ),
            ("a_test.go", "func TestA(t *testing.T) {\n\tf(t)\n}\n", "func TestB(t *testing.T) {\n\n\tf(t)\n}\n"),
            ("a.rs", "#[test]\nfn adds() {\n    f();\n}\n", "#[test]\nfn sums() { f(); }\n"),
            ("A.cs", "[Fact]\npublic void Adds()\n{\n  F();\n}\n", "[Fact]\npublic void Sums() {\n  F();\n}\n"),
        ] {
            let body = |text: &str| Source::of(path, text).unwrap().tests.remove(0).body;
            assert_eq!(body(one), body(other), "{path}");
            let changed = one.replace("f(", "h(").replace("f)", "h)").replace("F(", "H(").replace("3)", "4)");
            assert_ne!(body(one), body(&changed), "{path}: {one}");
        }
    }
}

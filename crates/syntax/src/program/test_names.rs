//! Names of tests that a source declares, found line by line: enough to see that one is gone.
//!
//! A line counts if it begins with the declaration, so a test that is commented out is gone. Computed names are
//! not recognized, before or after.

use std::collections::BTreeSet;

/// Maximum length of a name, in characters.
const NAME_CHARACTERS: usize = 300;

/// Calls that declare a test in JavaScript and related languages; a suffix after `.`, such as `only`, is allowed.
const CALLS: [&str; 6] = ["it", "test", "specify", "bench", "fit", "ftest"];

/// Suffixes that switch a test off: it is declared but does not run.
const OFF: [&str; 5] = [".skip", ".todo", ".fixme", ".fails", ".failing"];

/// Returns the names of tests that a file declares, sorted. `None` if such files are not supported.
pub fn test_names(path: &str, text: &str) -> Option<BTreeSet<String>> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let declared: BTreeSet<String> = match ending {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
            lines.iter().enumerate().filter_map(|(index, line)| call(line, lines.get(index + 1))).collect()
        }
        "py" => attributed(&lines, &["@pytest.mark.skip", "@unittest.skip"], &["def test", "async def test"], |line| {
            identifier(line.trim_start_matches("async ").strip_prefix("def ")?)
        }),
        "go" => lines
            .iter()
            .filter_map(|line| identifier(line.strip_prefix("func ")?))
            .filter(|name| is_go_test(name))
            .collect(),
        "rs" => rust(&lines),
        "java" | "kt" | "cs" | "php" => marked(&lines),
        "rb" => lines
            .iter()
            .filter_map(|line| match line.strip_prefix("it ") {
                Some(name) => quoted(name),
                None => identifier(line.strip_prefix("def ")?).filter(|name| name.starts_with("test_")),
            })
            .collect(),
        "c" | "cc" | "cpp" | "cxx" => lines.iter().filter_map(|line| macro_of_test(line)).collect(),
        _ => return None,
    };
    Some(declared)
}

/// Returns the name in a call such as `it.only("adds", …)`; it may be on the next line.
fn call(line: &str, next: Option<&&str>) -> Option<String> {
    let called = CALLS.iter().find_map(|call| line.strip_prefix(call))?;
    let (between, after) = called.split_once('(')?;
    let is_call = between.is_empty() || between.starts_with('.');
    if !is_call || OFF.iter().any(|off| between.contains(off)) {
        return None;
    }
    // `test.each(table)("name", …)`: the name is in the second pair of brackets.
    let after = if between.contains(".each") { after.rsplit_once(")(").map_or(after, |(_, name)| name) } else { after };
    let after = after.trim_start();
    quoted(if after.is_empty() { next? } else { after })
}

/// Returns the quoted text at the beginning of a line.
fn quoted(line: &str) -> Option<String> {
    let quote = line.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let mut name = String::new();
    let mut characters = line.chars().skip(1);
    while let Some(character) = characters.next() {
        match character {
            '\\' => name.extend(characters.next()),
            _ if character == quote => return Some(bounded(&name)),
            _ => name.push(character),
        }
    }
    None
}

fn identifier(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
    (!name.is_empty()).then(|| bounded(&name))
}

fn bounded(name: &str) -> String {
    name.chars().take(NAME_CHARACTERS).collect()
}

fn is_go_test(name: &str) -> bool {
    ["Test", "Fuzz", "Benchmark", "Example"].iter().any(|beginning| name.starts_with(beginning))
}

/// Returns the name of a test that a macro declares: `TEST_F(Quotes, Adds)`, `TEST_CASE("adds")`.
fn macro_of_test(line: &str) -> Option<String> {
    let (called, arguments) = line.split_once('(')?;
    match called.trim_end() {
        "TEST" | "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P" | "Test" => {
            let (names, _) = arguments.split_once(')')?;
            let names: Vec<&str> = names.split(',').map(str::trim).take(2).collect();
            let is_off = names.iter().any(|name| name.starts_with("DISABLED_")) || arguments.contains(".disabled");
            (!is_off).then(|| bounded(&names.join(".")))
        }
        "TEST_CASE" | "SCENARIO" | "TEST_CASE_METHOD" => quoted(arguments.trim_start()),
        _ => None,
    }
}

/// Returns the declared tests that no attribute line above switches off.
fn attributed(
    lines: &[&str],
    off: &[&str],
    beginnings: &[&str],
    name: impl Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_off = false;
    for line in lines {
        if off.iter().any(|off| line.starts_with(off)) {
            is_off = true;
        } else if beginnings.iter().any(|beginning| line.starts_with(beginning)) {
            found.extend(name(line).filter(|_| !is_off));
            is_off = false;
        } else if !line.starts_with('@') {
            is_off = false;
        }
    }
    found
}

/// Returns the functions under `#[test]` and similar attributes, unless they are ignored.
fn rust(lines: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (mut is_test, mut is_off) = (false, false);
    for line in lines {
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("test(") || line.contains("rstest");
            is_off |= line.starts_with("#[ignore");
            continue;
        }
        let after = ["fn ", "pub fn ", "async fn ", "pub async fn "].iter().find_map(|word| line.strip_prefix(word));
        if let Some(name) = after.filter(|_| is_test && !is_off).and_then(identifier) {
            found.insert(name);
        }
        if !line.starts_with("//") && !line.is_empty() {
            (is_test, is_off) = (false, false);
        }
    }
    found
}

/// Returns the methods under `@Test`, `[Fact]`, `[Test]` and similar attributes, and those named `test…`.
fn marked(lines: &[&str]) -> BTreeSet<String> {
    const MARKS: [&str; 7] = ["@Test", "@ParameterizedTest", "[Fact", "[Theory", "[Test", "[TestMethod", "#[Test"];
    const OFF_MARKS: [&str; 5] =
        ["@Disabled", "@Ignore", "@org.junit.jupiter.api.Disabled", "@org.junit.Ignore", "[Ignore"];
    let mut found = BTreeSet::new();
    let (mut is_test, mut is_off) = (false, false);
    for line in lines {
        is_test |= MARKS.iter().any(|mark| line.starts_with(mark));
        is_off |= OFF_MARKS.iter().any(|mark| line.starts_with(mark));
        is_off |= line.starts_with('[') && line.replace(' ', "").contains("Skip=");
        let Some((before, _)) = line.split_once('(').filter(|_| !line.starts_with(['@', '[', '#', '/', '*'])) else {
            continue;
        };
        let name = before.rsplit([' ', '`']).find(|word| !word.is_empty()).unwrap_or_default();
        if (is_test || name.starts_with("test")) && !is_off {
            found.extend(identifier(name));
        }
        (is_test, is_off) = (false, false);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Vec<String> {
        test_names(path, text).unwrap().into_iter().collect()
    }

    #[test]
    fn tests_are_named_as_each_language_declares_them() {
        for (path, text, names) in [
            (
                "a.test.ts",
                "describe('x', () => {\n  it('adds', () => {});\n  test.only(\"it's\", f)\n  it(\n    `long`,\n  f)\n  test.each([[1, 2]])('%d', f)\n  iterate('no')\n  // it('gone')\n  it.skip('off', f)\n  xit('off too')\n",
                vec!["%d", "adds", "it's", "long"],
            ),
            (
                "test_a.py",
                "def test_adds(x):\n    pass\nclass TestA:\n    async def test_b(self): pass\n    @pytest.mark.skip(reason='x')\n    def test_off(self): pass\n# def test_gone(): pass\ndef helper(): pass\n",
                vec!["test_adds", "test_b"],
            ),
            (
                "a.rs",
                "#[test]\nfn adds() {}\n#[tokio::test]\n#[should_panic]\nasync fn waits() {}\n#[test]\n#[ignore]\nfn off() {}\nfn helper() {}\n",
                vec!["adds", "waits"],
            ),
            ("a_test.go", "func TestAdds(t *testing.T) {\n}\nfunc helper() {}\n", vec!["TestAdds"]),
            (
                "ATest.java",
                "@Test\npublic void adds() {\n}\n@Test\n@Disabled\nvoid off() {}\n@org.junit.Ignore\n@Test\nvoid out() {}\nvoid helper() {}\n",
                vec!["adds"],
            ),
            ("A.cs", "[Fact]\npublic void Adds() {\n}\n[Fact(Skip = \"x\")]\npublic void Off() {\n}\n", vec!["Adds"]),
            ("a_spec.rb", "it 'adds' do\nend\n# it 'gone'\n", vec!["adds"]),
            ("a_test.rb", "def test_adds\nend\ndef helper\nend\n", vec!["test_adds"]),
            (
                "a_test.cc",
                "TEST(Quotes, Adds) {\n}\nTEST_F(Quotes, DISABLED_Off) {\n}\nTEST_CASE(\"lists\") {\n}\n",
                vec!["Quotes.Adds", "lists"],
            ),
        ] {
            assert_eq!(of(path, text), names, "{path}");
        }
        assert_eq!(test_names("tests/data.json", "it('x')"), None);
    }
}

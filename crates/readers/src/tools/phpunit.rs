//! PHPUnit 8 to 12 and runners built on it: its own printer, testdox, and the printer of Pest and of
//! `artisan test`.

mod pest;
mod text;

use crate::prelude::*;
use crate::shapes::locate::Frame;

pub(crate) static TOOL: Tool = Tool::new("phpunit", &[], Role::Test)
    .lines(&[
        LineFormat::tests(text::PREFILTER, &text::TEXT),
        LineFormat::tests(text::PREFILTER, &text::TESTDOX),
        // This format is attributed to Pest unless the command says otherwise.
        LineFormat::hinted(pest::PREFILTER, |_| pest::PHPUNIT.reader(true)),
    ])
    .merge(runs::one_run);

pub(crate) static PEST: Tool =
    Tool::new("pest", &[], Role::Test).lines(&[LineFormat::tests(pest::PREFILTER, &pest::PEST)]);

/// A frame of a stack trace, alone on its line: `/project/tests/CalcTest.php:9`.
static PLACE: Pattern = Pattern::new(r"^(?<file>(?:/|phar://|.:).*\.(?i:php|phpt|inc)):(?<line>\d+)$");

fn place(text: &str) -> Option<Frame> {
    PLACE.find(text).map(|found| Frame::of(&found))
}

/// Chooses the location of a failed test: in the file of its class, else outside of dependencies, else any.
fn choose<'p>(places: &'p [Frame], class: &str) -> Option<&'p Frame> {
    let class = class.rsplit('\\').next().unwrap_or(class);
    let is_own = |place: &&Frame| {
        place.file.rsplit('/').next().and_then(|file| file.strip_suffix(".php")).is_some_and(|stem| stem == class)
    };
    let own = places.iter().find(is_own);
    own.or_else(|| places.iter().find(|place| !place.file.contains("/vendor/"))).or(places.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_the_test_s_own_file_is_chosen() {
        let at = |text: &str| place(text).unwrap();
        let places = [at("/p/vendor/x/Assert.php:3"), at("/p/src/Calc.php:7"), at("/p/tests/CalcTest.php:14")];
        assert_eq!(choose(&places, "App\\Tests\\CalcTest").unwrap().line, Some(14));
        assert_eq!(choose(&places, "Other").unwrap().line, Some(7));
        assert_eq!(choose(&places[..1], "Other").unwrap().line, Some(3));
        assert_eq!(place("C:\\p\\tests\\A.php:5").unwrap().file, "C:/p/tests/A.php");
        for text in ["sum.php:5", "at 10:30", "/p/tests/A.php", "/p/notes.txt:4"] {
            assert_eq!(place(text), None, "{text}");
        }
    }
}

use super::*;

fn detected(pairs: &[(&str, &str)]) -> Detected {
    let of = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, command)| (*command).to_owned());
    Detected {
        syntax: of("syntax"),
        test: of("test"),
        smoke: of("smoke"),
        build: of("build"),
        lint: of("lint"),
        diagnostic: of("diagnostic"),
    }
}

fn work(profile: Profile) -> Work {
    Work { profile, size: TaskSize::Normal, changed: false, build_asked: false }
}

const ALL: [(&str, &str); 6] =
    [("syntax", "S"), ("test", "T"), ("smoke", "M"), ("build", "B"), ("lint", "L"), ("diagnostic", "D")];

#[test]
fn vf_05_each_profile_chooses_its_commands() {
    let all = detected(&ALL);
    let changed = |profile| Work { changed: true, ..work(profile) };
    let asked = |profile| Work { build_asked: true, ..work(profile) };
    let tiny = |profile| Work { size: TaskSize::Tiny, ..work(profile) };
    for (work, chosen) in [
        (work(Profile::Strict), vec!["T", "B", "L"]),
        (changed(Profile::Strict), vec!["S", "T", "B", "L"]),
        (work(Profile::Fast), vec!["D", "T"]),
        (asked(Profile::Fast), vec!["D", "B", "T"]),
        (changed(Profile::Fast), vec!["S", "D", "T"]),
        (work(Profile::Smoke), vec!["D", "M"]),
        (asked(Profile::Yolo), vec!["D", "B", "M"]),
        (tiny(Profile::Smoke), vec!["M"]),
        (tiny(Profile::Fast), vec!["D", "T"]),
    ] {
        assert_eq!(commands(work, &all), Ok(chosen), "{work:?}");
    }
}

#[test]
fn vf_01_and_vf_02_the_syntax_check_runs_first_and_only_where_files_changed() {
    let project = detected(&[("syntax", "S"), ("test", "T")]);
    for profile in Profile::ALL {
        let changed = commands(Work { changed: true, ..work(profile) }, &project).unwrap();
        assert_eq!(changed, ["S", "T"], "{profile:?}");
        assert_eq!(commands(work(profile), &project), Ok(vec!["T"]), "{profile:?}");
    }
}

#[test]
fn a_command_with_two_purposes_runs_once() {
    let same = detected(&ALL.map(|(purpose, _)| (purpose, "make all")));
    for profile in Profile::ALL {
        let work = Work { changed: true, build_asked: true, ..work(profile) };
        assert_eq!(commands(work, &same), Ok(vec!["make all"]), "{profile:?}");
    }
}

#[test]
fn fast_runs_some_test_always_and_smoke_one_that_it_has() {
    let without_tests = detected(&[("smoke", "M"), ("diagnostic", "D")]);
    assert_eq!(commands(work(Profile::Fast), &without_tests), Ok(vec!["D", "M"]));
    let without_smoke = detected(&[("test", "T")]);
    assert_eq!(commands(work(Profile::Smoke), &without_smoke), Ok(vec!["T"]));
}

#[test]
fn vf_12_where_nothing_is_left_to_run_it_is_blocked() {
    let blank = detected(&[("test", "  "), ("lint", "")]);
    let only_diagnostic = detected(&[("diagnostic", "D"), ("test", "T")]);
    let nothing = Detected::default();
    let tiny = Work { size: TaskSize::Tiny, ..work(Profile::Smoke) };
    for (work, project) in Profile::ALL
        .map(|profile| (work(profile), &nothing))
        .into_iter()
        .chain([(work(Profile::Strict), &blank), (tiny, &only_diagnostic)])
    {
        let nothing = commands(work, project).unwrap_err();
        assert_eq!(nothing.decision(), Decision::Blocked);
        assert!(nothing.reason().contains(work.profile.as_str()));
    }
}

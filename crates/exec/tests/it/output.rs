//! Output of commands, and their standard input.

use referee_model::plan::Phase;
use referee_model::record::{Ending, Stream};

use crate::world::Fixture;

#[test]
fn much_output_on_both_streams_is_kept_whole_in_small_pieces() {
    const EACH: usize = 25 * 1024 * 1024;
    let mut world = Fixture::new();
    world.tool(Phase::Step, &[&format!("flood=both:{EACH}")]);
    let log = world.run();
    let output = log.output("STEP.1");
    for stream in Stream::ALL {
        let bytes = &output.bytes[&stream];
        assert_eq!(bytes.len(), EACH);
        assert!(bytes.chunks(64).all(|line| line.ends_with(b"###\n")));
    }
    assert!(output.largest_piece <= 64 * 1024);
    let log = log.facts("STEP.1").log.as_ref().unwrap();
    assert_eq!(log.bytes, 2 * EACH as u64);
}

#[test]
fn bytes_are_kept_as_they_are() {
    let mut world = Fixture::new();
    world.tool(Phase::Step, &["out=a\\xff\\xfe\\x00\\e[1mb\\r\\n", "err=\\xc3"]);
    let log = world.run();
    let output = log.output("STEP.1");
    assert_eq!(output.bytes[&Stream::Stdout], b"a\xff\xfe\0\x1b[1mb\r\n");
    assert_eq!(output.bytes[&Stream::Stderr], b"\xc3");
}

#[test]
fn standard_input_is_empty_with_and_without_a_terminal_to_take_away() {
    for controlling_terminal in [false, true] {
        let mut world = Fixture::new();
        world.host.controlling_terminal = controlling_terminal;
        world.tool(Phase::Step, &["stdin"]);
        let log = world.run();
        assert_eq!(log.text("STEP.1", Stream::Stdout), "stdin: 0 bytes\n");
    }
}

#[test]
fn output_closed_early_ends_nothing() {
    let mut world = Fixture::new();
    world.tool(Phase::Step, &["out=early", "close", "out=lost", "exit=4"]);
    let log = world.run();
    assert_eq!(*log.ending("STEP.1"), Ending::Exited { code: 4 });
    assert_eq!(log.text("STEP.1", Stream::Stdout), "early");
}

//! Names of signals that end processes.

/// Returns the name of a Linux signal number, as in `signal(7)`. None: not a signal that ends processes.
pub fn name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

/// Returns the name of a signal, or `signal N` for one without a name.
pub fn shown(number: i32) -> String {
    name(number).map_or_else(|| format!("signal {number}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_shown_by_name_and_unknown_ones_by_number() {
        assert_eq!(shown(9), "SIGKILL");
        assert_eq!(shown(15), "SIGTERM");
        assert_eq!(shown(64), "signal 64");
        assert_eq!(shown(-1), "signal -1");
    }
}

//! The tools, one file each. A reader here knows one format of one tool; which readers run is the registry's business.

pub(crate) mod tsc;

pub(crate) mod eslint;

pub(crate) mod prettier;

pub(crate) mod jest;

//! The real program on real projects with real processes.

mod support;

mod evidence;
mod example;
mod interruption;
mod output;
mod process;
mod reference;
mod replay;
mod specification;

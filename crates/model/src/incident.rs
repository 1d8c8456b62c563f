//! Failures that are worked on: incidents, from capture to archive (seed 3; rulings 23, 24, 26 and 27).
//!
//! An incident is a folder on disk, and [`status`] says what may be done with it. What is known of its failure is
//! [`evidence`], what is to be done about it a [`remediation`] plan, who let that happen an [`approval`].

pub mod approval;
pub mod class;
pub mod evidence;
pub mod id;
pub mod remediation;
pub mod seconds;
pub mod status;

//! Every document that leaves the process, versioned, with its schema.

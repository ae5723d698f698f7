//! Helpers that the test suites share.

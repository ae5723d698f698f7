//! Turns a layout plan into edits over the files of a program.

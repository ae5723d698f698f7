//! Parsing of CUDA C++ and lowering to layoutc's typed program model.

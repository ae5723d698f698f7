// The compiled part of the runtime, as one translation unit.
#include "fibers.cpp"
#include "memory.cpp"
#include "copies.cpp"
#include "faults.cpp"
#include "api.cpp"
#include "clock.cpp"
#include "log.cpp"
#include "trace.cpp"

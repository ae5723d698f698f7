// Stands in for CUDA's header of this name.
#pragma once
#include "layoutc_runtime.hpp"

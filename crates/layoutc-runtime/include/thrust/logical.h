#pragma once
#include "../layoutc/algorithms.hpp"

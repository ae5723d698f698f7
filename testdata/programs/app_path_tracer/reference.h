#pragma once

#include "path_tracer.h"

// The same image, path by path on the host.
std::vector<glm::vec3> renderReference(const Scene &scene, const RenderOptions &options);

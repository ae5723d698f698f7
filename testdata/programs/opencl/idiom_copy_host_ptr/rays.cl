typedef struct {
    float ox, oy, oz;
    float dx, dy, dz;
} Ray;

typedef struct {
    float x, y, z, radius;
    int colour;
} Sphere;

typedef struct {
    float t;
    int sphere;
    int colour;
} Hit;

__kernel void trace(__global const Ray *rays, const int count, __constant Sphere *spheres, const int sphere_count,
                    __global Hit *hits)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    const Ray r = rays[i];
    Hit best;
    best.t = INFINITY;
    best.sphere = -1;
    best.colour = 0;
    for (int s = 0; s < sphere_count; ++s) {
        const float x = spheres[s].x - r.ox, y = spheres[s].y - r.oy, z = spheres[s].z - r.oz;
        const float along = x * r.dx + y * r.dy + z * r.dz;
        const float off = x * x + y * y + z * z - along * along;
        const float room = spheres[s].radius * spheres[s].radius - off;
        if (room < 0.0f) continue;
        const float t = along - sqrt(room);
        if (t > 0.0f && t < best.t) {
            best.t = t;
            best.sphere = s;
            best.colour = spheres[s].colour;
        }
    }
    hits[i] = best;
}

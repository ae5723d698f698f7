// All-pairs gravity with Plummer softening; positions are staged tile by tile in local memory.

// keep in step with nbody.c
typedef struct {
    float4 pos;   // mass in w
    float4 vel;
} Body;

float4 pull(float4 self, float4 other)
{
    float4 d = other - self;
    d.w = 0.0f;
    float d2 = d.x * d.x + d.y * d.y + d.z * d.z + SOFTENING;
    float inv = 1.0f / sqrt(d2);
    return d * (other.w * inv * inv * inv);
}

__kernel void advance(__global const Body *from, __global Body *to, const int n, const float dt,
                   __local float4 *tile)
{
    int i = get_global_id(0);
    int t = get_local_id(0);
    int size = get_local_size(0);

    float4 self = i < n ? from[i].pos : (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    float4 force = (float4)(0.0f);

    for (int first = 0; first < n; first += size) {
        if (first + t < n)
            tile[t] = from[first + t].pos;
        else
            tile[t] = (float4)(0.0f); // a massless body pulls nothing
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++)
            force += pull(self, tile[k]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < n) {
        float4 vel = from[i].vel;
        vel.xyz += force.xyz * dt;
        to[i].vel = vel;
        to[i].pos.xyz = self.xyz + vel.xyz * dt;
        to[i].pos.w = self.w;
    }
}

// sums that the host checks, one for each group
__kernel void momentum(__global const Body *p, __global float4 *sums, const int n, __local float4 *part)
{
    int i = get_global_id(0);
    int t = get_local_id(0);
    part[t] = i < n ? p[i].vel * p[i].pos.w : (float4)(0.0f);
    for (int h = get_local_size(0) / 2; h > 0; h /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < h)
            part[t] += part[t + h];
    }
    if (t == 0)
        sums[get_group_id(0)] = part[0];
}

// An image that is sampled, a buffer of structs, and a table in constant memory.
typedef struct {
    float x, y;
    float size;
    uint colour;
} Sprite;

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant float weights[4] = {1.0f, 0.5f, 0.25f, 0.125f};

static inline uint blend(uint colour, float4 texel)
{
    return colour + (uint)(texel.x * 64.0f) + ((uint)(texel.w * 4.0f) << 24);
}

__kernel void colour(__read_only image2d_t texture, __global Sprite *sprites, uint n)
{
    uint i = get_global_id(0);
    if (i >= n) return;
    float4 sum = (float4)(0.0f);
    for (int k = 0; k < 4; ++k)
        sum += weights[k] * read_imagef(texture, nearest, (float2)(sprites[i].x + k + 0.5f, sprites[i].y + 0.5f));
    sprites[i].colour = blend(sprites[i].colour, sum);
    sprites[i].size *= sum.y;
}

__kernel void draw(__global const Sprite *sprites, uint n, __write_only image2d_t picture)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 pixel = (float4)(0.0f);
    for (uint i = 0; i < n; ++i)
        if ((int)sprites[i].x == at.x && (int)sprites[i].y == at.y) pixel += (float4)(sprites[i].size, 1.0f, 0.0f, 1.0f);
    write_imagef(picture, at, pixel);
}

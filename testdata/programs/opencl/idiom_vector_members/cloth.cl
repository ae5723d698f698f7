// Members of vector types, whole and by component.

typedef struct {
    float3 place;   // 16 bytes
    float2 texture;
    int4 bounds;
    uchar4 colour;
    float2 span;
} Vertex;

float4 lift(__global const Vertex *v)
{
    return (float4)(v->place, v->span.y);
}

__kernel void bend(__global Vertex *vertices, int n, float amount)
{
    int i = get_global_id(0);
    if (i >= n) return;

    float3 p = vertices[i].place;
    p.xy = p.yx * amount;
    vertices[i].place = p;
    vertices[i].texture.s0 += 1.0f;
    vertices[i].texture.y *= 2.0f;
    vertices[i].bounds.lo = min(vertices[i].bounds.lo, vertices[i].bounds.hi);
    vertices[i].bounds.s3 = i;
    vertices[i].colour = vertices[i].colour.wzyx;
    vertices[i].span = (float2)(vertices[i].place.z, -vertices[i].span.x);
}

__kernel void measure(__global const Vertex *vertices, int n, __global float4 *out)
{
    int i = get_global_id(0);
    if (i >= n) return;
    const Vertex v = vertices[i];
    int4 b = convert_int4(v.colour) + v.bounds;
    float4 total = lift(&vertices[i]) + convert_float4(b);
    total += select((float4)(1.0f), (float4)(-1.0f), isless(v.texture.xyxy, v.texture.yxyx));
    out[i] = total.even.xyxy + total.odd.yxyx;
}

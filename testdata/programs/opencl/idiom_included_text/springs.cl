R"CLC(
typedef struct {
    float2 place;
    float2 speed;
    float stiffness;
    int left, right; // neighbours, -1 at an end
} Knot;

float2 tension(__global const Knot *knots, int a, int b)
{
    if (b < 0) return (float2)(0.0f);
    float2 d = knots[b].place - knots[a].place;
    return d * (0.5f * (knots[a].stiffness + knots[b].stiffness));
}

__kernel void accelerate(__global Knot *knots, int n, float dt)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float2 force = tension(knots, i, knots[i].left) + tension(knots, i, knots[i].right);
    knots[i].speed += force * dt;
}

__kernel void drift(__global Knot *knots, int n, float dt)
{
    int i = get_global_id(0);
    if (i < n) knots[i].place += knots[i].speed * dt;
}
)CLC"

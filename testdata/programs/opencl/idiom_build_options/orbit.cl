struct body {
    float place[2];
    float speed;
    float mass;
};

__kernel void drift(__global struct body *bodies, int count)
{
    const int own = get_global_id(0);
    if (own >= count) return;
    bodies[own].place[own % 2] += e * bodies[own].speed;
    bodies[own].mass += units;
}

__kernel void turn(__global struct body *bodies, int count)
{
    const int own = get_global_id(0);
    if (own >= count) return;
    struct body now = bodies[own];
    now.speed = i * now.speed + a0;
    bodies[own] = now;
}

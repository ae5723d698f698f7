typedef struct Ship {
    float x, y;
    float course;
    int fuel;
    int port;
} Ship;

typedef struct Port {
    float x, y;
    int visits;
} Port;

__kernel void sail(__global Ship *ships, __global const Port *ports, int count, int port_count)
{
    int i = get_global_id(0);
    if (i >= count || ships[i].fuel <= 0) return;
    const Port to = ports[ships[i].port];
    float dx = to.x - ships[i].x;
    float dy = to.y - ships[i].y;
    ships[i].course = dx * dx + dy * dy;
    ships[i].x += 0.25f * dx;
    ships[i].y += 0.25f * dy;
    ships[i].fuel--;
    if (ships[i].course < 4.0f) ships[i].port = (ships[i].port + 1) % port_count;
}

__kernel void visit(__global const Ship *ships, __global Port *ports, int count, int port_count)
{
    int p = get_global_id(0);
    if (p >= port_count) return;
    for (int i = 0; i < count; i++)
        if (ships[i].port == p) ports[p].visits++;
}

#ifndef TILE
#define TILE 8
#endif

typedef struct {
    float height;
    float speed;
    int wall;
} Water;

#define AT(x, y) ((y) * width + (x))

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void wave(global const Water *restrict in, global Water *restrict out, int width, int height, float dt)
{
    local float tile[TILE + 2][TILE + 2];
    const int x = get_global_id(0), y = get_global_id(1);
    const int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    const int inside = x < width && y < height;
    const int cx = clamp(x, 0, width - 1), cy = clamp(y, 0, height - 1);

    tile[ty][tx] = in[AT(cx, cy)].height;
    if (tx == 1) tile[ty][0] = in[AT(max(cx - 1, 0), cy)].height;
    if (tx == TILE) tile[ty][TILE + 1] = in[AT(min(cx + 1, width - 1), cy)].height;
    if (ty == 1) tile[0][tx] = in[AT(cx, max(cy - 1, 0))].height;
    if (ty == TILE) tile[TILE + 1][tx] = in[AT(cx, min(cy + 1, height - 1))].height;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (!inside) return;
    Water w = in[AT(x, y)];
    if (!w.wall) {
        float right = x + 1 < width ? tile[ty][tx + 1] : w.height;
        float below = y + 1 < height ? tile[ty + 1][tx] : w.height;
        float around = tile[ty][tx - 1] + right + tile[ty - 1][tx] + below;
        w.speed += dt * (around - 4.0f * w.height);
        w.height += dt * w.speed;
    }
    out[AT(x, y)] = w;
}

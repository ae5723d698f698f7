void walk(global bug_t *b)
{
    b->seed = b->seed * 1103515245u + 12345u;
    b->x += (int)(b->seed >> 16 & 3) - 1;
    b->y += (int)(b->seed >> 20 & 3) - 1;
}

kernel void live(global bug_t *bugs, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        walk(&bugs[i]);
        bugs[i].age++;
    }
}

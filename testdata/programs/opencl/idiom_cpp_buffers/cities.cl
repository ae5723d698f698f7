struct City {
    int id;
    int region;
    uint people;
    float x;
    float y;
};

struct Total {
    uint people;
    uint cities;
    float reach;
};

kernel void grow(global struct City *cities, int n, uint percent)
{
    int i = get_global_id(0);
    if (i < n) {
        global struct City *c = cities + i;
        c->people += c->people / 100 * percent;
    }
}

kernel void sum(global const struct City *cities, int n, global struct Total *totals, int regions)
{
    int r = get_global_id(0);
    if (r >= regions) return;
    struct Total t = totals[r];
    for (int i = 0; i < n; ++i) {
        if (cities[i].region != r) continue;
        t.people += cities[i].people;
        t.cities++;
        t.reach = max(t.reach, cities[i].x + cities[i].y);
    }
    totals[r] = t;
}

struct packet {
    uint id;
    uint size;
    uint checksum;
    ushort port;
    ushort hops;
};

__kernel void route(__global struct packet *packets, uint n)
{
    uint i = get_global_id(0);
    if (i >= n) return;
    packets[i].hops += 1;
    packets[i].port = (ushort)(packets[i].port * 5u + packets[i].hops);
}

__kernel void stamp(__global struct packet *packets, uint n, uint key)
{
    uint i = get_global_id(0);
    if (i >= n) return;
    packets[i].checksum = (packets[i].id * 31u + packets[i].size) ^ key * packets[i].port;
}

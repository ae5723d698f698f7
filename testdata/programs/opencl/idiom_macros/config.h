#define N_MEMBERS 3
#define ROUND_UP(a, b) (((a) + (b) - 1) / (b) * (b))

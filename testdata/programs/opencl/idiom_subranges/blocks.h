/* for blocks.c and blocks.cl */
typedef struct {
    int group;
    float value;
    float scaled;
} sample;

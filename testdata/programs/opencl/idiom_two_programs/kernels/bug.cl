/* the struct alone; the host puts this text in front of the others */
typedef struct bug {
    int x, y;
    unsigned seed;
    int age;
} bug_t;

/* Device, kernels and buffers in a struct; one file allocates and launches, another one calls it. */
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500, rounds = 0, wrong = 0;
    if (n < 1) {
        printf("no tree\nPASSED\n");
        return 0;
    }
    branch_t *branches = malloc(n * sizeof(branch_t)), *want = malloc(n * sizeof(branch_t));
    int *kept = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) {
        branches[i].parent = (i + 2) / 3 - 1;
        branches[i].depth = i == 0 ? 0 : branches[branches[i].parent].depth + 1;
        branches[i].length = 0.25f * (i % 10 + 1);
        branches[i].path = -1.0f;
        if (branches[i].depth >= rounds)
            rounds = branches[i].depth + 1;
    }
    memcpy(want, branches, n * sizeof(branch_t));

    tree_device dev;
    tree_open(&dev, branches, n);
#ifdef TIMES
    /* another thing of a member's name */
    double descend = seconds();
#endif
    tree_descend(&dev, rounds);
#ifdef TIMES
    printf("%.3f s\n", seconds() - descend);
#endif
    int number = tree_prune(&dev, 5.0f, kept);
    tree_fetch(&dev, branches);
    tree_close(&dev);

    int want_number = 0;
    double lengths = 0, paths = 0, parents = 0;
    for (int i = 0; i < n; i++)
        want[i].path = want[i].length + (i > 0 ? want[want[i].parent].path : 0.0f);
    for (int i = 0; i < n; i++) {
        if (want[i].path > 5.0f) {
            want[i].length = 0.0f;
            want[i].parent = -2;
        }
        want_number += want[i].parent != -2;
        wrong += branches[i].parent != want[i].parent || branches[i].depth != want[i].depth ||
                 branches[i].length != want[i].length || branches[i].path != want[i].path || kept[i] != (want[i].parent != -2);
        lengths += (i % 5 + 1) * branches[i].length;
        paths += (i % 7 + 1) * branches[i].path;
        parents += (i % 3 + 1) * branches[i].parent + branches[i].depth;
    }
    wrong += number != want_number;
    printf("%d branches, %d kept: %.2f %.2f %.0f\n%s\n", n, number, lengths, paths, parents, wrong ? "FAILED" : "PASSED");
    free(branches);
    free(want);
    free(kept);
    return wrong != 0;
}

#include "field.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 500;
    std::vector<Cell> cells(n);
    for (int i = 0; i < n; ++i) {
        cells[i].height = i == n / 2 ? 1.0f : 0.0f;
        cells[i].speed = 0.0f;
        cells[i].wall[0] = 1.0f;
        cells[i].wall[1] = 0.5f;
    }
    Field field(n);
    field.upload(cells.data());
    field.advance(0.1f, 50);
    field.download(cells.data());
    float sum = 0;
    for (int i = 0; i < field.size(); ++i)
        sum += cells[i].height * i + cells[i].speed;
    std::printf("%.4f\n", sum);
    return 0;
}

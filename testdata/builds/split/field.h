#pragma once

// A place of the field.
struct Cell {
    float height, speed;
    float wall[2];
};

// The field in device memory.
class Field {
public:
    explicit Field(int n);
    ~Field();
    Field(const Field &) = delete;
    Field &operator=(const Field &) = delete;

    void upload(const Cell *cells);
    void download(Cell *cells) const;
    void advance(float dt, int steps);
    int size() const { return n; }

private:
    Cell *d_cells;
    int n;
};

// Kernels, for host code that nvcc does not compile.
void launch_advance(Cell *d_cells, int n, float dt);

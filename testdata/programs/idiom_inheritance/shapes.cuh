#pragma once

// Base classes: plain ones, one with a constructor and private members, an empty one.

struct Stamped {};

struct Point {
    float x, y;
    __host__ __device__ void move(float dx, float dy)
    {
        x += dx;
        y += dy;
    }
    __host__ __device__ float reach() const { return x * x + y * y; }
    __host__ __device__ Point &operator+=(float d)
    {
        move(d, d);
        return *this;
    }
};

class Clock {
public:
    __host__ __device__ Clock() : seconds(0.0), ticks(1) {}
    __host__ __device__ Clock(double s, char t) : seconds(s), ticks(t) {}
    __host__ __device__ void tick(double dt)
    {
        seconds += dt;
        if (++ticks > most)
            ticks = 0;
    }
    __host__ __device__ double now() const { return seconds + ticks; }
    static constexpr char most = 9;

private:
    double seconds;
    char ticks;
};

__host__ __device__ inline float reach_of(const Point &p) { return p.reach() + 1.0f; }

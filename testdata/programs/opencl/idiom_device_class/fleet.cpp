// Buffers, kernels and their arguments behind classes of the program's own.
#include "device.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

struct Ship {
    float x, y;
    float course;
    int fuel;
    int port;
};

struct Port {
    float x, y;
    int visits;
};

static const int PORTS = 6;

static bool near(float a, float b) { return std::fabs(a - b) <= 1e-3f * (1.0f + std::fabs(b)); }

static int voyage(int n, int days)
{
    std::vector<Ship> ships(n);
    std::vector<Port> ports(PORTS);
    for (int p = 0; p < PORTS; p++) ports[p] = {10.0f * (p % 3), 8.0f * (p / 3), 0};
    for (int i = 0; i < n; i++) ships[i] = {0.5f * (i % 40), 0.75f * (i % 21), 0.0f, 3 + i % 9, i % PORTS};
    std::vector<Ship> sailed(ships);
    std::vector<Port> visited(ports);

    Device device("fleet.cl");
    Kernel sail(device, "sail"), visit(device, "visit");
    DeviceArray<Ship> d_ships(device, n);
    DeviceArray<Port> d_ports(device, PORTS);
    d_ships.upload(ships);
    d_ports.upload(ports);
    for (int day = 0; day < days; day++) {
        sail(n, d_ships, d_ports, n, PORTS);
        visit(PORTS, d_ships, d_ports, n, PORTS);
    }
    ships = d_ships.download();
    ports = d_ports.download();

    for (int day = 0; day < days; day++) {
        for (Ship &s : sailed) {
            if (s.fuel <= 0) continue;
            const float dx = visited[s.port].x - s.x, dy = visited[s.port].y - s.y;
            s.course = dx * dx + dy * dy;
            s.x += 0.25f * dx;
            s.y += 0.25f * dy;
            s.fuel--;
            if (s.course < 4.0f) s.port = (s.port + 1) % PORTS;
        }
        for (const Ship &s : sailed) visited[s.port].visits++;
    }

    int wrong = 0;
    double places = 0.0, courses = 0.0;
    long fuel = 0, visits = 0;
    for (int i = 0; i < n; i++) {
        const Ship &s = ships[i], &e = sailed[i];
        wrong += !near(s.x, e.x) || !near(s.y, e.y) || !near(s.course, e.course) || s.fuel != e.fuel || s.port != e.port;
        places += (i % 7 + 1) * (s.x + 2.0 * s.y);
        courses += (i % 5 + 1) * (double)s.course;
        fuel += (i % 3 + 1) * s.fuel + s.port;
    }
    for (int p = 0; p < PORTS; p++) {
        wrong += ports[p].visits != visited[p].visits || ports[p].x != visited[p].x || ports[p].y != visited[p].y;
        visits += (p + 1) * ports[p].visits;
    }
    std::printf("places %.9e courses %.9e fuel %ld visits %ld\n", places, courses, fuel, visits);
    return wrong;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 350;
    int wrong = 0;
    try {
        if (n > 0) wrong = voyage(n, 8);
    } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
        wrong = 1;
    }
    std::printf("%d ships\n%s\n", n, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}

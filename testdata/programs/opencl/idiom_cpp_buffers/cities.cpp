// The C++ interface: buffers from iterators, cl::copy, kernel functors, mapping, fills and sub-ranges.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

struct City {
    cl_int id;
    cl_int region;
    cl_uint people;
    cl_float x;
    cl_float y;
};

struct Total {
    cl_uint people;
    cl_uint cities;
    cl_float reach;
};

static std::string slurp(const char *name)
{
    std::ifstream in(name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

static int simulate(const cl_int n, const cl_int regions)
{
    std::vector<City> cities(n);
    for (cl_int i = 0; i < n; i++)
        cities[i] = {i, i * 13 % regions, 100u + (unsigned)(i * 7919 % 5000), 0.5f * (i % 40), 0.25f * (i % 31)};
    const std::vector<City> before(cities);

    cl::Context context(CL_DEVICE_TYPE_ALL);
    std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>();
    cl::CommandQueue queue(context, devices.front());
    cl::Program::Sources sources;
    sources.push_back(slurp("cities.cl"));
    cl::Program program(context, sources);
    try {
        program.build("-cl-mad-enable");
    } catch (const cl::Error &) {
        std::cerr << program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(devices.front()) << std::endl;
        throw;
    }

    cl::Buffer d_cities(context, cities.begin(), cities.end(), false);
    cl::Buffer d_totals(context, CL_MEM_READ_WRITE, regions * sizeof(Total));
    queue.enqueueFillBuffer(d_totals, cl_uint(0), 0, regions * sizeof(Total));

    auto grow = cl::KernelFunctor<cl::Buffer, cl_int, cl_uint>(program, "grow");
    grow(cl::EnqueueArgs(queue, cl::NDRange(n)), d_cities, n, 3u);
    cl::Kernel sum(program, "sum");
    sum.setArg(0, d_cities);
    sum.setArg(1, n);
    sum.setArg(2, d_totals);
    sum.setArg(3, regions);
    queue.enqueueNDRangeKernel(sum, cl::NullRange, cl::NDRange(regions), cl::NullRange);

    cl::copy(queue, d_cities, cities.begin(), cities.end());
    // the tail alone, into a buffer of its own
    const int tail = std::min(n, 10);
    cl::Buffer d_tail(context, CL_MEM_READ_ONLY, tail * sizeof(City));
    queue.enqueueCopyBuffer(d_cities, d_tail, (n - tail) * sizeof(City), 0, tail * sizeof(City));
    std::vector<City> last(tail);
    queue.enqueueReadBuffer(d_tail, CL_TRUE, 0, tail * sizeof(City), last.data());

    Total *totals = static_cast<Total *>(queue.enqueueMapBuffer(d_totals, CL_TRUE, CL_MAP_READ, 0, regions * sizeof(Total)));
    int wrong = 0;
    unsigned long long sums[3] = {0, 0, 0};
    std::vector<unsigned> people(regions), count(regions);
    for (int i = 0; i < n; i++) {
        const City &c = cities[i];
        const unsigned grown = before[i].people + before[i].people / 100 * 3;
        wrong += c.id != i || c.region != before[i].region || c.people != grown || c.x != before[i].x || c.y != before[i].y;
        people[c.region] += grown;
        count[c.region]++;
        sums[0] += (i % 5 + 1) * (unsigned long long)c.people;
        sums[1] += (i % 3 + 1) * (unsigned long long)(4 * c.x + 8 * c.y);
    }
    for (int r = 0; r < regions; r++) {
        float reach = 0.0f;
        for (const City &c : before)
            if (c.region == r) reach = std::max(reach, c.x + c.y);
        wrong += totals[r].people != people[r] || totals[r].cities != count[r] || totals[r].reach != reach;
        sums[2] += (r + 1) * (unsigned long long)totals[r].people;
    }
    queue.enqueueUnmapMemObject(d_totals, totals);
    queue.finish();
    for (int t = 0; t < tail; t++) wrong += last[t].id != n - tail + t || last[t].people != cities[n - tail + t].people;

    std::cout << n << " cities: " << sums[0] << ' ' << sums[1] << ' ' << sums[2] << '\n';
    return wrong;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 333;
    int wrong = 0;
    try {
        if (n > 0) wrong = simulate(n, 7);
        else std::cout << "no cities\n";
    } catch (const cl::Error &error) {
        std::cout << error.what() << " (" << error.err() << ")\n";
        wrong = 1;
    }
    std::cout << (wrong ? "FAILED" : "PASSED") << std::endl;
    return wrong ? 1 : 0;
}

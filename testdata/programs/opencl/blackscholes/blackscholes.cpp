/* European options after Black and Scholes: one record of seven fields per option, two of them results. */
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

struct Option {
    float price;      // of the underlying stock
    float strike;
    float years;
    float rate;
    float volatility;
    float call;       // result
    float put;        // result
};

static const std::string source = R"CLC(
typedef struct Option_s {
    float price;
    float strike;
    float years;
    float rate;
    float volatility;
    float call;
    float put;
} Option;

/* Cumulative normal distribution, polynomial of degree 5 (Abramowitz and Stegun 26.2.17). */
inline float cnd(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f;
    const float a4 = -1.821255978f, a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228040f * exp(-0.5f * d * d) *
                 (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - tail : tail;
}

kernel void priceOptions(global Option *restrict options, int count)
{
    const int stride = get_global_size(0);
    for (int opt = get_global_id(0); opt < count; opt += stride) {
        const float S = options[opt].price;
        const float X = options[opt].strike;
        const float T = options[opt].years;
        const float R = options[opt].rate;
        const float V = options[opt].volatility;

        const float root = sqrt(T);
        const float d1 = (log(S / X) + (R + 0.5f * V * V) * T) / (V * root);
        const float d2 = d1 - V * root;
        const float discounted = X * exp(-R * T);

        options[opt].call = S * cnd(d1) - discounted * cnd(d2);
        options[opt].put = discounted * (1.0f - cnd(d2)) - S * (1.0f - cnd(d1));
    }
}
)CLC";

static double cndExact(double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); }

class Random {
public:
    explicit Random(unsigned seed) : s(seed) {}
    float between(float low, float high)
    {
        s = 69069u * s + 1u;
        return low + (high - low) * (float)(s >> 9) / 8388608.0f;
    }

private:
    unsigned s;
};

static void run(std::vector<Option> &book)
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    std::vector<cl::Device> devices;
    platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
    cl::Context context(devices[0]);
    cl::CommandQueue queue(context, devices[0]);

    cl::Program program(context, source);
    program.build({devices[0]});
    cl::Kernel kernel(program, "priceOptions");

    const int count = static_cast<int>(book.size());
    cl::Buffer d_options(context, CL_MEM_READ_WRITE, sizeof(Option) * book.size());
    queue.enqueueWriteBuffer(d_options, CL_TRUE, 0, sizeof(Option) * book.size(), book.data());

    kernel.setArg(0, d_options);
    kernel.setArg(1, count);
    const size_t threads = 128;
    size_t blocks = (book.size() + threads - 1) / threads;
    if (blocks > 6) blocks = 6;
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(blocks * threads), cl::NDRange(threads));

    queue.enqueueReadBuffer(d_options, CL_TRUE, 0, sizeof(Option) * book.size(), book.data());
}

int main(int argc, char *argv[])
{
    int count = 1000;
    if (argc == 2) count = std::stoi(argv[1]);
    if (argc > 2 || count < 0) {
        std::fprintf(stderr, "usage: %s [options]\n", argv[0]);
        return 2;
    }

    std::vector<Option> book(count);
    Random random(5347);
    for (auto &o : book) {
        o.price = random.between(5.0f, 30.0f);
        o.strike = random.between(1.0f, 100.0f);
        o.years = random.between(0.25f, 10.0f);
        o.rate = random.between(0.01f, 0.05f);
        o.volatility = random.between(0.1f, 0.5f);
        o.call = o.put = -1.0f;
    }

    try {
        if (count > 0) run(book);
    } catch (const cl::Error &error) {
        std::cerr << error.what() << ": " << error.err() << "\n";
        return EXIT_FAILURE;
    }

    double worst = 0.0, calls = 0.0, puts = 0.0, inputs = 0.0;
    for (int i = 0; i < count; i++) {
        const Option &o = book[i];
        const double root = std::sqrt((double)o.years);
        const double d1 = (std::log((double)o.price / o.strike) + (o.rate + 0.5 * o.volatility * o.volatility) * o.years) /
                          (o.volatility * root);
        const double d2 = d1 - o.volatility * root;
        const double discounted = o.strike * std::exp(-(double)o.rate * o.years);
        const double call = o.price * cndExact(d1) - discounted * cndExact(d2);
        const double put = discounted * cndExact(-d2) - o.price * cndExact(-d1);
        worst = std::fmax(worst, std::fmax(std::fabs(call - o.call), std::fabs(put - o.put)));
        if (!(o.call == o.call) || !(o.put == o.put)) worst = 1e30;
        calls += (i % 17 + 1) * (double)o.call;
        puts += (i % 19 + 1) * (double)o.put;
        inputs += (i % 3 + 1) * ((double)o.price + 2.0 * o.strike + 3.0 * o.years + 4.0 * o.rate + 5.0 * o.volatility);
    }

    std::printf("%d options\n", count);
    std::printf("calls  %.14e\nputs   %.14e\ninputs %.14e\n", calls, puts, inputs);
    const bool ok = worst < 1e-3;
    std::printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

//@ layouts = ["P = tiled(32)", "P = soa"]
#include <memory>
#include <vector>

struct P {
    float x;
    int id;
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

class Simulation {
public:
    explicit Simulation(int n) : m_n(n) {
        cudaMalloc(&m_d, n * sizeof(P));
        cudaMemset(m_d, 0, n * sizeof(P));
    }
    Simulation(P *d, int n) : m_d(d), m_n(n) {}
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;
    virtual ~Simulation() { cudaFree(m_d); }
    virtual void advance() { step<<<1, 64>>>(m_d, m_n); }
    P *data() const { return m_d; }
    int size() const { return m_n; }

private:
    P *m_d;
    int m_n;
};

class Twice : public Simulation {
public:
    explicit Twice(int n) : Simulation(n) {}
    void advance() override {
        Simulation::advance();
        Simulation::advance();
    }
};

typedef std::shared_ptr<Simulation> SimulationPtr;

class App {
public:
    explicit App(int n) : m_sim(std::make_unique<Simulation>(n)) {}
    static std::unique_ptr<App> create(int n) { return std::make_unique<App>(n); }
    void run() {
        m_sim->advance();
        step<<<1, 64>>>((*m_sim).data(), m_sim->size());
    }

private:
    std::unique_ptr<Simulation> m_sim;
};

void advance(const SimulationPtr &s) { step<<<1, 64>>>(s->data(), s->size()); }

int main() {
    P *d;
    cudaMalloc(&d, 30 * sizeof(P));
    cudaMemset(d, 0, 30 * sizeof(P));
    auto given = std::make_unique<Simulation>(d, 30);
    SimulationPtr twice = std::make_shared<Twice>(40);
    auto none = std::make_shared<Simulation>(nullptr, 0);
    std::unique_ptr<Simulation> other(new Simulation(20));
    other.reset(new Simulation(10));
    std::swap(given, other);
    advance(twice);
    std::static_pointer_cast<Twice>(twice)->advance();
    App::create(50)->run();
    std::vector<std::unique_ptr<Simulation>> all;
    all.push_back(std::move(given));
    all.emplace_back(new Simulation(60));
    for (auto &s : all)
        s->advance();
    P h[10];
    cudaMemcpy(h, all[0]->data(), 10 * sizeof(P), cudaMemcpyDeviceToHost);
    cudaMemcpy(h, all.front().get()->data(), sizeof(P), cudaMemcpyDeviceToHost);
    return none->data() == nullptr && h[0].x > 0;
}

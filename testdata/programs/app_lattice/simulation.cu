#include "simulation.h"

#include "d3q19.h"
#include "error.h"
#include "kernels.h"

#include <utility>

Simulation::Simulation(const Domain &domain, std::vector<Obstacle> obstacles)
    : m_name("channel"), m_domain(domain), m_device(), m_nodes(domain.size()), m_obstacles(std::move(obstacles)) {
  m_device.nodeCount = m_domain.size();
  m_device.obstacleCount = (int)m_obstacles.size();
  if (m_device.nodeCount == 0) return;
  size_t bytes = m_device.nodeCount * sizeof(Node);
  cudaSafe(cudaMalloc((void **)&m_device.nodes, bytes));
  cudaSafe(cudaMalloc((void **)&m_device.next, bytes));
  cudaSafe(cudaMemset(m_device.nodes, 0, bytes));
  if (!m_obstacles.empty()) {
    cudaSafe(cudaMalloc((void **)&m_device.obstacles, m_obstacles.size() * sizeof(Obstacle)));
    cudaSafe(cudaMemcpy(m_device.obstacles, m_obstacles.data(), m_obstacles.size() * sizeof(Obstacle),
                        cudaMemcpyHostToDevice));
  }
  setDomain(m_domain);
  initialise(m_device, m_domain);
  cudaSafe(cudaMemcpy(&m_nodes[0], m_device.nodes, bytes, cudaMemcpyDeviceToHost));
  findLinks();
}

Simulation::~Simulation() {
  cudaFree(m_device.nodes);
  cudaFree(m_device.next);
  cudaFree(m_device.probes);
  cudaFree(m_device.links);
  cudaFree(m_device.obstacles);
}

// On the host, once: every link from a fluid node into an obstacle.
void Simulation::findLinks() {
  for (int z = 0; z < m_domain.nz; z++) {
    for (int y = 0; y < m_domain.ny; y++) {
      for (int x = 0; x < m_domain.nx; x++) {
        int i = m_domain.index(x, y, z);
        if (m_nodes[i].flags != FLUID) continue;
        for (int q = 1; q < Q; q++) {
          int tx = (x + cx(q) + m_domain.nx) % m_domain.nx;
          int ty = y + cy(q);
          int tz = (z + cz(q) + m_domain.nz) % m_domain.nz;
          if (ty < 0 || ty >= m_domain.ny) continue;
          if (!(m_nodes[m_domain.index(tx, ty, tz)].flags & OBSTACLE)) continue;
          SurfaceLink link = {i, (short)q, 0, {0.0f, 0.0f, 0.0f}};
          float nearest = 1e30f;
          for (size_t o = 0; o < m_obstacles.size(); o++) {
            float dx = tx - m_obstacles[o].x, dy = ty - m_obstacles[o].y, dz = tz - m_obstacles[o].z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < nearest) {
              nearest = d;
              link.obstacle = (short)o;
            }
          }
          m_links.push_back(link);
        }
      }
    }
  }
  m_device.linkCount = (int)m_links.size();
  if (m_links.empty()) return;
  cudaSafe(cudaMalloc((void **)&m_device.links, m_links.size() * sizeof(SurfaceLink)));
  cudaSafe(cudaMemcpy(m_device.links, m_links.data(), m_links.size() * sizeof(SurfaceLink), cudaMemcpyHostToDevice));
}

void Simulation::addProbe(int x, int y, int z) {
  if (m_device.nodeCount == 0) return;
  Probe probe = {x, y, z, 0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
  m_probes.push_back(probe);
  m_probesChanged = true;
}

void Simulation::uploadProbes() {
  if (m_device.probes != NULL) cudaSafe(cudaFree(m_device.probes));
  m_device.probeCount = (int)m_probes.size();
  size_t bytes = sizeof(Probe) * m_device.probeCount;
  cudaSafe(cudaMalloc((void **)&m_device.probes, bytes));
  cudaSafe(cudaMemcpy(m_device.probes, m_probes.data(), bytes, cudaMemcpyHostToDevice));
  m_probesChanged = false;
}

void Simulation::swapLattices() {
  Node *temp = m_device.nodes;
  m_device.nodes = m_device.next;
  m_device.next = temp;
}

void Simulation::step() {
  if (m_device.nodeCount == 0) return;
  if (m_probesChanged) uploadProbes();
  streamAndCollide(m_device, m_domain);
  swapLattices();
  measure(m_device, m_domain);
  m_time++;
}

void Simulation::synchronise() {
  if (m_device.nodeCount == 0) return;
  cudaSafe(cudaDeviceSynchronize());
  cudaSafe(cudaMemcpy(&m_nodes[0], m_device.nodes, m_nodes.size() * sizeof(Node), cudaMemcpyDeviceToHost));
  if (!m_probes.empty()) {
    cudaSafe(cudaMemcpy(m_probes.data(), m_device.probes, m_probes.size() * sizeof(Probe), cudaMemcpyDeviceToHost));
  }
  if (!m_links.empty()) {
    cudaSafe(cudaMemcpy(m_links.data(), m_device.links, m_links.size() * sizeof(SurfaceLink), cudaMemcpyDeviceToHost));
  }
}

float3 Simulation::forceOn(int obstacle) const {
  double x = 0.0, y = 0.0, z = 0.0;
  for (const SurfaceLink &link : m_links) {
    if (link.obstacle != obstacle) continue;
    x += link.force[0];
    y += link.force[1];
    z += link.force[2];
  }
  double steps = m_time > 0 ? (double)m_time : 1.0;
  return make_float3((float)(x / steps), (float)(y / steps), (float)(z / steps));
}

double Simulation::mass() const {
  return m_device.nodeCount > 0 ? totalMass(m_device) : 0.0;
}

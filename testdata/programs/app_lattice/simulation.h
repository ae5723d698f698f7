#ifndef SIMULATION_H
#define SIMULATION_H

#include "lattice.h"

#include <string>
#include <vector>

class Simulation {
public:
  Simulation(const Domain &domain, std::vector<Obstacle> obstacles);
  ~Simulation();

  void addProbe(int x, int y, int z);
  void step();
  void synchronise();

  const Domain &domain() const { return m_domain; }
  const std::vector<Node> &nodes() const { return m_nodes; }
  const std::vector<Probe> &probes() const { return m_probes; }
  float3 forceOn(int obstacle) const;
  double mass() const;
  size_t linkCount() const { return m_links.size(); }

private:
  void findLinks();
  void uploadProbes();
  void swapLattices();

  std::string m_name;
  Domain m_domain;
  DeviceLattice m_device;
  std::vector<Node> m_nodes;
  std::vector<Probe> m_probes;
  std::vector<SurfaceLink> m_links;
  std::vector<Obstacle> m_obstacles;
  bool m_probesChanged = false;
  long m_time = 0;
};

#endif

#include "population.h"

#include <algorithm>
#include <numeric>

namespace {

class Generator {
public:
  explicit Generator(unsigned seed) : state(seed) {}

  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }

  int below(int bound) { return static_cast<int>(next() % static_cast<unsigned>(bound)); }

private:
  unsigned state;
};

} // namespace

std::vector<Person> makePeople(const Parameters &parameters) {
  Generator generator(parameters.seed);
  std::vector<Person> people(parameters.population);
  for (int i = 0; i < parameters.population; i++) {
    Person &person = people[i];
    person.home = i / 3;
    person.age = static_cast<std::uint8_t>(generator.below(95));
    const bool works = person.age >= 6 && person.age < 67;
    person.work = works ? parameters.homes + generator.below(parameters.workplaces) : -1;
    person.place = person.home;
    person.health = Health::Susceptible;
    person.masked = generator.below(100) < 30;
    person.vaccinated = false;
    person.daysInState = 0;
    person.susceptibility = 0.5f + 0.01f * static_cast<float>(person.age);
    person.random = generator.next() | 1u;
    person.infectedAt = -1;
  }
  for (int i = 0; i < parameters.population; i += 97) people[i].health = Health::Exposed;
  return people;
}

std::vector<Place> makePlaces(const Parameters &parameters) {
  Generator generator(parameters.seed + 1u);
  std::vector<Place> places;
  places.reserve(parameters.places());
  for (int i = 0; i < parameters.places(); i++) {
    Place place = {};
    const bool home = i < parameters.homes;
    place.area = static_cast<float>(home ? 4 + generator.below(6) : 20 + generator.below(60));
    place.ventilation = home ? 1.0f : 1.0f + 0.125f * static_cast<float>(generator.below(8));
    place.open = true;
    places.push_back(place);
  }
  return places;
}

std::vector<int> vaccinationOrder(const std::vector<Person> &people) {
  std::vector<int> order(people.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return people[a].age > people[b].age; });
  return order;
}

#include "report.h"

#include <algorithm>
#include <iomanip>
#include <tuple>

void sortEvents(std::vector<InfectionEvent> &events) {
  std::sort(events.begin(), events.end(), [](const InfectionEvent &a, const InfectionEvent &b) {
    return std::tie(a.day, a.person, a.place) < std::tie(b.day, b.person, b.place);
  });
}

void printDays(std::ostream &out, const Results &results) {
  out << " day    S    E    I    H    R    D  new vacc\n";
  for (std::size_t day = 0; day < results.days.size(); day += 5) {
    const DayStatistics &today = results.days[day];
    out << std::setw(4) << day;
    for (int count : today.byHealth) out << std::setw(5) << count;
    out << std::setw(5) << today.newInfections << std::setw(5) << today.vaccinated << "\n";
  }
}

void printSummary(std::ostream &out, const Results &results) {
  unsigned long long people = 0, places = 0, events = 0;
  for (const Person &person : results.people) {
    people = people * 31 + person.home + 2 * person.work + 3 * person.place + 5 * static_cast<int>(person.health);
    people += 7 * person.daysInState + 11 * person.masked + 13 * person.vaccinated + person.random + person.infectedAt;
    people += static_cast<unsigned>(person.susceptibility * 1000.0f) + person.age;
  }
  for (const Place &place : results.places) {
    places = places * 31 + place.occupants + 3 * place.infectious + 5 * place.unmasked + 7 * place.infections;
    places += place.open + static_cast<unsigned>(place.area * place.ventilation * 8.0f);
  }
  for (const InfectionEvent &event : results.events) {
    events = events * 31 + event.day + 3 * event.person + 5 * event.place;
    events += static_cast<unsigned>(event.risk * 1000.0f);
  }
  out << results.events.size() << " infections, " << results.lockdownDays << " days of lockdown\n";
  out << "people " << people << "\nplaces " << places << "\nevents " << events << "\n";
}

static bool sameStatistics(const DayStatistics &a, const DayStatistics &b) {
  return std::equal(std::begin(a.byHealth), std::end(a.byHealth), std::begin(b.byHealth)) &&
         a.newInfections == b.newInfections && a.vaccinated == b.vaccinated && a.atHome == b.atHome;
}

bool sameResults(const Results &a, const Results &b, std::ostream &log) {
  bool same = a.events.size() == b.events.size() && a.people.size() == b.people.size();
  if (!same) log << "different sizes\n";
  for (std::size_t i = 0; same && i < a.days.size(); i++) {
    if (!sameStatistics(a.days[i], b.days[i])) {
      log << "day " << i << " differs\n";
      same = false;
    }
  }
  for (std::size_t i = 0; same && i < a.people.size(); i++) {
    const Person &p = a.people[i], &q = b.people[i];
    if (p.health != q.health || p.random != q.random || p.place != q.place || p.infectedAt != q.infectedAt) {
      log << "person " << i << " differs\n";
      same = false;
    }
  }
  return same;
}

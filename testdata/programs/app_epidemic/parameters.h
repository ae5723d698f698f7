#ifndef PARAMETERS_H
#define PARAMETERS_H

// What is handed to kernels by value.
struct Parameters {
  int population = 1003;
  int days = 30;
  int homes = 0;
  int workplaces = 0;
  int venues = 0;

  float transmissionRate = 1.5f;
  float maskEfficiency = 0.45f;
  int incubationDays = 3;
  int infectiousDays = 7;
  int hospitalDays = 9;
  int immunityDays = 60;

  int lockdownThreshold = 60; // infectious people per thousand
  int vaccinesPerDay = 5;
  unsigned seed = 4711u;

  int places() const { return homes + workplaces + venues; }
};

Parameters parseArguments(int argc, char **argv);

#endif

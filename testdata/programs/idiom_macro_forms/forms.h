// Accessors of a library header: used for device arrays, host arrays and copies.
#ifndef FORMS_H
#define FORMS_H

struct Atom {
    float x, y;
    float charge;
    int kind;
};

#define FIELD(p, i, f) ((p)[i].f)
#define ELEMENT(p, i) (p)[i]
#define ADDRESS(p, i) (&(p)[i])
#define NORM2(a) ((a).x * (a).x + (a).y * (a).y)
#define SWAP(T, a, b) do { T tmp_ = (a); (a) = (b); (b) = tmp_; } while (0)

#endif

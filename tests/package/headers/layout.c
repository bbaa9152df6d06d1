/* The checks of layout_checks.inc in C. */
#define CHECK(condition) _Static_assert(condition, #condition)
#include "layout_checks.inc"

// The checks of layout_checks.inc in C++.
#define CHECK(condition) static_assert(condition, #condition)
#include "layout_checks.inc"

// dim3: a plain triple to the ABI, with missing extents of 1 in C++.
CHECK(__is_trivially_copyable(dim3));
CHECK(__is_standard_layout(dim3));
CHECK(dim3().x == 1 && dim3().y == 1 && dim3().z == 1);
CHECK(dim3(7).x == 7 && dim3(7).y == 1 && dim3(7).z == 1);
CHECK(dim3(7, 5).y == 5 && dim3(7, 5, 3).z == 3);

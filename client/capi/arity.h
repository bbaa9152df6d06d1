// For macros that define functions of any number of parameters: counts a list
// of parameters in parentheses, and declares and passes on as many of its own.
//
//   ASCEND_ARITY((int32_t a, void* b))   2; of (void) 0
//   ASCEND_DECLARE(2)(f)                 Parameter<0, f> a0, Parameter<1, f> a1
//   ASCEND_PASS(2)                       , a0, a1
//
// Parameter is the includer's.
#ifndef ASCEND_CLIENT_CAPI_ARITY_H_
#define ASCEND_CLIENT_CAPI_ARITY_H_

// A list that is just "void" becomes none; what the first word becomes in
// others does not matter to a count.
#define ASCEND_WITHOUT_void
#define ASCEND_WITHOUT_VOID(...) ASCEND_WITHOUT_##__VA_ARGS__
#define ASCEND_AT_20(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, \
                     _14, _15, _16, _17, _18, _19, _20, n, ...)              \
  n
#define ASCEND_COUNT_LIST(...)                                                \
  ASCEND_AT_20(__VA_ARGS__ __VA_OPT__(, ) 20, 19, 18, 17, 16, 15, 14, 13, 12, \
               11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ASCEND_COUNT(...) ASCEND_COUNT_LIST(__VA_ARGS__)
#define ASCEND_ARITY(parameters) ASCEND_COUNT(ASCEND_WITHOUT_VOID parameters)

#define ASCEND_JOIN_TEXT(a, b) a##b
#define ASCEND_JOIN(a, b) ASCEND_JOIN_TEXT(a, b)
#define ASCEND_DECLARE(n) ASCEND_JOIN(ASCEND_DECLARE_, n)
#define ASCEND_PASS(n) ASCEND_JOIN(ASCEND_PASS_, n)

#define ASCEND_DECLARE_0(f)
#define ASCEND_DECLARE_1(f) Parameter<0, f> a0
#define ASCEND_DECLARE_2(f) ASCEND_DECLARE_1(f), Parameter<1, f> a1
#define ASCEND_DECLARE_3(f) ASCEND_DECLARE_2(f), Parameter<2, f> a2
#define ASCEND_DECLARE_4(f) ASCEND_DECLARE_3(f), Parameter<3, f> a3
#define ASCEND_DECLARE_5(f) ASCEND_DECLARE_4(f), Parameter<4, f> a4
#define ASCEND_DECLARE_6(f) ASCEND_DECLARE_5(f), Parameter<5, f> a5
#define ASCEND_DECLARE_7(f) ASCEND_DECLARE_6(f), Parameter<6, f> a6
#define ASCEND_DECLARE_8(f) ASCEND_DECLARE_7(f), Parameter<7, f> a7
#define ASCEND_DECLARE_9(f) ASCEND_DECLARE_8(f), Parameter<8, f> a8
#define ASCEND_DECLARE_10(f) ASCEND_DECLARE_9(f), Parameter<9, f> a9
#define ASCEND_DECLARE_11(f) ASCEND_DECLARE_10(f), Parameter<10, f> a10
#define ASCEND_DECLARE_12(f) ASCEND_DECLARE_11(f), Parameter<11, f> a11
#define ASCEND_DECLARE_13(f) ASCEND_DECLARE_12(f), Parameter<12, f> a12
#define ASCEND_DECLARE_14(f) ASCEND_DECLARE_13(f), Parameter<13, f> a13
#define ASCEND_DECLARE_15(f) ASCEND_DECLARE_14(f), Parameter<14, f> a14
#define ASCEND_DECLARE_16(f) ASCEND_DECLARE_15(f), Parameter<15, f> a15
#define ASCEND_DECLARE_17(f) ASCEND_DECLARE_16(f), Parameter<16, f> a16
#define ASCEND_DECLARE_18(f) ASCEND_DECLARE_17(f), Parameter<17, f> a17
#define ASCEND_DECLARE_19(f) ASCEND_DECLARE_18(f), Parameter<18, f> a18
#define ASCEND_DECLARE_20(f) ASCEND_DECLARE_19(f), Parameter<19, f> a19

#define ASCEND_PASS_0
#define ASCEND_PASS_1 , a0
#define ASCEND_PASS_2 ASCEND_PASS_1, a1
#define ASCEND_PASS_3 ASCEND_PASS_2, a2
#define ASCEND_PASS_4 ASCEND_PASS_3, a3
#define ASCEND_PASS_5 ASCEND_PASS_4, a4
#define ASCEND_PASS_6 ASCEND_PASS_5, a5
#define ASCEND_PASS_7 ASCEND_PASS_6, a6
#define ASCEND_PASS_8 ASCEND_PASS_7, a7
#define ASCEND_PASS_9 ASCEND_PASS_8, a8
#define ASCEND_PASS_10 ASCEND_PASS_9, a9
#define ASCEND_PASS_11 ASCEND_PASS_10, a10
#define ASCEND_PASS_12 ASCEND_PASS_11, a11
#define ASCEND_PASS_13 ASCEND_PASS_12, a12
#define ASCEND_PASS_14 ASCEND_PASS_13, a13
#define ASCEND_PASS_15 ASCEND_PASS_14, a14
#define ASCEND_PASS_16 ASCEND_PASS_15, a15
#define ASCEND_PASS_17 ASCEND_PASS_16, a16
#define ASCEND_PASS_18 ASCEND_PASS_17, a17
#define ASCEND_PASS_19 ASCEND_PASS_18, a18
#define ASCEND_PASS_20 ASCEND_PASS_19, a19

#endif  // ASCEND_CLIENT_CAPI_ARITY_H_

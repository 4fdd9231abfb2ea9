/* SPDX-License-Identifier: MIT */
/* Compiled once per public header, as C11 and as C++17: a header needs no other before it. */
#include PSOPACK_HEADER

/* Twice is harmless. */
#include PSOPACK_HEADER

int psopack_header_compiles;

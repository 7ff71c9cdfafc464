// SPDX-License-Identifier: GPL-2.0-or-later

//go:build cgo

package main

/*
#include <stdint.h>
extern uint64_t goBack(uint64_t);
static uint64_t c_leaf(uint64_t x) { for (int i = 0; i < 300; i++) x = x * 31 + 7; return x; }
static __attribute__((noinline)) uint64_t c_call(uint64_t x) { return c_leaf(x) + goBack(x); }
*/
import "C"

//export goBack
func goBack(x C.uint64_t) C.uint64_t { return C.uint64_t(leaf(uint64(x))) }

//go:noinline
func foreign(x uint64) uint64 { return uint64(C.c_call(C.uint64_t(x))) }

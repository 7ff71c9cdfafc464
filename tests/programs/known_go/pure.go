// SPDX-License-Identifier: GPL-2.0-or-later

//go:build !cgo

package main

func foreign(x uint64) uint64 { return x }

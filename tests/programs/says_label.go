// SPDX-License-Identifier: GPL-2.0-or-later

// says_label FORM: goroutines that set the labels of their requests (runtime/pprof), and change them thousands of times a
// second, while the scheduler moves them from thread to thread. It works until SIGTERM, and then prints "ROUTE WORK" for
// each route: how much work it has done, all of one kind.
//
// The function that a goroutine runs has the name of the route: each of on_cart, on_pay and on_home runs for its own
// route alone. FORM is one of
//
//	routes   three routes, of which the parts of the work are 1/2, 1/3 and 1/6
//	many     each request has a route of its own
//	most     as routes, with eight labels
//	beyond   as routes, with forty labels, of which the route is the last one
//	long     as routes, with routes of 300 bytes, of which 290 are added
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

const unit = 6000

var (
	work   [3]uint64
	isOver uint32
	sink   uint64
	names  = [3]string{"/cart", "/pay", "/home"}
	parts  = [3]uint64{3, 2, 1}
)

//go:noinline
func on_cart(x, n uint64) uint64 {
	for ; n > 0; n-- {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func on_pay(x, n uint64) uint64 {
	for ; n > 0; n-- {
		x = x*6364136223846793005 + 1442695040888963409
	}
	return x
}

//go:noinline
func on_home(x, n uint64) uint64 {
	for ; n > 0; n-- {
		x = x*6364136223846793005 + 1442695040888963411
	}
	return x
}

var functions = [3]func(x, n uint64) uint64{on_cart, on_pay, on_home}

// labels of a request with this route.
func labels(form, route string) pprof.LabelSet {
	pairs := []string{"user.id", "42", "http.route", route}
	more := 0
	switch form {
	case "most":
		more = 6
	case "beyond":
		more = 38
	}
	for i := 0; i < more; i++ {
		pairs = append(pairs, fmt.Sprintf("a%02d", i), "x")
	}
	return pprof.Labels(pairs...)
}

func serve(form string, first uint64) {
	var contexts [3]context.Context
	var x uint64
	for i, name := range names {
		if form == "long" {
			name += strings.Repeat("x", 290)
		}
		contexts[i] = pprof.WithLabels(context.Background(), labels(form, name))
	}
	for nr := first; atomic.LoadUint32(&isOver) == 0; nr++ {
		i := nr % 3
		ctx := contexts[i]
		if form == "many" {
			ctx = pprof.WithLabels(context.Background(), labels(form, fmt.Sprintf("/%d-%d", first, nr)))
		}
		pprof.SetGoroutineLabels(ctx)
		x = functions[i](x, parts[i]*unit)
		pprof.SetGoroutineLabels(context.Background())
		atomic.AddUint64(&work[i], parts[i])
		runtime.Gosched()
	}
	atomic.AddUint64(&sink, x)
}

func main() {
	var all sync.WaitGroup
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	for i := uint64(0); i < 6; i++ {
		all.Add(1)
		go func(i uint64) {
			serve(os.Args[1], i)
			all.Done()
		}(i)
	}
	fmt.Println("published")
	<-signals
	atomic.StoreUint32(&isOver, 1)
	all.Wait()
	for i := range names {
		fmt.Println(names[i], work[i])
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later

// Calls of Go: leaves without a frame, recursion, interfaces, stacks that grow, channels, the
// allocator and its collector, and with cgo calls of C and back. Writes its own profile:
//
//	calls SECONDS [PROFILE]
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var sink uint64

//go:noinline
func leaf(x uint64) uint64 {
	for i := 0; i < 300; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		x ^= x >> 29
	}
	return x
}

//go:noinline
func direct(x uint64) uint64 { return leaf(x) + 1 }

//go:noinline
func middle(x uint64) uint64 { return leaf(x+3) ^ 5 }

//go:noinline
func outer(x uint64) uint64 { return middle(x) + middle(x+1) }

//go:noinline
func deep(n int, x uint64) uint64 {
	if n == 0 {
		return leaf(x)
	}
	return deep(n-1, x+1) + 1
}

type shape interface{ area(x uint64) uint64 }
type square struct{ side uint64 }
type circle struct{ r uint64 }

//go:noinline
func (s *square) area(x uint64) uint64 {
	for i := 0; i < 300; i++ {
		x = x*s.side + 77
	}
	return x
}

//go:noinline
func (c circle) area(x uint64) uint64 { return leaf(x ^ c.r) }

//go:noinline
func shapes(all []shape, x uint64) uint64 {
	for _, s := range all {
		x += s.area(x)
	}
	return x
}

//go:noinline
func copies(a, b []byte) { copy(a, b) }

//go:noinline
func clears(a []byte) {
	for i := range a {
		a[i] = 0
	}
}

type item struct {
	Name  string
	Value float64
	Tags  []string
}

//go:noinline
func texts(x uint64) uint64 {
	var back item
	b, _ := json.Marshal(item{"a" + strconv.Itoa(int(x%977)), 1.5, []string{"x", "y", "z"}})
	json.Unmarshal(b, &back)
	return uint64(len(back.Name))
}

//go:noinline
func sorts(x uint64) uint64 {
	words := strings.Fields(fmt.Sprint(x, x*3, x*7, x*11, "b a d c"))
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	m := map[string]int{}
	for _, w := range words {
		m[w]++
	}
	return uint64(len(m))
}

//go:noinline
func grow(n int) byte {
	var pad [512]byte
	pad[n&511] = byte(n)
	if n > 0 {
		return grow(n-1) + pad[n&511]
	}
	return pad[0]
}

//go:noinline
func worker(x uint64, end time.Time) uint64 {
	a, b := make([]byte, 1<<16), make([]byte, 1<<16)
	all := []shape{&square{x}, circle{x}}
	for time.Now().Before(end) {
		x = direct(x)
		x = outer(x)
		x += deep(20, x)
		x += shapes(all, x)
		copies(a, b)
		clears(a)
		x += texts(x)
		x += sorts(x)
		x += foreign(x)
	}
	return x
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	if len(os.Args) > 2 {
		f, err := os.Create(os.Args[2])
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(f)
		defer f.Close()
		defer pprof.StopCPUProfile()
	}
	var wg sync.WaitGroup
	c := make(chan uint64)
	for i := 0; i < 2; i++ {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			atomic.AddUint64(&sink, worker(uint64(i), end))
		}()
	}
	wg.Add(2)
	go func() {
		defer wg.Done()
		defer close(c)
		for i := 0; time.Now().Before(end); i++ {
			c <- uint64(i)
			if i&15 == 0 {
				done := make(chan bool)
				go func() { grow(100); close(done) }()
				<-done
			}
			if i&63 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	go func() {
		defer wg.Done()
		for x := range c {
			atomic.AddUint64(&sink, leaf(x))
			if x&255 == 0 {
				runtime.Gosched()
			}
		}
	}()
	wg.Wait()
}

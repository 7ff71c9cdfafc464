// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps threads in stacks that stay: java SteadyStacks. Each thread comes to spin() by calls of another kind, and stays
// there. Only the methods that spin() calls change. So a profile can be compared with what HotSpot says of its own
// threads. A thread goes the way 0, 2,000 or 20,000 times before, so its methods are interpreted, or compiled by either
// compiler and inlined.
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.stream.IntStream;

public class SteadyStacks {
    static volatile long sink;
    static CountDownLatch ready;

    static void burnSum(int n) {
        long x = 0;
        for (int i = 0; i < n; i++)
            x += (long) i * i % 7;
        sink += x;
    }

    static void burnText(int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++)
            text.append(i);
        sink += text.length();
    }

    // So many threads leave some of the machine to others.
    static void rest() {
        try {
            Thread.sleep(80);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void awaitOthers() {
        ready.countDown();
        try {
            ready.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void spin(boolean stay) {
        if (!stay)
            return;
        awaitOthers();
        for (;;) {
            long end = System.nanoTime() + 2000000;
            while (System.nanoTime() < end) {
                burnSum(1000);
                burnText(100);
            }
            rest();
        }
    }

    interface Way {
        void go(boolean stay) throws Throwable;
    }

    static void recurse(int depth, boolean stay) {
        if (depth > 0)
            recurse(depth - 1, stay);
        else
            spin(stay);
    }

    static int even(int depth, boolean stay) {
        if (depth == 0)
            spin(stay);
        return depth > 0 ? odd(depth - 1, stay) + 1 : 0;
    }

    static int odd(int depth, boolean stay) {
        return even(depth - 1, stay) + 1;
    }

    // Lists, lambdas and streams call back.
    static void iterate(boolean stay) {
        Arrays.asList(1).forEach(x -> {
            Function<Integer, Integer> inner = y -> {
                spin(stay);
                return y;
            };
            inner.andThen(y -> y + 1).apply(x);
        });
    }

    static void stream(boolean stay) {
        sink += IntStream.of(3, 4).filter(x -> x > 3).map(x -> {
            spin(stay);
            return x;
        }).sum();
    }

    static int compareAndSpin(Integer a, Integer b, boolean stay) {
        spin(stay);
        return a.compareTo(b);
    }

    static void sort(boolean stay) {
        List<Integer> list = new ArrayList<>(Arrays.asList(3, 2));
        Collections.sort(list, (a, b) -> compareAndSpin(a, b, stay));
    }

    static void compute(boolean stay) {
        new HashMap<String, Integer>().computeIfAbsent("key", key -> {
            new TreeMap<Integer, Integer>((a, b) -> compareAndSpin(a, b, stay)).put(1, 1);
            return 1;
        });
    }

    public static void reflected(boolean stay) {
        spin(stay);
    }

    static final Method method;
    static final MethodHandle handle;

    static {
        try {
            method = SteadyStacks.class.getMethod("reflected", boolean.class);
            handle = MethodHandles.lookup().findStatic(SteadyStacks.class, "spin", MethodType.methodType(void.class, boolean.class));
        } catch (ReflectiveOperationException e) {
            throw new RuntimeException(e);
        }
    }

    static void reflect(boolean stay) throws Exception {
        method.invoke(null, stay);
    }

    static void handle(boolean stay) throws Throwable {
        handle.invokeExact(stay);
    }

    // Each of these calls itself or the next one while it handles an exception.
    static void raise(int depth) {
        if (depth == 0)
            throw new IllegalStateException();
        raise(depth - 1);
    }

    static void catchRaised(int depth, boolean stay) {
        try {
            raise(depth);
        } catch (IllegalStateException e) {
            if (depth > 0)
                catchRaised(depth - 1, stay);
            else
                spin(stay);
        }
    }

    static void lastly(boolean stay) {
        try {
            raise(2);
        } finally {
            spin(stay);
        }
    }

    static void catchLastly(boolean stay) {
        try {
            lastly(stay);
        } catch (IllegalStateException e) {
            sink++;
        }
    }

    interface Named {
        default void visit(boolean stay) {
            accept(this, stay);
        }

        void accept(Named other, boolean stay);
    }

    abstract static class Base<T> implements Named {
        abstract void take(T value, boolean stay);

        @SuppressWarnings("unchecked")
        public void accept(Named other, boolean stay) {
            take((T) "text", stay);
        }
    }

    // The compiler makes a bridge of take().
    static class Derived extends Base<String> {
        void take(String value, boolean stay) {
            new Inner(value, stay);
        }

        class Inner {
            final String text;

            Inner(String text, boolean stay) {
                this.text = text;
                spin(stay);
            }
        }
    }

    static final Named[] named = {new Derived(), new Derived() {
        void take(String value, boolean stay) {
            super.take(value, stay);
        }
    }, new Base<Object>() {
        void take(Object value, boolean stay) {
            synchronized (Thread.currentThread()) {
                spin(stay);
            }
        }
    }};

    static class Locks {
        synchronized void lock(int depth, boolean stay) {
            synchronized (this) {
                if (depth > 0)
                    lock(depth - 1, stay);
                else
                    spin(stay);
            }
        }
    }

    // So many arguments do not fit into registers.
    static long many(long a, long b, long c, long d, long e, long f, double g, double h, int depth, boolean stay) {
        if (depth > 0)
            return many(b, c, d, e, f, a, h, g, depth - 1, stay) + a;
        spin(stay);
        return a + b + c + d + e + f + (long) (g + h);
    }

    // Initialised once, so this way is gone once.
    static class Beginning {
        static {
            spin(true);
        }

        static void touch() {}
    }

    static void call(boolean stay) throws Exception {
        Callable<Integer> callable = () -> {
            spin(stay);
            return 1;
        };
        FutureTask<Integer> task = new FutureTask<>(callable);
        task.run();
        task.get();
    }

    static void follow(Way way, int times) {
        try {
            for (int i = 0; i < times; i++)
                way.go(false);
            way.go(true);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] args) throws Exception {
        Way[] ways = {stay -> recurse(30, stay), stay -> sink += even(20, stay), SteadyStacks::iterate, SteadyStacks::stream,
            SteadyStacks::sort, SteadyStacks::compute, SteadyStacks::reflect, SteadyStacks::handle, stay -> catchRaised(4, stay),
            SteadyStacks::catchLastly, stay -> named[0].visit(stay), stay -> named[1].visit(stay), stay -> named[2].visit(stay),
            stay -> new Locks().lock(5, stay), stay -> sink += many(1, 2, 3, 4, 5, 6, 7, 8, 9, stay), SteadyStacks::call};
        int[] times = {0, 2000, 20000};
        ready = new CountDownLatch(ways.length * times.length + 1);
        for (int w = 0; w < ways.length; w++)
            for (int t = 0; t < times.length; t++) {
                Way way = ways[w];
                int before = times[t];
                start("steady-" + w + "-" + before, () -> follow(way, before));
            }
        start("steady-once", Beginning::touch);
        ready.await();
        System.out.println("running");
    }

    static void start(String name, Runnable run) {
        Thread thread = new Thread(null, run, name);
        thread.start();
    }
}

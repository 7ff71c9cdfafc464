// SPDX-License-Identifier: GPL-2.0-or-later
// Calls methods whose callers are known, for SECONDS: java KnownCalls SECONDS. The caller of each method is in
// tests/judges/java.awk. descend() calls itself, and the bottom's name says how often.
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.Deflater;

public class KnownCalls {
    static volatile long sink;
    static long end;

    static void burn(int n) {
        long x = 0;
        for (int i = 0; i < n; i++)
            x += (long) i * i % 7;
        sink += x;
    }

    interface Shape {
        void area();
    }

    static class Circle implements Shape {
        public void area() {
            burn(200);
        }
    }

    static class Square implements Shape {
        public synchronized void area() {
            side(1, 2, 3, 4, 5, 6, 7, 8, 9);
        }

        // So many arguments do not fit into registers.
        void side(long a, long b, long c, long d, long e, long f, long g, long h, int n) {
            burn(n * 20);
        }
    }

    static class Angle implements Shape {
        public void area() {
            burn(100);
        }
    }

    static final Shape[] shapes = {new Circle(), new Square(), new Angle()};

    static void drawShapes() {
        for (int i = 0; i < 30; i++)
            shapes[i % 3].area();
    }

    static int compareKeys(Integer a, Integer b) {
        burn(20);
        return a.compareTo(b);
    }

    static void sortByKey() {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 50; i++)
            list.add(i * 7919 % 101);
        Collections.sort(list, KnownCalls::compareKeys);
    }

    // HotSpot compares strings in code of its own, within the method that asks for it.
    static void sortByName() {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < 100; i++)
            list.add("the same characters at the beginning of each " + i * 7919 % 101);
        Collections.sort(list);
    }

    static void bottom1() { burn(300); }
    static void bottom7() { burn(300); }
    static void bottom13() { burn(300); }
    static void bottom25() { burn(300); }
    static void bottom37() { burn(300); }

    static int descend(int n, int depth) {
        if (n > 1)
            return descend(n - 1, depth) + 1;
        switch (depth) {
        case 1: bottom1(); break;
        case 7: bottom7(); break;
        case 13: bottom13(); break;
        case 25: bottom25(); break;
        default: bottom37(); break;
        }
        return 1;
    }

    static void raise(int n) {
        burn(20);
        if (n == 0)
            throw new IllegalStateException();
        raise(n - 1);
    }

    static void catchRaised() {
        try {
            raise(3);
        } catch (IllegalStateException e) {
            burn(30);
        }
    }

    public static void reflected() {
        burn(100);
    }

    static void reflect(Method method) throws Exception {
        method.invoke(null);
    }

    static void work() {
        int[] depths = {1, 7, 13, 25, 37};
        try {
            Method method = KnownCalls.class.getMethod("reflected");
            while (System.nanoTime() < end) {
                drawShapes();
                sortByKey();
                sortByName();
                for (int depth : depths)
                    descend(depth, depth);
                catchRaised();
                reflect(method);
            }
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    static void compress() {
        byte[] data = new byte[100000], out = new byte[100000];
        for (int i = 0; i < data.length; i++)
            data[i] = (byte) (i * i % 251);
        while (System.nanoTime() < end) {
            Deflater deflater = new Deflater();
            deflater.setInput(data);
            deflater.finish();
            while (!deflater.finished())
                deflater.deflate(out);
            deflater.end();
        }
    }

    public static void main(String[] args) throws Exception {
        end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        Thread[] threads = {new Thread(KnownCalls::work), new Thread(KnownCalls::compress)};
        for (Thread thread : threads)
            thread.start();
        System.out.println("running");
        for (Thread thread : threads)
            thread.join();
    }
}

<?php
// Calls functions whose callers are known, for SECONDS: known_calls.php SECONDS PAIRS. The first round asks PHP itself
// who calls whom, and writes the pairs into the file PAIRS. descend() calls itself, and the bottom's name says how often.

$pairs = [];
$is_first = true;

function name_of($frame)
{
    return (isset($frame["class"]) ? $frame["class"] . "::" : "") . $frame["function"];
}

function note_pairs()
{
    global $pairs;

    $frames = array_slice(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), 1);
    foreach ($frames as $i => $frame) {
        $caller = isset($frames[$i + 1]) ? name_of($frames[$i + 1]) : "main";
        $pairs[$caller . " " . name_of($frame)] = true;
    }
}

function burn($n)
{
    global $is_first;

    if ($is_first)
        note_pairs();
    for ($x = 0, $i = 0; $i < $n; $i++)
        $x += $i * $i;
    return $x;
}

function compare($a, $b)
{
    return burn(150) * 0 + $a - $b;
}

function sort_by_compare()
{
    $items = [3, 1, 2];
    usort($items, "compare");
}

function numbers()
{
    for ($n = 0; $n < 3; $n++)
        yield burn(150) + $n;
}

function delegate()
{
    yield from numbers();
}

function delegate_outer()
{
    yield from delegate();
}

function sum_numbers()
{
    $sum = 0;
    foreach (numbers() as $n)
        $sum += $n;
    return $sum;
}

function sum_delegated()
{
    $sum = 0;
    foreach (delegate_outer() as $n)
        $sum += $n;
    return $sum;
}

class Thing
{
    public function method()
    {
        return $this->value;
    }

    public function __get($name)
    {
        return burn(200);
    }

    public static function of_class()
    {
        return burn(200);
    }
}

class Mortal
{
    public function __destruct()
    {
        burn(200);
    }
}

// The destructor runs while this function returns.
function drop()
{
    $thing = new Mortal();
    burn(50);
}

// It returns to a function in C.
function drop_all()
{
    array_map("drop", [1, 2]);
}

function map_closures()
{
    array_map(function ($n) {
        return burn(150);
    }, [1, 2]);
}

function replace_matches()
{
    preg_replace_callback("/a/", ["Replacer", "on_match"], "banana");
}

class Replacer
{
    public static function on_match($match)
    {
        return burn(150);
    }
}

function in_fiber()
{
    burn(150);
    Fiber::suspend();
    burn(150);
}

function run_fiber()
{
    $fiber = new Fiber("in_fiber");
    $fiber->start();
    $fiber->resume();
}

function evaluate()
{
    eval("burn(200);");
}

function descend($n, $bottom)
{
    if ($n > 1)
        return descend($n - 1, $bottom);
    return $bottom();
}

for ($depth = 1; $depth < 60; $depth += 9)
    eval("function bottom_$depth() { return burn(300); }");

function work($thing)
{
    sort_by_compare();
    sum_numbers();
    sum_delegated();
    $thing->method();
    Thing::of_class();
    drop();
    drop_all();
    map_closures();
    replace_matches();
    evaluate();
    if (class_exists("Fiber"))
        run_fiber();
    for ($depth = 1; $depth < 60; $depth += 9)
        descend($depth, "bottom_$depth");
}

$thing = new Thing();
for ($end = microtime(true) + $argv[1]; microtime(true) < $end;) {
    work($thing);
    if ($is_first)
        file_put_contents($argv[2], implode("\n", array_keys($pairs)) . "\n");
    $is_first = false;
}

<?php
// A fiber that runs another fiber, whose functions and functions in C run for the seconds in the first argument.

function burn($n)
{
    $x = 0;
    for ($i = 0; $i < $n; $i++)
        $x += $i % 7;
    return $x;
}

function compare($a, $b)
{
    burn(2000);
    return $a <=> $b;
}

function in_inner()
{
    while (true) {
        $list = [3, 1, 2];
        usort($list, "compare");
        Fiber::suspend();
    }
}

function in_outer($end)
{
    $inner = new Fiber("in_inner");
    for ($inner->start(); microtime(true) < $end;)
        $inner->resume();
}

function run_fibers($seconds)
{
    $outer = new Fiber("in_outer");
    $outer->start(microtime(true) + $seconds);
}

run_fibers($argv[1]);

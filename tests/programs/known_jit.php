<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Calls itself through C code a known number of times, for SECONDS: known_jit.php SECONDS. The C function that it calls
// in the end says how often: base64_encode for 1, rawurlencode for 3, addslashes for 6. It burns time by itself, too.

function burn($n)
{
	$x = 0;
	for ($i = 0; $i < $n; $i++)
		$x += ($i * $i) % 7;
	return $x;
}

function bottom($depth, $text)
{
	if ($depth == 1)
		return strlen(base64_encode($text));
	if ($depth == 3)
		return strlen(rawurlencode($text));
	return strlen(addslashes($text));
}

// usort calls this back once for two elements.
function compare($a, $b)
{
	global $level, $depth, $text;
	$level++;
	return descend($depth, $text) > 0 ? $a - $b : 0;
}

function descend($depth, $text)
{
	global $level;
	burn(300);
	if ($level == $depth)
		return bottom($depth, $text);
	$pair = [2, 1];
	usort($pair, 'compare');
	return $pair[0];
}

$text = str_repeat('some \\text ', 3000);
$end = microtime(true) + (float)$argv[1];
echo "running\n";
while (microtime(true) < $end)
	foreach ([1, 3, 6] as $depth) {
		$level = 1;
		descend($depth, $text);
	}

use std;
// [31mred[0m ÿ
fn step(n: u64) -> u64 {
	let mut sum = 0;
	for i in 0..n {
		sum += add(sum, i);	// "\n"
	}
	// 8
	// 9
	// 10
	// 11
	// 12
	// 13
	// 14
	sum
}

#[inline(always)]
fn add(a: u64, b: u64) -> u64 {
	a.wrapping_mul(b)
}

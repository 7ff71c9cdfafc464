// SPDX-License-Identifier: GPL-2.0-or-later
//! Closures, traits and panics, for tests of unwinding: panics [MS] runs for MS ms (300).
use std::collections::{BTreeMap, HashMap};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

trait Visit {
	fn visit(&self, depth: u32, seed: u32) -> u32;
}

struct Words;
struct Panics;

impl Visit for Words {
	#[inline(never)]
	fn visit(&self, depth: u32, seed: u32) -> u32 {
		let mut words: Vec<String> = (0..50).map(|i| format!("{}", seed.wrapping_mul(i * 7 + 1))).collect();
		words.sort_by(|a, b| b.cmp(a));
		let mut counts: HashMap<String, u32> = HashMap::new();
		for word in &words {
			*counts.entry(word[..1].to_string()).or_default() += 1;
		}
		let ordered: BTreeMap<_, _> = counts.into_iter().collect();
		descend(depth, seed ^ ordered.len() as u32)
	}
}

impl Visit for Panics {
	#[inline(never)]
	fn visit(&self, depth: u32, seed: u32) -> u32 {
		match catch_unwind(|| descend(depth, seed)) {
			Ok(n) => n,
			Err(e) => e.downcast_ref::<u32>().copied().unwrap_or(1),
		}
	}
}

#[inline(never)]
fn descend(depth: u32, seed: u32) -> u32 {
	let visits: [Box<dyn Visit>; 2] = [Box::new(Words), Box::new(Panics)];
	if depth == 0 {
		std::panic::resume_unwind(Box::new(seed));
	}
	visits[(depth % 5 == 0) as usize].visit(depth - 1, seed.wrapping_add(depth))
}

fn main() {
	let ms = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(300);
	let end = Instant::now() + Duration::from_millis(ms);
	let mut sum = 0u32;
	while Instant::now() < end {
		sum = sum.wrapping_add(Panics.visit(12, sum));
	}
	assert!(sum != 1);
}

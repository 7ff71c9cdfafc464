// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code for tests of names and lines: templates within templates, functions inlined many levels deep, lambdas, and names
 * that are long or have no linkage. It is built whole (PART undefined), or in parts, of which each has all but main(). A
 * part runs the part NEXT, if that is defined.
 */
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#ifndef PART
#define PART 0
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

namespace JOIN(part, PART) {

/* An expression that is a type: the compiler inlines all its levels. */
template <int depth> struct chain {
	static inline long value(long x)
	{
		if (x % (depth + 2) == 1)
			x += depth;
		return chain<depth - 1>::value(x * 3 + depth) ^ (x >> 1);
	}
};

template <> struct chain<0> {
	static inline long value(long x)
	{
		return x + 1;
	}
};

template <typename T, typename... Rest> static inline T add_all(T first, Rest... rest)
{
	if constexpr (sizeof...(rest) == 0)
		return first;
	else
		return first + add_all(rest...);
}

namespace {
struct hidden {
	std::vector<std::string> words;

	template <typename F> void each(F f)
	{
		for (auto &word : words)
			f(word);
	}
	virtual ~hidden() = default;
	virtual long weigh(long x)
	{
		long sum = x;

		each([&](const std::string &word) {
			auto longer = [&](size_t n) { return word.size() > n ? sum++ : sum--; };

			longer(3);
			longer(words.size());
		});
		return sum;
	}
};

struct heavier : hidden {
	long weigh(long x) override
	{
		return hidden::weigh(x) * 2;
	}
};
} // namespace

using value = std::variant<long, std::string, std::vector<long>>;

static long measure(const value &v)
{
	return std::visit(
		[](const auto &x) -> long {
			using type = std::decay_t<decltype(x)>;

			if constexpr (std::is_same_v<type, long>)
				return chain<12>::value(x);
			else if constexpr (std::is_same_v<type, std::string>)
				return std::regex_match(x, std::regex("(a|b)*c{2,3}[x-z]+"));
			else
				return std::accumulate(x.begin(), x.end(), 0L);
		},
		v);
}

__attribute__((noinline)) long run(int argc)
{
	std::map<std::string, std::function<long(long)>> table;
	std::unordered_map<long, std::unique_ptr<hidden>> owners;
	std::vector<long> numbers(64 + argc);
	long sum = add_all(1L, 2L, long(argc), 4L);

	std::iota(numbers.begin(), numbers.end(), argc);
	std::sort(numbers.begin(), numbers.end(), [](long a, long b) { return a % 7 < b % 7; });
	std::stable_sort(numbers.begin(), numbers.end(), std::greater<>());
	table["chain"] = chain<30>::value;
	table["add"] = [&](long x) { return add_all(x, x + 1, sum, numbers[0]); };
	for (long i = 0; i < 9; i++) {
		owners[i] = i % 2 ? std::make_unique<hidden>() : std::make_unique<heavier>();
		owners[i]->words = {"a", "bcde", std::string(i, 'x')};
		sum += owners[i]->weigh(i);
	}
	for (auto &[name, function] : table)
		sum += function(name.size());
	for (const value &v : {value(sum), value("abccx"), value(numbers)})
		sum ^= measure(v);
	return sum;
}

} // namespace JOIN(part, PART)

#ifdef NEXT
namespace JOIN(part, NEXT) { long run_all(int argc); }
#endif

namespace JOIN(part, PART) {
__attribute__((noinline)) long run_all(int argc)
{
	long sum = run(argc);

#ifdef NEXT
	sum += JOIN(part, NEXT)::run_all(argc);
#endif
	return sum;
}
} // namespace JOIN(part, PART)

#if PART == 0
int main(int argc, char **)
{
	return part0::run_all(argc) == 42;
}
#endif

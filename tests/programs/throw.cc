// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Throws through deep stacks, for tests of unwinding: throw [MS] does so for MS ms (300) of CPU
 * time.
 */
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
struct guard {
	std::string text;
	int &nr;
	guard(int n, int &count)
	    : text(std::to_string(n) + " and more than fits into it"), nr(count)
	{
		nr++;
	}
	~guard()
	{
		nr--;
	}
};

struct node {
	virtual ~node() = default;
	virtual int visit(int depth, int &nr) const = 0;
};

struct thrower : node {
	int visit(int depth, int &nr) const override;
};

struct catcher : node {
	int visit(int depth, int &nr) const override;
};

int descend(int depth, int &nr)
{
	static const std::unique_ptr<node> nodes[] = {std::make_unique<thrower>(),
						      std::make_unique<catcher>()};
	guard g(depth, nr);
	std::function<int(int)> next = [&](int d) { return nodes[d % 7 == 0]->visit(d, nr); };

	return next(depth - 1) + static_cast<int>(g.text.size());
}

int thrower::visit(int depth, int &nr) const
{
	guard g(depth, nr);

	if (depth <= 0)
		throw std::runtime_error(g.text);
	return descend(depth, nr) + 1;
}

int catcher::visit(int depth, int &nr) const
{
	try {
		return descend(depth, nr);
	} catch (const std::logic_error &) {
		return 0;
	} catch (const std::runtime_error &e) {
		if (depth % 2)
			throw std::logic_error(e.what());
		throw;
	}
}

int sorted(unsigned seed)
{
	std::vector<std::string> words;
	std::map<std::string, int> counts;

	for (int i = 0; i < 200; i++)
		words.push_back(std::to_string(seed = seed * 1664525 + 1013904223));
	std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) { return a > b; });
	for (const auto &w : words)
		counts[w.substr(0, 2)]++;
	return static_cast<int>(counts.size());
}
} // namespace

int main(int argc, char **argv)
{
	const long ms = argc > 1 ? std::atol(argv[1]) : 300;
	int nr = 0, sum = 0;

	while (std::clock() / (CLOCKS_PER_SEC / 1000) < ms) {
		try {
			sum += descend(40, nr);
		} catch (const std::exception &e) {
			sum += e.what()[0];
		}
		sum += sorted(sum);
	}
	return nr != 0;
}

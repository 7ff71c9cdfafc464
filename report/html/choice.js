// SPDX-License-Identifier: GPL-2.0-or-later
// What the user chose, and the picture of it. Each graph, table, share, count and row of the heat map is of the one choice
// that choose() makes of the state, so that no two of them can speak of different stacks.

function choose(state, page) {
	const {view, group, focus, ignore, remove, hide, merge, keep, recursion, languages, lanes, time, baseline} = state;
	// Their functions come before the search.
	page.profiles.forEach(profile => sourceOf(profile, state));
	addMerged(page.functions, state);
	const flags = state.search ? matchFunctions(page.functions, state.search) : null, matching = state.matching && flags !== null;
	const choice = {group, focus, ignore, remove, hide, merge, keep, recursion, languages, lanes, time, baseline, flags, matching, pivot: view === "sandwich" ? state.pivot : -1,
		inverted: view === "inverted"};
	const stackKey = [group, focus, ignore, remove, hide, merge, keep, recursion, languages];
	choice.stackKey = JSON.stringify([stackKey, matching && state.search, time, baseline]);
	choice.heatKey = JSON.stringify([stackKey, state.search, lanes]);
	choice.treeKey = JSON.stringify([choice.stackKey, choice.pivot, choice.inverted]);
	return choice;
}

// The trees of a choice. A share of all is one of the stacks in the time range, whatever filters leave of them.
function deriveTrees(profile, choice, last) {
	const weights = weighSlots(profile, choice), whole = sumCells(profile, weights);
	const stacks = last && last.stackKey === choice.stackKey ? last.stacks : deriveTree(profile, choice, weights);
	const [callers, tree] = choice.pivot >= 0 ? deriveSandwich(stacks, choice.pivot) : [null, choice.inverted ? deriveInverted(stacks) : stacks];
	for (const each of [stacks, callers, tree])
		if (each)
			Object.assign(each, {profile, whole: whole.after, wholeBefore: whole.before, isOfTime: choice.time !== null});
	return {stacks, callers, tree, treeKey: choice.treeKey, scale: weights.scale};
}

// Makes the picture of a profile under a choice. What the last one has of an equal choice is taken over.
function makePicture(profile, choice, last) {
	const picture = last && last.treeKey === choice.treeKey ? {...last} : deriveTrees(profile, choice, last);
	const {flags} = choice, {stacks, callers, tree} = picture;
	picture.matches = flags && matchNodes(tree, flags);
	picture.callerMatches = flags && callers && matchNodes(callers, flags);
	picture.matched = flags ? describeShares(tree, countMatched(stacks, flags, choice.pivot)) : "";
	if (hasHeat(profile) && !(last && last.heatKey === choice.heatKey))
		picture.heatRows = makeHeatRows(profile, choice);
	else if (last)
		picture.heatRows = last.heatRows;
	picture.stackKey = choice.stackKey;
	picture.heatKey = choice.heatKey;
	return picture;
}

// The slots of a time range: those with their middle in it. Profiles of a page can have different slots.
function slotsOf({slots}, [begin, end]) {
	let first = 0, last = slots.length / 2 - 1;
	const middle = slot => (slots[2 * slot] + endOfSlot(slots, slot)) / 2;
	while (first <= last && middle(first) < begin)
		first++;
	while (last >= first && middle(last) >= end)
		last--;
	return [first, last];
}

function timeOfSlots({slots}, [first, last]) {
	return [slots[2 * first], endOfSlot(slots, last)];
}

// A slot of less than a millisecond has a middle, too.
function endOfSlot(slots, slot) {
	return Math.max(slots[2 * slot + 1], slots[2 * slot] + 1);
}

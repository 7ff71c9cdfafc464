// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/source_frames.h"

int source_frames_init(struct source_frames *frames)
{
	int ret;

	*frames = (struct source_frames){0};
	ret = string_set_init(&frames->names);
	return ret ? ret : string_set_init(&frames->files);
}

void source_frames_deinit(struct source_frames *frames)
{
	string_set_deinit(&frames->names);
	string_set_deinit(&frames->files);
	vec_free(&frames->frames);
}

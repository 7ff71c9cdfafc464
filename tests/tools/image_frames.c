// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the frames of saved samples, from the root on: image_frames IMAGE... */
#include "tests/tools/image_walk.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct sample_image image = {0};

		sample_image_read(argv[i], &image);
		sample_image_walk(&image, stdout);
		sample_image_free(&image);
	}
	return 0;
}

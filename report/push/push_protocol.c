// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/push_protocol.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "report/export/otlp.pb-c.h"

/* Redirects, and statuses of missing rights or pages, are no word on the request. */
static bool is_barred(long status)
{
	static const int barred[] = {401, 402, 403, 404, 405, 406, 407, 410, 421, 426, 451};

	if (status < 400)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(barred); i++)
		if (status == barred[i])
			return true;
	return false;
}

/* Connect's errors have statuses of HTTP, and so have those of proxies. */
static enum http_outcome judge_connect(long status)
{
	/* 408 and 425 ask for the request once more, 501 and 505 never take it. */
	if (status == 408 || status == 425 || status == 429)
		return HTTP_FAILED;
	if (is_barred(status))
		return HTTP_BARRED;
	return status >= 500 && status != 501 && status != 505 ? HTTP_FAILED : HTTP_REFUSED;
}

/* The specification forbids to repeat a request after any other error. */
static enum http_outcome judge_otlp(long status)
{
	if (status == 429 || status == 502 || status == 503 || status == 504)
		return HTTP_FAILED;
	return is_barred(status) ? HTTP_BARRED : HTTP_REFUSED;
}

/* A receiver may take a part of a request, which has one profile here. */
static enum http_outcome judge_otlp_answer(const void *answer, size_t len,
					   char text[HTTP_TEXT_BYTES])
{
	Otlp__ExportProfilesServiceResponse *response =
		otlp__export_profiles_service_response__unpack(NULL, len, answer);
	const Otlp__ExportProfilesPartialSuccess *part =
		response ? response->partial_success : NULL;
	bool is_refused = part && part->rejected_profiles > 0;

	if (is_refused)
		snprintf(text, HTTP_TEXT_BYTES, "it rejected the profile%s%s",
			 part->error_message[0] ? ": " : "", part->error_message);
	if (!response)
		snprintf(text, HTTP_TEXT_BYTES, "it answers, but not as OTLP does");
	else
		otlp__export_profiles_service_response__free_unpacked(response, NULL);
	if (!response)
		return HTTP_BARRED;
	return is_refused ? HTTP_REFUSED : HTTP_TAKEN;
}

const struct push_protocol pyroscope_protocol = {
	.name = "Pyroscope's Push API",
	.path = "push.v1.PusherService/Push",
	.type = "application/proto",
	.header = "Connect-Protocol-Version: 1",
	.judge_status = judge_connect,
};

const struct push_protocol otlp_protocol = {
	.name = "OTLP",
	.path = "v1development/profiles",
	.type = "application/x-protobuf",
	.header = "Content-Encoding: gzip",
	.judge_status = judge_otlp,
	.judge_answer = judge_otlp_answer,
};

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/cgroup_text.h"
#include "tests/unit/suite.h"

#define ID     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER  "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID    "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define UID_   "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"
#define STATIC "0123456789abcdef0123456789abcdef"

/* Paths as engines make them, and what they say; NULL: nothing. */
static const struct {
	const char *path, *parts[NR_CGROUP_PARTS];
} forms[] = {
	/* Docker: systemd's driver and that of cgroupfs; containerd's nerdctl; BuildKit */
	{"/system.slice/docker-" ID ".scope", {ID}},
	{"/docker/" ID, {ID}},
	{"/system.slice:docker:" ID, {ID}},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope",
	 {ID, NULL, "user@1000.service"}},
	{"/system.slice/nerdctl-" ID ".scope", {ID}},
	{"/docker/buildkit/" ID, {ID}},
	/* Kubernetes, by containerd, CRI-O and Docker */
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	 ".slice/cri-containerd-" ID ".scope",
	 {ID, UID}},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", {ID, UID}},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope/container", {ID, UID}},
	{"/kubepods/besteffort/pod" UID "/" ID, {ID, UID}},
	{"/kubepods/pod" UID "/crio-" ID, {ID, UID}},
	{"/kubepods/burstable/pod" STATIC "/" ID, {ID, STATIC}},
	{"/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" ID, {ID, NULL}},
	{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_ ".slice/docker-" ID
	 ".scope",
	 {ID, UID}},
	{"/kubepods/besteffort/pod" UID, {NULL, UID}},
	/* as a recorder in a container sees it, whose namespace begins further down */
	{"/../../kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope", {ID, UID}},
	/* Podman, its pods, a Quadlet, and one without root */
	{"/machine.slice/libpod-" ID ".scope/container", {ID}},
	{"/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope", {ID, OTHER}},
	{"/libpod_parent/libpod-" ID, {ID}},
	{"/system.slice/web.service/libpod-payload-" ID, {ID, NULL, "web.service"}},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	 {ID, NULL, "user@1000.service"}},
	/* The watchers of containers are no part of them. */
	{"/machine.slice/libpod-conmon-" ID ".scope", {NULL, NULL, "libpod-conmon-" ID ".scope"}},
	{"/system.slice/crio-conmon-" ID ".scope", {NULL, NULL, "crio-conmon-" ID ".scope"}},
	/* LXC and machines of systemd */
	{"/lxc.payload.web", {"web"}},
	{"/lxc.payload.web/system.slice/nginx.service", {"web", NULL, "nginx.service"}},
	{"/lxc.payload/web/init.scope", {"web", NULL, "init.scope"}},
	{"/lxc/web", {"web"}},
	{"/lxc.monitor.web", {0}},
	{"/machine.slice/machine-web\\x2d1.scope", {"web-1"}},
	{"/machine.slice/systemd-nspawn@web.service/payload",
	 {"web", NULL, "systemd-nspawn@web.service"}},
	/* systemd alone */
	{"/system.slice/nginx.service", {NULL, NULL, "nginx.service"}},
	{"/system.slice/system-getty.slice/getty@tty1.service", {NULL, NULL, "getty@tty1.service"}},
	{"/system.slice/nginx.service/worker", {NULL, NULL, "nginx.service"}},
	{"/user.slice/user-1000.slice/session-3.scope", {NULL, NULL, "session-3.scope"}},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service",
	 {NULL, NULL, "editor.service"}},
	{"/init.scope", {NULL, NULL, "init.scope"}},
	/* The innermost counts. */
	{"/docker/" OTHER "/kubelet/kubepods/burstable/pod" UID "/" ID, {ID, UID}},
	{"/docker/" OTHER "/docker/" ID, {ID}},
	{"/docker/" ID "/system.slice/kubelet.service", {ID, NULL, "kubelet.service"}},
	/* nothing */
	{"", {0}},
	{"/", {0}},
	{"//", {0}},
	{"/system.slice", {0}},
	{"/.service", {0}},
	{"/.scope", {0}},
	{"/machine-.scope", {NULL, NULL, "machine-.scope"}},
	{"/lxc.payload.", {0}},
};

static void expect(const char *path, const char *const *parts)
{
	for (enum cgroup_part part = 0; part < NR_CGROUP_PARTS; part++) {
		struct textbuf out = {.fd = -1};
		size_t end = cgroup_part_put(path, part, &out);

		textbuf_char(&out, '\0');
		ck_assert_msg(!end == !parts[part], "%s of %s: '%s'", cgroup_part_words[part], path,
			      out.data);
		ck_assert_uint_le(end, strlen(path));
		ck_assert_str_eq(out.data, parts[part] ? parts[part] : "");
		textbuf_deinit(&out);
	}
}

START_TEST(forms_of_engines)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		expect(forms[i].path, forms[i].parts);
}
END_TEST

/* Ids of other lengths, with other letters, and after other words are no ids. */
START_TEST(no_ids)
{
	static const char *const none[NR_CGROUP_PARTS],
		*const paths[] = {
			"/docker/a" ID,
			"/docker/" ID "a",
			"/docker/0123456789abcdef",
			"/docker/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
			"/docker/0123456789abcdeg0123456789abcdef0123456789abcdef0123456789abcdef",
			"/docker/ " ID,
			"/docker" ID,
			"/" ID ".slice",
			"/kubepods/pod" UID "0",
			"/kubepods/pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f",
			"/kubepods/pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1fg",
			"/kubepods/pod0f1e2d3c-4b5a-6978-8796+a5b4c3d2e1f0",
			"/kubepods/tripod" UID,
			"/kubepods/" UID,
			"/pod",
		};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		expect(paths[i], none);
}
END_TEST

/* Whoever may make cgroups chooses the names of all kinds, of any length. */
START_TEST(hostile_names)
{
	static const char *const escape[NR_CGROUP_PARTS] = {NULL, NULL, "\x1b[31m\n.service"};
	static const char *const name[NR_CGROUP_PARTS] = {"a\x1b\n"},
				 *const escaped[NR_CGROUP_PARTS] = {"a\x1b"};
	static const char *const cut[NR_CGROUP_PARTS] = {"a\\x2"}, *const zero[NR_CGROUP_PARTS] = {
									   "a\\x00b"};
	static const char *const letters[NR_CGROUP_PARTS] = {"\\xzz"};
	size_t len = 65000;
	char *path = calloc(1, len + sizeof("/.service"));
	const char *longest[NR_CGROUP_PARTS] = {0};

	expect("/\x1b[31m\n.service", escape);
	expect("/lxc.payload.a\x1b\n", name);
	expect("/machine-a\\x1b.scope", escaped);
	expect("/machine-a\\x2.scope", cut);
	expect("/machine-a\\x00b.scope", zero);
	expect("/machine-\\xzz.scope", letters);
	ck_assert_ptr_nonnull(path);
	memset(path, 'x', len);
	path[0] = '/';
	expect(path, longest);
	strcat(path, ".service");
	longest[CGROUP_UNIT] = path + 1;
	expect(path, longest);
	memset(path, '/', len);
	longest[CGROUP_UNIT] = NULL;
	expect(path, longest);
	free(path);
}
END_TEST

START_TEST(ids)
{
	ck_assert(is_container_id(ID, strlen(ID)));
	ck_assert(!is_container_id(ID, strlen(ID) - 1));
	ck_assert(!is_container_id(ID "0", strlen(ID) + 1));
	ck_assert(!is_container_id("web", 3));
	ck_assert(!is_container_id(NULL, 0));
}
END_TEST

static bool is_meant(const char *path, enum cgroup_part part, const char *word)
{
	struct cgroup_name name;

	ck_assert_uint_ne(cgroup_part_find(path, part, &name), 0);
	return cgroup_name_is_meant(name, word);
}

/* The beginning of an id or uid is enough, but not that of a name. */
START_TEST(words_of_people)
{
	const char *docker = "/system.slice/docker-" ID ".scope",
		   *nspawn = "/machine-web\\x2d1.scope";
	const char *pod = "/kubepods-pod" UID_ ".slice", *unit = "/system.slice/nginx.service";

	ck_assert(is_meant(docker, CGROUP_CONTAINER, "0123"));
	ck_assert(is_meant(docker, CGROUP_CONTAINER, ID));
	ck_assert(!is_meant(docker, CGROUP_CONTAINER, ID "0"));
	ck_assert(!is_meant(docker, CGROUP_CONTAINER, "1"));
	ck_assert(!is_meant(docker, CGROUP_CONTAINER, ""));
	ck_assert(is_meant(nspawn, CGROUP_CONTAINER, "web-1"));
	ck_assert(!is_meant(nspawn, CGROUP_CONTAINER, "web"));
	ck_assert(is_meant(pod, CGROUP_POD, UID));
	ck_assert(is_meant(pod, CGROUP_POD, "0f1e2d3c-4b"));
	ck_assert(!is_meant(pod, CGROUP_POD, "4b5a"));
	ck_assert(is_meant(unit, CGROUP_UNIT, "nginx"));
	ck_assert(is_meant(unit, CGROUP_UNIT, "nginx.service"));
	ck_assert(!is_meant(unit, CGROUP_UNIT, "ngin"));
	ck_assert(!is_meant(unit, CGROUP_UNIT, "nginx."));
	ck_assert(!is_meant("/init.scope", CGROUP_UNIT, "init"));
}
END_TEST

START_TEST(labels)
{
	static const char *const all[] = {"shop", "web-0", "app"}, *const some[] = {"", "", "app"},
				 *const none[] = {"shop", "web-0", ""};

	ck_assert(cgroup_label_is_meant(all, 3, "app"));
	ck_assert(cgroup_label_is_meant(all, 3, "shop/web-0/app"));
	ck_assert(!cgroup_label_is_meant(all, 3, "shop/web-0"));
	ck_assert(!cgroup_label_is_meant(all, 3, "shop/web-0/app/"));
	ck_assert(cgroup_label_is_meant(all, 2, "shop/web-0"));
	ck_assert(cgroup_label_is_meant(some, 3, "app"));
	ck_assert(!cgroup_label_is_meant(none, 3, "shop/web-0"));
	ck_assert(!cgroup_label_is_meant(none, 3, ""));
}
END_TEST

START_TEST(cgroups)
{
	static const struct {
		const char *path, *word;
		bool is_within;
	} uses[] = {
		{"/a.slice/b.service/c", "/a.slice", true},
		{"/a.slice/b.service/c", "/a.slice/b.service/", true},
		{"/a.slice/b.service/c", "/a.slice/b.serv", false},
		{"/a.slice/b.service/c", "/b.service", false},
		{"/a.slice/b.service/c", "a.slice/b.service", true},
		{"/a.slice/b.service/c", "b.service/c", false},
		{"/a.slice/b.service/c", "/sys/fs/cgroup/a.slice", true},
		{"/a.slice/b.service/c", "/sys/fs/cgroup/unified/a.slice/b.service", true},
		{"/a.slice/b.service/c", "/sys/fs/cgroup/", true},
		{"/a.slice/b.service/c", "/sys/fs/cgroup/b.service", false},
		{"/a.slice/b.service/c", "b.service", true},
		{"/a.slice/b.service/c", "b.service/", true},
		{"/a.slice/b.service/c", "c", true},
		{"/a.slice/b.service/c", "service", false},
		{"/a.slice/b.service/c", "/", true},
		{"/a.slice/b.service/c", "", false},
		{"/sys/fs/cgroup/x", "/sys/fs/cgroup/x", true},
		{"/", "/", true},
		{"", "/", false},
		{"", "a", false},
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		ck_assert_msg(cgroup_is_within(uses[i].path, uses[i].word) == uses[i].is_within,
			      "%s in %s", uses[i].path, uses[i].word);
}
END_TEST

SUITE_MAIN("cgroup_facts", forms_of_engines, no_ids, hostile_names, ids, words_of_people, labels,
	   cgroups)

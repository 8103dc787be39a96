/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cgroup.c - containers, pods and jobs, by real paths of each kind and some that are close. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/host/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define ID "3f4e8c1b2a7d9e6f5c0b1a2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f607"
#define ID2 "aa11bb22cc33dd44ee55ff66007788990a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define UID "5c1d7f3e-0b9a-4c2d-8e6f-112233445566"
#define UID_ "5c1d7f3e_0b9a_4c2d_8e6f_112233445566"

static void a_cgroup_names_its_container(void **state)
{
	static const struct {
		const char *cgroup, *want;
	} cases[] = {
		/* None at all. */
		{ "0::/\n", "" },
		{ "0::/user.slice/user-1000.slice/session-3.scope\n", "" },
		{ "0::/system.slice/ssh.service\n", "" },
		{ "0::/user.slice/user-1000.slice/user@1000.service/app.slice/docker-desktop.service\n", "" },
		{ "0::/system.slice/docker.service\n", "" },
		{ "0::/machine.slice/libpod-conmon-" ID ".scope\n", "" },
		{ "0::/lxc.monitor.web\n", "" },
		{ "", "" },
		{ "garbage", "" },
		/* Docker, v1 and v2, both cgroup drivers, rootless, in another one. */
		{ "12:pids:/docker/" ID "\n11:cpu,cpuacct:/docker/" ID "\n1:name=systemd:/docker/" ID "\n",
		  "docker:3f4e8c1b2a7d" },
		{ "0::/system.slice/docker-" ID ".scope\n", "docker:3f4e8c1b2a7d" },
		{ "0::/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope\n",
		  "docker:3f4e8c1b2a7d" },
		{ "0::/docker/" ID "/docker/" ID2 "\n", "docker:aa11bb22cc33" },
		{ "0::/../../system.slice/docker-" ID ".scope\n", "docker:3f4e8c1b2a7d" },
		{ "4:devices:/docker/buildkit/" ID "\n", "docker:3f4e8c1b2a7d" },
		/* Podman, with and without root. */
		{ "0::/machine.slice/libpod-" ID ".scope/container\n", "podman:3f4e8c1b2a7d" },
		{ "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope\n",
		  "podman:3f4e8c1b2a7d" },
		{ "9:memory:/libpod_parent/libpod-" ID "\n", "podman:3f4e8c1b2a7d" },
		/* containerd alone. */
		{ "0::/system.slice/nerdctl-" ID ".scope\n", "containerd:3f4e8c1b2a7d" },
		{ "0::/default/" ID "\n", "containerd:3f4e8c1b2a7d" },
		{ "0::/somewhere/" ID "\n", "container:3f4e8c1b2a7d" },
		/* Kubernetes: the pod is what a person looks for. */
		{ "11:memory:/kubepods/burstable/pod" UID "/" ID "\n", "pod:" UID },
		{ "11:memory:/kubepods/pod" UID "/" ID "\n", "pod:" UID },
		{ "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
		  ".slice/cri-containerd-" ID ".scope\n", "pod:" UID },
		{ "0::/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope\n", "pod:" UID },
		{ "0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_
		  ".slice/cri-containerd-" ID ".scope\n", "pod:" UID },
		{ "1:name=systemd:/system.slice/containerd.service/kubepods-burstable-pod" UID_
		  ".slice:cri-containerd:" ID "\n", "pod:" UID },
		{ "0::/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" ID "\n",
		  "pod:0123456789abcdef0123456789abcdef" },
		{ "2:cpu:/docker/" ID "\n1:name=systemd:/docker/" ID "/kubepods/pod" UID "/" ID2 "\n",
		  "pod:" UID },
		/* Slurm: the job, unless it started a container. */
		{ "8:devices:/slurm/uid_1000/job_4711/step_0/task_0\n"
		  "4:memory:/slurm/uid_1000/job_4711\n1:name=systemd:/system.slice/slurmd.service\n",
		  "job:4711.0" },
		{ "0::/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0\n",
		  "job:4711.batch" },
		{ "0::/system.slice/slurmstepd.scope/job_4711/docker/" ID "\n", "docker:3f4e8c1b2a7d" },
		/* LXC and systemd-nspawn. */
		{ "0::/lxc.payload.web-1/system.slice/cron.service\n", "lxc:web-1" },
		{ "7:pids:/lxc/build\n", "lxc:build" },
		{ "7:pids:/lxc.payload/build/init.scope\n", "lxc:build" },
		{ "0::/machine.slice/systemd-nspawn@debian.service/payload\n", "nspawn:debian" },
		{ "0::/machine.slice/machine-my\\x2dbox.scope/payload\n", "machine:my-box" },
		/* Names that would speak to a terminal do not. */
		{ "0::/lxc/\033[2Jx\n", "lxc:?[2Jx" },
		/* Not quite. */
		{ "0::/docker/" "3f4e8c1b" "\n", "" },
		{ "0::/kubepods/pod5c1d7f3e-0b9a-4c2d-8e6f\n", "" },
		{ "0::/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_4711/step_0\n", "" },
		{ "0::/user.slice/job_4711/step_0\n", "" },
		{ "4:freezer:/slurm/uid_0/job_/step_0\n4:cpu:/slurm/uid_0/job_1x\n", "" },
		{ "4:cpu:/slurm/uid_0/job_123456789012345\n", "" },
		{ "0::/system.slice/docker-zz4e8c1b2a7d9e6f5c0b1a2d3e4f5061.scope\n", "" },
	};
	char out[CGROUP_LABEL];
	struct cgroup c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cgroup_parse(cases[i].cgroup, &c);
		cgroup_label(&c, out, sizeof(out));
		if (strcmp(out, cases[i].want) != 0)
			fail_msg("%s: got \"%s\", want \"%s\"", cases[i].cgroup, out,
				cases[i].want);
	}
}

static void a_short_buffer_is_not_overrun(void **state)
{
	char out[8] = "xxxxxxx";
	struct cgroup c;

	(void)state;
	cgroup_parse("0::/docker/" ID "\n", &c);
	cgroup_label(&c, out, sizeof(out));
	assert_string_equal(out, "docker:");
}

/* What a metric's labels are made of: all of it, and the id not cut. */
static void a_cgroup_names_container_pod_and_job_in_full(void **state)
{
	static const struct {
		const char *text;
		struct cgroup want;
	} cases[] = {
		{ "0::/user.slice/user-1000.slice/session-3.scope\n", { .job = { "", "" } } },
		{ "0::/system.slice/docker-" ID ".scope\n", { .container = { "docker", ID, "" } } },
		{ "0::/machine.slice/libpod-" ID ".scope/container\n",
		  { .container = { "podman", ID, "" } } },
		{ "0::/default/" ID "\n", { .container = { "containerd", ID, "" } } },
		/* Kubernetes: v1 and v2, plain and systemd's slices, of each runtime. */
		{ "11:memory:/kubepods/burstable/pod" UID "/" ID "\n10:cpu:/\n",
		  { .container = { "container", ID, UID } } },
		{ "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
		  ".slice/cri-containerd-" ID ".scope\n", { .container = { "containerd", ID, UID } } },
		{ "0::/../kubepods-pod5c1d7f3e\\x2d0b9a\\x2d4c2d\\x2d8e6f\\x2d112233445566.slice/crio-"
		  ID ".scope\n", { .container = { "cri-o", ID, UID } } },
		{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
		  ".slice/docker-" ID ".scope\n", { .container = { "docker", ID, UID } } },
		{ "1:name=systemd:/system.slice/containerd.service/kubepods-burstable-pod" UID_
		  ".slice:cri-containerd:" ID "\n", { .container = { "containerd", ID, UID } } },
		{ "0::/docker/" ID2 "/kubepods/pod" UID "/" ID "\n",
		  { .container = { "container", ID, UID } } },
		/* Slurm, v1 and v2, one slurmd or several, and a container in a job. */
		{ "9:cpu:/slurm_n1/uid_1000/job_4711\n8:devices:/slurm_n1/uid_1000/job_4711/step_0\n",
		  { .job = { "4711", "0" } } },
		{ "0::/system.slice/n1_slurmstepd.scope/job_4711/step_extern/user\n",
		  { .job = { "4711", "extern" } } },
		{ "0::/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0/libpod-" ID "\n",
		  { .container = { "podman", ID, "" }, .job = { "7", "batch" } } },
	};
	struct cgroup c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct cgroup *want = &cases[i].want;

		cgroup_parse(cases[i].text, &c);
		if (strcmp(c.container.manager, want->container.manager) != 0 ||
			strcmp(c.container.id, want->container.id) != 0 ||
			strcmp(c.container.pod, want->container.pod) != 0 ||
			strcmp(c.job.id, want->job.id) != 0 ||
			strcmp(c.job.step, want->job.step) != 0)
			fail_msg("%s: got %s %s pod %s job %s step %s", cases[i].text,
				c.container.manager, c.container.id, c.container.pod, c.job.id,
				c.job.step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_names_its_container),
		cmocka_unit_test(a_short_buffer_is_not_overrun),
		cmocka_unit_test(a_cgroup_names_container_pod_and_job_in_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

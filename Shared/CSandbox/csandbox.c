#define _GNU_SOURCE
#include "csandbox.h"
#include "filter.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Descriptors 0 to 2 only.
enum { maximum_descriptors = 8 };

static int limit(pid_t process, __rlimit_resource_t resource, uint64_t soft, uint64_t hard) {
    struct rlimit current;
    if (prlimit(process, resource, NULL, &current) != 0) return errno;
    // A tighter limit is kept: an unprivileged process could not raise it anyway.
    struct rlimit wanted = {.rlim_cur = soft, .rlim_max = hard};
    if (current.rlim_max < wanted.rlim_max) wanted.rlim_max = current.rlim_max;
    if (wanted.rlim_max < wanted.rlim_cur) wanted.rlim_cur = wanted.rlim_max;
    return prlimit(process, resource, &wanted, NULL) == 0 ? 0 : errno;
}

int rial_limit_child(pid_t child, const struct rial_sandbox_limits *limits) {
    int error = limit(child, RLIMIT_AS, limits->memory_bytes, limits->memory_bytes);
    if (error == 0) error = limit(child, RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1);
    if (error == 0) error = limit(child, RLIMIT_CORE, 0, 0);
    return error;
}

// Drops root's privileges, if the process has any. A second protection: the filter already forbids every call that needs them.
static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

int rial_sandbox_enter(const struct rial_sandbox_limits *limits) {
    int error = rial_limit_child(0, limits);
    // The limit 0 applies to regular files only; the process can still write to pipes.
    if (error == 0) error = limit(0, RLIMIT_FSIZE, 0, 0);
    if (error == 0) error = limit(0, RLIMIT_NOFILE, maximum_descriptors, maximum_descriptors);
    if (error == 0) error = limit(0, RLIMIT_NPROC, 0, 0);
    if (error != 0) return error;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    error = drop_capabilities();
    if (error != 0) return error;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    // The process is killed when the thread that started it ends.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    // Other processes get processor time first; it does not matter if this fails.
    (void)setpriority(PRIO_PROCESS, 0, limits->niceness);
    alarm(limits->wall_seconds);
    return rial_filter_install();
}

#else

int rial_sandbox_enter(const struct rial_sandbox_limits *limits) { (void)limits; return ENOTSUP; }
const char *rial_sandbox_breach(void) { return "this system has no sandbox"; }
int rial_limit_child(pid_t child, const struct rial_sandbox_limits *limits) { (void)child; (void)limits; return ENOTSUP; }

#endif

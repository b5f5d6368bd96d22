// Confines a process to what it needs for reading one open file. For Linux on x86_64 and aarch64; needs no privilege and no package.
#ifndef RIAL_CSANDBOX_H
#define RIAL_CSANDBOX_H

#include "cprocess.h"

#include <stdint.h>
#include <sys/types.h>

struct rial_sandbox_limits {
    // Address space (RLIMIT_AS), in bytes.
    uint64_t memory_bytes;
    // Seconds of processor time until SIGXCPU; SIGKILL follows a second later.
    uint64_t cpu_seconds;
    // Seconds until SIGALRM, which ends a process whose parent can no longer end it. 0 for never.
    uint32_t wall_seconds;
    // From 0 to 19: how far other processes go first.
    int32_t niceness;
};

// From here on the process can read and seek the descriptors it has open, write to 1 and 2, use memory, and exit. It cannot be undone.
// All threads of the process are confined; new ones cannot be made.
//
// Returns 0, or an errno: then the process is only partly confined and must not read untrusted input.
int rial_sandbox_enter(const struct rial_sandbox_limits *limits);

// Tries everything that the sandbox must refuse: sockets, files, programs, processes, other processes' memory and the like.
//
// Returns NULL if everything was refused with EPERM or ENOSYS, else the name of the first call that was not.
const char *rial_sandbox_breach(void);

// Sets the same limits for a child process from outside. Best effort: returns 0 or an errno.
int rial_limit_child(pid_t child, const struct rial_sandbox_limits *limits);

#endif

// Takes a process everything that reading one open file does not need. Linux on x86_64 and aarch64; needs no privilege and no package.
#ifndef RIAL_CSANDBOX_H
#define RIAL_CSANDBOX_H

#include "cprocess.h"

#include <stdint.h>
#include <sys/types.h>

struct rial_sandbox_limits {
    // Address space (RLIMIT_AS), in bytes.
    uint64_t memory_bytes;
    // SIGXCPU after so many seconds of processor time, SIGKILL a second later.
    uint64_t cpu_seconds;
    // SIGALRM after so many seconds: ends a process whose parent is not there to end it. 0 for none.
    uint32_t wall_seconds;
};

// From here on the process can read and seek the descriptors it has open, write to 1 and 2, use memory, and exit. It cannot be undone.
// All threads of the process are confined; new ones cannot be made.
//
// Returns 0, or an errno: the process is then confined in part only and must not touch what it was to be protected from.
int rial_sandbox_enter(const struct rial_sandbox_limits *limits);

// Tries what the sandbox must refuse: sockets, files, programs, processes, other processes' memory and the like.
//
// Returns NULL if all of it was refused with EPERM or ENOSYS, else the name of the first thing that was not.
const char *rial_sandbox_breach(void);

// Limits a child from outside as rial_sandbox_enter does from inside. Best effort: returns 0 or an errno.
int rial_limit_child(pid_t child, const struct rial_sandbox_limits *limits);

#endif

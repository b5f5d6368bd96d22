#define _GNU_SOURCE
#include "filter.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define EXPECTED_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define EXPECTED_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// x86_64 has a second set of numbers (x32), marked by this bit.
#define X32_BIT 0x40000000u

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The low half of an argument: both architectures are little-endian, and the kernel reads an `int` from it.
#define LOAD_ARGUMENT(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))

#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define MISSING(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE(ENOSYS)
// Allows a call only if its argument, as 32 bits, is at most the value, is exactly the value, or has none of the bits.
#define ALLOW_AT_MOST(name, index, value)                                                                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(index),                                                \
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (value), 0, 1), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
#define ALLOW_EQUAL(name, index, value)                                                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(index),                                                \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
#define ALLOW_WITHOUT(name, index, bits)                                                                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(index),                                                \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)

int rial_filter_install(void) {
    struct sock_filter program[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EXPECTED_ARCHITECTURE, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
        REFUSE(EPERM),

        // Reading open files, and writing the report.
        ALLOW(read), ALLOW(readv), ALLOW(pread64), ALLOW(preadv), ALLOW(lseek), ALLOW(fstat), ALLOW(close),
        // glibc's fstat(), which sets only this flag. Together with a path it would reveal no more than a file's size and times.
        ALLOW_EQUAL(newfstatat, 3, AT_EMPTY_PATH),
        // Descriptor 0 is the file: it cannot be written, even if it was opened for writing.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_writev, 0, 5),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDOUT_FILENO, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDERR_FILENO, 1, 0),
        REFUSE(EPERM),
        ANSWER(SECCOMP_RET_ALLOW),

        // Memory, none of it executable.
        ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
        ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),

        // Locks, clocks and random numbers.
        ALLOW(futex), ALLOW(sched_yield), ALLOW(clock_gettime), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday),
        ALLOW(getrandom), ALLOW(sched_getaffinity),

        // Signals to itself, and exiting: abort() signals the process itself.
        ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(getpid), ALLOW(gettid),
        ALLOW_EQUAL(tgkill, 0, (unsigned)getpid()), ALLOW(exit), ALLOW(exit_group), ALLOW(restart_syscall),

        // Callers can do without these, so they get ENOSYS. For threads it must not be EPERM: the C2PA library reads some formats (PDF)
        // with a thread pool, which works without threads if the system has none, but aborts if they are forbidden.
        MISSING(clone), MISSING(clone3), MISSING(openat2), MISSING(faccessat2), MISSING(rseq), MISSING(statx), MISSING(io_uring_setup),
        REFUSE(EPERM),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result < 0) return errno;
    // The id of a thread that could not be confined.
    return result == 0 ? 0 : EAGAIN;
}

#endif

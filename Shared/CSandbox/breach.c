#define _GNU_SOURCE
#include "csandbox.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Each returns the system call's result: negative with errno set if it was refused.
static long try_internet_socket(void) { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }
static long try_internet6_socket(void) { return syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 0); }
static long try_local_socket(void) { return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }
static long try_socket_pair(void) { int pair[2]; return syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair); }
static long try_connect(void) {
    struct sockaddr address = {.sa_family = AF_UNIX};
    return syscall(SYS_connect, STDIN_FILENO, &address, sizeof address);
}
static long try_open(void) { return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY, 0); }
static long try_create(void) { return syscall(SYS_openat, AT_FDCWD, "/tmp/rial-breach", O_WRONLY | O_CREAT, 0600); }
static long try_openat2(void) {
    uint64_t how[3] = {O_RDONLY, 0, 0};
    return syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
}
static long try_unlink(void) { return syscall(SYS_unlinkat, AT_FDCWD, "/tmp/rial-breach", 0); }
static long try_rename(void) { return syscall(SYS_renameat2, AT_FDCWD, "/tmp/rial-breach", AT_FDCWD, "/tmp/rial-breach-2", 0); }
static long try_make_folder(void) { return syscall(SYS_mkdirat, AT_FDCWD, "/tmp/rial-breach-folder", 0700); }
static long try_anonymous_file(void) { return syscall(SYS_memfd_create, "breach", 0); }
static long try_duplicate(void) { return syscall(SYS_dup, STDIN_FILENO); }
static long try_write_file(void) { return syscall(SYS_write, STDIN_FILENO, "", 0); }
static long try_execute(void) {
    char *const arguments[] = {"/bin/true", NULL};
    char *const environment[] = {NULL};
    return syscall(SYS_execve, "/bin/true", arguments, environment);
}
// If fork() was allowed, the child exits at once and is waited for.
static long collected(long child) {
    if (child == 0) syscall(SYS_exit_group, 0);
    if (child > 0) (void)waitpid((pid_t)child, NULL, 0);
    return child;
}
static long try_fork(void) { return collected(fork()); }
static long try_clone(void) { return collected(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }
static long try_clone3(void) {
    uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
    return collected(syscall(SYS_clone3, arguments, sizeof arguments));
}
static long try_trace(void) { return syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); }
static long try_signal_parent(void) { return syscall(SYS_kill, getppid(), 0); }
static long try_signal_thread(void) { return syscall(SYS_tgkill, 1, 1, 0); }
static long try_read_memory(void) { return syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0); }
static long try_executable_memory(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? -1 : 0;
}
static long try_rings(void) { uint64_t parameters[15] = {0}; return syscall(SYS_io_uring_setup, 1, parameters); }
static long try_raise_limits(void) { uint64_t limit[2]; return syscall(SYS_prlimit64, 0, 7, NULL, limit); }
static long try_mount(void) { return syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL); }
static long try_namespace(void) { return syscall(SYS_unshare, 0x10000000); }
static long try_program_filter(void) { return syscall(SYS_bpf, 0, NULL, 0); }

static const struct {
    const char *name;
    long (*attempt)(void);
} attempts[] = {
    {"socket of IPv4", try_internet_socket}, {"socket of IPv6", try_internet6_socket}, {"local socket", try_local_socket},
    {"socketpair", try_socket_pair}, {"connect", try_connect}, {"open", try_open}, {"open to create", try_create},
    {"openat2", try_openat2}, {"unlink", try_unlink}, {"rename", try_rename}, {"mkdir", try_make_folder},
    {"memfd_create", try_anonymous_file}, {"dup", try_duplicate}, {"write to the file", try_write_file}, {"execve", try_execute},
    {"fork", try_fork}, {"clone", try_clone}, {"clone3", try_clone3}, {"ptrace", try_trace}, {"kill", try_signal_parent},
    {"tgkill of another process", try_signal_thread}, {"process_vm_readv", try_read_memory},
    {"executable memory", try_executable_memory}, {"io_uring_setup", try_rings}, {"prlimit", try_raise_limits}, {"mount", try_mount},
    {"unshare", try_namespace}, {"bpf", try_program_filter},
};

const char *rial_sandbox_breach(void) {
    for (size_t index = 0; index < sizeof attempts / sizeof attempts[0]; index++) {
        errno = 0;
        if (attempts[index].attempt() >= 0 || (errno != EPERM && errno != ENOSYS)) return attempts[index].name;
    }
    return NULL;
}

#endif

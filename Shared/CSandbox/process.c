#define _GNU_SOURCE
#include "cprocess.h"

#include <errno.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__linux__)

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

static int arrange_files(posix_spawn_file_actions_t *actions, const int *descriptors, size_t count) {
    int error = posix_spawn_file_actions_addchdir_np(actions, "/");
    for (size_t index = 0; error == 0 && index < count; index++)
        error = posix_spawn_file_actions_adddup2(actions, descriptors[index], (int)index);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, (int)count);
    return error;
}

static int arrange_signals(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    return error;
}

int rial_spawn(
    const char *path, char *const arguments[], char *const environment[], const int *descriptors, size_t count, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    posix_spawnattr_t attributes;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = arrange_files(&actions, descriptors, count);
        if (error == 0) error = arrange_signals(&attributes);
        if (error == 0) error = posix_spawn(child, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int rial_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int rial_anonymous_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

#else

int rial_spawn(
    const char *path, char *const arguments[], char *const environment[], const int *descriptors, size_t count, pid_t *child) {
    (void)path; (void)arguments; (void)environment; (void)descriptors; (void)count; (void)child;
    return ENOTSUP;
}
int rial_pipe(int ends[2]) { (void)ends; return ENOTSUP; }
int rial_anonymous_file(const char *name) { (void)name; errno = ENOTSUP; return -1; }

#endif

void rial_bound_arenas(int count) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}

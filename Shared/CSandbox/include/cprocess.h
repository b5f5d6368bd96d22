// Functions of glibc for processes that Swift cannot import because they are not part of POSIX.
#ifndef RIAL_CPROCESS_H
#define RIAL_CPROCESS_H

#include <stddef.h>
#include <sys/types.h>

// Starts a program with the given descriptors as its 0, 1, 2 … and no others; in the folder /, in a session of its own, with no signal
// blocked, ignored or caught. The descriptors must be numbered above `count`. Returns when the program runs.
//
// Returns 0, or an errno.
int rial_spawn(
    const char *path, char *const arguments[], char *const environment[], const int *descriptors, size_t count, pid_t *child);

// Makes a pipe; programs that are started do not inherit it. Returns 0, or an errno.
int rial_pipe(int ends[2]);

// Makes a file in memory; programs that are started do not inherit it. Returns a descriptor, or -1 with errno set.
int rial_anonymous_file(const char *name);

// Bounds the number of arenas that malloc shares out among threads; those that there are already stay.
void rial_bound_arenas(int count);

#endif

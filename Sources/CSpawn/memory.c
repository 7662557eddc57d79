// What Swift's module of the C library does not show: extensions of glibc's and Linux's.

#define _GNU_SOURCE
#include "spawning.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int reachagent_memory_file(const char *name) {
    // Linux before 6.3 does not know the flag.
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    return descriptor < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : descriptor;
}

int reachagent_pipe(int *reader, int *writer) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    *reader = ends[0];
    *writer = ends[1];
    return 0;
}

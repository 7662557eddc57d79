// What Swift's module of the C library does not show: extensions of glibc's and Linux's.

#define _GNU_SOURCE
#include "spawning.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
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

int reachagent_spawn(
    pid_t *number, const char *path, char *const arguments[], char *const environment[],
    const int descriptors[reachagent_descriptors]
) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    sigemptyset(&none);
    sigfillset(&all);
    for (int target = 0; result == 0 && target < reachagent_descriptors; target++) {
        result = posix_spawn_file_actions_adddup2(&actions, descriptors[target], target);
    }
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, reachagent_descriptors);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0) {
        result = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    }
    if (result == 0) result = posix_spawn(number, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

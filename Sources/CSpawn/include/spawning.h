#ifndef REACHAGENT_SPAWNING_H
#define REACHAGENT_SPAWNING_H

#include <sys/types.h>

/// How many descriptors a program is started with: 0, 1, 2 and 3.
enum { reachagent_descriptors = 4 };

/// Makes a file in memory, close-on-exec and not executable; -1 and errno when there is none.
int reachagent_memory_file(const char *name);

/// Makes a pipe, close-on-exec; -1 and errno when there is none.
int reachagent_pipe(int *reader, int *writer);

/// Starts a program in a session of its own, with these descriptors as 0 to 3 and no other, and all signals as they are by
/// default. They are copied in order, so none
/// may be a number that an earlier one becomes. Returns once the program has begun: 0, or the number of an error.
int reachagent_spawn(
    pid_t *number, const char *path, char *const arguments[], char *const environment[],
    const int descriptors[reachagent_descriptors]
);

#endif

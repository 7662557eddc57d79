#ifndef REACHAGENT_SPAWNING_H
#define REACHAGENT_SPAWNING_H

#include <stdbool.h>
#include <sys/types.h>

/// Whom a program runs as.
struct reachagent_account {
    uid_t user;
    gid_t group;
    size_t group_count;
    const gid_t *groups;
};

/// A program to start. Descriptors must be above 3: they are copied to 0 to 3, one after the other.
struct reachagent_program {
    /// The file, opened with O_PATH or for reading; it is executed by this descriptor.
    int file;
    /// `true` if an interpreter must open the file, which it finds as /dev/fd/3.
    bool is_script;
    /// The program's own name and its arguments.
    char *const *arguments;
    char *const *environment;
    const char *directory;
    /// NULL for the caller's own.
    const struct reachagent_account *account;
    int input;
    /// Standard output and error.
    int output;
    /// The file `cgroup.procs` of the control group that it is to be in, open for writing; -1 for the caller's.
    int group;
};

/// The step at which starting a program failed.
enum reachagent_step {
    reachagent_step_process,
    reachagent_step_group,
    reachagent_step_account,
    reachagent_step_directory,
    reachagent_step_descriptors,
    reachagent_step_program,
};

/// Makes a file in memory, close-on-exec and not executable; -1 and errno when there is none.
int reachagent_memory_file(const char *name);

/// Makes a pipe, close-on-exec; -1 and errno when there is none.
int reachagent_pipe(int *reader, int *writer);

/// Returns whether an extended attribute of a file (xattr(7)) is `1`.
bool reachagent_is_marked(const char *path, const char *attribute);

/// Makes the calling process the parent of its descendants' children whose parents have ended.
void reachagent_adopt_orphans(void);

/// Starts a program in a session of its own, with descriptors 0 to 2, for a script 3, and no other, and all signals as they
/// are by default. Returns once the program itself has begun.
///
/// Returns 0, or the number of an error and the step that it belongs to; then there is no process.
///
/// `number` is 0 before each process is made, and its ID from its first step on: other threads may read it meanwhile with
/// `reachagent_process`.
int reachagent_spawn(const struct reachagent_program *program, pid_t *number, enum reachagent_step *step);

/// Returns the ID of the process that `reachagent_spawn` has made last; 0 while it may be making one.
pid_t reachagent_process(const pid_t *number);

#endif

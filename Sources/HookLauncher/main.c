// Becomes the program that the agent has checked.
//
//     reachagent-hook-launcher script|program ACCOUNT FOLDER NAME [ARGUMENT]...
//
// NAME is what the program finds as its own name.
//
// The agent starts this with the event on descriptor 0, its pipe on 1 and 2, and the file that it has checked on 3
// (O_PATH); nothing else is open. The file is executed by that descriptor, so nobody can put another one into its place
// after the check. A script's interpreter opens it as /dev/fd/3, so there the descriptor stays open.
//
// ACCOUNT is "-" for the agent's own, or UID:GID:GROUP,GROUP,... for another one. Changing it here, and not between fork and
// exec in the agent, lets the agent use posix_spawn(3), which copies nothing of it.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILE_DESCRIPTOR = 3, MOST_GROUPS = 65536, MOST_ATTEMPTS = 25, CANNOT_RUN = 126, NOT_FOUND = 127 };

static int fail(const char *what, const char *name, int status) {
    dprintf(STDERR_FILENO, "reachagent-hook-launcher: %s %s: %s\n", what, name, strerror(errno));
    return status;
}

// Reads a number and the character after it; -1 when there is none.
static int number(const char **text, char end, unsigned *value) {
    char *rest;
    if (**text < '0' || **text > '9') return -1;
    errno = 0;
    unsigned long read = strtoul(*text, &rest, 10);
    if (errno != 0 || read >= (uid_t)-1 || (*rest != end && *rest != '\0')) return -1;
    *value = (unsigned)read;
    *text = *rest == '\0' ? rest : rest + 1;
    return 0;
}

// Takes on the user, the group and the groups of an account, for good.
static int become(const char *account) {
    unsigned user, group;
    gid_t *groups = NULL;
    size_t count = 0;
    if (number(&account, ':', &user) != 0 || number(&account, ':', &group) != 0) goto malformed;
    groups = calloc(MOST_GROUPS, sizeof *groups);
    if (groups == NULL) return -1;
    while (*account != '\0') {
        if (count == MOST_GROUPS || number(&account, ',', &groups[count]) != 0) goto malformed;
        count += 1;
    }
    // The user last: it takes the right to change the rest away.
    if (setgroups(count, groups) != 0) return -1;
    if (setresgid(group, group, group) != 0) return -1;
    if (setresuid(user, user, user) != 0) return -1;
    free(groups);
    // A service may have capabilities without being root; they are not for another user's program.
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L);
    return 0;
malformed:
    free(groups);
    errno = EINVAL;
    return -1;
}

int main(int argc, char *argv[], char *environment[]) {
    if (argc < 5) {
        dprintf(STDERR_FILENO, "reachagent-hook-launcher: the agent runs this; it is of no use by hand\n");
        return CANNOT_RUN;
    }
    const char *kind = argv[1], *account = argv[2], *folder = argv[3], *name = argv[4];
    if (strcmp(account, "-") != 0 && become(account) != 0) return fail("cannot become", account, CANNOT_RUN);
    if (chdir(folder) != 0) return fail("cannot enter", folder, CANNOT_RUN);
    if (strcmp(kind, "script") != 0 && fcntl(FILE_DESCRIPTOR, F_SETFD, FD_CLOEXEC) != 0) {
        return fail("cannot run", name, CANNOT_RUN);
    }
    // A file that was written just now is busy while some child still has a copy of its writer's descriptor.
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        syscall(SYS_execveat, FILE_DESCRIPTOR, "", &argv[4], environment, AT_EMPTY_PATH);
        if (errno != ETXTBSY) break;
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
        errno = ETXTBSY;
    }
    // The file itself is there, for it is open: what is missing is what is to interpret or load it.
    if (errno == ENOENT) return fail("cannot find the interpreter of", name, NOT_FOUND);
    return fail("cannot run", name, CANNOT_RUN);
}

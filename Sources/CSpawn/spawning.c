// Starts a program by the descriptor of its file, which posix_spawn(3) cannot: what was checked is what runs.
//
// The child does system calls only, for it may share the agent's memory (vfork(2)) and all locks in it are as they were.

#define _GNU_SOURCE
#include "spawning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

// On 32-bit machines the calls without a number have identities of 16 bits.
#ifdef SYS_setresuid32
enum { SETGROUPS = SYS_setgroups32, SETRESGID = SYS_setresgid32, SETRESUID = SYS_setresuid32 };
#else
enum { SETGROUPS = SYS_setgroups, SETRESGID = SYS_setresgid, SETRESUID = SYS_setresuid };
#endif

enum { FILE_DESCRIPTOR = 3, REPORT_DESCRIPTOR = 4, LAST_SIGNAL = 64, MOST_ATTEMPTS = 25, ATTEMPT_PAUSE = 20 * 1000 * 1000 };

struct failure {
    enum reachagent_step step;
    int number;
};

static _Noreturn void fail_to(int report, enum reachagent_step step) {
    struct failure failure = {step, errno};
    // The pipe is empty, and takes this at once.
    ssize_t written = write(report, &failure, sizeof failure);
    _exit(written == sizeof failure ? 127 : 126);
}

// glibc's functions would change the identity of every thread of the agent's, which the child seems to be one of.
static int become(const struct reachagent_account *account) {
    // The user last: it takes the right to change the rest away.
    if (syscall(SETGROUPS, account->group_count, account->groups) != 0) return -1;
    if (syscall(SETRESGID, account->group, account->group, account->group) != 0) return -1;
    return (int)syscall(SETRESUID, account->user, account->user, account->user);
}

// A service may have capabilities without being root, such as those to become another user; they are the agent's, not a
// program's that it starts. Linux before 4.3 has none that would be inherited.
static int drop_ambient_capabilities(void) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L) == 0 || errno == EINVAL) return 0;
    return -1;
}

// The kernel's entry of a directory (getdents64(2)); opendir(3) allocates.
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

// The number that a name in /proc/self/fd is; -1 for `.` and `..`.
static int descriptor_of(const char *name) {
    int number = 0;
    do {
        if (*name < '0' || *name > '9' || number > (INT_MAX - 9) / 10) return -1;
        number = number * 10 + (*name - '0');
        name += 1;
    } while (*name != 0);
    return number;
}

// Not up to the limit of open files: it may be a billion, and lower than the number of a descriptor opened before it was.
static int close_listed(void) {
    _Alignas(struct entry) char room[4096];
    int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return -1;
    for (;;) {
        long count = syscall(SYS_getdents64, directory, room, sizeof room);
        if (count <= 0) {
            close(directory);
            return (int)count;
        }
        for (long offset = 0; offset < count;) {
            const struct entry *entry = (const struct entry *)(room + offset);
            int descriptor = descriptor_of(entry->name);
            if (descriptor > REPORT_DESCRIPTOR && descriptor != directory) close(descriptor);
            offset += entry->length;
        }
    }
}

// Not all descriptors of the agent's are close-on-exec: those that accept(2) gives to NIO are not. And the directory of the
// program may hang: a copy that is open until then would keep connections and ports that the agent has closed.
static int close_others(void) {
    if (syscall(SYS_close_range, REPORT_DESCRIPTOR + 1, ~0U, 0U) == 0) return 0;
    // Linux before 5.9, or a filter of system calls that does not know it.
    return close_listed();
}

static _Noreturn void fail(enum reachagent_step step) { fail_to(REPORT_DESCRIPTOR, step); }

static _Noreturn void become_program(const struct reachagent_program *program, int report) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    setsid();
    // Not by clone3(2), which does that without a grace period of the kernel's: a service that may make no namespaces may
    // not call it.
    if (program->group >= 0 && write(program->group, "0", 1) != 1) fail_to(report, reachagent_step_group);
    for (int signal = 1; signal <= LAST_SIGNAL; signal += 1) (void)sigaction(signal, &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(program->input, STDIN_FILENO) < 0 || dup2(program->output, STDOUT_FILENO) < 0
        || dup2(program->output, STDERR_FILENO) < 0 || dup2(program->file, FILE_DESCRIPTOR) < 0
        || (report != REPORT_DESCRIPTOR && dup3(report, REPORT_DESCRIPTOR, O_CLOEXEC) < 0)) {
        fail_to(report, reachagent_step_descriptors);
    }
    if (!program->is_script) (void)fcntl(FILE_DESCRIPTOR, F_SETFD, FD_CLOEXEC);
    if (close_others() != 0) fail(reachagent_step_descriptors);
    if (program->account != NULL && become(program->account) != 0) fail(reachagent_step_account);
    if (drop_ambient_capabilities() != 0) fail(reachagent_step_program);
    if (chdir(program->directory) != 0) fail(reachagent_step_directory);
    syscall(SYS_execveat, FILE_DESCRIPTOR, "", program->arguments, program->environment, AT_EMPTY_PATH);
    fail(reachagent_step_program);
}

static int attempt(const struct reachagent_program *program, pid_t *number, enum reachagent_step *step) {
    struct failure failure = {reachagent_step_process, 0};
    sigset_t all, before;
    int ends[2];
    *step = reachagent_step_process;
    __atomic_store_n(number, 0, __ATOMIC_SEQ_CST);
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    int report = fcntl(ends[1], F_DUPFD_CLOEXEC, FILE_DESCRIPTOR + 1);
    failure.number = errno;
    close(ends[1]);
    if (report < 0) {
        close(ends[0]);
        return failure.number;
    }
    // A handler of the agent's must not run in the child.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // A child that shares the agent's memory may not change its user: the kernel would take the agent for a program that
    // has, and keep its own files in /proc from it.
    pid_t child = program->account == NULL ? vfork() : fork();
    if (child == 0) {
        // By vfork(2) this is the agent's own memory, and its thread returns only when the program has begun.
        __atomic_store_n(number, (pid_t)syscall(SYS_getpid), __ATOMIC_SEQ_CST);
        become_program(program, report);
    }
    failure.number = errno;
    if (child > 0) __atomic_store_n(number, child, __ATOMIC_SEQ_CST);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report);
    if (child < 0) {
        close(ends[0]);
        return failure.number;
    }
    ssize_t count;
    do count = read(ends[0], &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    close(ends[0]);
    if (count == 0) return 0;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    if (count != sizeof failure) return EIO;
    *step = failure.step;
    return failure.number;
}

bool reachagent_is_marked(const char *path, const char *attribute) {
    char value = 0;
    return getxattr(path, attribute, &value, sizeof value) == 1 && value == '1';
}

void reachagent_adopt_orphans(void) { (void)prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L); }

pid_t reachagent_process(const pid_t *number) { return __atomic_load_n(number, __ATOMIC_SEQ_CST); }

int reachagent_spawn(const struct reachagent_program *program, pid_t *number, enum reachagent_step *step) {
    // A file that was written just now is busy while some child still has a copy of its writer's descriptor.
    for (int count = 1;; count += 1) {
        int result = attempt(program, number, step);
        if (result != ETXTBSY || count == MOST_ATTEMPTS) return result;
        nanosleep(&(struct timespec){.tv_nsec = ATTEMPT_PAUSE}, NULL);
    }
}

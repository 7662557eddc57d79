#define _GNU_SOURCE 1
#include "ctestbed.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int testbed_unshare_network(bool in_user_namespace) {
    return unshare(CLONE_NEWNET | (in_user_namespace ? CLONE_NEWUSER : 0)) < 0 ? errno : 0;
}

int testbed_hide_host(void) {
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
        || mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0
        || mount("none", "/sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0) {
        return errno;
    }
    return 0;
}

int testbed_enter_network(int fd) { return setns(fd, CLONE_NEWNET) < 0 ? errno : 0; }

// In the child: makes `target` a copy of `source`, or of /dev/null.
static void redirect(int source, int target) {
    int fd = source >= 0 ? source : open("/dev/null", O_RDWR);
    if (fd == target) {
        fcntl(fd, F_SETFD, 0);
    } else {
        dup2(fd, target);
    }
}

pid_t testbed_spawn(const char *path, char *const arguments[], int input, int output, int error) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0) {
        return child;
    }
    // Only async-signal-safe calls from here on: the parent has other threads.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    redirect(input, STDIN_FILENO);
    redirect(output, STDOUT_FILENO);
    redirect(error, STDERR_FILENO);
    execv(path, arguments);
    _exit(127);
}

int testbed_open_route_socket(uint32_t groups) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) {
        return -1;
    }
    // Whoever reads looks up now and then whether it still has to.
    struct timeval timeout = { .tv_sec = 5 };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    struct sockaddr_nl local;
    memset(&local, 0, sizeof local);
    local.nl_family = AF_NETLINK;
    local.nl_groups = groups;
    if (bind(fd, (struct sockaddr *)&local, sizeof local) < 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

static bool fill_address(struct sockaddr_un *address, const char *path) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(address->sun_path, path);
    return true;
}

static int close_failed(int fd) {
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

int testbed_connect(const char *path) {
    struct sockaddr_un address;
    int fd = fill_address(&address, path) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        return close_failed(fd);
    }
    return fd;
}

int testbed_listen(const char *path) {
    struct sockaddr_un address;
    int fd = fill_address(&address, path) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, SOMAXCONN) < 0)) {
        return close_failed(fd);
    }
    return fd;
}

int testbed_bind_datagram(const char *path) {
    struct sockaddr_un address;
    int fd = fill_address(&address, path) ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        return close_failed(fd);
    }
    return fd;
}

int testbed_epoll_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int testbed_epoll_add(int epoll, int fd, uint32_t token) {
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = token };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? errno : 0;
}

int testbed_epoll_wait(int epoll, uint32_t *tokens, int capacity, int milliseconds) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, capacity < 256 ? capacity : 256, milliseconds);
    for (int i = 0; i < count; i++) {
        tokens[i] = events[i].data.u32;
    }
    return count;
}

int testbed_pin(int first, int count) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < count; i++) {
        CPU_SET(first + i, &set);
    }
    return sched_setaffinity(0, sizeof set, &set) < 0 ? errno : 0;
}

int testbed_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return errno;
    }
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? errno : 0;
}

void testbed_sleep_until(uint64_t nanoseconds) {
    struct timespec time = { .tv_sec = nanoseconds / 1000000000u, .tv_nsec = nanoseconds % 1000000000u };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

int testbed_open_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? errno : 0; }

bool testbed_contains(const void *bytes, size_t size, const char *text, size_t length) {
    return memmem(bytes, size, text, length) != NULL;
}

ssize_t testbed_find(const void *bytes, size_t size, const char *text, size_t length) {
    const char *found = memmem(bytes, size, text, length);
    return found != NULL ? found - (const char *)bytes : -1;
}

static uint64_t read_clock(clockid_t clock) {
    struct timespec time = { 0 };
    if (clock_gettime(clock, &time) < 0) {
        return 0;
    }
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t testbed_now(void) { return read_clock(CLOCK_MONOTONIC); }

uint64_t testbed_cpu_time(pid_t process) {
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 ? read_clock(clock) : 0;
}

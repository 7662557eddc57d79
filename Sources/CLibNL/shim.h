// libnl-3 and libnl-route-3, and the few things of the kernel's that Swift's importer leaves out:
// function-like macros, anonymous enums, ancillary structures. Nothing here has state or policy.
#ifndef REACHAGENT_CLIBNL_SHIM_H
#define REACHAGENT_CLIBNL_SHIM_H

// No feature macro is defined here: Swift's Glibc module is made without any, and types that both modules see must be
// the same in both.

// glibc's own headers first: the kernel's then leave out what both define (linux/libc-compat.h).
#include <net/if.h>
#include <netinet/in.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/fib_rules.h>
#include <linux/filter.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/neighbour.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>

#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <netlink/route/link.h>

// What one recvmsg(2) on a netlink socket told, besides the bytes.
struct clibnl_datagram {
    ssize_t length;         // bytes in the buffer, or -1 with `error` set
    int error;              // errno
    uint32_t sender_port;   // nl_pid of the sender; 0 is the kernel
    bool truncated;         // the datagram was longer than the buffer
    bool sender_is_netlink; // a sender address of the netlink family was given
};

// Reads one datagram without blocking, in one system call: no MSG_PEEK, no allocation.
static inline struct clibnl_datagram clibnl_receive(int fd, void *buffer, size_t capacity) {
    struct sockaddr_nl sender;
    memset(&sender, 0, sizeof sender);
    struct iovec io = { .iov_base = buffer, .iov_len = capacity };
    struct msghdr header;
    memset(&header, 0, sizeof header);
    header.msg_name = &sender;
    header.msg_namelen = sizeof sender;
    header.msg_iov = &io;
    header.msg_iovlen = 1;
    struct clibnl_datagram result;
    memset(&result, 0, sizeof result);
    do {
        result.length = recvmsg(fd, &header, MSG_DONTWAIT);
    } while (result.length < 0 && errno == EINTR);
    if (result.length < 0) {
        result.error = errno;
        return result;
    }
    result.sender_is_netlink = header.msg_namelen >= sizeof sender && sender.nl_family == AF_NETLINK;
    result.sender_port = sender.nl_pid;
    result.truncated = (header.msg_flags & MSG_TRUNC) != 0;
    return result;
}

// A NETLINK_ROUTE socket whose port id the kernel has chosen; -1 with errno.
static inline int clibnl_open_route_socket(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) {
        return -1;
    }
    struct sockaddr_nl local;
    memset(&local, 0, sizeof local);
    local.nl_family = AF_NETLINK;
    if (bind(fd, (struct sockaddr *)&local, sizeof local) < 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

// An eventfd(2) that never blocks and is not inherited; -1 with errno.
static inline int clibnl_open_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Makes an eventfd readable, and unreadable again.
static inline void clibnl_signal_eventfd(int fd) { eventfd_write(fd, 1); }
static inline void clibnl_reset_eventfd(int fd) {
    eventfd_t value;
    eventfd_read(fd, &value);
}

// Keeps a signal from the calling thread and those that it starts later; it waits until somebody reads or allows it.
static inline void clibnl_hold_signal(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// Takes four signals away from the process and makes them readable instead; -1 with errno. To be called before any other
// thread is started, because threads inherit what is blocked.
static inline int clibnl_open_signalfd(int first, int second, int third, int fourth) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first);
    sigaddset(&set, second);
    sigaddset(&set, third);
    sigaddset(&set, fourth);
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The number of the next signal, or 0 when there is none.
static inline int clibnl_next_signal(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

// Lets the calling thread, and so the process, be ended by a signal that clibnl_open_signalfd took away.
static inline void clibnl_give_back_signals(int first, int second) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first);
    sigaddset(&set, second);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// A timerfd(2) of the monotonic clock that never blocks and is not inherited; -1 with errno.
static inline int clibnl_open_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

// Makes a timerfd readable once, so many milliseconds from now; 0 stops it.
static inline void clibnl_set_timerfd(int fd, long milliseconds) {
    struct itimerspec timer = {
        .it_value = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000 },
    };
    timerfd_settime(fd, 0, &timer, NULL);
}

// Whether a timerfd has run down since the last call.
static inline bool clibnl_has_expired(int fd) {
    uint64_t expirations;
    return read(fd, &expirations, sizeof expirations) == sizeof expirations;
}

// A timerfd(2) that is never due, and becomes readable when the clock of the day is set, which resuming from suspend does
// too; -1 with errno. Nothing wakes up for it otherwise.
static inline int clibnl_open_clock_watch(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

// Makes a clock watch wait for the next setting of the clock; 0 or errno.
static inline int clibnl_arm_clock_watch(int fd) {
    // As far away as the kernel can count: it limits what is farther.
    struct itimerspec timer = { .it_value = { .tv_sec = sizeof(time_t) == 8 ? (time_t)INT64_MAX : (time_t)INT32_MAX } };
    for (int attempt = 0; attempt < 8; attempt++) {
        if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &timer, NULL) == 0) {
            return 0;
        }
        // The clock was set once more since it was looked at.
        if (errno != ECANCELED) {
            return errno;
        }
    }
    return 0;
}

// Whether the kernel believes that a time server keeps the clock of the day right.
static inline bool clibnl_clock_is_synchronized(void) {
    struct timex timex = { .modes = 0 };
    return adjtimex(&timex) >= 0 && !(timex.status & STA_UNSYNC);
}

// Whether the clock was set since the watch was armed.
static inline bool clibnl_clock_was_set(int fd) {
    uint64_t expirations;
    return read(fd, &expirations, sizeof expirations) < 0 && errno == ECANCELED;
}

// pwritev2(2) with RWF_NOWAIT at the current position: writes what fits without ever blocking. EOPNOTSUPP where the kind
// of file cannot promise that (pipes before Linux 6.4, terminals). glibc declares it only with _GNU_SOURCE.
extern ssize_t pwritev2(int, const struct iovec *, int, off_t, int);
static inline ssize_t clibnl_write_without_waiting(int fd, const void *bytes, size_t length) {
    struct iovec io = { .iov_base = (void *)bytes, .iov_len = length };
    return pwritev2(fd, &io, 1, -1, 0x8 /* RWF_NOWAIT, linux/fs.h */);
}

// Names the calling thread for ps(1) and top(1); at most 15 bytes count.
static inline void clibnl_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// Replaces the socket's filter in one step; 0 or errno.
static inline int clibnl_attach_filter(int fd, const struct sock_filter *program, uint16_t length) {
    struct sock_fprog filter = { .len = length, .filter = (struct sock_filter *)program };
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) < 0 ? errno : 0;
}

// How many datagrams the kernel has dropped on this socket since it was opened (sock_diag's SK_MEMINFO_DROPS).
static inline bool clibnl_drops(int fd, uint32_t *drops) {
    uint32_t info[SK_MEMINFO_VARS];
    memset(info, 0, sizeof info);
    socklen_t length = sizeof info;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length) < 0
        || length < (SK_MEMINFO_DROPS + 1) * sizeof info[0]) {
        return false;
    }
    *drops = info[SK_MEMINFO_DROPS];
    return true;
}

// BPF's view of a packet that is a netlink message: the offset of an attribute, found by type (linux/filter.h).
static const uint32_t CLIBNL_BPF_ATTRIBUTE_OFFSET = (uint32_t)(SKF_AD_OFF + SKF_AD_NLATTR);

// linux/if.h cannot be included beside net/if.h, so the one flag and the states that glibc lacks are spelled here.
enum {
    CLIBNL_IFF_LOWER_UP = 1 << 16,
    CLIBNL_IFF_DORMANT = 1 << 17,
};

#endif

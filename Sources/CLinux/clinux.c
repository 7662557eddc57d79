#define _GNU_SOURCE
#include "clinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <locale.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static int argument_count;
static char **arguments;

// glibc calls constructors with the arguments of main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

const char *clinux_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

static locale_t utf8_locale;

static void open_utf8_locale(void) { utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL); }

int clinux_character_width(uint32_t scalar) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_utf8_locale);
    if (utf8_locale == (locale_t)0) return -1;
    locale_t former = uselocale(utf8_locale);
    int width = wcwidth((wchar_t)scalar);
    uselocale(former);
    return width;
}

void clinux_limit_freed_memory(int bytes) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, bytes);
    mallopt(M_MMAP_THRESHOLD, bytes);
}

void clinux_release_freed_memory(void) { malloc_trim(0); }

int clinux_open_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void clinux_signal_eventfd(int fd) { eventfd_write(fd, 1); }
void clinux_reset_eventfd(int fd) {
    eventfd_t value;
    eventfd_read(fd, &value);
}

int clinux_open_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_watch(int epoll, int fd) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

void clinux_hold_signal(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int clinux_open_signalfd(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int clinux_next_signal(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void clinux_give_back_signals(int first, int second) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first);
    sigaddset(&set, second);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int clinux_open_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

void clinux_set_timerfd(int fd, long milliseconds) {
    struct timespec time = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000 };
    struct itimerspec timer = { .it_value = time, .it_interval = time };
    timerfd_settime(fd, 0, &timer, NULL);
}

bool clinux_has_expired(int fd) {
    uint64_t expirations;
    return read(fd, &expirations, sizeof expirations) == sizeof expirations;
}

int clinux_open_clock_watch(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_arm_clock_watch(int fd) {
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

bool clinux_clock_is_synchronized(void) {
    struct timex timex = { .modes = 0 };
    return adjtimex(&timex) >= 0 && !(timex.status & STA_UNSYNC);
}

bool clinux_clock_was_set(int fd) {
    uint64_t expirations;
    return read(fd, &expirations, sizeof expirations) < 0 && errno == ECANCELED;
}

int clinux_make_directory_as(const char *path, unsigned mode, unsigned user, unsigned group) {
    gid_t own_group = (gid_t)setfsgid(group);
    uid_t own_user = (uid_t)setfsuid(user);
    int result = mkdir(path, mode);
    int error = errno;
    setfsuid(own_user);
    setfsgid(own_group);
    errno = error;
    return result;
}

long clinux_write_without_waiting(int fd, const void *bytes, size_t length) {
    struct iovec io = { .iov_base = (void *)bytes, .iov_len = length };
    return pwritev2(fd, &io, 1, -1, RWF_NOWAIT);
}

static struct flock byte_lock(short type, int byte) {
    return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
}

bool clinux_lock_byte(int fd, int byte) {
    struct flock lock = byte_lock(F_RDLCK, byte);
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

void clinux_unlock_byte(int fd, int byte) {
    struct flock lock = byte_lock(F_UNLCK, byte);
    fcntl(fd, F_OFD_SETLK, &lock);
}

bool clinux_is_byte_locked(int fd, int byte) {
    // A write lock conflicts with every other one, and is only tested: a descriptor for reading is enough.
    struct flock lock = byte_lock(F_WRLCK, byte);
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// Puts an address and its port into a socket's identity; false for a family that is not IP.
static bool put_address(const struct sockaddr_storage *address, __be32 *place, __be16 *port) {
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)address;
        memcpy(place, &ipv4->sin_addr, sizeof ipv4->sin_addr);
        *port = ipv4->sin_port;
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;
        memcpy(place, &ipv6->sin6_addr, sizeof ipv6->sin6_addr);
        *port = ipv6->sin6_port;
    } else {
        return false;
    }
    return true;
}

// Gives an IPv4 address the form that it has at a socket of IPv6 (RFC 4291, section 2.5.5.2).
static void map_address(__be32 *place) {
    place[3] = place[0];
    place[2] = htonl(0xffff);
    place[1] = place[0] = 0;
}

// Asks for one socket and reads the answer, which the kernel has queued when sendto(2) returns.
static bool find_socket(int netlink, const struct inet_diag_req_v2 *wanted, struct inet_diag_msg *found) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } message = {
        .header = { .nlmsg_len = sizeof message, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST },
        .request = *wanted,
    };
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    if (sendto(netlink, &message, sizeof message, MSG_DONTWAIT, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
        return false;
    }
    _Alignas(struct nlmsghdr) char answer[4096];
    ssize_t length = recv(netlink, answer, sizeof answer, MSG_DONTWAIT);
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    if (length < 0 || !NLMSG_OK(header, (size_t)length) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY
        || header->nlmsg_len < NLMSG_LENGTH(sizeof *found)) {
        return false;
    }
    memcpy(found, NLMSG_DATA(header), sizeof *found);
    return true;
}

long clinux_tcp_peer_user(int fd) {
    struct sockaddr_storage own, peer;
    socklen_t own_length = sizeof own, peer_length = sizeof peer;
    if (getsockname(fd, (struct sockaddr *)&own, &own_length) != 0
        || getpeername(fd, (struct sockaddr *)&peer, &peer_length) != 0 || own.ss_family != peer.ss_family) {
        return -1;
    }
    struct inet_diag_req_v2 wanted = {
        .sdiag_family = (unsigned char)peer.ss_family,
        .sdiag_protocol = IPPROTO_TCP,
        .idiag_states = UINT32_MAX,
        .id = { .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
    };
    // The other end's own address is our peer.
    if (!put_address(&peer, wanted.id.idiag_src, &wanted.id.idiag_sport)
        || !put_address(&own, wanted.id.idiag_dst, &wanted.id.idiag_dport)) {
        return -1;
    }
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    if (netlink < 0) {
        return -1;
    }
    struct inet_diag_msg found;
    bool is_found = find_socket(netlink, &wanted, &found);
    close(netlink);
    // The peer's socket may be one of IPv6, also where its packets are of IPv4.
    if (is_found && found.idiag_family == AF_INET6 && wanted.sdiag_family == AF_INET) {
        map_address(wanted.id.idiag_src);
        map_address(wanted.id.idiag_dst);
    }
    // Without a connected socket the kernel answers with one that listens on that port; and a socket that its process has
    // closed has no inode, and the user 0.
    if (!is_found || found.idiag_inode == 0 || found.id.idiag_sport != wanted.id.idiag_sport
        || found.id.idiag_dport != wanted.id.idiag_dport
        || memcmp(found.id.idiag_src, wanted.id.idiag_src, sizeof found.id.idiag_src) != 0
        || memcmp(found.id.idiag_dst, wanted.id.idiag_dst, sizeof found.id.idiag_dst) != 0) {
        return -1;
    }
    return found.idiag_uid;
}

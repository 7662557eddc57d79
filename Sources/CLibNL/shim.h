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
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
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

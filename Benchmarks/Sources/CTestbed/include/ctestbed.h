// What the benchmark needs of the kernel and glibc that Swift does not import, or imports badly: namespaces, a child that
// dies with its parent, CPUs, epoll, and netlink's structures. No policy.
#ifndef REACHAGENT_CTESTBED_H
#define REACHAGENT_CTESTBED_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

// Moves the calling thread into a fresh network namespace, with a fresh user namespace around it when `in_user_namespace`
// (the process must have one thread then). 0 or errno.
int testbed_unshare_network(bool in_user_namespace);

// Moves the calling thread into a fresh mount namespace, from which nothing propagates back, with an empty /run and a
// /sys that cannot be written, so that daemons started from here meet neither the host's bus nor udev. 0 or errno.
int testbed_hide_host(void);

// Moves the calling thread into the network namespace behind `fd`. 0 or errno.
int testbed_enter_network(int fd);

// Starts a program that is killed when the calling thread ends. A descriptor of -1 stands for /dev/null.
// Returns the process id, or -1 with errno. A program that cannot be executed ends with status 127.
pid_t testbed_spawn(const char *path, char *const arguments[], int input, int output, int error);

// A NETLINK_ROUTE socket in the calling thread's network namespace that has joined `groups` (a bit mask, RTMGRP_…);
// reading from it gives up after five seconds. The descriptor, or -1 with errno.
int testbed_open_route_socket(uint32_t groups);

// A pipe that children do not inherit: ends[0] is read, ends[1] written. 0 or errno.
int testbed_open_pipe(int ends[2]);

// A Unix stream socket that is connected to a path. The descriptor, or -1 with errno.
int testbed_connect(const char *path);

// A Unix stream socket that listens at a path. The descriptor, or -1 with errno.
int testbed_listen(const char *path);

// A Unix datagram socket at a path. The descriptor, or -1 with errno.
int testbed_bind_datagram(const char *path);

// An epoll instance. The descriptor, or -1 with errno.
int testbed_epoll_open(void);

// Watches a descriptor for input; `token` stands for it. 0 or errno.
int testbed_epoll_add(int epoll, int fd, uint32_t token);

// Waits for input, and stores the tokens of at most 256 descriptors. Their count, or -1 with errno.
int testbed_epoll_wait(int epoll, uint32_t *tokens, int capacity, int milliseconds);

// Lets the calling thread, and what it starts later, run on `count` CPUs from `first` on. 0 or errno.
int testbed_pin(int first, int count);

// Lets the process have as many open files as it may. 0 or errno.
int testbed_raise_file_limit(void);

// Sleeps until a moment of CLOCK_MONOTONIC.
void testbed_sleep_until(uint64_t nanoseconds);

// Whether `size` bytes contain a text.
bool testbed_contains(const void *bytes, size_t size, const char *text, size_t length);

// Where `size` bytes contain a text; -1 where they do not.
ssize_t testbed_find(const void *bytes, size_t size, const char *text, size_t length);

// The CPU time of a process and all its threads, also those that have ended, in nanoseconds; 0 when it has gone.
uint64_t testbed_cpu_time(pid_t process);

// CLOCK_MONOTONIC in nanoseconds.
uint64_t testbed_now(void);

#endif

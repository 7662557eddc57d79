// What LinuxSupport needs of the C library that Swift's importer leaves out: descriptors of signals, timers and wake-ups, and
// calls with variable arguments. Nothing here has state or policy.
//
// No header of the system's that declares a structure is included here: Swift would take the members of timespec and its
// like for this module's or for Glibc's, depending on the order in which it compiles.
#ifndef REACHAGENT_CLINUX_H
#define REACHAGENT_CLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An eventfd(2) that never blocks and is not inherited; -1 with errno.
int clinux_open_eventfd(void);

// Makes an eventfd readable, and unreadable again.
void clinux_signal_eventfd(int fd);
void clinux_reset_eventfd(int fd);

// Keeps a signal from the calling thread and those that it starts later; it waits until it is read or unblocked.
void clinux_hold_signal(int signal);

// Takes five signals away from the process and makes them readable instead; -1 with errno. To be called before any other
// thread is started, because threads inherit what is blocked.
int clinux_open_signalfd(int first, int second, int third, int fourth, int fifth);

// The number of the next signal, or 0 when there is none.
int clinux_next_signal(int fd);

// Lets the calling thread, and so the process, be ended by a signal that clinux_open_signalfd took away.
void clinux_give_back_signals(int first, int second);

// A timerfd(2) of the monotonic clock that never blocks and is not inherited; -1 with errno.
int clinux_open_timerfd(void);

// Makes a timerfd readable once, so many milliseconds from now; 0 stops it.
void clinux_set_timerfd(int fd, long milliseconds);

// Whether a timerfd has run down since the last call.
bool clinux_has_expired(int fd);

// A timerfd(2) that is never due, and becomes readable when the clock of the day is set, which resuming from suspend does
// too; -1 with errno. Nothing wakes up for it otherwise.
int clinux_open_clock_watch(void);

// Makes a clock watch wait for the next setting of the clock; 0 or errno.
int clinux_arm_clock_watch(int fd);

// Whether the kernel believes that a time server keeps the clock of the day right.
bool clinux_clock_is_synchronized(void);

// Whether the clock was set since the watch was armed.
bool clinux_clock_was_set(int fd);

// pwritev2(2) with RWF_NOWAIT at the current position: writes what fits without ever blocking. EOPNOTSUPP where the kind
// of file cannot promise that (pipes before Linux 6.4, terminals).
long clinux_write_without_waiting(int fd, const void *bytes, size_t length);

// Names the calling thread for ps(1) and top(1); at most 15 bytes count.
void clinux_name_thread(const char *name);

// The columns of a character on a terminal by wcwidth(3) in a locale of UTF-8, whatever the process's own locale is; -1 for a
// character that the C library does not know, or without such a locale.
int clinux_character_width(uint32_t scalar);

// The user of the other end of a TCP connection that begins and ends on this machine, as the kernel's table of sockets has
// it (sock_diag(7), without a capability and without waiting); -1 when there is none, or its process has closed it.
long clinux_tcp_peer_user(int fd);

#endif

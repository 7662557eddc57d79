// The functions of the C library that LinuxSupport needs and Swift cannot import: file descriptors for signals, timers
// and wake-ups, variadic functions, and the arguments of the process. Nothing here has policy.
//
// No system header that declares a structure is included here: Swift would attribute the members of timespec and
// similar structures to this module or to Glibc, depending on the order of compilation.
#ifndef REACHAGENT_CLINUX_H
#define REACHAGENT_CLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns an argument of the process, of which the first is its name; NULL beyond the last. No file is read for it.
const char *clinux_argument(int index);

// Opens a non-blocking, close-on-exec eventfd(2); -1 with errno.
int clinux_open_eventfd(void);

// Make an eventfd readable, and reset it.
void clinux_signal_eventfd(int fd);
void clinux_reset_eventfd(int fd);

// Opens a close-on-exec epoll(7) that watches nothing; -1 with errno.
int clinux_open_epoll(void);

// Lets an epoll watch a descriptor for reading; 0 or errno.
int clinux_watch(int epoll, int fd);

// Blocks a signal in the calling thread and the threads that it starts later; the signal stays pending.
void clinux_hold_signal(int signal);

// Blocks signals and opens a signalfd(2) for them; -1 with errno. It must be called before other threads are started,
// because threads inherit the signal mask.
int clinux_open_signalfd(const int *signals, size_t count);

// Reads the number of the next signal, or returns 0 if none is pending.
int clinux_next_signal(int fd);

// Unblocks two of those signals in the calling thread, so that they can end the process again.
void clinux_give_back_signals(int first, int second);

// Opens a non-blocking, close-on-exec timerfd(2) of the monotonic clock; -1 with errno.
int clinux_open_timerfd(void);

// Arms a timerfd, which expires each time that this number of milliseconds has passed; 0 disarms it.
void clinux_set_timerfd(int fd, long milliseconds);

// Returns whether a timerfd has expired since the last call.
bool clinux_has_expired(int fd);

// Opens a timerfd(2) that never expires and becomes readable when the realtime clock is set, also on resume from
// suspend; -1 with errno. It causes no other wake-ups.
int clinux_open_clock_watch(void);

// Rearms a clock watch for the next change of the clock; 0 or errno.
int clinux_arm_clock_watch(int fd);

// Returns whether the kernel considers the realtime clock synchronized.
bool clinux_clock_is_synchronized(void);

// Returns whether the clock was set since the watch was armed.
bool clinux_clock_was_set(int fd);

// mkdir(2) as another user (setfsuid(2)), whose the directory is; of the calling thread alone. -1 with errno.
int clinux_make_directory_as(const char *path, unsigned mode, unsigned user, unsigned group);

// pwritev2(2) with RWF_NOWAIT at the current position: writes what fits without ever blocking. EOPNOTSUPP where the
// type of file does not support that (pipes before Linux 6.4, terminals).
long clinux_write_without_waiting(int fd, const void *bytes, size_t length);

// Takes, releases and tests a read lock on one byte of an open file or directory (fcntl(2), F_OFD_SETLK). It belongs to
// the open file, not to the process; a test takes nothing, and finds the lock of any other open file.
bool clinux_lock_byte(int fd, int byte);
void clinux_unlock_byte(int fd, int byte);
bool clinux_is_byte_locked(int fd, int byte);

// Sets the name of the calling thread, which ps(1) and top(1) show, of at most 15 bytes.
void clinux_name_thread(const char *name);

// Returns the columns of a character by wcwidth(3) in a UTF-8 locale, independent of the locale of the process; -1 for
// an unknown character, or without such a locale.
int clinux_character_width(uint32_t scalar);

// Leaves one heap to all threads, and fixes the sizes in bytes from which it returns freed memory to the kernel: free bytes
// at its end, and one block (mallopt(3), M_ARENA_MAX, M_TRIM_THRESHOLD and M_MMAP_THRESHOLD).
void clinux_limit_freed_memory(int bytes);

// Returns all whole free pages of the heap to the kernel (malloc_trim(3)).
void clinux_release_freed_memory(void);

// Returns the UID of the peer of a local TCP connection, from the kernel's socket table (sock_diag(7), without a
// capability and without blocking); -1 if there is none, or its process has closed the socket.
long clinux_tcp_peer_user(int fd);

#endif

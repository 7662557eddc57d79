#define _GNU_SOURCE
#include "descriptor_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_feature(thread_sanitizer)

bool reachagent_checks_descriptors(void) { return false; }

#else

bool reachagent_checks_descriptors(void) { return true; }

// Closes a descriptor as close(2), and ends the tests if it is not open. Whoever closes one twice closes, on a busy machine, what
// another thread has opened in between: the test that fails then has nothing to do with it, and nobody finds the reason.
int close(int descriptor) {
    int result = (int)syscall(SYS_close, descriptor);
    if (result != 0 && errno == EBADF && descriptor >= 0) {
        dprintf(STDERR_FILENO, "error: close(%d) of a descriptor that is not open\n", descriptor);
        abort();
    }
    return result;
}

#endif

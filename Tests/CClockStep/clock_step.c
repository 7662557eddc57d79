#define _GNU_SOURCE
#include "clock_step.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#if __has_feature(thread_sanitizer)

bool reachagent_can_set_clock_back(void) { return false; }

void reachagent_set_clock_back(long seconds) { (void)seconds; }

#else

static atomic_long seconds_back;

bool reachagent_can_set_clock_back(void) { return true; }

void reachagent_set_clock_back(long seconds) { atomic_store(&seconds_back, seconds); }

// Waits as sem_timedwait(3), by which libdispatch's semaphores wait. No test can set the clock, which is that of the machine.
int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
    struct timespec later = *deadline;
    later.tv_sec += atomic_load(&seconds_back);
    return sem_clockwait(semaphore, CLOCK_REALTIME, &later);
}

#endif

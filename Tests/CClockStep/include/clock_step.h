#include <stdbool.h>

/// True if waits can be made longer: not with ThreadSanitizer, which has a sem_timedwait(3) of its own.
bool reachagent_can_set_clock_back(void);

/// Makes each later wait until a moment of the wall clock longer by so many seconds, as if that clock were set back as soon as the
/// wait has begun; for exit tests, because it concerns the whole process.
void reachagent_set_clock_back(long seconds);

#include <stdbool.h>

/// True if the program of the tests ends when a descriptor is closed twice: not with ThreadSanitizer, which has a close(2) of its
/// own, by which it knows who may use a descriptor.
bool reachagent_checks_descriptors(void);

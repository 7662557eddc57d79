#include <crypt.h>
#include <stddef.h>

// Swift leaves out structures with arrays of this size.
static inline size_t clibcrypt_scratch_size(void) { return sizeof(struct crypt_data); }

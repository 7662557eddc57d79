// PCRE2 asks for the width of a code unit before its header is read: 8 for UTF-8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <nats/nats.h>
// libnats signs with a user's seed, and wants the public key beside it.
#include <openssl/evp.h>

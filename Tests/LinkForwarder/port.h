// An end of the link: a packet socket on an interface.
#ifndef PORT_H
#define PORT_H

#include "frame.h"

/// Opens it; ends the program where that fails.
int open_port(const char *interface);

/// Reads all frames that have come, and hands each to `take`.
void read_port(int port, void (*take)(void *, struct frame *), void *context);

/// Sends a frame, and frees it.
void write_port(int port, struct frame *frame);

#endif

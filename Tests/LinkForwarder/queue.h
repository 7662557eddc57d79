// The queue before a bottleneck: a FIFO with a limit in bytes, or fq_codel (RFC 8290).
#ifndef QUEUE_H
#define QUEUE_H

#include "frame.h"

#include <stdbool.h>

enum { FLOWS = 1024 };

struct flow {
    struct frame_list frames;
    struct flow *next;
    size_t bytes;
    int64_t deficit;
    bool is_listed;
    // CoDel's state (RFC 8289).
    nanoseconds first_above, drop_next;
    uint32_t count, last_count;
    bool is_dropping;
};

struct flow_list {
    struct flow *first, *last;
};

struct queue {
    bool is_fair;
    size_t limit, bytes;
    uint64_t dropped;
    struct frame_list frames;
    struct flow flows[FLOWS];
    struct flow_list fresh, old;
};

/// Takes a frame, or drops it where the queue is full.
void enqueue(struct queue *queue, struct frame *frame, nanoseconds now);

/// The next frame to serve; NULL when there is none.
struct frame *dequeue(struct queue *queue, nanoseconds now);

#endif

// A frame of the link, with the kernel's offload header before it.
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef int64_t nanoseconds;
#define MILLISECOND ((nanoseconds)1000000)
#define SECOND (1000 * MILLISECOND)

struct frame {
    struct frame *next;
    /// When the frame came into the queue; later, when it leaves the link.
    nanoseconds time;
    /// Of the bytes, with the offload header.
    size_t size;
    /// What the frame has on the wire.
    size_t wire_size;
    uint8_t bytes[];
};

struct frame_list {
    struct frame *first, *last;
};

static inline void append(struct frame_list *list, struct frame *frame) {
    frame->next = NULL;
    if (list->last) list->last->next = frame;
    else list->first = frame;
    list->last = frame;
}

static inline struct frame *take_first(struct frame_list *list) {
    struct frame *frame = list->first;
    if (frame && !(list->first = frame->next)) list->last = NULL;
    return frame;
}

#endif

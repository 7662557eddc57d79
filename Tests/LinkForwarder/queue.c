#include "queue.h"

#include <math.h>
#include <string.h>

enum { QUANTUM = 1514, OFFLOAD_HEADER = 10, ETHERNET_HEADER = 14 };

static const nanoseconds TARGET = 5 * MILLISECOND, INTERVAL = 100 * MILLISECOND;

// MARK: - Flows

static uint32_t mix(uint32_t hash, const uint8_t *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) hash = (hash ^ bytes[index]) * 16777619U;
    return hash;
}

/// The flow of a frame by its addresses, its protocol and the ports of TCP and UDP.
static struct flow *flow_of(struct queue *queue, const struct frame *frame) {
    const uint8_t *packet = frame->bytes + OFFLOAD_HEADER + ETHERNET_HEADER;
    size_t size = frame->size - OFFLOAD_HEADER - ETHERNET_HEADER, ports = 0;
    uint8_t protocol = 0;
    uint32_t hash = 2166136261U;
    if (size >= 20 && packet[0] >> 4 == 4) {
        protocol = packet[9];
        ports = (size_t)(packet[0] & 15) * 4;
        hash = mix(hash, packet + 12, 8);
    } else if (size >= 40 && packet[0] >> 4 == 6) {
        protocol = packet[6];
        ports = 40;
        hash = mix(hash, packet + 8, 32);
    }
    hash = mix(hash, &protocol, 1);
    if ((protocol == 6 || protocol == 17) && ports + 4 <= size) hash = mix(hash, packet + ports, 4);
    return &queue->flows[hash % FLOWS];
}

static void list_append(struct flow_list *list, struct flow *flow) {
    flow->next = NULL;
    if (list->last) list->last->next = flow;
    else list->first = flow;
    list->last = flow;
}

static void list_remove_first(struct flow_list *list) {
    if (list->first && !(list->first = list->first->next)) list->last = NULL;
}

// MARK: - CoDel

static struct frame *take(struct queue *queue, struct flow *flow) {
    struct frame *frame = take_first(&flow->frames);
    if (frame) {
        flow->bytes -= frame->wire_size;
        queue->bytes -= frame->wire_size;
    }
    return frame;
}

static nanoseconds control_law(nanoseconds time, uint32_t count) {
    return time + (nanoseconds)((double)INTERVAL / sqrt(count));
}

/// Takes a frame, and finds whether the delay has been above the target for an interval.
static struct frame *take_judged(struct queue *queue, struct flow *flow, nanoseconds now, bool *is_late) {
    struct frame *frame = take(queue, flow);
    *is_late = false;
    if (!frame || now - frame->time < TARGET || flow->bytes <= QUANTUM) {
        flow->first_above = 0;
    } else if (!flow->first_above) {
        flow->first_above = now + INTERVAL;
    } else {
        *is_late = now >= flow->first_above;
    }
    return frame;
}

static void drop(struct queue *queue, struct frame *frame) {
    queue->dropped++;
    free(frame);
}

static struct frame *codel(struct queue *queue, struct flow *flow, nanoseconds now) {
    bool is_late;
    struct frame *frame = take_judged(queue, flow, now, &is_late);
    if (flow->is_dropping) {
        if (!is_late) flow->is_dropping = false;
        while (frame && flow->is_dropping && now >= flow->drop_next) {
            drop(queue, frame);
            flow->count++;
            frame = take_judged(queue, flow, now, &is_late);
            if (is_late) flow->drop_next = control_law(flow->drop_next, flow->count);
            else flow->is_dropping = false;
        }
    } else if (frame && is_late) {
        drop(queue, frame);
        frame = take_judged(queue, flow, now, &is_late);
        flow->is_dropping = true;
        uint32_t added = flow->count - flow->last_count;
        flow->count = added > 1 && now - flow->drop_next < 16 * INTERVAL ? added : 1;
        flow->last_count = flow->count;
        flow->drop_next = control_law(now, flow->count);
    }
    return frame;
}

// MARK: - The queue

static void make_room(struct queue *queue) {
    struct flow *fattest = &queue->flows[0];
    for (size_t index = 1; index < FLOWS; index++) {
        if (queue->flows[index].bytes > fattest->bytes) fattest = &queue->flows[index];
    }
    struct frame *frame = take(queue, fattest);
    if (frame) drop(queue, frame);
}

void enqueue(struct queue *queue, struct frame *frame, nanoseconds now) {
    frame->time = now;
    if (!queue->is_fair) {
        // A frame that is alone is always taken: a limit below its size would otherwise stop the link.
        if (queue->bytes && queue->bytes + frame->wire_size > queue->limit) {
            drop(queue, frame);
            return;
        }
        queue->bytes += frame->wire_size;
        append(&queue->frames, frame);
        return;
    }
    struct flow *flow = flow_of(queue, frame);
    append(&flow->frames, frame);
    flow->bytes += frame->wire_size;
    queue->bytes += frame->wire_size;
    if (!flow->is_listed) {
        flow->is_listed = true;
        flow->deficit = QUANTUM;
        list_append(&queue->fresh, flow);
    }
    while (queue->bytes > queue->limit && queue->bytes > frame->wire_size) make_room(queue);
}

struct frame *dequeue(struct queue *queue, nanoseconds now) {
    if (!queue->is_fair) {
        struct frame *frame = take_first(&queue->frames);
        if (frame) queue->bytes -= frame->wire_size;
        return frame;
    }
    for (;;) {
        struct flow_list *list = queue->fresh.first ? &queue->fresh : &queue->old;
        struct flow *flow = list->first;
        if (!flow) return NULL;
        if (flow->deficit <= 0) {
            flow->deficit += QUANTUM;
            list_remove_first(list);
            list_append(&queue->old, flow);
            continue;
        }
        struct frame *frame = codel(queue, flow, now);
        if (frame) {
            flow->deficit -= (int64_t)frame->wire_size;
            return frame;
        }
        list_remove_first(list);
        // A fresh flow that is empty waits among the old ones, or it would starve them by coming again.
        if (list == &queue->fresh && queue->old.first) list_append(&queue->old, flow);
        else flow->is_listed = false;
    }
}

// A link with a rate, a delay, a loss and a queue, between two interfaces: for kernels that have neither netem nor fq_codel.
//
// Frames go unchanged from one interface to the other, which are in the same network namespace and have no address. Give
// the far ends of both `gso_max_segs 1`, so that every frame is as large as on a wire.

#define _GNU_SOURCE
#include "port.h"
#include "queue.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/// One direction of the link.
struct direction {
    int from, to;
    double bits_per_second;
    nanoseconds delay;
    double loss;
    uint64_t random;
    struct queue queue;
    /// When the frame that is on the wire has left the bottleneck.
    nanoseconds free_at;
    struct frame_list travelling;
    uint64_t frames, lost;
};

static nanoseconds now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static double random_number(uint64_t *state) {
    // splitmix64: the same losses for the same seed.
    uint64_t value = *state += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
    return (double)((value ^ (value >> 31)) >> 11) / 9007199254740992.0;
}

static void take(void *context, struct frame *frame) {
    struct direction *direction = context;
    direction->frames++;
    if (direction->loss > 0 && random_number(&direction->random) < direction->loss) {
        direction->lost++;
        free(frame);
        return;
    }
    enqueue(&direction->queue, frame, now());
}

/// Serves what the rate allows by now, and hands over what has travelled; returns when there is more to do.
static nanoseconds turn(struct direction *direction, nanoseconds time) {
    while (direction->free_at <= time) {
        // A bottleneck that was idle begins now; a busy one goes on where it was, however late this turn is.
        struct frame *frame = dequeue(&direction->queue, direction->free_at > 0 ? direction->free_at : time);
        if (!frame) {
            direction->free_at = 0;
            break;
        }
        nanoseconds begun = frame->time > direction->free_at ? frame->time : direction->free_at;
        double seconds = direction->bits_per_second > 0 ? (double)frame->wire_size * 8 / direction->bits_per_second : 0;
        direction->free_at = begun + (nanoseconds)llround(seconds * 1e9);
        if (direction->free_at == 0) direction->free_at = 1;
        frame->time = direction->free_at + direction->delay;
        append(&direction->travelling, frame);
    }
    while (direction->travelling.first && direction->travelling.first->time <= time) {
        write_port(direction->to, take_first(&direction->travelling));
    }
    nanoseconds next = direction->free_at > time && direction->queue.bytes ? direction->free_at : INT64_MAX;
    if (direction->travelling.first && direction->travelling.first->time < next) {
        next = direction->travelling.first->time;
    }
    return next;
}

static volatile sig_atomic_t is_ended;
static void end(int number) { (void)number; is_ended = 1; }

static double number(const char *text, double most, const char *option) {
    char *rest;
    double value = strtod(text, &rest);
    if (rest == text || *rest || !(value >= 0 && value <= most)) errx(64, "--%s: '%s' is not a valid value", option, text);
    return value;
}

int main(int count, char **words) {
    static struct direction down, up;
    double limit = 1000, delay = 0, loss = 0, seed = 1, rate_down = 0, rate_up = 0;
    bool is_fair = false;
    static const struct option options[] = {{"rate", 1, 0, 'r'},  {"rate-up", 1, 0, 'u'}, {"delay", 1, 0, 'd'},
                                            {"loss", 1, 0, 'l'},  {"queue", 1, 0, 'q'},   {"limit", 1, 0, 'm'},
                                            {"seed", 1, 0, 's'},  {0, 0, 0, 0}};
    int index = 0;
    for (int option; (option = getopt_long(count, words, "", options, &index)) != -1;) {
        const char *name = options[index].name;
        switch (option) {
        case 'r': rate_down = rate_up = number(optarg, 1e11, name); break;
        case 'u': rate_up = number(optarg, 1e11, name); break;
        case 'd': delay = number(optarg, 60000, name); break;
        case 'l': loss = number(optarg, 100, name); break;
        case 'm': limit = number(optarg, 60000, name); break;
        case 's': seed = number(optarg, 1e15, name); break;
        case 'q':
            is_fair = strcmp(optarg, "fq_codel") == 0;
            if (!is_fair && strcmp(optarg, "fifo") != 0) errx(64, "--queue: expected fifo or fq_codel, got '%s'", optarg);
            break;
        default:
            fprintf(stderr, "usage: %s [--rate BIT/S] [--rate-up BIT/S] [--delay MS] [--loss PERCENT]\n"
                            "       [--queue fifo|fq_codel] [--limit MS] [--seed N] NEAR FAR\n"
                            "The delay is that of one way, the loss that of each; the rate is that of both unless\n"
                            "--rate-up names another one for frames from NEAR to FAR. The limit is the queue's, as time.\n",
                    words[0]);
            return 64;
        }
    }
    if (count - optind != 2) errx(64, "expected two interfaces, got %d", count - optind);
    int near = open_port(words[optind]), far = open_port(words[optind + 1]);
    struct direction *directions[] = {&down, &up};
    for (int which = 0; which < 2; which++) {
        struct direction *one = directions[which];
        one->from = which == 0 ? far : near;
        one->to = which == 0 ? near : far;
        one->bits_per_second = which == 0 ? rate_down : rate_up;
        one->delay = (nanoseconds)(delay * MILLISECOND);
        one->loss = loss / 100;
        one->random = (uint64_t)seed * 2 + (uint64_t)which;
        one->queue.is_fair = is_fair;
        double bytes = one->bits_per_second > 0 ? one->bits_per_second / 8 * limit / 1000 : 64 << 20;
        one->queue.limit = bytes > 3000 ? (size_t)bytes : 3000;
    }
    // The kernel may otherwise wake this up 50 µs late.
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    puts("ready");
    fflush(stdout);
    while (!is_ended) {
        nanoseconds time = now(), next = INT64_MAX;
        for (int which = 0; which < 2; which++) {
            nanoseconds mine = turn(directions[which], time);
            if (mine < next) next = mine;
        }
        nanoseconds pause = next - now();
        struct timespec timeout = {pause > 0 ? pause / SECOND : 0, pause > 0 ? pause % SECOND : 0};
        struct pollfd polled[] = {{near, POLLIN, 0}, {far, POLLIN, 0}};
        int events = ppoll(polled, 2, next == INT64_MAX ? NULL : &timeout, NULL);
        if (events < 0 && errno != EINTR) err(70, "ppoll");
        if (events <= 0) continue;
        if (polled[1].revents) read_port(far, take, &down);
        if (polled[0].revents) read_port(near, take, &up);
    }
    for (int which = 0; which < 2; which++) {
        struct direction *one = directions[which];
        printf("%s: frames=%llu lost=%llu dropped=%llu\n", which == 0 ? "down" : "up", (unsigned long long)one->frames,
               (unsigned long long)one->lost, (unsigned long long)one->queue.dropped);
    }
    return 0;
}

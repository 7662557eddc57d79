// What a sender leaves to its network card, checksums above all, comes with the frame in the kernel's offload header, and
// goes on to the receiver with it (packet(7), PACKET_VNET_HDR).

#define _GNU_SOURCE
#include "port.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

enum { OFFLOAD_HEADER = 10, BATCH = 32, LARGEST = OFFLOAD_HEADER + 65550, BUFFER = 32 << 20 };

int open_port(const char *interface) {
    int on = 1, size = BUFFER;
    // No protocol before bind(2), or frames of other interfaces would come.
    int port = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (port < 0) err(70, "open a packet socket");
    if (setsockopt(port, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0) err(70, "PACKET_VNET_HDR");
    if (setsockopt(port, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) err(70, "PACKET_IGNORE_OUTGOING");
    if (setsockopt(port, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        (void)setsockopt(port, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(port, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0)
        (void)setsockopt(port, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(interface)};
    if (!address.sll_ifindex) errx(64, "there is no interface '%s'", interface);
    if (bind(port, (struct sockaddr *)&address, sizeof address) != 0) err(70, "bind to '%s'", interface);
    return port;
}

void read_port(int port, void (*take)(void *, struct frame *), void *context) {
    static uint8_t bytes[BATCH][LARGEST];
    struct iovec vectors[BATCH];
    struct mmsghdr messages[BATCH];
    for (;;) {
        memset(messages, 0, sizeof messages);
        for (int index = 0; index < BATCH; index++) {
            vectors[index] = (struct iovec){bytes[index], LARGEST};
            messages[index].msg_hdr.msg_iov = &vectors[index];
            messages[index].msg_hdr.msg_iovlen = 1;
        }
        int count = recvmmsg(port, messages, BATCH, MSG_DONTWAIT, NULL);
        for (int index = 0; index < count; index++) {
            size_t size = messages[index].msg_len;
            if (size < OFFLOAD_HEADER + ETH_HLEN) continue;
            struct frame *frame = malloc(sizeof *frame + size);
            if (!frame) err(70, "allocate a frame");
            frame->size = size;
            frame->wire_size = size - OFFLOAD_HEADER;
            memcpy(frame->bytes, bytes[index], size);
            take(context, frame);
        }
        if (count < BATCH) return;
    }
}

void write_port(int port, struct frame *frame) {
    // What the other end cannot take is lost, as on any link.
    (void)!send(port, frame->bytes, frame->size, MSG_DONTWAIT);
    free(frame);
}

internal import Glibc
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

struct ControlMessageTests {
    @Test("the end of a dump may share its datagram with data, and data may follow")
    func doneWithData() {
        let parsed = ParsedDatagram(
            NetlinkDatagram([
                MessageBuilder.link(1, "lo", [.loopback]).answering(7),
                MessageBuilder.done().answering(7),
                MessageBuilder.linkRemoved(2, "eth0"),
            ])
        )
        #expect(parsed.failure == nil)
        #expect(parsed.messages.count == 3)
        #expect(parsed.messages[1] == .done(errno: 0))
        #expect(parsed.messages[2] == .linkRemoved(index: 2))
        #expect(parsed.headers.map(\.sequence) == [7, 7, 0])
    }

    @Test("an interrupted dump carries its flag")
    func interrupted() {
        let parsed = ParsedDatagram(NetlinkDatagram([MessageBuilder.link(1, "lo").answering(7, interrupted: true)]))
        #expect(parsed.headers.first?.flags == 0x12)
    }

    @Test("the end of a dump carries the errno, which older kernels may omit")
    func done() throws {
        #expect(try parse(.done(errno: EOPNOTSUPP)) == .done(errno: EOPNOTSUPP))
        #expect(try parse(MessageBuilder(Rtnetlink.done)) == .done(errno: 0))
        var extreme = MessageBuilder.done()
        extreme.fixed = [0, 0, 0, 0x80]
        #expect(try parse(extreme) == .done(errno: .max))
    }

    @Test("a reply carries its errno and the kernel's error message, if any")
    func replies() throws {
        let request = MessageBuilder(26, fixed: [UInt8](repeating: 0, count: 12), attributes: [.uint32(15, 77)])
        #expect(try parse(.reply(errno: 0)) == .reply(errno: 0, text: nil))
        #expect(try parse(.reply(errno: ENOENT)) == .reply(errno: ENOENT, text: nil))
        #expect(
            try parse(.reply(errno: EINVAL, message: "Invalid prefix", to: request))
                == .reply(errno: EINVAL, text: "Invalid prefix")
        )
        #expect(try parse(.reply(errno: 0, message: "a warning", to: request)) == .reply(errno: 0, text: "a warning"))
    }

    @Test("a reply whose copy of the request is longer than the message has no error message")
    func replyWithLyingRequest() throws {
        let request = MessageBuilder(26).claiming(length: 4000)
        #expect(try parse(.reply(errno: EINVAL, message: "lost", to: request)) == .reply(errno: EINVAL, text: nil))
    }

    @Test("a truncated reply is an error")
    func shortReply() {
        let message = MessageBuilder(Rtnetlink.error, fixed: [0, 0, 0, 0])
        #expect(failure(of: message) == .shortBody(type: Rtnetlink.error, bytes: 4))
    }

    @Test("an overrun is recognized, and no-op and unknown types are irrelevant")
    func others() throws {
        #expect(try parse(.overrun()) == .overrun)
        #expect(try parse(MessageBuilder(Rtnetlink.noop)) == .irrelevant(type: Rtnetlink.noop))
        for type: UInt16 in [0, 5, 15, 52, 106, 999, .max] {
            #expect(try parse(MessageBuilder(type, fixed: [1, 2, 3])) == .irrelevant(type: type))
        }
    }
}

internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// An address that the test wrote itself; a typing error fails the test.
func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text) is no address") }

/// A prefix in CIDR notation that the test wrote itself.
func prefix(_ text: String) throws -> IPPrefix {
    let parts = text.split(separator: "/").map(String.init)
    let length = try #require(parts.last.flatMap { Int($0) })
    return try #require(IPPrefix(address: try ip(parts[0]), length: length), "\(text) is no prefix")
}

/// A datagram as the parser reads it: the messages before a broken header, and the error.
struct ParsedDatagram {
    var contents: [Result<NetlinkMessage, MessageError>] = []
    var headers: [MessageHeader] = []
    var failure: MessageError?

    init(_ datagram: NetlinkDatagram) {
        datagram.withBytes { bytes in
            do throws(MessageError) {
                try MessageParser.forEachMessage(in: bytes) {
                    contents.append($0.content)
                    headers.append($0.header)
                }
            } catch {
                failure = error
            }
        }
    }

    /// The messages that could be read.
    var messages: [NetlinkMessage] { contents.compactMap { try? $0.get() } }

    /// The first error, in a message or in the datagram.
    var firstError: MessageError? {
        for case .failure(let error) in contents { return error }
        return failure
    }
}

/// The one message that a builder makes, as the parser reads it.
func parse(_ message: MessageBuilder) throws -> NetlinkMessage {
    let parsed = ParsedDatagram(NetlinkDatagram([message]))
    #expect(parsed.failure == nil)
    return try #require(parsed.contents.first).get()
}

/// Returns the parser's error for a message.
func failure(of message: MessageBuilder) -> MessageError? {
    ParsedDatagram(NetlinkDatagram([message])).firstError
}

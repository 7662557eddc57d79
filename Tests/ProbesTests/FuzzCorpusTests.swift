import Foundation
import Glibc
import Testing

/// The seeds that the fuzzers of handshakes, HTTP/2 and ICMP begin with.
///
/// With `REACHAGENT_WRITE_CORPUS=1` in the environment the files are written before they are compared. Other files in the
/// directories are inputs that once were trouble.
@Suite struct FuzzCorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzz/Corpus")

    /// Behind the kind of the rest and the size of its pieces (`Fuzz/Probes/FuzzFlight.swift`).
    private static let flights: [String: [UInt8]] = {
        typealias Flight = ServerFlightTests
        let list: [UInt8] = [0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 1, 9, 0, 0]
        let hidden =
            Flight.message(8, [0, 0]) + Flight.message(11, [0, 0, 0, UInt8(list.count)] + list)
            + Flight.message(15, [4, 3, 0, 1, 7])
        let asking = Flight.message(13, [1, 1, 0, 0, 0, 0]) + Flight.message(14, [])
        return [
            "records": [0, 63] + Flight.flight,
            "records-asking": [0, 4] + Flight.flight + Flight.record(22, asking),
            "records-behind-change": [0, 255] + Flight.record(20, [1]) + Flight.flight,
            "records-empty": [0, 0] + Flight.record(22, []) + Flight.flight,
            "records-encrypted": [0, 255] + Flight.record(23, Array(repeating: 5, count: 40)),
            "records-cut-off": [0, 255] + Flight.flight.dropLast(3),
            "alert": [0, 0] + Flight.record(21, [2, 40]), "http": [0, 9] + Array("HTTP/1.1 400 Bad Request\r\n".utf8),
            "messages": [1, 2] + Flight.message(11, [0, 0, 7, 0, 0, 1, 9, 0, 0, 0]) + asking,
            "hidden-aes-128": [2, 6] + hidden, "hidden-aes-256": [3, 0] + hidden, "hidden-chacha": [4, 255] + hidden,
            "hidden-request": [2, 3] + Flight.message(13, [0, 0, 0]) + hidden,
            "hidden-length": [4, 7] + Flight.message(11, [0, 0, 1, 0, 0, 0, 3, 1]),
        ]
    }()

    /// Behind the size of the pieces.
    private static let frames: [String: [UInt8]] = {
        typealias Frames = HTTPTwoBlameTests
        let settings = Frames.frame(4) + Frames.frame(4, flags: 1)
        func head(_ fields: [UInt8] = [], flags: UInt8 = 4, status: UInt8 = 0x88) -> [UInt8] {
            Frames.frame(1, flags: flags, stream: 1, [status] + fields)
        }
        func content(_ bytes: [UInt8], flags: UInt8 = 1) -> [UInt8] {
            Frames.frame(0, flags: flags, stream: 1, bytes)
        }
        // "hello" in a stored block.
        let compressed: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)
            + [0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0]
        let early = Frames.frame(1, flags: 4, stream: 1, [0x08, 3, 0x31, 0x30, 0x33])
        let part = Frames.frame(1, stream: 1, [0x88])
        let responses: [String: [UInt8]] = [
            "content": head() + content([1, 2, 3]), "no-content": head(flags: 5, status: 0x89),
            "content-of-none": head(status: 0x8B) + content([1]),
            "gzip": head(Frames.field("content-encoding", "gzip")) + content(compressed),
            "length": head(Frames.field("content-length", "3")) + content([1, 2], flags: 0) + content([3]),
            "length-wrong": head(Frames.field("content-length", "3")) + content([1]),
            "length-large": head(Frames.field("content-length", "4097")) + content([1]),
            "trailers": head() + content([1], flags: 0) + Frames.frame(1, flags: 5, stream: 1, Frames.field("a", "b")),
            "early": early + early + head() + content([]), "padded": head() + content([2, 7, 0, 0], flags: 9),
            "continuation": part + Frames.frame(9, flags: 4, stream: 1, Frames.field("a", "b")) + content([1]),
            "reset": Frames.head + Frames.frame(3, stream: 1, [0, 0, 0, 8]),
            "reset-for-http-1": Frames.frame(3, stream: 1, [0, 0, 0, 13]),
            "go-away": Frames.head + Frames.frame(7, [0, 0, 0, 0, 0, 0, 0, 2]),
            "go-away-behind-content": head() + content([1]) + Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0]),
            "ping": Frames.frame(6, [1, 2, 3, 4, 5, 6, 7, 8]) + Frames.frame(0x2A, [1]) + head(flags: 5),
        ]
        var seeds = responses.mapValues { [12] + settings + $0 }
        for (number, violation) in Frames.violations.enumerated() {
            seeds["violation-\(number)"] = [255] + settings + violation.frames
        }
        return seeds
    }()

    /// Behind the family, and this machine's knowledge of the sender and of a route.
    private static let datagrams: [String: [UInt8]] = {
        let messages = ControlMessageTests()
        let payload = Array(UInt8(0)..<56)
        let (internet4, internet6) = (CInt(IPPROTO_IP), CInt(IPPROTO_IPV6))
        let error4 = messages.error(origin: 2, type: 3, code: 1, offender: ControlMessageTests.router4)
        let error6 = messages.error(origin: 3, type: 2, code: 0, mtu: 1280, offender: ControlMessageTests.router6)
        let timeToLive = messages.message(level: internet4, type: IP_TTL, [64, 0, 0, 0])
        let unreachable = messages.message(level: internet4, type: IP_RECVERR, error4)
        return [
            "reply": [0, 0, 0, 0xAB, 0xCD, 0x12, 0x34, 1, 2] + payload,
            "reply-ipv6": [1, 129, 0, 0xAB, 0xCD, 0x12, 0x34, 1, 2] + payload,
            "reply-to-another": [0, 0, 0, 0xAB, 0xCD, 0x12, 0x34, 1, 3] + payload,
            "reply-short": [0, 0, 0, 0xAB, 0xCD, 0x12, 0x34, 1, 2] + payload.dropLast(),
            "request": [0, 8, 0, 0xAB, 0xCD, 0x12, 0x34, 1, 2] + payload,
            "error": [0] + unreachable, "error-own": [6] + unreachable, "error-no-route": [4] + unreachable,
            "error-behind-hops": [2] + timeToLive + unreachable,
            "error-ipv6": [1] + messages.message(level: internet6, type: IPV6_RECVERR, error6),
            "error-local": [0]
                + messages.message(
                    level: internet4,
                    type: IP_RECVERR,
                    messages.error(origin: 1, type: 0, code: 0, offender: [])
                ),
            "hops-ipv6": [1] + messages.message(level: internet6, type: IPV6_HOPLIMIT, [57, 0, 0, 0]),
            // RTM_NEWROUTE with RTA_TABLE, and NLMSG_ERROR with ENETUNREACH.
            "route": [0, 36, 0, 0, 0, 24, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 32, 0, 0, 0xFE, 2, 0, 1]
                + [0, 0, 0, 0, 8, 0, 15, 0, 0xFE, 0, 0, 0],
            "route-refused": [0, 36, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x9B, 0xFF, 0xFF, 0xFF]
                + [UInt8](repeating: 0, count: 16),
            "length-zero": [0] + timeToLive + messages.message(level: 0, type: 0, [], length: 0),
            "length-beyond-end": [0] + messages.message(level: internet4, type: IP_RECVERR, error4, length: 100),
        ]
    }()

    @Test(arguments: [("flight", flights), ("frames", frames), ("icmp", datagrams)])
    func `the seeds on disk are those made here`(target: String, seeds: [String: [UInt8]]) throws {
        let isWriting = ProcessInfo.processInfo.environment["REACHAGENT_WRITE_CORPUS"] == "1"
        for (name, bytes) in seeds {
            let file = Self.corpus.appending(path: "\(target)/\(name)")
            if isWriting { try Data(bytes).write(to: file) }
            #expect(try [UInt8](Data(contentsOf: file)) == bytes, "\(name)")
        }
    }
}

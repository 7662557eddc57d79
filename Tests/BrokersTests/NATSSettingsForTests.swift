import AgentTestKit
import Foundation
import Sinks
import Testing

@testable import Brokers

/// A sink for a server on the loopback.
func natsSink(
    _ port: UInt16,
    scheme: String = "nats",
    host: String = "127.0.0.1",
    _ change: (inout SinkSettings) throws -> Void = { _ in }
) throws -> SinkSettings {
    let broker = try BrokerAddress("\(scheme)://\(host):\(port)")
    var settings = SinkSettings(name: "fleet", broker: broker, device: "edge7")
    try change(&settings)
    return settings
}

/// A loop around the transport of a sink.
func natsLoop(_ settings: SinkSettings, patience: NATSTransport.Patience = .init()) throws -> TransportLoop {
    try TransportLoop { wake in try NATSTransport(settings, patience: patience, wake: wake) }
}

/// An event with a number.
func natsMessage(
    _ number: UInt64,
    type: String = "path.changed",
    stream: String = AgentLines.stream,
    bytes: Int = 0
) -> SinkMessage {
    let padding = String(repeating: "x", count: bytes)
    return SinkMessage(
        sequence: number,
        subject: "reachagent.edge7.\(type)",
        id: "\(stream)-\(number)",
        payload: Array(
            #"{"specversion":"1.0","type":"reachagent.\#(type)","time":"\#(natsTime(number))","seq":\#(number),"data":"\#(padding)"}"#
                .utf8
        )
    )
}

/// The time of the event with a number.
func natsTime(_ number: UInt64) -> String {
    let digits = String(number % 1_000_000)
    return "2026-11-23T17:00:00.\(String(repeating: "0", count: 6 - digits.count))\(digits)Z"
}

/// The position of an event.
func natsPosition(_ number: UInt64) -> StoredPosition {
    StoredPosition(id: "\(AgentLines.stream)-\(number)", time: natsTime(number))
}

/// A file in `Fixtures`.
func fixture(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)").path()
}

extension TransportLoop {
    /// Lets the transport work until it waits for nothing any more.
    func settle() { for _ in 0..<300 where transport.deadline != nil { _ = try? next(within: .milliseconds(100)) } }
}

struct NKeyTests {
    /// A seed of NATS' documentation, and one that `openssl` and Python agree on.
    @Test(arguments: [
        (
            "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
            "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
        ),
        (
            "SUAOPHSADAPFMJ6CIQRGGHG2GMAKFDFWTOCORCIFXRTTHFM3Q52TCFKWTQ",
            "UDE7YNTS7OCVMWX4VRKMFMKR5LSMB6LFJ3HIGTTB5EHRXNNRXWCG2LSV"
        ),
    ])
    func `the public key of a seed is that of the server's list`(seed: String, key: String) {
        #expect(NKey.publicKey(ofSeed: seed) == key)
    }

    @Test(arguments: [
        "", "SU", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
        // A digit is wrong, one is missing, one is too many.
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VZ",
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3V",
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VYA",
        "suacssl3uahudxkfsnvuzrf5uhpmwz6bfdtj7m6usdxiednppqyyycu3vy", "SUÄ", String(repeating: "A", count: 10_000),
    ])
    func `any other text has no public key`(text: String) { #expect(NKey.publicKey(ofSeed: text) == nil) }
}

import AgentTestKit
import Glibc
import Sinks
import Testing

@testable import Brokers

/// The end of connections that libnats is establishing, which has to leave all others alone.
@Suite(.onOwnThread) struct ConnectingSocketsTests {
    private static let greeting: [UInt8] = [0x20, 3, 0, 0, 0]

    /// A connection to a port of the loopback that no library has made; the caller closes it.
    private static func socket(to port: UInt16) -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0)
        return descriptor
    }

    /// True if the connection was ended at this end.
    private static func hasEnded(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    @Test func `a timeout of NATS spares an MQTT connection to the same port`() throws {
        // The last words come only if the event arrives.
        let server = try RawServer([Self.greeting], then: .lastWords([0xE0, 2, 0x8B, 0], after: 500))
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)") { $0.mqtt?.keepsState = false })
        try loop.connect()
        let other = Self.socket(to: server.port)
        defer { close(other) }
        ConnectingSockets.shutDown(port: server.port)
        #expect(Self.hasEnded(other))
        loop.transport.publish(mqttMessage(1, bytes: 900))
        #expect(try loop.nextFailure().detail.hasSuffix("closed the connection (server shutting down)"))
    }

    @Test func `a recorded socket is spared by all its descriptors, and no longer than its record`() throws {
        let server = try RawServer([], then: .silence)
        let descriptor = Self.socket(to: server.port)
        defer { close(descriptor) }
        let duplicate = dup(descriptor)
        defer { close(duplicate) }
        withExtendedLifetime(ExposedSocket(duplicate)) {
            ConnectingSockets.shutDown(port: server.port)
            #expect(!Self.hasEnded(descriptor))
        }
        ConnectingSockets.shutDown(port: server.port)
        #expect(Self.hasEnded(descriptor))
    }

    @Test func `connections to another port are spared`() throws {
        let server = try RawServer([], then: .silence)
        let descriptor = Self.socket(to: server.port)
        defer { close(descriptor) }
        ConnectingSockets.shutDown(port: server.port &+ 1)
        #expect(!Self.hasEnded(descriptor))
    }
}

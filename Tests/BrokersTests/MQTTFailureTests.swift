import AgentTestKit
import Brokers
import Foundation
import Glibc
import Sinks
import Testing

/// The reasons for which there is no connection, as codes and sentences.
@Suite(.onOwnThread) struct MQTTFailureTests {
    /// A connection that the broker accepts, in MQTT 5.
    private static let greeting: [UInt8] = [0x20, 3, 0, 0, 0]

    private static func patience(connection: Duration = .seconds(10), answer: Duration = .seconds(10))
        -> MQTTTransport.Patience
    {
        var patience = MQTTTransport.Patience()
        patience.connection = connection
        patience.answer = answer
        return patience
    }

    @Test(
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"),
        arguments: MQTTSettings.Version.allCases
    )
    func `a wrong password is rejected, and the right one works without a restart`(
        version: MQTTSettings.Version
    ) async throws {
        var options = MosquittoBroker.Options()
        options.login = ("edge7", "correct horse")
        let broker = try await MosquittoBroker(options)
        let directory = try TemporaryDirectory()
        let file = try directory.file("password", "wrong horse\n")
        let settings = try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version) {
            $0.credentials.user = "edge7"
            $0.credentials.passwordFile = file
        }
        let loop = try mqttLoop(settings)
        loop.transport.connect()
        #expect(
            try loop.nextFailure()
                == TransportFailure(
                    code: "broker_denied",
                    detail: "127.0.0.1:\(broker.port) does not let this client in: "
                        + "the user name, the password, or the client's certificate is wrong or missing"
                )
        )
        try directory.file("password", "correct horse\r\nsecond line\n")
        try loop.connect()
    }

    @Test func `a password that cannot be read is named and never shown`() throws {
        let directory = try TemporaryDirectory()
        let cases = [
            ("\(directory.path)/absent", "No such file or directory"), (directory.path, "it is not a regular file"),
            (try directory.file("empty", "\nsecret\n"), "the first line is empty"),
            (try directory.file("zero", "se\0cret\n"), "the first line is not text"),
        ]
        for (file, reason) in cases {
            let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:9") { $0.credentials.passwordFile = file })
            loop.transport.connect()
            #expect(
                try loop.nextFailure()
                    == TransportFailure(code: "credentials_unreadable", detail: "\(file) cannot be used: \(reason)")
            )
        }
    }

    @Test func `a name that does not resolve is named`() throws {
        let loop = try mqttLoop(try mqttSink("mqtt://no-such-host.invalid"))
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_unreachable")
        #expect(failure.detail.hasPrefix("the name 'no-such-host.invalid' cannot be resolved: "))
    }

    @Test func `a lookup that takes too long is given up`() throws {
        let loop = try mqttLoop(try mqttSink("mqtt://no-such-host.invalid"), patience: Self.patience(connection: .zero))
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_unreachable")
        #expect(failure.detail.hasPrefix("the name 'no-such-host.invalid' cannot be resolved: "))
        #expect(loop.transport.deadline == nil)
    }

    @Test(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
    func `a name with an address that refuses the connection leads to the next address`() async throws {
        // The broker listens on 127.0.0.1 alone; the name stands for ::1 too, where the machine has that.
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://localhost:\(broker.port)"))
        #expect(throws: Never.self) { try loop.connect() }
    }

    @Test(
        arguments: [
            ([0x20, 2, 0, 1], .three, "broker_protocol", "does not speak MQTT 3.1.1"),
            ([0x20, 2, 0, 2], .three, "broker_denied", "refuses the client id 'reachagent-edge7-home'"),
            (
                [0x20, 2, 0, 3], .three, "broker_unreachable",
                "takes no connection at the moment (connection refused: broker unavailable)"
            ),
            ([0x20, 2, 0, 4], .three, "broker_denied", "refuses the user name or the password"),
            ([0x20, 2, 0, 1], .five, "broker_protocol", "does not speak MQTT 5"),
            ([0x20, 3, 0, 0x84, 0], .five, "broker_protocol", "does not speak MQTT 5"),
            ([0x20, 3, 0, 0x86, 0], .five, "broker_denied", "refuses the user name or the password"),
            ([0x20, 3, 0, 0x89, 0], .five, "broker_unreachable", "takes no connection at the moment (server busy)"),
            (
                [0x20, 3, 0, 0x9A, 0], .five, "broker_no_retain",
                "retains no messages, and gets events alone: set 'keep_state = false'"
            ),
            ([0x20, 3, 0, 0x9B, 0], .five, "broker_protocol", "acknowledges no message: it offers QoS 0 alone"),
            ([0x20, 3, 0, 0x9D, 0], .five, "broker_protocol", "refuses the connection (server moved)"),
            ([0x30, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .five, "broker_protocol", "breaks the rules of MQTT"),
            (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), .five, "broker_protocol", ""),
            (Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8), .three, "broker_protocol", ""),
            ([], .five, "broker_protocol", "closed the connection before it answered"),
        ] as [([UInt8], MQTTSettings.Version, String, String)]
    )
    func `a broker that does not answer as it should has its own sentence`(
        bytes: [UInt8],
        version: MQTTSettings.Version,
        code: String,
        sentence: String
    ) throws {
        let server = try RawServer([bytes], then: .close)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)", version: version))
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == code, "\(failure)")
        #expect(failure.detail.hasPrefix("127.0.0.1:\(server.port) \(sentence)"), "\(failure.detail)")
    }

    @Test(
        arguments: [
            (0x8E, "broker_conflict", "gave the connection to another client with the id 'reachagent-edge7-home'"),
            (0x8B, "broker_unreachable", "closed the connection (server shutting down)"),
            (0x98, "broker_denied", "closed the connection (administrative action)"),
            (0x8D, "broker_timeout", "closed the connection: it had heard nothing for too long"),
            (0x95, "broker_too_large", "closed the connection: an event was too large"),
            (0x81, "broker_protocol", "closed the connection (malformed packet)"),
            (0x9A, "broker_no_retain", "retains no messages"),
        ] as [(UInt8, String, String)]
    )
    func `a broker that ends the connection says why`(reason: UInt8, code: String, sentence: String) throws {
        let server = try RawServer([Self.greeting, [0xE0, 2, reason, 0]], then: .close)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)"))
        try loop.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == code)
        #expect(failure.detail.hasPrefix("127.0.0.1:\(server.port) \(sentence)"), "\(failure.detail)")
    }

    @Test func `an event whose size makes the broker disconnect is rejected by its number`() throws {
        let server = try RawServer([Self.greeting], then: .lastWords([0xE0, 2, 0x95, 0], after: 1_000))
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)") { $0.mqtt?.keepsState = false })
        try loop.connect()
        for (number, bytes) in [(UInt64(1), 10), (2, 900), (3, 20)] {
            loop.transport.publish(mqttMessage(number, bytes: bytes))
        }
        guard case .refused(2, let failure) = try loop.next() else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == "broker_too_large")
        #expect(try loop.nextFailure().code == "broker_too_large")
    }

    @Test(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
    func `a second machine with the same name takes the connection over`() async throws {
        let broker = try await MosquittoBroker()
        let first = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try first.connect()
        try first.roundTrip()
        let second = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try second.connect()
        // This version of mosquitto does not say why; others do.
        #expect(try first.nextFailure().detail == "127.0.0.1:\(broker.port) closed the connection")
        try second.roundTrip()
    }

    @Test func `an answer that arrives byte by byte is accepted`() throws {
        let server = try RawServer(Self.greeting.map { [$0] }, then: .silence)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)"))
        #expect(throws: Never.self) { try loop.connect() }
    }

    @Test(arguments: ["mqtt", "mqtts"])
    func `a broker that accepts the connection and says nothing is given up`(scheme: String) throws {
        let server = try RawServer([], then: .silence)
        let loop = try mqttLoop(
            try mqttSink("\(scheme)://127.0.0.1:\(server.port)"),
            patience: Self.patience(connection: .milliseconds(300))
        )
        loop.transport.connect()
        #expect(
            try loop.nextFailure()
                == TransportFailure(
                    code: "broker_timeout",
                    detail: "127.0.0.1:\(server.port) accepts the connection and does not answer"
                )
        )
        // The handshake waits for the server, and not beside it.
        #expect(loop.wakes < 20)
    }

    @Test func `events without an acknowledgement end the connection`() throws {
        let server = try RawServer([Self.greeting], then: .silence)
        let loop = try mqttLoop(
            try mqttSink("mqtt://127.0.0.1:\(server.port)"),
            patience: Self.patience(answer: .milliseconds(300))
        )
        try loop.connect()
        loop.transport.publish(mqttMessage(1))
        #expect(
            try loop.nextFailure()
                == TransportFailure(
                    code: "broker_timeout",
                    detail: "127.0.0.1:\(server.port) no longer acknowledges events"
                )
        )
    }

    @Test func `an unanswered keep-alive ends the connection`() throws {
        // The broker asks for one each second.
        let server = try RawServer([[0x20, 6, 0, 0, 3, 0x13, 0, 1]], then: .silence)
        let loop = try mqttLoop(
            try mqttSink("mqtt://127.0.0.1:\(server.port)") { $0.mqtt?.keepsState = false },
            patience: Self.patience(answer: .milliseconds(300))
        )
        try loop.connect()
        #expect(
            try loop.nextFailure()
                == TransportFailure(code: "broker_timeout", detail: "127.0.0.1:\(server.port) no longer answers")
        )
    }

    @Test func `an event that the library sends itself, once the broker has room, postpones the keep-alive`() throws {
        // One event at a time, and a keep-alive after 2 s. The second event is sent 2.1 s after the first one, so that the
        // keep-alive is due after 5 s and not after 3.
        let greeting: [UInt8] = [0x20, 9, 0, 0, 6, 0x13, 0, 2, 0x21, 0, 1]
        let ending = RawServer.Ending.answersAfterPause(
            .milliseconds(2_100),
            [[0x40, 2, 0, 1], [0x40, 2, 0, 2], [0xE0, 2, 0x8B, 0]]
        )
        let server = try RawServer([greeting], then: ending)
        let loop = try mqttLoop(
            try mqttSink("mqtt://127.0.0.1:\(server.port)") { $0.mqtt?.keepsState = false },
            patience: Self.patience(answer: .milliseconds(2_500))
        )
        try loop.connect()
        for number in 1...2 as ClosedRange<UInt64> { loop.transport.publish(mqttMessage(number)) }
        #expect(try loop.acknowledgements(2) == [1, 2])
        // The broker shuts down at the next bytes, which are the keep-alive.
        #expect(
            try loop.nextFailure()
                == TransportFailure(
                    code: "broker_unreachable",
                    detail: "127.0.0.1:\(server.port) closed the connection (server shutting down)"
                )
        )
    }

    @Test(arguments: [RawServer.Ending.close, .reset], ["mqtt", "mqtts"])
    func `a connection that ends early does so without a spin`(ending: RawServer.Ending, scheme: String) throws {
        let server = try RawServer([], then: ending)
        let loop = try mqttLoop(try mqttSink("\(scheme)://127.0.0.1:\(server.port)"))
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(["broker_protocol", "broker_unreachable", "broker_tls"].contains(failure.code), "\(failure)")
        #expect(loop.wakes < 20)
    }

    /// The things that a hostile broker sends again and again.
    enum Flood: CaseIterable {
        case messages, answers, largePacket

        var bytes: [UInt8] {
            switch self {
            case .messages: Array(repeatElement([0x30, 0x04, 0, 1, 0x61, 0], count: 1_000).joined())
            case .answers: Array(repeatElement([0xD0, 0], count: 1_000).joined())
            case .largePacket: [0x30, 0xFF, 0xFF, 0xFF, 0x7F] + [UInt8](repeating: 0, count: 60_000)
            }
        }
    }

    @Test(arguments: Flood.allCases)
    func `a broker that never stops sending is cut off`(flood: Flood) throws {
        let server = try RawServer([Self.greeting, flood.bytes], then: .flood)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)"))
        try loop.connect()
        #expect(try loop.nextFailure().code == "broker_protocol")
        // Over the loopback nothing runs dry: this is the largest packet that MQTT knows, twice.
        #expect(loop.transport.bytes < 512 << 20)
    }

    @Test func `acknowledgements of events that were never sent are ignored`() throws {
        let server = try RawServer([Self.greeting, [0x40, 2, 0, 200], [0x40, 2, 0, 1]], then: .silence)
        let loop = try mqttLoop(
            try mqttSink("mqtt://127.0.0.1:\(server.port)"),
            patience: Self.patience(answer: .milliseconds(300))
        )
        try loop.connect()
        loop.transport.publish(mqttMessage(1))
        loop.transport.publish(mqttMessage(2))
        #expect(try loop.nextFailure().code == "broker_timeout")
    }

    @Test func `nothing is reported after the caller has disconnected`() throws {
        let server = try RawServer([Self.greeting], then: .silence)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(server.port)"))
        loop.transport.connect()
        loop.transport.disconnect()
        #expect(loop.transport.takeEvents().isEmpty)
        #expect(loop.transport.descriptor == nil && loop.transport.deadline == nil && !loop.transport.wantsToWrite)
    }
}

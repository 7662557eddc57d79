import AgentTestKit
import Brokers
import Sinks
import Testing

@Suite(.onOwnThread, .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
struct MQTTPublishingTests {
    @Test(arguments: [
        (MQTTSettings.Version.five, "[application/cloudevents+json] [id:\(AgentLines.stream)-7]"), (.three, "[] []"),
    ])
    func `an event arrives as it is and is acknowledged by its number`(
        version: MQTTSettings.Version,
        properties: String
    ) async throws {
        let broker = try await MosquittoBroker()
        let seen = try await broker.subscribe(to: ["reachagent/edge7/path.changed"])
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        #expect(try loop.connect() == nil)
        loop.transport.publish(mqttMessage(7))
        #expect(try loop.next() == .acknowledged(7))
        let line = try await seen.next(containing: "seq")
        #expect(line == #"reachagent/edge7/path.changed 0 \#(properties) {"specversion":"1.0","seq":7}"#)
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `many events arrive in order`(version: MQTTSettings.Version) async throws {
        let broker = try await MosquittoBroker()
        let seen = try await broker.subscribe(to: ["reachagent/edge7/path.changed"])
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        try loop.connect()
        var acknowledged: [UInt64] = []
        for start in stride(from: UInt64(1), through: 1_000, by: 50) {
            for number in start..<start + 50 { loop.transport.publish(mqttMessage(number, bytes: 1_000)) }
            acknowledged += try loop.acknowledgements(50)
        }
        #expect(acknowledged == Array(1...1_000))
        for number in 1...1_000 { try #require(await seen.next()?.contains(#""seq":\#(number)x"#) == true) }
        // Headers and answers are counted too.
        #expect(loop.transport.bytes > 1_050_000)
    }

    @Test func `a message that the broker denies is rejected by its number, and the others are not`() async throws {
        var options = MosquittoBroker.Options()
        options.accessList = ["topic readwrite reachagent/edge7/#", "topic read #"]
        let broker = try await MosquittoBroker(options)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try loop.connect()
        loop.transport.publish(mqttMessage(1, topic: "reachagent/other/path.changed"))
        loop.transport.publish(mqttMessage(2))
        let denied = TransportFailure(
            code: "broker_denied",
            detail:
                "127.0.0.1:\(broker.port) does not allow this client to publish to 'reachagent/other/path.changed'"
        )
        #expect(try loop.next() == .refused(1, denied))
        #expect(try loop.next() == .acknowledged(2))
    }

    @Test func `an event that is larger than the broker takes is rejected by its number`() async throws {
        var options = MosquittoBroker.Options()
        options.configuration = ["max_packet_size 2000"]
        let broker = try await MosquittoBroker(options)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try loop.connect()
        loop.transport.publish(mqttMessage(1, bytes: 3_000))
        loop.transport.publish(mqttMessage(2))
        let failure = TransportFailure(
            code: "broker_too_large",
            detail: "127.0.0.1:\(broker.port) does not take an event of this size"
        )
        #expect(try loop.next() == .refused(1, failure))
        #expect(try loop.next() == .acknowledged(2))
    }

    @Test func `without reasons, a broker that closes the connection at a large event is reported with that event`()
        async throws
    {
        var options = MosquittoBroker.Options()
        options.configuration = ["max_packet_size 2000"]
        let broker = try await MosquittoBroker(options)
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: .three))
        try loop.connect()
        loop.transport.publish(mqttMessage(1))
        #expect(try loop.next() == .acknowledged(1))
        let large = mqttMessage(2, bytes: 3_000)
        loop.transport.publish(large)
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_unreachable")
        let start = "127.0.0.1:\(broker.port) closed the connection with 1 unacknowledged, the largest event 2 to "
        let size = "'\(large.subject)' (\(large.payload.count) bytes); MQTT 3.1.1 has no reasons: "
        #expect(failure.detail.hasPrefix(start + size), "\(failure.detail)")
        #expect(failure.detail.contains("'max_packet_size'"))

        // An event that the broker takes is not blamed for the end of another connection.
        try loop.connect()
        loop.transport.publish(mqttMessage(3))
        #expect(try loop.next() == .acknowledged(3))
        await broker.kill()
        #expect(try loop.nextFailure().detail == "127.0.0.1:\(broker.port) closed the connection")
    }

    @Test(arguments: ["reachagent/#", "", "a\0b"])
    func `an invalid MQTT topic is rejected and ends no connection`(topic: String) async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try loop.connect()
        loop.transport.publish(mqttMessage(1, topic: topic))
        guard case .refused(1, let failure) = try loop.next() else {
            Issue.record("not refused")
            return
        }
        #expect(failure.code == "broker_protocol")
        loop.transport.publish(mqttMessage(2))
        #expect(try loop.next() == .acknowledged(2))
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `events continue after the broker was killed`(version: MQTTSettings.Version) async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        try loop.connect()
        loop.transport.publish(mqttMessage(1))
        #expect(try loop.next() == .acknowledged(1))
        await broker.kill()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_unreachable")
        #expect(failure.detail == "127.0.0.1:\(broker.port) closed the connection")
        #expect(loop.transport.descriptor == nil && loop.transport.deadline == nil)

        loop.transport.connect()
        #expect(
            try loop.nextFailure()
                == TransportFailure(
                    code: "broker_unreachable",
                    detail: "127.0.0.1:\(broker.port) cannot be reached: Connection refused"
                )
        )
        try await broker.start()
        let seen = try await broker.subscribe(to: ["reachagent/edge7/path.changed"])
        try loop.connect()
        loop.transport.publish(mqttMessage(2))
        #expect(try loop.next() == .acknowledged(2))
        #expect(await seen.next()?.contains(#""seq":2"#) == true)
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `every event is acknowledged although the broker is killed repeatedly`(
        version: MQTTSettings.Version
    ) async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        var random = SplitMix(state: 21)
        var acknowledged: UInt64 = 0
        for _ in 0..<20 {
            try loop.connect()
            let end = acknowledged + UInt64.random(in: 20...200, using: &random)
            var sent = acknowledged
            while acknowledged < end {
                while sent < acknowledged + 32 {
                    sent += 1
                    loop.transport.publish(mqttMessage(sent, bytes: 300))
                }
                try #require(try loop.next() == .acknowledged(acknowledged + 1))
                acknowledged += 1
            }
            // Some of what is in flight may be acknowledged still, and in order.
            await broker.kill()
            var event = try loop.next()
            while event == .acknowledged(acknowledged + 1) {
                acknowledged += 1
                event = try loop.next()
            }
            guard case .disconnected(let failure) = event else {
                Issue.record("expected an end, got \(event)")
                return
            }
            try #require(failure.code == "broker_unreachable")
            try await broker.start()
        }
    }

    @Test func `an event that is sent to a connection which has just ended ends it and is not acknowledged`()
        async throws
    {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try loop.connect()
        await broker.kill()
        for number in 1...5 { loop.transport.publish(mqttMessage(UInt64(number))) }
        #expect(try loop.nextFailure().code == "broker_unreachable")
        #expect(loop.transport.takeEvents().isEmpty)
    }

    @Test func `an idle connection has nothing to do until its keep-alive`() async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        try loop.connect()
        try loop.roundTrip()
        #expect(loop.isIdle(until: .now + .seconds(110)))
    }

    @Test func `a keep-alive is sent and answered`() async throws {
        let broker = try await MosquittoBroker()
        var patience = MQTTTransport.Patience()
        patience.keepAlive = 5
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"), patience: patience)
        try loop.connect()
        try loop.roundTrip()
        let (before, start) = (loop.wakes, ContinuousClock.now)
        #expect(throws: TransportLoop.Missing.self) { try loop.next(within: .seconds(8)) }
        try await broker.log(containing: "Received PINGREQ from reachagent-edge7-home")
        // One to send it, one to take the answer, and one for the end of the test's patience.
        #expect(loop.wakes - before <= 3)
        // The next one is not sooner, whenever the test gets here.
        #expect(loop.isIdle(until: start + .seconds(10)))
    }

    @Test func `connections leave no descriptor behind`() async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        for _ in 0..<50 {
            try loop.connect()
            #expect(connections(to: broker.port) == 1)
            loop.transport.disconnect()
            #expect(loop.transport.descriptor == nil)
        }
        // Other tests run beside this one: the transport's own sockets are what counts.
        #expect(connections(to: broker.port) == 0)
    }
}

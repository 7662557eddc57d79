import AgentTestKit
import Brokers
import Sinks
import Testing

@Suite(.onOwnThread, .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
struct MQTTStateTests {
    private static let status = "reachagent/edge7/status"
    private static let state = Array(#"{"connectivity":"full","via":"wifi"}"#.utf8)

    @Test(arguments: MQTTSettings.Version.allCases)
    func `the broker keeps online until the last will`(version: MQTTSettings.Version) async throws {
        let broker = try await MosquittoBroker()
        var loop: TransportLoop? = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        try loop?.connect()
        try loop?.roundTrip()
        let seen = try await broker.subscribe(to: [Self.status])
        #expect(await seen.next() == "\(Self.status) 1 [] [] online")
        // The connection breaks off without a word.
        loop = nil
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        let late = try await broker.subscribe(to: [Self.status])
        #expect(await late.next() == "\(Self.status) 1 [] [] offline")
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `an orderly disconnect leaves offline behind too`(version: MQTTSettings.Version) async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        let seen = try await broker.subscribe(to: [Self.status])
        try loop.connect()
        #expect(await seen.next() == "\(Self.status) 0 [] [] online")
        // An acknowledgement that arrives after the last read resets the connection, and the will takes the farewell's place.
        try loop.roundTrip()
        loop.transport.disconnect()
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        try await broker.log(containing: "Received DISCONNECT from reachagent-edge7-home")
        try loop.connect()
        #expect(await seen.next() == "\(Self.status) 0 [] [] online")
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `the broker keeps the last state and gets it again on each connection`(
        version: MQTTSettings.Version
    ) async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        // Known before there is a connection.
        loop.transport.publishState(Array("before".utf8))
        loop.transport.publishState(Self.state)
        try loop.connect()
        try loop.roundTrip()
        let seen = try await broker.subscribe(to: ["reachagent/edge7/state"])
        #expect(await seen.next() == #"reachagent/edge7/state 1 [] [] {"connectivity":"full","via":"wifi"}"#)
        // The same state is no news.
        loop.transport.publishState(Self.state)
        loop.transport.publishState(Array(#"{"connectivity":"none","via":"none"}"#.utf8))
        try loop.roundTrip()
        #expect(await seen.next() == #"reachagent/edge7/state 0 [] [] {"connectivity":"none","via":"none"}"#)
        loop.transport.disconnect()
        try loop.connect()
        try loop.roundTrip()
        #expect(await seen.next() == #"reachagent/edge7/state 0 [] [] {"connectivity":"none","via":"none"}"#)
        // A state from between two connections is the first one of the next.
        loop.transport.disconnect()
        loop.transport.publishState(Self.state)
        try loop.connect()
        try loop.roundTrip()
        #expect(await seen.next() == #"reachagent/edge7/state 0 [] [] {"connectivity":"full","via":"wifi"}"#)
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `a machine whose agent is absent is offline, also at the start of a connection`(
        version: MQTTSettings.Version
    ) async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version))
        let seen = try await broker.subscribe(to: [Self.status])
        try loop.connect()
        #expect(await seen.next() == "\(Self.status) 0 [] [] online")
        loop.transport.publishPresence(isOnline: false)
        try loop.roundTrip()
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        loop.transport.disconnect()
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        try await broker.log(containing: "Received DISCONNECT from reachagent-edge7-home")
        try loop.connect()
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        loop.transport.publishPresence(isOnline: true)
        try loop.roundTrip()
        #expect(await seen.next() == "\(Self.status) 0 [] [] online")
    }

    @Test func `what changes before the broker answers is in the first messages`() async throws {
        let broker = try await MosquittoBroker()
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)"))
        let seen = try await broker.subscribe(to: [Self.status, "reachagent/edge7/state"])
        // The kernel still accepts connections.
        broker.suspend()
        loop.transport.connect()
        let end = ContinuousClock.now + .seconds(20)
        while connections(to: broker.port) == 0, .now < end { #expect(loop.transport.takeEvents().isEmpty) }
        #expect(loop.transport.takeEvents().isEmpty)
        loop.transport.publishPresence(isOnline: false)
        loop.transport.publishState(Self.state)
        broker.resume()
        #expect(try loop.next() == .connected(newest: nil))
        try loop.roundTrip()
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        #expect(await seen.next()?.hasPrefix("reachagent/edge7/state 0 [] [] {") == true)
    }

    @Test func `Home Assistant finds the entities of the device`() async throws {
        let broker = try await MosquittoBroker()
        let settings = try mqttSink("mqtt://127.0.0.1:\(broker.port)") { $0.mqtt?.discoveryPrefix = "homeassistant" }
        let expected = try HomeAssistant.messages(for: settings, host: "edge-7", version: "0.1.0")
        let loop = try mqttLoop(settings)
        try loop.connect()
        try loop.roundTrip()
        let seen = try await broker.subscribe(to: ["homeassistant/#"])
        var lines: Set<String> = []
        for _ in expected { lines.insert(try #require(await seen.next())) }
        let wanted = expected.map { "\($0.topic) 1 [] [] \(String(decoding: $0.payload, as: UTF8.self))" }
        #expect(!wanted.isEmpty)
        #expect(lines == Set(wanted))
    }

    @Test(arguments: MQTTSettings.Version.allCases)
    func `Home Assistant forgets the entities with a setting that no longer names them`(
        version: MQTTSettings.Version
    ) async throws {
        let broker = try await MosquittoBroker()
        let settings = try mqttSink("mqtt://127.0.0.1:\(broker.port)", version: version)
        var discovered = settings
        discovered.mqtt?.discoveryPrefix = "homeassistant"
        let topics = try HomeAssistant.messages(for: discovered, host: "edge-7").map(\.topic)
        let loop = try mqttLoop(discovered)
        try loop.connect()
        try loop.roundTrip()
        let seen = try await broker.subscribe(to: ["homeassistant/#", Self.status])
        for _ in topics { #expect(await seen.next()?.hasPrefix("homeassistant/") == true) }
        #expect(await seen.next() == "\(Self.status) 1 [] [] online")
        loop.transport.clear(try discovered.abandonedTopics(before: settings))
        #expect(loop.transport.isClearing)
        try loop.roundTrip()
        #expect(!loop.transport.isClearing)
        loop.transport.disconnect()
        for topic in topics { #expect(await seen.next() == "\(topic) 0 [] [] ") }
        #expect(await seen.next() == "\(Self.status) 0 [] [] offline")
        let late = try await broker.subscribe(to: ["homeassistant/#", Self.status])
        #expect(await late.next() == "\(Self.status) 1 [] [] offline")
    }

    @Test func `a broker that may keep nothing of it still gets the events, and is reported once for each topic`()
        async throws
    {
        var options = MosquittoBroker.Options()
        options.accessList = ["topic write reachagent/edge7/path.changed"]
        let broker = try await MosquittoBroker(options)
        let settings = try mqttSink("mqtt://127.0.0.1:\(broker.port)") { $0.mqtt?.discoveryPrefix = "homeassistant" }
        let loop = try mqttLoop(settings)
        loop.transport.publishState(Self.state)
        try loop.connect()
        let topics = try HomeAssistant.messages(for: settings, host: "edge-7", version: "0.1.0").map(\.topic)
        for topic in [Self.status] + topics + ["reachagent/edge7/state"] {
            let denied = TransportFailure(
                code: "broker_denied",
                detail: "127.0.0.1:\(broker.port) does not take the retained message '\(topic)', but events: "
                    + "allow it, or set 'keep_state = false'"
            )
            #expect(try loop.next() == .limited(denied))
        }
        loop.transport.publishState(Array("other".utf8))
        loop.transport.publish(mqttMessage(1))
        #expect(try loop.next() == .acknowledged(1))
    }

    @Test func `a broker without retained messages gets the events from the second connection on`() async throws {
        var options = MosquittoBroker.Options()
        options.configuration = ["retain_available false"]
        let broker = try await MosquittoBroker(options)
        let settings = try mqttSink("mqtt://127.0.0.1:\(broker.port)") { $0.mqtt?.discoveryPrefix = "homeassistant" }
        let loop = try mqttLoop(settings)
        let seen = try await broker.subscribe(to: ["#"])
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_no_retain")
        for number in 1...2 as ClosedRange<UInt64> {
            try loop.connect()
            #expect(try loop.next() == .limited(failure))
            loop.transport.publishState(Array("state \(number)".utf8))
            loop.transport.publishPresence(isOnline: number.isMultiple(of: 2))
            loop.transport.publish(mqttMessage(number))
            #expect(try loop.next() == .acknowledged(number))
            loop.transport.disconnect()
            #expect(await seen.next()?.hasPrefix("reachagent/edge7/path.changed 0") == true)
        }
    }

    @Test func `a sink without a state keeps nothing`() async throws {
        let broker = try await MosquittoBroker()
        let seen = try await broker.subscribe(to: ["#"])
        let loop = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(broker.port)") { $0.mqtt?.keepsState = false })
        loop.transport.publishState(Self.state)
        try loop.connect()
        loop.transport.publishPresence(isOnline: false)
        loop.transport.publish(mqttMessage(1))
        #expect(try loop.next() == .acknowledged(1))
        loop.transport.disconnect()
        #expect(await seen.next()?.hasPrefix("reachagent/edge7/path.changed 0") == true)
        try await broker.log(containing: "Received DISCONNECT from reachagent-edge7-home")
        // The broker sends what it has kept first: a message that it does not keep tells that there was nothing.
        let late = try await broker.subscribe(to: ["#"])
        try loop.connect()
        loop.transport.publish(mqttMessage(2))
        #expect(try loop.next() == .acknowledged(2))
        #expect(await late.next()?.hasPrefix("reachagent/edge7/path.changed 0") == true)
    }
}

import AgentTestKit
import CheckResults
import NetlinkMonitor
import Reachability
import Testing

@testable import InputRecording

/// The replay of a recording: the same inputs, bit by bit, and the same transitions.
@Suite struct ReplayTests {
    /// A machine's life: its inputs, and the transitions that follow from them.
    private struct Life: Sendable {
        let header: RecordingHeader
        var inputs: [InputRecord] = []
        var transitions: [[Transition]] = [[]]
        var state = ReachabilityState.unknown

        init(seed: UInt64, count: Int) {
            let epoch = ContinuousClock.now.advanced(by: .nanoseconds(Int64(seed)))
            header = RecordingHeader(
                agent: "0.0.0",
                stream: "s\(seed)",
                nextSequence: seed,
                started: ObservedTime(instant: epoch, microsecondsSince1970: 1_795_000_000_000_000)
            )
            var random = RandomInputs(seed: seed, epoch: epoch)
            let configuration = random.configuration()
            inputs.append(.configuration(configuration, observed: header.started))
            var machine = ReachabilityMachine(configuration)
            for _ in 0..<count {
                let input = random.next(points: machine.points)
                inputs.append(input)
                transitions.append(machine.take(input))
                _ = machine.takeRechecks()
            }
            state = machine.state
        }
    }

    private static func record(_ life: Life) async throws -> [UInt8] {
        try await record(life.inputs, header: life.header)
    }

    private static func record(_ inputs: [InputRecord], header: RecordingHeader) async throws -> [UInt8] {
        try await onThread {
            let directory = try TemporaryDirectory()
            let recorder = try InputRecorder(path: "\(directory.path)/life", header: header)
            for (number, input) in inputs.enumerated() {
                recorder.record(input, nextSequence: number % 3 == 0 ? nil : UInt64(number))
            }
            recorder.finish(within: .seconds(60))
            return try directory.bytes("life")
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `a recorded life is lived again`(seed: UInt64) async throws {
        let life = Life(seed: seed, count: 400)
        let bytes = try await Self.record(life)
        var replay = RecordingReplay(try RecordingReader(bytes: bytes, epoch: life.header.started.instant))
        #expect(replay.reader.header == life.header)
        for (number, transitions) in life.transitions.enumerated() {
            let step = try #require(try replay.next())
            #expect(step.recorded.line == number + 2)
            #expect(step.recorded.sequence == (number % 3 == 0 ? nil : UInt64(number)))
            #expect(step.transitions == transitions, "at line \(step.recorded.line) of seed \(seed)")
        }
        #expect(try replay.next() == nil)
        #expect(!replay.reader.isTruncated)
        #expect(replay.machine?.state == life.state)
        #expect(life.transitions.contains { !$0.isEmpty }, "a life in which nothing happens proves nothing")
    }

    @Test(arguments: [11, 12, 13])
    func `inputs are read as they were written`(seed: UInt64) async throws {
        let life = Life(seed: seed, count: 300)
        let bytes = try await Self.record(life)
        var reader = try RecordingReader(bytes: bytes, epoch: life.header.started.instant)
        for expected in life.inputs {
            let input = try #require(try reader.next()).input
            switch (input, expected) {
            case (.update(let one, let isCorrection), .update(let other, let wasCorrection)):
                #expect(one.snapshot == other.snapshot && one.changes == other.changes)
                #expect(one.observed == other.observed && isCorrection == wasCorrection)
            case (.sample(let one), .sample(let other)): #expect(one == other)
            case (.tick(let one), .tick(let other)): #expect(one == other)
            case (.resumed(let one, let oneObserved), .resumed(let other, let otherObserved)):
                #expect(one == other && oneObserved == otherObserved)
            case (.configuration(let one, let oneObserved), .configuration(let other, let otherObserved)),
                (.announcement(let one, let oneObserved), .announcement(let other, let otherObserved)):
                #expect(one == other && oneObserved == otherObserved)
            default: Issue.record("\(input.name) was \(expected.name)")
            }
        }
        #expect(try reader.next() == nil)
    }

    @Test func `another time of the events is read as it was written`() async throws {
        let header = Life(seed: 14, count: 0).header
        let published = ObservedTime(
            instant: header.started.instant.advanced(by: .milliseconds(3)),
            microsecondsSince1970: header.started.microsecondsSince1970 + 3000
        )
        let bytes = try await onThread {
            let directory = try TemporaryDirectory()
            let recorder = try InputRecorder(path: "\(directory.path)/life", header: header)
            for time in [published, nil] { recorder.record(.tick(header.started), published: time) }
            recorder.finish(within: .seconds(60))
            return try directory.bytes("life")
        }
        var reader = try RecordingReader(bytes: bytes, epoch: header.started.instant)
        for time in [published, nil] {
            let recorded = try #require(try reader.next())
            #expect(recorded.published == time && recorded.input.observed == header.started)
        }
    }

    @Test func `the same life gives the same text`() async throws {
        let life = Life(seed: 21, count: 100)
        let first = try await Self.record(life)
        let second = try await Self.record(life)
        #expect(first == second)
    }

    @Test func `another epoch changes the instants and nothing else`() async throws {
        let life = Life(seed: 31, count: 100)
        let bytes = try await Self.record(life)
        let epoch = life.header.started.instant.advanced(by: .seconds(-4711))
        var replay = RecordingReplay(try RecordingReader(bytes: bytes, epoch: epoch))
        for (input, transitions) in zip(life.inputs, life.transitions) {
            let step = try #require(try replay.next())
            #expect(step.transitions.count == transitions.count)
            let distance = step.recorded.input.observed.instant.duration(to: input.observed.instant)
            #expect(distance == .seconds(4711))
            #expect(step.recorded.input.observed.microsecondsSince1970 == input.observed.microsecondsSince1970)
        }
    }

    @Test func `a recording of a bridge that its own VLANs are ports of is replayed to its end`() async throws {
        let header = Life(seed: 41, count: 0).header
        let internet = IPAddress("198.51.100.1") ?? .unspecified(.ipv4)
        let route = ResolvedRoute(interfaceIndex: 1)
        // The time must not grow with a power of their number.
        let ports = (UInt32(2)...1000).map { index in
            Link(
                index: index,
                name: "br0.\(index)",
                flags: [.up, .lowerUp],
                driverKind: "vlan",
                lowerIndex: 1,
                masterIndex: 1
            )
        }
        let snapshot = NetworkSnapshot(
            links: [Link(index: 1, name: "br0", flags: [.up, .lowerUp], driverKind: "bridge")] + ports,
            lookups: [RouteLookup(destination: internet, outcome: .route(route))],
            internetAddresses: [internet]
        )
        let update = NetworkUpdate(snapshot: snapshot, changes: [], observed: header.started)
        let inputs: [InputRecord] = [
            .configuration(MachineConfiguration(), observed: header.started), .update(update, isCorrection: false),
        ]
        let bytes = try await Self.record(inputs, header: header)
        var replay = RecordingReplay(try RecordingReader(bytes: bytes, epoch: header.started.instant))
        for _ in inputs { #expect(try replay.next() != nil) }
        #expect(try replay.next() == nil)
        #expect(replay.machine?.state.path.reason == .linkDown)
    }

    @Test func `a recording that does not begin with a configuration cannot be replayed`() throws {
        let header = #"{"recording":1,"agent":"0","stream":"s","next_seq":1,"started":"2026-11-21T07:00:00.000000Z"}"#
        let text = header + "\n" + #"{"input":"tick","at":{"ns":0,"us":0}}"# + "\n"
        var replay = RecordingReplay(try RecordingReader(bytes: Array(text.utf8)))
        let error = #expect(throws: RecordingError.self) { try replay.next() }
        #expect(error?.description == "recording:2: the first input is not a configuration")
        #expect(try replay.next() == nil)
    }
}

import AgentEvents
import Sinks
import Testing

@testable import ReachAgent

/// The progress of each sink: the events that its broker has, and those that it never gets.
@Suite struct SinkProgressTests {
    static func settings(_ name: String, _ url: String = "nats://a.test", device: String = "edge-7") throws
        -> SinkSettings
    {
        SinkSettings(name: name, broker: try BrokerAddress(url), device: device)
    }

    /// A progress with one sink `a`, configured when the journal began with a number.
    private static func progress(oldest: UInt64 = 1, types: [String] = []) throws -> SinkProgress {
        var progress = SinkProgress(stream: "s")
        var sink = try settings("a")
        sink.types = types
        progress.configure([sink], oldest: oldest)
        return progress
    }

    private static func losses(_ progress: SinkProgress) -> [ClosedRange<UInt64>] {
        progress.unpublished.map { $0.loss.firstSequence...$0.loss.lastSequence }
    }

    struct Removal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var configuredAt: UInt64 = 1
        var acknowledged: UInt64?
        let oldest: UInt64
        let losses: [ClosedRange<UInt64>]
    }

    @Test(arguments: [
        Removal(testDescription: "nothing was removed", acknowledged: 5, oldest: 1, losses: []),
        Removal(testDescription: "all of it was shipped", acknowledged: 40, oldest: 41, losses: []),
        Removal(testDescription: "more than was removed was shipped", acknowledged: 90, oldest: 41, losses: []),
        Removal(testDescription: "some was not shipped", acknowledged: 30, oldest: 41, losses: [31...40]),
        Removal(testDescription: "the last one was not shipped", acknowledged: 39, oldest: 41, losses: [40...40]),
        Removal(testDescription: "nothing was ever shipped", oldest: 41, losses: [1...40]),
        Removal(testDescription: "the sink is younger than what was removed", configuredAt: 41, oldest: 41, losses: []),
        Removal(testDescription: "the sink is as young as some of it", configuredAt: 20, oldest: 41, losses: [20...40]),
        Removal(testDescription: "the journal is empty", oldest: 0, losses: []),
    ])
    func `events that leave the journal unsent are lost`(_ removal: Removal) throws {
        var progress = try Self.progress(oldest: removal.configuredAt)
        if let acknowledged = removal.acknowledged {
            progress.acknowledge(acknowledged, at: nil, by: "a", newest: 100)
        }
        let hasLost = progress.remove(before: removal.oldest, newest: 100)
        #expect(hasLost == !removal.losses.isEmpty)
        #expect(Self.losses(progress) == removal.losses)
        #expect(progress.entries["a"]?.lost == UInt64(removal.losses.reduce(0) { $0 + $1.count }))
    }

    @Test(
        arguments: [
            ([], nil), ([12], SinkLoss(sink: "a", firstSequence: 12, lastSequence: 12)),
            ([12, 13, 14], SinkLoss(sink: "a", firstSequence: 12, lastSequence: 14)),
            ([12, 40], SinkLoss(sink: "a", firstSequence: 12, lastSequence: 40, matching: 2)),
        ] as [([UInt64], SinkLoss?)]
    )
    func `a sink with types loses the events that it ships`(_ numbers: [UInt64], _ loss: SinkLoss?) throws {
        var progress = try Self.progress(types: ["path.*"])
        progress.acknowledge(10, at: nil, by: "a", newest: 100)
        #expect(progress.unread(before: 41) == ["a": 10])
        let hasLost = progress.remove(before: 41, newest: 100, selected: ["a": numbers])
        #expect(hasLost == (loss != nil))
        #expect(progress.unpublished.map(\.loss) == [loss].compactMap(\.self))
        #expect(progress.entries["a"]?.lost == UInt64(numbers.count))
        #expect(progress.unsettled(before: 41).isEmpty)
    }

    @Test func `events that were acknowledged while they were read are not lost`() throws {
        var progress = try Self.progress(types: ["path.*"])
        progress.acknowledge(11, at: nil, by: "a", newest: 100)
        let hasLost = progress.remove(before: 41, newest: 100, selected: ["a": [11, 40]])
        #expect(hasLost && Self.losses(progress) == [40...40])
    }

    /// Removed events 11 to 40 of a sink that ships, the ones that it did not find, and its acknowledgement at the end.
    struct Shipping: Sendable {
        var types: [String] = []
        var gap: ClosedRange<UInt64>?
        let acknowledged: UInt64
        let losses: [ClosedRange<UInt64>]
    }

    @Test(arguments: [
        Shipping(acknowledged: 60, losses: []), Shipping(acknowledged: 30, losses: [31...40]),
        Shipping(gap: 21...25, acknowledged: 60, losses: [21...25]),
        Shipping(gap: 21...25, acknowledged: 30, losses: [21...25, 31...40]),
        // Older ones were decided before, and later ones are in the journal, which is damaged.
        Shipping(gap: 1...15, acknowledged: 60, losses: [11...15]),
        Shipping(gap: 36...55, acknowledged: 60, losses: [36...40]),
        Shipping(gap: 41...55, acknowledged: 60, losses: []),
        Shipping(types: ["path.*"], acknowledged: 60, losses: []),
        Shipping(types: ["path.*"], acknowledged: 30, losses: [35...39]),
        Shipping(types: ["path.*"], gap: 21...38, acknowledged: 60, losses: [25...35]),
        Shipping(types: ["path.*"], gap: 26...34, acknowledged: 60, losses: []),
    ])
    func `a sink that ships decides which of the removed events are lost, each once`(_ shipping: Shipping) throws {
        var progress = try Self.progress(types: shipping.types)
        progress.acknowledge(10, at: nil, by: "a", newest: 100)
        let selected = shipping.types.isEmpty ? [:] : ["a": [12, 25, 35, 39] as [UInt64]]
        let isDecided = progress.remove(before: 41, newest: 100, selected: selected, except: ["a"])
        #expect(!isDecided && progress.unread(before: 41).isEmpty)
        for _ in 0..<2 {
            if let gap = shipping.gap {
                let loss = SinkLoss(sink: "a", firstSequence: gap.lowerBound, lastSequence: gap.upperBound)
                _ = progress.expire(loss, before: 41, newest: 100)
            }
            progress.acknowledge(shipping.acknowledged, at: nil, by: "a", newest: 100)
            // The connection has ended.
            _ = progress.remove(before: 41, newest: 100)
        }
        #expect(Self.losses(progress) == shipping.losses)
    }

    @Test func `bounded announcements keep the number of events of a sink with types`() throws {
        var progress = try Self.progress(types: ["path.*"])
        for oldest in stride(from: UInt64(11), through: 301, by: 10) {
            let selected = ["a": [oldest - 10, oldest - 1]]
            let hasLost = progress.remove(before: oldest, newest: 1000, selected: selected)
            #expect(hasLost)
        }
        let losses = progress.unpublished.map(\.loss)
        #expect(losses.count == SinkProgress.maximumAnnouncements && losses.reduce(0) { $0 + $1.count } == 60)
        #expect(losses.last == SinkLoss(sink: "a", firstSequence: 151, lastSequence: 300, matching: 30))
        #expect(progress.entries["a"]?.lost == 60)
    }

    @Test func `a loss is announced once, and the next one starts after it`() throws {
        var progress = try Self.progress()
        progress.acknowledge(10, at: nil, by: "a", newest: 100)
        var hasLost = [progress.remove(before: 21, newest: 100), progress.remove(before: 21, newest: 100)]
        // A late acknowledgement changes nothing.
        progress.acknowledge(15, at: nil, by: "a", newest: 100)
        hasLost += [progress.remove(before: 21, newest: 100), progress.remove(before: 31, newest: 100)]
        #expect(hasLost == [true, false, false, true])
        #expect(Self.losses(progress) == [11...20, 21...30])
        #expect(progress.entries["a"]?.lost == 20)
    }

    @Test func `a published announcement is dropped once the journal has it`() throws {
        var progress = try Self.progress()
        let hasLost = progress.remove(before: 11, newest: 100)
        #expect(hasLost)
        let loss = try #require(progress.unpublished.first)
        #expect(loss.after == 100 && loss.loss.code == "events_expired")
        progress.published(loss.loss, as: 101)
        #expect(progress.unpublished.isEmpty && progress.doubtful.count == 1)
        progress.recorded(through: 100)
        #expect(progress.doubtful.count == 1)
        progress.recorded(through: 101)
        #expect(progress.doubtful.isEmpty)
    }

    @Test func `after a restart published announcements must be searched for`() throws {
        var progress = try Self.progress()
        let hasLost = progress.remove(before: 11, newest: 100)
        #expect(hasLost)
        progress.published(try #require(progress.unpublished.first).loss, as: 101)
        progress.doubt()
        #expect(Self.losses(progress) == [1...10])
    }

    @Test func `events that a broker rejects are lost, each once`() throws {
        var progress = try Self.progress()
        func refuse(_ range: ClosedRange<UInt64>, _ progress: inout SinkProgress) -> Bool {
            progress.refuse(
                SinkLoss(
                    sink: "a",
                    firstSequence: range.lowerBound,
                    lastSequence: range.upperBound,
                    code: "broker_too_large"
                ),
                newest: 100
            )
        }
        // A sink that has not seen the answer reports again.
        let ranges = [7...7, 7...7, 7...9, 101...200] as [ClosedRange<UInt64>]
        let isNews = ranges.map { refuse($0, &progress) }
        #expect(isNews == [true, false, true, false])
        #expect(Self.losses(progress) == [7...7, 8...9])
        #expect(progress.unpublished.map(\.loss.code) == ["broker_too_large", "broker_too_large"])
        #expect(progress.entries["a"]?.lost == 3)
    }

    @Test func `a sink keeps its numbers as long as its broker and its device`() throws {
        var progress = SinkProgress(stream: "s")
        let names = ["same", "moved", "renamed", "gone"]
        progress.configure(try names.map { try Self.settings($0) }, oldest: 1)
        for name in names { progress.acknowledge(30, at: nil, by: name, newest: 100) }
        progress.configure(
            [
                try Self.settings("same"), try Self.settings("moved", "nats://b.test"),
                try Self.settings("renamed", device: "edge-8"), try Self.settings("new"),
            ],
            oldest: 21
        )
        #expect(progress.entries.mapValues(\.acknowledged) == ["same": 30, "moved": nil, "renamed": nil, "new": nil])
        #expect(progress.entries.mapValues(\.settled) == ["same": 30, "moved": 20, "renamed": 20, "new": 20])
    }

    @Test func `announcements are bounded, and no number is left out`() throws {
        var progress = try Self.progress()
        for oldest in 2...60 as ClosedRange<UInt64> {
            let hasLost = progress.remove(before: oldest, newest: 100)
            #expect(hasLost)
        }
        let losses = Self.losses(progress)
        #expect(losses.count == SinkProgress.maximumAnnouncements)
        #expect(losses.flatMap { Array($0) } == Array(1...59))
        #expect(progress.entries["a"]?.lost == 59)
    }

    @Test func `a number that no journal has is cut`() throws {
        var progress = try Self.progress()
        progress.acknowledge(UInt64(Int64.max), at: nil, by: "a", newest: 100)
        #expect(progress.entries["a"]?.acknowledged == 100 && progress.entries["a"]?.settled == 100)
    }

    // MARK: The file

    @Test func `a progress is read as it was written`() throws {
        var progress = try Self.progress()
        progress.acknowledge(10, at: Timestamp(microsecondsSince1970: 1_795_244_400_000_000), by: "a", newest: 100)
        let hasLost = progress.remove(before: 21, newest: 100)
        #expect(hasLost)
        let text = JSONWriter.text(of: progress)
        #expect(try EventDecoder.decode(SinkProgress.self, from: text) == progress)
        #expect(
            String(decoding: text, as: UTF8.self) == """
                {"stream":"s","sinks":{"a":{"broker":"nats://a.test","device":"edge-7","acknowledged_seq":10,\
                "acknowledged_time":"2026-11-21T07:00:00.000000Z","settled_seq":20,"lost":10,"announcing":[{"loss":\
                {"sink":"a","first_seq":11,"last_seq":20,"code":"events_expired"},"after_seq":100}]}}}
                """
        )
    }

    private static let entry = #""broker":"nats://a.test","device":"edge-7","lost":0,"announcing":[]"#

    @Test(arguments: [
        "", "{", "null", "[]", "{}", #"{"stream":"s"}"#, #"{"stream":"s","sinks":[]}"#,
        #"{"stream":"s","sinks":{"a":{}}}"#,
        #"{"stream":"s","sinks":{"a":{\#(entry),"settled_seq":-1}}}"#,
        #"{"stream":"s","sinks":{"a":{\#(entry),"settled_seq":9223372036854775808}}}"#,
        #"{"stream":"s","sinks":{"a":{\#(entry),"settled_seq":1,"acknowledged_seq":18446744073709551615}}}"#,
        #"{"stream":"s","sinks":{"a":{"broker":"b","device":"d","settled_seq":1,"lost":1,"announcing":["#
            + #"{"loss":{"sink":"a","first_seq":1,"last_seq":1,"code":"events_expired"},"after_seq":18446744073709551615}"#
            + "]}}}",
    ])
    func `a damaged file is an error`(text: String) {
        #expect(throws: (any Error).self) { try EventDecoder.decode(SinkProgress.self, from: Array(text.utf8)) }
    }
}

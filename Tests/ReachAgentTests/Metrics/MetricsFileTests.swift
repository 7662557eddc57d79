import AgentEvents
import AgentTestKit
import ArgumentParser
import Configuration
import Foundation
import LinuxSupport
import Testing

@testable import ReachAgent

/// The file of metrics for node_exporter: when it is written, how, and when it goes.
@Suite(.onOwnThread, .timeLimit(.minutes(1)))
struct MetricsFileTests {
    /// A directory and a file in it, whose content counts its writings.
    private final class Bench: Sendable {
        /// Longer than any disk takes.
        static let patience: Duration = .seconds(30)

        private let temporary: TemporaryDirectory
        let count = Monitor(0)

        init() throws { temporary = try TemporaryDirectory() }

        var directory: String { temporary.path }
        var path: String { "\(directory)/agent.prom" }

        func file(interval: Duration, maximumAge: Duration = .seconds(3600), size: Int = 0) -> MetricsFile {
            MetricsFile(path: path, interval: interval, maximumAge: maximumAge) { [self] in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                count.wakeAll()
                return Array("written \(number)\n".utf8) + Array(repeating: UInt8(ascii: "x"), count: size)
            }
        }

        /// Waits until the file begins so; its replacement has no event of its own.
        func waits(for text: String) -> Bool {
            for _ in 0..<4000 {
                if (try? String(contentsOfFile: path, encoding: .utf8))?.hasPrefix(text) == true { return true }
                usleep(2000)
            }
            return false
        }

        /// Waits until so many writings were attempted.
        func waits(forAttempts attempts: Int) -> Bool { count.wait(within: .seconds(8)) { $0 >= attempts } }
    }

    private static func event(_ type: EventType) -> Event {
        let origin = EventOrigin(streamID: "s", host: "h")
        let draft = EventDraft(type, subject: "default", .subscriberLagged(SubscriberLagged(lastSequence: 1)))
        return Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 0), number: 1)
    }

    @Test func `a file that another agent has put in its place stays at the end`() throws {
        let bench = try Bench()
        let (file, other) = (bench.file(interval: .seconds(60)), bench.file(interval: .seconds(60)))
        for agent in [file, other] { try agent.start() }
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 1"))
        other.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 2"))
        file.stop(within: Bench.patience)
        #expect(bench.waits(for: "written 2"))
        other.stop(within: Bench.patience)
        #expect(!FileManager.default.fileExists(atPath: bench.path))
    }

    @Test(
        arguments: [
            ("", true, "/configured"), ("", false, "/configured"), ("--no-sockets", false, nil),
            ("--no-journal --no-sockets --metrics-file /named", false, "/named"),
            ("--record inputs", true, "/configured"), ("--record inputs", false, nil),
            ("--record inputs --metrics-file /named", false, "/named"),
        ] as [(String, Bool, String?)]
    )
    func `an agent that runs beside the service leaves its file alone`(
        options: String,
        hasSockets: Bool,
        path: String?
    ) throws {
        let command = try RunCommand.parse(options.split(separator: " ").map(String.init))
        var settings = AgentSettings()
        settings.metricsFile = "/configured"
        #expect(command.metricsPath(settings, hasSockets: hasSockets) == path)
    }

    @Test func `it is written whole at the first settled change, for all users, and removed at the end`() throws {
        let bench = try Bench()
        let file = bench.file(interval: .seconds(60), size: 1 << 20)
        try file.start()
        for type in [EventType.pathChanged, .agentStarted, .hookCompleted, .netlinkOverrun] {
            file.take(Self.event(type))
        }
        #expect(!FileManager.default.fileExists(atPath: bench.path))
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 1"))
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        #expect(attributes[.size] as? Int == (1 << 20) + 10)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory) == ["agent.prom"])
        file.stop(within: Bench.patience)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory) == [])
        #expect(bench.count.withLock { $0 } == 1)
    }

    @Test func `changes within the interval are written once, after it`() throws {
        let bench = try Bench()
        let file = bench.file(interval: .milliseconds(300))
        try file.start()
        let start = ContinuousClock.now
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 1"))
        for _ in 0..<1000 { file.take(Self.event(.probeChanged)) }
        #expect(bench.waits(for: "written 2"))
        #expect(start.duration(to: .now) >= .milliseconds(300))
        file.stop(within: Bench.patience)
        #expect(bench.count.withLock { $0 } == 2)
    }

    @Test func `an old file is written again although nothing has changed, and none before the first known state`()
        throws
    {
        let bench = try Bench()
        let file = bench.file(interval: .zero, maximumAge: .milliseconds(100))
        let start = ContinuousClock.now
        try file.start()
        #expect(!bench.count.wait(within: .milliseconds(300)) { $0 > 0 })
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 3"))
        #expect(start.duration(to: .now) >= .milliseconds(500))
        file.stop(within: Bench.patience)
    }

    @Test func `a change of the clock replaces a file that was written before it`() throws {
        let bench = try Bench()
        let file = bench.file(interval: .milliseconds(20))
        try file.start()
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 1"))
        file.takeClockChange()
        #expect(bench.waits(for: "written 2"))
        file.stop(within: Bench.patience)
        #expect(bench.count.withLock { $0 } == 2)
    }

    @Test func `a change of the clock before the first known state writes nothing`() throws {
        let bench = try Bench()
        let file = bench.file(interval: .zero)
        file.takeClockChange()
        try file.start()
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 1"))
        file.stop(within: Bench.patience)
        #expect(bench.count.withLock { $0 } == 1)
    }

    @Test func `a file that could not be written is retried without another change`() throws {
        let bench = try Bench()
        try FileManager.default.removeItem(atPath: bench.directory)
        let file = bench.file(interval: .milliseconds(20))
        try file.start()
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(forAttempts: 3))
        try FileManager.default.createDirectory(atPath: bench.directory, withIntermediateDirectories: false)
        #expect(bench.waits(for: "written"))
        file.stop(within: Bench.patience)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory) == [])
    }

    @Test func `an agent that ends before the interval does not wait for it`() throws {
        let bench = try Bench()
        let file = bench.file(interval: .seconds(3600))
        try file.start()
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written 1"))
        file.take(Self.event(.reachabilityChanged))
        let start = ContinuousClock.now
        file.stop(within: Bench.patience)
        #expect(start.duration(to: .now) < .seconds(5))
    }

    @Test func `a disk that hangs holds up the end no longer than its timeout`() throws {
        let bench = try Bench()
        let (hasBegun, isReleased) = (Monitor(false), Monitor(false))
        let file = MetricsFile(path: bench.path) {
            hasBegun.signal()
            isReleased.waitForSignal()
            return []
        }
        try file.start()
        file.take(Self.event(.reachabilityChanged))
        #expect(hasBegun.waitForSignal(within: Bench.patience))
        file.stop(within: .milliseconds(10))
        isReleased.signal()
        // The thread that was left behind removes the file all the same.
        file.stop(within: Bench.patience)
        #expect(!FileManager.default.fileExists(atPath: bench.path))
    }

    @Test func `a link in place of the new file is not followed, and a missing directory is tolerated`() throws {
        let bench = try Bench()
        let victim = "\(bench.directory)/victim"
        try "kept".write(toFile: victim, atomically: true, encoding: .utf8)
        symlink(victim, "\(bench.path).tmp")
        let file = bench.file(interval: .zero)
        try file.start()
        file.take(Self.event(.reachabilityChanged))
        #expect(bench.waits(for: "written"))
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
        file.stop(within: Bench.patience)

        try FileManager.default.removeItem(atPath: bench.directory)
        let homeless = bench.file(interval: .seconds(60))
        try homeless.start()
        homeless.take(Self.event(.reachabilityChanged))
        homeless.stop(within: Bench.patience)
    }
}

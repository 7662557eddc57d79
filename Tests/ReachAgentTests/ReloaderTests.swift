import AgentEvents
import AgentTestKit
import Configuration
import Dispatch
import Foundation
import LinuxSupport
import NetlinkMonitor
import StateSocket
import Synchronization
import Testing

@testable import ReachAgent

/// The reloads of the configuration: their rate, and their rejections.
struct ReloaderTests {
    @Test func `reads start a second apart, and requests in between share the next one`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = try directory.file("reload.toml", "")
        let source = ConfigurationSource(path: file) { (_) throws(ConfigurationErrors) in }
        let beginnings = Mutex<[ContinuousClock.Instant]>([])
        let reloader = Reloader(
            source: source,
            loaded: try source.load(),
            noteReading: { reading in if case .started = reading { beginnings.withLock { $0.append(.now) } } },
            apply: { _, _, _ in }
        )
        let answered = DispatchSemaphore(value: 0)
        let start = ContinuousClock.now
        for _ in 0..<2 {
            for _ in 0..<20 { reloader.reload { _ in answered.signal() } }
            await onThread { for _ in 0..<20 { answered.wait() } }
        }
        let times = beginnings.withLock { $0 }
        // The first request of each round may be read for before the others come.
        #expect((2...4).contains(times.count))
        // A read starts before it is noted here, so that two notes may be closer to each other than the reads.
        for (number, time) in times.enumerated() { #expect(start.duration(to: time) >= .seconds(number)) }
    }

    @Test func `a request that arrives while no thread can be started is answered too`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let source = ConfigurationSource(path: try directory.file("reload.toml", "")) {
            (_) throws(ConfigurationErrors) in
        }
        let isShort = Mutex(true)
        let reloader = Reloader(
            source: source,
            loaded: try source.load(),
            startThread: { body throws(SystemError) in
                let isFirst = isShort.withLock { isShort in
                    defer { isShort = false }
                    return isShort
                }
                if isFirst { throw SystemError(errno: EAGAIN) }
                try NamedThread.start("reload", body)
            },
            apply: { _, _, _ in }
        )
        let codes: [String?] = await withCheckedContinuation { done in
            reloader.reload { first in
                reloader.reload { second in done.resume(returning: [Self.code(of: first), Self.code(of: second)]) }
            }
        }
        #expect(codes == ["busy", nil])
    }

    /// The code of a failed reload; nil for a success.
    private static func code(of reply: ControlReply) -> String? {
        guard case .failure(let code, _, _) = reply else { return nil }
        return code.rawValue
    }

    /// The rejections that were published.
    private final class Rejections: Sendable {
        let all = Mutex<[ConfigurationRejection]>([])
    }

    /// The reloads that were applied.
    private final class Applied: Sendable {
        /// The sections that take effect on the next start, for each reload.
        let needsRestart = Mutex<[[String]]>([])
        /// The probes and targets that each reload removes.
        let removed = Mutex<[[String]]>([])
        /// The error of the kernel half of the next reload.
        let failure = Mutex<NetlinkError?>(nil)
        /// Called while a reload is applied, as its event is published.
        let whenPublished = Mutex<(@Sendable () -> Void)?>(nil)

        func take(_ reload: ConfigurationReload) throws(NetlinkError) {
            whenPublished.withLock { $0 }?()
            needsRestart.withLock { $0.append(reload.needsRestart) }
            removed.withLock { $0.append(reload.removed) }
            let failure = failure.withLock { failure in
                defer { failure = nil }
                return failure
            }
            if let failure { throw failure }
        }
    }

    /// A file, and a reloader of it that records its rejections.
    private final class Scratch: Sendable {
        private let temporary: TemporaryDirectory
        var directory: String { temporary.path }
        let reloader: Reloader
        let rejections = Rejections()
        let applied: Applied
        private let path: String

        /// - Parameter isNamed: False if the file was found among those that are searched for.
        init(_ text: String?, searched: Bool = false, isNamed: Bool = true) throws {
            temporary = try TemporaryDirectory()
            path = "\(temporary.path)/a.toml"
            try text?.write(toFile: path, atomically: false, encoding: .utf8)
            let source = ConfigurationSource(
                path: text == nil ? nil : path,
                searched: searched ? ["/etc/reachagent/reachagent.toml"] : isNamed ? [] : [path]
            ) { (_) throws(ConfigurationErrors) in }
            let applied = Applied()
            self.applied = applied
            reloader = Reloader(
                source: source,
                loaded: try source.load(),
                reject: { [rejections] rejection in rejections.all.withLock { $0.append(rejection) } },
                apply: { (_, _, reload) throws(NetlinkError) in try applied.take(reload) }
            )
        }

        /// Reloads another text, or without a file, and returns the code of the answer; nil for a success.
        func reload(_ text: String?) async throws -> String? {
            if let text {
                try text.write(toFile: path, atomically: false, encoding: .utf8)
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
            return await withCheckedContinuation { done in
                reloader.reload { reply in
                    guard case .failure(let code, _, _) = reply else { return done.resume(returning: nil) }
                    done.resume(returning: code.rawValue)
                }
            }
        }
    }

    @Test func `a rejected reload stays in the status until the next one that succeeds`() async throws {
        let scratch = try Scratch("")
        #expect(scratch.reloader.facts?.path == "\(scratch.directory)/a.toml")
        #expect(scratch.reloader.facts?.rejected == nil)
        let loaded = scratch.reloader.facts?.loaded
        let wrong = (0..<20).map { "wrong\($0) = 1\n" }.joined()
        #expect(try await scratch.reload(wrong) == "configuration_invalid")
        let rejected = try #require(scratch.reloader.facts?.rejected)
        #expect(rejected.errors.first == "\(scratch.directory)/a.toml:1:1: wrong0: unknown key")
        #expect(rejected.errors.count == 16)
        #expect(rejected.errorsOmitted == 4)
        #expect(scratch.reloader.facts?.loaded == loaded)
        #expect(scratch.rejections.all.withLock { $0.map(\.errors) } == [rejected.errors])
        #expect(try await scratch.reload("") == nil)
        #expect(scratch.reloader.facts?.rejected == nil)
    }

    @Test func `a client that receives the event of a reload finds it in the status`() async throws {
        let scratch = try Scratch("")
        let facts = Mutex<[AgentStatus.Configuration?]>([])
        scratch.applied.whenPublished.withLock { closure in
            closure = { [weak reloader = scratch.reloader] in facts.withLock { $0.append(reloader?.facts) } }
        }
        #expect(try await scratch.reload("wrong = 1\n") == "configuration_invalid")
        let former = try #require(scratch.reloader.facts)
        #expect(former.rejected != nil)
        #expect(try await scratch.reload("") == nil)
        let seen = facts.withLock { $0.compactMap(\.self) }
        let published = try #require(seen.first)
        #expect(published.rejected == nil)
        #expect(published.loaded != former.loaded)
    }

    @Test func `a rejected file that is removed again is no longer in the status`() async throws {
        let scratch = try Scratch(nil, isNamed: false)
        #expect(try await scratch.reload("wrong = 1\n") == "configuration_invalid")
        #expect(scratch.reloader.facts?.rejected != nil)
        #expect(try await scratch.reload(nil) == nil)
        #expect(scratch.reloader.facts?.rejected == nil)
        #expect(scratch.reloader.facts?.searched == ["\(scratch.directory)/a.toml"])
        #expect(scratch.applied.removed.withLock { $0 } == [[]])
    }

    @Test func `the age of the configuration does not follow a step of the wall clock`() throws {
        let scratch = try Scratch("")
        let (now, hour) = (ObservedTime.now, Duration.seconds(3600))
        let facts = scratch.reloader.facts(at: ObservedTime(instant: now.instant + hour, microsecondsSince1970: 0))
        let age = try #require(facts?.loadedForMilliseconds)
        #expect(age >= 3_600_000)
        #expect(try #require(facts?.loaded).microsecondsSince1970 <= now.microsecondsSince1970)
    }

    @Test func `the time of a rejected reload moves with a clock that is set`() async throws {
        let scratch = try Scratch("")
        #expect(try await scratch.reload("wrong = 1\n") == "configuration_invalid")
        let now = ObservedTime.now
        let rejected = try #require(scratch.reloader.facts(at: now)?.rejected?.time)
        let later = ObservedTime(
            instant: now.instant + .seconds(10),
            microsecondsSince1970: now.microsecondsSince1970 - 86_390_000_000
        )
        let moved = try #require(scratch.reloader.facts(at: later)?.rejected?.time)
        #expect(moved.microsecondsSince1970 == rejected.microsecondsSince1970 - 86_400_000_000)
    }

    @Test func `the settings of the next start are compared with those of the start`() async throws {
        let scratch = try Scratch("")
        let other = "[agent]\njournal_age = \"3d\"\n"
        for text in [other, other, "", ""] { #expect(try await scratch.reload(text) == nil) }
        #expect(scratch.applied.needsRestart.withLock { $0 } == [["agent"], ["agent"], [], []])
    }

    @Test func `a reload that fails in the kernel is an error until the next one that succeeds`() async throws {
        let scratch = try Scratch("")
        scratch.applied.failure.withLock { $0 = NetlinkError(operation: "open a socket", cause: .errno(EMFILE)) }
        #expect(try await scratch.reload("") == "netlink_failed")
        #expect(scratch.reloader.facts?.rejected == nil)
        #expect(try await scratch.reload("") == nil)
    }

    @Test func `a found file that was removed is no configuration, and a named one is an error`() async throws {
        let text = "[probe.web]\ntarget = 'https://web.test/'\n"
        let found = try Scratch(text, isNamed: false)
        #expect(found.reloader.facts?.path == "\(found.directory)/a.toml")
        #expect(try await found.reload(nil) == nil)
        #expect(found.applied.removed.withLock { $0 } == [["probe.web"]])
        #expect(found.reloader.facts?.path == nil)
        #expect(found.reloader.facts?.files.isEmpty == true)
        #expect(found.reloader.facts?.searched == ["\(found.directory)/a.toml"])
        #expect(try await found.reload(text) == nil)
        #expect(found.reloader.facts?.path == "\(found.directory)/a.toml")
        #expect(try await Scratch(text).reload(nil) == "configuration_invalid")
    }

    @Test(arguments: ["", "wrong = 1\n", nil])
    func `each reading is prepared, also where the files are invalid or missing`(text: String?) async throws {
        let scratch = try Scratch(text == nil ? nil : "")
        let prepared = Mutex(0)
        scratch.reloader.beforeReading { prepared.withLock { $0 += 1 } }
        for _ in 0..<2 { _ = try await scratch.reload(text ?? "") }
        #expect(prepared.withLock { $0 } == 2)
    }

    @Test func `an agent without a file lists the paths that it searches`() async throws {
        let scratch = try Scratch(nil)
        #expect(scratch.reloader.facts == nil)
        #expect(try await scratch.reload("") == "no_configuration_file")
        let searching = try Scratch(nil, searched: true)
        #expect(searching.reloader.facts?.searched == ["/etc/reachagent/reachagent.toml"])
        #expect(searching.reloader.facts?.files.isEmpty == true)
    }
}

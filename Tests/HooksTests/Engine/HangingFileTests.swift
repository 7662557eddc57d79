import AgentEvents
import Foundation
import Synchronization
import Testing

@testable import Hooks

/// Hooks and directories on a file system that does not answer.
@Suite(.enabled(if: HangingFileSystem.isAvailable, "only root can mount a file system"), .timeLimit(.minutes(2)))
struct HangingFileTests {
    private let fixture: HookFixture
    private let hanging: HangingFileSystem
    private let log = CompletionLog()
    private let notices = AsyncStream<String>.makeStream()
    private let links = ShortLinks()

    init() throws {
        (fixture, hanging) = (try HookFixture(), try HangingFileSystem())
    }

    private func runner(_ settings: HookSettings) -> HookRunner {
        HookRunner(settings, noticed: { [notices] in notices.continuation.yield($0) }) { [log] in log.note($0) }
    }

    private func notice() async -> String? {
        var iterator = notices.stream.makeAsyncIterator()
        return await iterator.next()
    }

    /// The next notice about a program that was checked; the check may take longer than the timeout too.
    private func noticeOfStart() async -> String? {
        var text = await notice()
        while text?.contains("could not be checked") == true { text = await notice() }
        return text
    }

    private func quick() throws -> HookDefinition {
        let path = try fixture.file("quick", Data("#!/bin/sh\n".utf8))
        let command = HookCommand(arguments: [path])
        return HookDefinition(name: "quick", action: .command(command), pace: HookPace(queue: .all))
    }

    private func directory(_ name: String, file: String) throws -> String {
        let directory = "\(fixture.directory)/\(name)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        try fixture.file("\(name)/\(file)", Data("#!/bin/sh\n".utf8))
        return directory
    }

    private func program(_ name: String, on fileSystem: HangingFileSystem? = nil) -> HookDefinition {
        let command = HookCommand(arguments: [(fileSystem ?? hanging).path + "/" + name])
        return HookDefinition(name: name, action: .command(command), timeout: .milliseconds(10))
    }

    /// Delivers three events, each when the quick hook has got the one before it.
    private func deliver(to runner: HookRunner) async {
        for number in 1...3 as ClosedRange<UInt64> {
            runner.deliver(SampleEvent.reachability(number, to: ("wifi", "full")))
            let reports = await log.reports { $0.count { $0.hook == "quick" } >= Int(number) }
            #expect(reports.last { $0.hook == "quick" }?.triggerSequence == number)
        }
    }

    @Test
    func `a directory that hangs delays its own hooks alone, and is reported`() async throws {
        let quick = try quick()
        let settings = HookSettings(
            directories: [hanging.path],
            definitions: [quick],
            directoryTimeout: .milliseconds(10)
        )
        let runner = runner(settings)
        await deliver(to: runner)
        #expect(await notice() == "no file in \(hanging.path) runs: the directories could not be read within 0.01 s")
        await withCheckedContinuation { next in runner.whenFree { next.resume() } }
        // The events still wait when other directories take the place of this one.
        let directory = try directory("hooks.d", file: "10-late")
        runner.configure(HookSettings(directories: [directory], definitions: [quick]))
        let reports = await log.reports { $0.contains { $0.hook == "10-late" } }
        let late = try #require(reports.first { $0.hook == "10-late" })
        #expect(late.triggerSequence == 3 && late.superseded == 2 && late.ending.isSuccess)
        await runner.stopped()
        #expect(log.completions.count == 4)
    }

    @Test(arguments: [false, true])
    func `a reload waits for the directory that still hangs, and starts no second thread for it`(isReleased: Bool)
        async throws
    {
        let other = try directory("hooks.d", file: "10-late")
        let settings = HookSettings(directories: [hanging.path], directoryTimeout: .milliseconds(10))
        let runner = runner(settings)
        runner.deliver(SampleEvent.reachability(1))
        #expect(await notice() != nil)
        // The path is that of an empty directory now; what hangs is still in the one that was there.
        try hanging.detach()
        let more = HookSettings(directories: [other, hanging.path], directoryTimeout: .milliseconds(20))
        runner.configure(more)
        let both = "no file in \(other), \(hanging.path) runs: the directories could not be read within 0.02 s"
        #expect(await notice() == both)
        #expect(log.completions.isEmpty)
        if isReleased {
            try hanging.release()
        } else {
            runner.configure(HookSettings(directories: [other]))
        }
        #expect(await log.reports(1).first?.hook == "10-late")
        await runner.stopped()
    }

    @Test
    func `the end waits for no directory that hangs`() async throws {
        let runner = runner(HookSettings(directories: [hanging.path], directoryTimeout: .milliseconds(10)))
        runner.deliver(SampleEvent.reachability(1))
        #expect(await notice() != nil)
        await runner.stopped()
        #expect(log.completions.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a secret that hangs delays its webhook alone, and is reported`(isReleased: Bool) async throws {
        let port = try ClosedPort()
        let webhook = try WebhookBench.webhook("http://127.0.0.1:\(port.number)/hook") {
            $0.secretFile = hanging.path + "/secret"
        }
        let hook = HookDefinition(name: "signed", action: .webhook(webhook), timeout: .milliseconds(10))
        let runner = runner(HookSettings(definitions: [hook, try quick()]))
        await deliver(to: runner)
        #expect(
            await notice() == "signed has not sent its request: \(hanging.path)/secret could not be read within 0.01 s"
        )
        #expect(runner.statuses.first { $0.hook == "signed" }?.running == 1)
        if isReleased {
            try hanging.release()
            // The events that came meanwhile are one.
            let reports = await log.reports { $0.count { $0.hook == "signed" } == 2 }.filter { $0.hook == "signed" }
            #expect(reports.map(\.triggerSequence) == [1, 3] && reports.map(\.superseded) == [0, 1])
            #expect(reports.allSatisfy { $0.ending.outcome == "undelivered" && $0.ending.code == "request_invalid" })
        }
        // The end waits for no secret, however long the grace period is.
        await runner.stopped(grace: .seconds(3600))
        if !isReleased { #expect(log.completions.last?.ending.outcome == "stopped") }
        withExtendedLifetime(port) {}
    }

    @Test
    func `a program whose file hangs is reported, and refused once it can be checked`() async throws {
        // The only place is not kept by it.
        let runner = runner(HookSettings(definitions: [program("program"), try quick()], maximumRunning: 1))
        await deliver(to: runner)
        let obstacle = "\(hanging.path)/program, or its user or working directory, could not be checked"
        #expect(await notice() == "program has not started: \(obstacle) within 0.01 s")
        try hanging.release()
        let reports = await log.reports { $0.contains { $0.hook == "program" } }
        #expect(reports.first { $0.hook == "program" }?.ending.outcome == "refused")
        await runner.stopped()
    }

    /// The hook `moved` with this program.
    private func moved(to path: String, timeout: Duration = .milliseconds(10)) -> HookDefinition {
        HookDefinition(name: "moved", action: .command(HookCommand(arguments: [path])), timeout: timeout)
    }

    @Test(arguments: [false, true])
    func `a reload frees a hook whose file hangs, and starts no program of before`(isRemoved: Bool) async throws {
        let runner = runner(HookSettings(definitions: [moved(to: hanging.path + "/old")]))
        runner.deliver(SampleEvent.reachability(1, to: ("wifi", "full")))
        #expect(await notice()?.hasPrefix("moved has not started: ") == true)
        if isRemoved {
            runner.configure(HookSettings())
            await withCheckedContinuation { next in runner.whenFree { next.resume() } }
            #expect(runner.statuses.isEmpty)
        }
        let new = try fixture.file("new", Data("#!/bin/sh\n".utf8))
        runner.configure(HookSettings(definitions: [moved(to: new, timeout: .seconds(60))]))
        // The event is still one for a changed hook, and went with a removed one.
        if isRemoved { runner.deliver(SampleEvent.reachability(2, to: ("wifi", "full"))) }
        let report = try #require(await log.reports(1).first)
        #expect(report.triggerSequence == (isRemoved ? 2 : 1) && report.ending.isSuccess)
        try hanging.release()
        await runner.stopped()
        #expect(log.completions.count == 1)
    }

    @Test(arguments: [HookPace.Queue.latest, .all])
    func `a reload keeps the order of the events whose files hang, and the newest of them`(queue: HookPace.Queue)
        async throws
    {
        var old = moved(to: hanging.path + "/old")
        old.pace = HookPace(concurrency: 2)
        let runner = runner(HookSettings(definitions: [old]))
        for number in 1...2 as ClosedRange<UInt64> {
            runner.deliver(SampleEvent.reachability(number, to: ("wifi", "full")))
            #expect(await notice()?.hasPrefix("moved has not started: ") == true)
        }
        let path = try fixture.file("new", Data("#!/bin/sh\n".utf8))
        var new = moved(to: path, timeout: .seconds(60))
        new.pace = HookPace(queue: queue)
        runner.configure(HookSettings(definitions: [new]))
        let reports = await log.reports(queue == .all ? 2 : 1)
        #expect(reports.map(\.triggerSequence) == (queue == .all ? [1, 2] : [2]))
        #expect(reports.map(\.superseded) == (queue == .all ? [0, 0] : [1]))
        try hanging.release()
        await runner.stopped()
        #expect(log.completions.count == reports.count)
    }

    @Test
    func `a file runs although the one of its name that it hides now hangs`() async throws {
        let (first, second) = (try directory("first.d", file: "00-first"), try directory("second.d", file: "20-second"))
        try fixture.file("second.d/10-moved", Data("#!\(hanging.path)/interpreter\n".utf8))
        let runner = runner(HookSettings(directories: [first, second]))
        runner.deliver(SampleEvent.reachability(1))
        // It is checked since the run that started with it.
        _ = await log.reports { $0.contains { $0.hook == "00-first" } }
        try fixture.file("first.d/10-moved", Data("#!/bin/sh\n".utf8))
        runner.deliver(SampleEvent.reachability(2))
        let reports = await log.reports { $0.contains { $0.hook == "10-moved" } }
        let moved = try #require(reports.first { $0.hook == "10-moved" })
        #expect(moved.triggerSequence == 2 && moved.superseded == 1 && moved.ending.isSuccess)
        try hanging.release()
        await runner.stopped()
    }

    @Test
    func `while as many checks as may be are abandoned a run ends with its check`() async throws {
        let runner = runner(HookSettings(definitions: [moved(to: hanging.path + "/0")]))
        runner.deliver(SampleEvent.reachability(1, to: ("wifi", "full")))
        for number in 0...HookEngine.maximumAbandonedChecks {
            let path = "\(hanging.path)/\(number)"
            if number > 0 { runner.configure(HookSettings(definitions: [moved(to: path)])) }
            #expect(await notice()?.hasPrefix("moved has not started: \(path), ") == true)
        }
        var quick = try quick()
        quick.trigger = HookTrigger(types: [.probeChanged])
        // It succeeds only after the file system has answered.
        let new = try fixture.file("new", Data("#!/bin/sh\n[ -e '\(fixture.directory)/released' ]\n".utf8))
        runner.configure(HookSettings(definitions: [moved(to: new, timeout: .seconds(60)), quick]))
        runner.deliver(SampleEvent.probe("web", 2))
        #expect(await log.reports(1).map(\.hook) == ["quick"])
        try fixture.file("released", Data())
        try hanging.release()
        let report = try #require(await log.reports(2).last)
        #expect(report.hook == "moved" && report.triggerSequence == 1 && report.ending.isSuccess)
        await runner.stopped()
    }

    /// A program that can be checked, and whose loader is on the file system that hangs.
    private func stuckAtStart() throws -> HookDefinition {
        var program = try Data(contentsOf: URL(filePath: "/bin/true"))
        // The kernel reads a loader's path of at most as many bytes as the program has for it.
        let link = "/tmp/ld-\(UInt32.random(in: 0...UInt32.max))"
        let loaders = ["/lib64/ld-linux-x86-64.so.2\0", "/lib/ld-linux-aarch64.so.1\0"]
        let place = try #require(loaders.compactMap { program.firstRange(of: Data($0.utf8)) }.first)
        program.replaceSubrange(place, with: Data(link.utf8) + Data(count: place.count - link.utf8.count))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: hanging.path + "/loader")
        links.add(link)
        let path = try fixture.file("stuck", program)
        let command = HookCommand(arguments: [path])
        return HookDefinition(name: "stuck", action: .command(command), timeout: .milliseconds(10))
    }

    @Test
    func `a program that hangs as it starts is reported, and keeps no place`() async throws {
        let stuck = try stuckAtStart()
        let runner = runner(HookSettings(definitions: [stuck, try quick()], maximumRunning: 1))
        await deliver(to: runner)
        let path = fixture.directory + "/stuck"
        let obstacle = "\(path), what it loads, or its working directory, could not be read"
        #expect(await noticeOfStart() == "stuck has not started: \(obstacle) within 0.01 s")
        #expect(runner.statuses.first { $0.hook == "stuck" }?.running == 1)
        try hanging.release()
        let reports = await log.reports { $0.contains { $0.hook == "stuck" } }
        #expect(reports.first { $0.hook == "stuck" }?.ending.outcome == "not_started")
        await runner.stopped()
    }

    @Test
    func `a process that a program has left behind is reaped while another program hangs as it starts`() async {
        // A containment takes the exit status of every child of its process.
        await #expect(processExitsWith: .success) { try await Self().reapBesideStuckProgram() }
    }

    private func reapBesideStuckProgram() async throws {
        let containment = HookContainment(withoutGroupsBecause: "the test needs none")
        let path = try fixture.file("leaving", Data("#!/bin/sh\nsleep 1000 > /dev/null & echo $!\n".utf8))
        let leaving = HookDefinition(name: "leaving", action: .command(HookCommand(arguments: [path])))
        let runner = HookRunner(
            HookSettings(definitions: [try stuckAtStart(), leaving]),
            containment: containment,
            noticed: { [notices] in notices.continuation.yield($0) },
            completed: { [log] in log.note($0) }
        )
        runner.deliver(SampleEvent.reachability(1, to: ("wifi", "full")))
        #expect(await noticeOfStart()?.hasPrefix("stuck has not started: ") == true)
        let reports = await log.reports { $0.contains { $0.hook == "leaving" } }
        let output = reports.first { $0.hook == "leaving" }?.output ?? ""
        let orphan = try #require(pid_t(output.prefix { $0.isNumber }))
        kill(orphan, SIGKILL)
        var end = siginfo_t()
        while waitid(P_PID, id_t(orphan), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        containment.reap()
        let exists = kill(orphan, 0) == 0
        #expect(!exists)
        try hanging.release()
        await runner.stopped()
    }

    @Test
    func `the end waits for no program that hangs as it starts`() async throws {
        let stuck = try stuckAtStart()
        let runner = runner(HookSettings(definitions: [stuck]))
        runner.deliver(SampleEvent.reachability(1, to: ("wifi", "full")))
        #expect(await noticeOfStart()?.hasPrefix("stuck has not started: ") == true)
        await runner.stopped(grace: .zero)
        #expect(log.completions.last?.ending.outcome == "stopped")
    }

    @Test
    func `no more programs hang beside the places than there are places`() async throws {
        let hooks = [program("first"), program("second"), try quick()]
        let runner = runner(HookSettings(definitions: hooks, maximumRunning: 1))
        runner.deliver(SampleEvent.reachability(1, to: ("wifi", "full")))
        for name in ["first", "second"] { #expect(await notice()?.hasPrefix("\(name) has not started: ") == true) }
        #expect(log.completions.isEmpty)
        try hanging.release()
        let reports = await log.reports(3)
        let outcomes = Dictionary(uniqueKeysWithValues: reports.map { ($0.hook, $0.ending.outcome) })
        #expect(outcomes == ["first": "refused", "second": "refused", "quick": "succeeded"])
        await runner.stopped()
    }

    @Test
    func `a program that could not give up its place does so when another one's file answers`() async throws {
        let other = try HangingFileSystem()
        let hooks = [program("first"), program("second", on: other), try quick()]
        let runner = runner(HookSettings(definitions: hooks, maximumRunning: 1))
        runner.deliver(SampleEvent.reachability(1, to: ("wifi", "full")))
        for name in ["first", "second"] { #expect(await notice()?.hasPrefix("\(name) has not started: ") == true) }
        try hanging.release()
        let reports = await log.reports(2)
        #expect(Set(reports.map(\.hook)) == ["first", "quick"])
        try other.release()
        #expect(await log.reports(3).last?.hook == "second")
        await runner.stopped()
    }
}

/// Symbolic links with paths that are short enough for a program's loader, which go with their owner.
private final class ShortLinks: Sendable {
    private let paths = Mutex<[String]>([])

    func add(_ path: String) { paths.withLock { $0.append(path) } }

    deinit { for path in paths.withLock({ $0 }) { unlink(path) } }
}

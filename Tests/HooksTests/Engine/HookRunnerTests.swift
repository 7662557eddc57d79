import AgentEvents
import Foundation
import Synchronization
import Testing

@testable import Hooks

@Suite
struct HookRunnerTests {
    /// A runner, what it reported, and the directory with its programs.
    private struct Scene {
        let fixture: HookFixture
        let log = CompletionLog()
        let runner: HookRunner

        init(_ fixture: HookFixture, _ settings: HookSettings) {
            self.fixture = fixture
            let log = log
            runner = HookRunner(settings) { log.note($0) }
        }

        /// The texts that the hooks wrote, by the hook's name, in the order in which they ended.
        func written(_ hook: String) -> [String] { log.completions.filter { $0.hook == hook }.map { $0.output ?? "" } }
    }

    private static func script(_ fixture: HookFixture, _ name: String, _ text: String) throws -> String {
        try fixture.file(name, Data("#!/bin/sh\n\(text)\n".utf8))
    }

    private static func hook(
        _ name: String,
        _ path: String,
        types: Set<EventType> = [.reachabilityChanged],
        pace: HookPace = HookPace(),
        timeout: Duration = .seconds(600)
    ) -> HookDefinition {
        HookDefinition(
            name: name,
            action: .command(HookCommand(arguments: [path])),
            trigger: HookTrigger(types: types),
            pace: pace,
            timeout: timeout
        )
    }

    @Test
    func `the runner's thread calls back when it is free, or the caller when there is no hook`() async throws {
        let fixture = try HookFixture()
        let idle = Scene(fixture, HookSettings())
        let isCalled = Mutex(false)
        idle.runner.whenFree { isCalled.withLock { $0 = true } }
        #expect(isCalled.withLock { $0 })
        let path = try Self.script(fixture, "wait", "exec sleep 60")
        let scene = Scene(fixture, HookSettings(definitions: [Self.hook("wait", path)]))
        scene.runner.deliver(SampleEvent.reachability(7, to: ("wwan", "full")))
        // A hook that runs is no reason to be silent.
        await withCheckedContinuation { next in scene.runner.whenFree { next.resume() } }
        await scene.runner.stopped()
        scene.runner.whenFree { Issue.record("called after the end") }
    }

    @Test
    func `a hook runs for an interface that it names by an alternative name`() async throws {
        let fixture = try HookFixture()
        let path = try Self.script(fixture, "tell", #"read -r line; echo "$REACH_SEQ""#)
        var hook = Self.hook("tell", path)
        hook.trigger.filter.interfaces = ["enp3*"]
        let log = CompletionLog()
        let names = ["eth0": ["lan", "enp3s0"], "eth1": ["enp4s0"]]
        let runner = HookRunner(
            HookSettings(definitions: [hook]),
            alternativeNames: { names[$0] ?? [] },
            completed: { log.note($0) }
        )
        runner.deliver(SampleEvent.reachability(7, interface: "eth1"))
        runner.deliver(SampleEvent.reachability(8, interface: "eth0"))
        let report = try #require(await log.reports(1).first)
        #expect(report.triggerSequence == 8)
        await runner.stopped()
        #expect(log.completions.count == 1)
    }

    @Test
    func `a hook gets the event, and its end is reported`() async throws {
        let fixture = try HookFixture()
        let path = try Self.script(fixture, "tell", #"read -r line; echo "$REACH_TO_VIA ${#line}"; exit 3"#)
        let scene = Scene(fixture, HookSettings(definitions: [Self.hook("tell", path)]))
        let event = SampleEvent.reachability(7, to: ("wwan", "full"))
        scene.runner.deliver(event)
        let report = try #require(await scene.log.reports(1).first)
        #expect(report.hook == "tell" && report.kind == "command" && report.triggerSequence == 7)
        #expect(
            report.trigger == "reachability.changed" && report.ending.outcome == "exited"
                && report.ending.exitStatus == 3
        )
        #expect(report.output == "wwan \(event.line.count)\n" && report.failures == 1 && report.superseded == 0)
        let status = try #require(scene.runner.statuses.first)
        #expect(status.runs == 1 && status.failedRuns == 1 && status.running == 0)
        #expect(status.last?.ending == report.ending && status.last?.output == "wwan \(event.line.count)")
        await scene.runner.stopped()
    }

    @Test
    func `files of the directories are started in the order of their names, on their occasions`() async throws {
        let fixture = try HookFixture()
        for directory in ["wifi.d", "wired.d"] {
            try FileManager.default.createDirectory(
                atPath: "\(fixture.directory)/\(directory)",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755]
            )
        }
        for name in ["10-a", "wifi.d/15-b", "20-c", "wired.d/05-x", "30-d"] {
            _ = try Self.script(fixture, name, "echo $$")
        }
        let scene = Scene(fixture, HookSettings(directories: [fixture.directory]))
        scene.runner.deliver(SampleEvent.reachability(1, cause: "start"))
        let reports = await scene.log.reports(4)
        #expect(reports.count == 4 && reports.allSatisfy { $0.ending.isSuccess && $0.kind == "file" })
        // Identifiers of processes rise up to a maximum, and then begin again, so they tell in which order the programs
        // were started.
        let processes = try ["10-a", "wifi.d/15-b", "20-c", "30-d"].map { hook in
            let report = try #require(reports.first { $0.hook == hook })
            return try #require(Int(report.output?.dropLast() ?? ""))
        }
        let text = try String(contentsOfFile: "/proc/sys/kernel/pid_max", encoding: .utf8)
        let maximum = try #require(Int(text.dropLast()))
        let steps = zip(processes, processes.dropFirst()).map { ($1 - $0 + maximum) % maximum }
        #expect(steps.allSatisfy { (1..<maximum / 2).contains($0) }, "\(processes)")
        // A file that is put there later runs without anything else, and one that is gone is forgotten.
        _ = try Self.script(fixture, "40-e", "true")
        try FileManager.default.removeItem(atPath: fixture.directory + "/10-a")
        scene.runner.deliver(SampleEvent.reachability(2, from: ("wifi", "full"), to: ("wifi", "unknown")))
        let all = await scene.log.reports(7)
        #expect(Set(all.dropFirst(4).map(\.hook)) == ["20-c", "30-d", "40-e"])
        #expect(scene.runner.statuses.map(\.hook) == ["20-c", "30-d", "40-e", "wifi.d/15-b"])
        await scene.runner.stopped()
    }

    @Test
    func `a file of a directory that a reload has removed runs no more, and is not in the status`() async throws {
        let (removed, kept, scratch) = (try HookFixture(), try HookFixture(), try HookFixture())
        let (begun, go) = (scratch.directory + "/begun", scratch.directory + "/go")
        let waits = "echo > '\(begun)'; while [ ! -e '\(go)' ]; do sleep 0.02; done"
        _ = try Self.script(removed, "10-old", waits)
        _ = try Self.script(kept, "20-kept", "true")
        let scene = Scene(removed, HookSettings(directories: [removed.directory, kept.directory]))
        scene.runner.deliver(SampleEvent.reachability(1))
        await Self.until { FileManager.default.fileExists(atPath: begun) }
        scene.runner.deliver(SampleEvent.reachability(2))
        _ = await scene.log.reports(2)
        #expect(scene.runner.statuses.map(\.waiting) == [1, 0])
        scene.runner.configure(HookSettings(directories: [kept.directory + "/"]))
        await withCheckedContinuation { next in scene.runner.whenFree { next.resume() } }
        #expect(scene.runner.statuses.map(\.waiting) == [0, 0])
        try scratch.file("go", Data())
        let reports = await scene.log.reports(3)
        #expect(reports.last?.hook == "10-old" && reports.last?.triggerSequence == 1)
        await withCheckedContinuation { next in scene.runner.whenFree { next.resume() } }
        #expect(scene.runner.statuses.map(\.hook) == ["20-kept"])
        await scene.runner.stopped(grace: .seconds(60))
        #expect(scene.log.completions.count == 3)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a directory that cannot be read hides later ones, and is reported once`() async throws {
        let (fixture, first) = (try HookFixture(), try HookFixture())
        let blind = try first.file("hooks.d", Data())
        _ = try Self.script(fixture, "10-a", "true")
        let other = try HookFixture()
        let quick = Self.hook("quick", try Self.script(other, "quick", "true"))
        let log = CompletionLog()
        let notices = AsyncStream<String>.makeStream()
        let runner = HookRunner(
            HookSettings(directories: [blind, fixture.directory], definitions: [quick]),
            noticed: { notices.continuation.yield($0) },
            completed: { log.note($0) }
        )
        runner.deliver(SampleEvent.reachability(1))
        var iterator = notices.stream.makeAsyncIterator()
        let notice = try #require(await iterator.next())
        #expect(notice.hasPrefix("a directory that cannot be read hides all later ones: hook_directory (\(blind)): "))
        _ = await log.reports(1)
        runner.deliver(SampleEvent.reachability(2))
        #expect(await log.reports(2).map(\.hook) == ["quick", "quick"])
        try FileManager.default.removeItem(atPath: blind)
        runner.deliver(SampleEvent.reachability(3))
        #expect(await log.reports { $0.contains { $0.hook == "10-a" } }.count >= 3)
        await runner.stopped()
        notices.continuation.finish()
        #expect(await iterator.next() == nil)
    }

    @Test
    func `two files whose names differ in the form of an accent alone are two hooks`() async throws {
        let fixture = try HookFixture()
        let names = ["10-caf\u{E9}", "10-cafe\u{301}"]
        for (number, name) in names.enumerated() { _ = try Self.script(fixture, name, "echo \(number)") }
        let scene = Scene(fixture, HookSettings(directories: [fixture.directory]))
        for number in 1...2 as ClosedRange<UInt64> {
            scene.runner.deliver(SampleEvent.reachability(number, to: (number == 1 ? "none" : "wifi", "full")))
            let reports = await scene.log.reports(2 * Int(number))
            #expect(Set(reports.suffix(2).compactMap(\.output)) == ["0\n", "1\n"])
        }
        let statuses = scene.runner.statuses
        #expect(Set(statuses.map { Array($0.hook.utf8) }) == Set(names.map { Array($0.utf8) }))
        #expect(statuses.map(\.runs) == [2, 2])
        await scene.runner.stopped()
    }

    @Test
    func `a storm of a thousand transitions runs a hook a few times, and the last one always`() async throws {
        let fixture = try HookFixture()
        let latest = try Self.script(fixture, "latest", "sleep 0.05; echo $REACH_SEQ")
        let all = try Self.script(fixture, "all", "echo $REACH_SEQ")
        let scene = Scene(
            fixture,
            HookSettings(definitions: [
                Self.hook("latest", latest), Self.hook("all", all, pace: HookPace(concurrency: 4, queue: .all)),
            ])
        )
        for number in 1...1000 as ClosedRange<UInt64> {
            scene.runner.deliver(
                SampleEvent.reachability(number, to: (number.isMultiple(of: 2) ? "none" : "wifi", "full"))
            )
        }
        let reports = await scene.log.reports { reports in
            ["latest", "all"].allSatisfy { hook in reports.contains { $0.hook == hook && $0.triggerSequence == 1000 } }
        }
        await scene.runner.stopped(grace: .seconds(60))
        for hook in ["latest", "all"] {
            let runs = (reports + scene.log.completions.dropFirst(reports.count)).filter { $0.hook == hook }
            #expect(runs.allSatisfy { $0.ending.isSuccess })
            #expect(runs.count + runs.map(\.superseded).reduce(0, +) == 1000)
            #expect(runs.map { $0.triggerSequence ?? 0 }.max() == 1000)
        }
        #expect(scene.written("latest").last == "1000\n")
        #expect(scene.log.completions.filter { $0.hook == "latest" }.count < 500)
    }

    @Test
    func `a hook that hangs delays no other`() async throws {
        let fixture = try HookFixture()
        let hanging = try Self.script(fixture, "hanging", "exec sleep 600")
        let quick = try Self.script(fixture, "quick", "true")
        let scene = Scene(
            fixture,
            HookSettings(definitions: [Self.hook("hanging", hanging), Self.hook("quick", quick)])
        )
        for number in 1...3 as ClosedRange<UInt64> {
            scene.runner.deliver(SampleEvent.reachability(number))
            let reports = await scene.log.reports(Int(number))
            #expect(reports.last?.hook == "quick" && reports.last?.triggerSequence == number)
        }
        let status = scene.runner.statuses.first { $0.hook == "hanging" }
        #expect(status?.running == 1 && status?.waiting == 1 && status?.superseded == 1)
        await scene.runner.stopped()
        let last = try #require(scene.log.completions.last)
        #expect(last.hook == "hanging" && last.ending.outcome == "stopped" && last.triggerSequence == 1)
    }

    @Test
    func `no more programs run at a time than may, and the others take turns`() async throws {
        let fixture = try HookFixture()
        // Each takes a place of two; a third would find both taken.
        let path = try Self.script(
            fixture,
            "crowd",
            """
            mkdir "\(fixture.directory)/a" 2>/dev/null && place=a || { mkdir "\(fixture.directory)/b" && place=b; } || exit 9
            sleep 0.05
            rmdir "\(fixture.directory)/$place"
            """
        )
        let hooks = (0..<12).map { Self.hook("hook-\($0)", path) }
        let scene = Scene(fixture, HookSettings(definitions: hooks, maximumRunning: 2))
        scene.runner.deliver(SampleEvent.reachability(1))
        let reports = await scene.log.reports(12)
        #expect(reports.count == 12 && reports.allSatisfy { $0.ending.isSuccess })
        await scene.runner.stopped()
    }

    @Test
    func `an untrusted file is refused, and a failed start is reported`() async throws {
        let fixture = try HookFixture()
        let writable = try Self.script(fixture, "writable", "true")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: writable)
        let sound = try Self.script(fixture, "sound", "true")
        let lost = HookCommand(arguments: [sound], workingDirectory: fixture.directory + "/nowhere")
        let log = CompletionLog()
        let runner = HookRunner(
            HookSettings(definitions: [
                Self.hook("missing", fixture.directory + "/nothing"), Self.hook("unknown", "no-such-program-anywhere"),
                Self.hook("writable", writable), HookDefinition(name: "lost", action: .command(lost)),
            ])
        ) { log.note($0) }
        runner.deliver(SampleEvent.reachability(1))
        let reports = await log.reports(4)
        func code(_ hook: String) -> HookRefusal.Code? {
            reports.first { $0.hook == hook }?.ending.refusal.flatMap { HookRefusal.Code(rawValue: $0.code) }
        }
        #expect(code("missing") == .missing && code("unknown") == .missing && code("writable") == .writable)
        #expect(code("lost") == .workingDirectory)
        #expect(runner.statuses.allSatisfy { $0.failures == 1 })
        await runner.stopped()
    }

    @Test
    func `a reload keeps unchanged hooks, restarts others, and starts no removed one`() async throws {
        let fixture = try HookFixture()
        let tell = try Self.script(fixture, "tell", "echo $REACH_SEQ $REACH_AT_START")
        let fail = try Self.script(fixture, "fail", "exit 1")
        let stays = Self.hook("stays", tell)
        let scene = Scene(
            fixture,
            HookSettings(definitions: [stays, Self.hook("goes", tell), Self.hook("changes", fail)])
        )
        scene.runner.deliver(SampleEvent.reachability(1))
        _ = await scene.log.reports(3)
        let changed = Self.hook("changes", tell)
        let added = Self.hook("added", tell, pace: HookPace(runsAtStart: true))
        scene.runner.configure(HookSettings(definitions: [stays, changed, added]))
        scene.runner.deliver(SampleEvent.reachability(2, from: ("wifi", "full"), to: ("none", "none")))
        _ = await scene.log.reports { reports in
            ["stays", "changes", "added"].allSatisfy { name in
                reports.contains { $0.hook == name && $0.triggerSequence == 2 }
            }
        }
        await scene.runner.stopped(grace: .seconds(60))
        #expect(scene.written("stays") == ["1\n", "2\n"] && scene.written("goes") == ["1\n"])
        #expect(scene.written("changes") == ["", "2\n"])
        // The state that was there before the hook was is replaced when another one comes before it could run.
        #expect([["1 1\n", "2\n"], ["2\n"]].contains(scene.written("added")))
        let statuses = Dictionary(uniqueKeysWithValues: scene.runner.statuses.map { ($0.hook, $0) })
        #expect(statuses["stays"]?.runs == 2 && statuses["changes"]?.runs == 1 && statuses["goes"] == nil)
        #expect(statuses["changes"]?.failures == 0)
    }

    @Test
    func `another timeout of the section restarts no hook, and applies to later runs`() async throws {
        let fixture = try HookFixture()
        let path = try Self.script(fixture, "waits", #"[ "$REACH_SEQ" = 1 ] || exec sleep 600"#)
        let pace = HookPace(queue: .all, runsAtStart: true)
        let scene = Scene(fixture, HookSettings(definitions: [Self.hook("waits", path, pace: pace)]))
        scene.runner.deliver(SampleEvent.reachability(1))
        _ = await scene.log.reports(1)
        let short = Self.hook("waits", path, pace: pace, timeout: .milliseconds(500))
        scene.runner.configure(HookSettings(definitions: [short]))
        scene.runner.deliver(SampleEvent.reachability(2))
        let reports = await scene.log.reports(2)
        await scene.runner.stopped()
        #expect(reports.map(\.triggerSequence) == [1, 2])
        #expect(scene.runner.statuses.map(\.runs) == [2])
    }

    @Test
    func `an added hook does not get the state of a target that was removed before there was a hook`() async throws {
        let fixture = try HookFixture()
        let tell = try Self.script(fixture, "tell", "echo $REACH_SEQ")
        let scene = Scene(fixture, HookSettings())
        scene.runner.deliver(SampleEvent.target(.targetChanged, "office", address: "192.0.2.1", 1))
        scene.runner.deliver(SampleEvent.probe("web", 2))
        scene.runner.configure(HookSettings(), subjects: HookSubjects(targets: [:], probes: ["web"]))
        let pace = HookPace(queue: .all, runsAtStart: true)
        let hook = Self.hook("added", tell, types: [.targetChanged, .probeChanged], pace: pace)
        let subjects = HookSubjects(targets: ["office": "192.0.2.1"], probes: ["web"])
        scene.runner.configure(HookSettings(definitions: [hook]), subjects: subjects)
        scene.runner.deliver(SampleEvent.probe("web", 3))
        _ = await scene.log.reports(2)
        await scene.runner.stopped(grace: .seconds(60))
        #expect(scene.written("added") == ["2\n", "3\n"])
    }

    @Test
    func `an added hook gets the last state once, if it requests that`() async throws {
        let fixture = try HookFixture()
        let tell = try Self.script(fixture, "tell", "echo $REACH_SEQ $REACH_AT_START")
        let runner = HookRunner(HookSettings()) { _ in }
        let log = CompletionLog()
        let scene = HookRunner(HookSettings()) { log.note($0) }
        #expect(runner.statuses.isEmpty)
        scene.deliver(SampleEvent.reachability(1, cause: "start"))
        scene.deliver(SampleEvent.probe("web", 2))
        let pace = HookPace(queue: .all, runsAtStart: true)
        let settings = HookSettings(definitions: [
            Self.hook("state", tell, pace: pace), Self.hook("probes", tell, types: [.probeChanged], pace: pace),
            Self.hook("silent", tell),
        ])
        scene.configure(settings)
        scene.configure(settings)
        let reports = await log.reports(2)
        await scene.stopped(grace: .seconds(60))
        #expect(Set(reports.map { "\($0.hook) \($0.output ?? "")" }) == ["state 1 1\n", "probes 2 1\n"])
        #expect(log.completions.count == 2)
    }

    @Test
    func `a changed hook does not get the last state again, and one that was removed meanwhile does`() async throws {
        let fixture = try HookFixture()
        let tell = try Self.script(fixture, "tell", "echo $REACH_SEQ $REACH_AT_START")
        let other = try Self.script(fixture, "other", "echo other $REACH_SEQ $REACH_AT_START")
        let pace = HookPace(queue: .all, runsAtStart: true)
        let log = CompletionLog()
        let runner = HookRunner(HookSettings(definitions: [Self.hook("state", tell, pace: pace)])) { log.note($0) }
        runner.deliver(SampleEvent.reachability(1, cause: "start"))
        _ = await log.reports(1)
        let changed = HookSettings(definitions: [Self.hook("state", other, pace: pace)])
        runner.configure(changed)
        runner.deliver(SampleEvent.reachability(2))
        _ = await log.reports(2)
        runner.configure(HookSettings())
        runner.configure(changed)
        _ = await log.reports(3)
        // It is for another type of event now, of which it has had none.
        runner.deliver(SampleEvent.probe("web", 3))
        let probes = Self.hook("state", other, types: [.probeChanged], pace: pace)
        runner.configure(HookSettings(definitions: [probes]))
        let reports = await log.reports(4)
        await runner.stopped(grace: .seconds(60))
        #expect(reports.map(\.output) == ["1 1\n", "other 2\n", "other 2 1\n", "other 3 1\n"])
    }

    @Test
    func `a hook gets the last state from before it was there once it requests that, and only once`() async throws {
        let fixture = try HookFixture()
        let tell = try Self.script(fixture, "tell", "echo $REACH_SEQ $REACH_AT_START")
        let other = try Self.script(fixture, "other", "echo other $REACH_SEQ $REACH_AT_START")
        let pace = HookPace(queue: .all, runsAtStart: true)
        let scene = Scene(fixture, HookSettings(definitions: [Self.hook("first", tell)]))
        scene.runner.deliver(SampleEvent.reachability(1))
        func configure(_ hook: HookDefinition) {
            scene.runner.configure(HookSettings(definitions: [Self.hook("first", tell), hook]))
        }
        configure(Self.hook("late", tell))
        configure(Self.hook("late", other))
        configure(Self.hook("late", other, pace: pace))
        _ = await scene.log.reports(2)
        // Neither another definition nor at_start once more repeats what it has had.
        configure(Self.hook("late", tell, pace: pace))
        configure(Self.hook("late", tell))
        configure(Self.hook("late", tell, pace: pace))
        scene.runner.deliver(SampleEvent.reachability(2))
        _ = await scene.log.reports(4)
        configure(Self.hook("late", other))
        configure(Self.hook("late", other, pace: pace))
        await scene.runner.stopped(grace: .seconds(60))
        #expect(scene.written("late") == ["other 1 1\n", "2\n"])
        #expect(scene.written("first") == ["1\n", "2\n"])
    }

    @Test
    func `the agent's first state runs only hooks that request it`() async throws {
        let fixture = try HookFixture()
        let tell = try Self.script(fixture, "tell", "echo $REACH_SEQ $REACH_AT_START")
        let scene = Scene(
            fixture,
            HookSettings(definitions: [
                Self.hook("asks", tell, pace: HookPace(queue: .all, runsAtStart: true)), Self.hook("does not", tell),
            ])
        )
        scene.runner.deliver(SampleEvent.reachability(1, cause: "start"))
        scene.runner.deliver(SampleEvent.reachability(2))
        _ = await scene.log.reports(3)
        await scene.runner.stopped()
        #expect(scene.written("asks") == ["1 1\n", "2\n"] && scene.written("does not") == ["2\n"])
    }

    @Test
    func `stopping gives running hooks their grace period, and starts no more`() async throws {
        let fixture = try HookFixture()
        let go = fixture.directory + "/go"
        let waits = try Self.script(fixture, "waits", "while [ ! -e '\(go)' ]; do sleep 0.02; done")
        let scene = Scene(fixture, HookSettings(definitions: [Self.hook("waits", waits)]))
        scene.runner.deliver(SampleEvent.reachability(1))
        await Self.until { scene.runner.statuses.first?.running == 1 }
        scene.runner.deliver(SampleEvent.reachability(2))
        await Self.until { scene.runner.statuses.first?.waiting == 1 }
        async let stopped: Void = scene.runner.stopped(grace: .seconds(60))
        // The waiting event is dropped when the stop has begun; only then the hook may end.
        await Self.until { scene.runner.statuses.first?.waiting == 0 }
        try fixture.file("go", Data())
        await stopped
        #expect(scene.log.completions.map(\.triggerSequence) == [1])
        // On a machine so slow that its file was still being looked at, it was not begun.
        #expect(["succeeded", "stopped"].contains(scene.log.completions.first?.ending.outcome))
        scene.runner.deliver(SampleEvent.reachability(3))
        scene.runner.configure(HookSettings(directories: [fixture.directory]))
        #expect(scene.log.completions.count == 1)
    }

    @Test
    func `a runner without a hook or a directory has no thread`() async {
        let runner = HookRunner(HookSettings()) { _ in }
        #expect(!runner.hasThread)
        runner.deliver(SampleEvent.reachability(1))
        runner.configure(HookSettings())
        #expect(!runner.hasThread)
        runner.configure(HookSettings(directories: ["/nowhere"]))
        #expect(runner.hasThread)
        await runner.stopped()
        #expect(!runner.hasThread)
    }

    /// Waits for what others bring about, without keeping a thread.
    private static func until(_ holds: @Sendable () -> Bool) async {
        for _ in 0..<6000 where !holds() { try? await Task.sleep(for: .milliseconds(10)) }
    }
}

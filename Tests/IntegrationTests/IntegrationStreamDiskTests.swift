import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// A disk that is full, hangs or is read-only, under the journal of the built agent.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationStreamDiskTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    /// The journal has a disk of its own, as small as they get.
    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
        try namespace.run("mkdir \(directory.journal); mount -t tmpfs -o size=256k tmpfs \(directory.journal)")
    }

    private func fillDisk() throws {
        try namespace.run("dd if=/dev/zero of=\(directory.journal)/filler bs=4096 2>/dev/null || true")
    }

    private func freeDisk() throws { try namespace.run("rm \(directory.journal)/filler") }

    /// Lets events come until the agent says that they are not kept, or that they are kept again.
    @discardableResult
    private func wait(_ agent: AgentProcess, isDegraded: Bool, from known: Int? = nil) async throws -> SeenEvent {
        let known = known ?? agent.events.count
        for round in 0..<600 {
            // Another gateway than the last one of the wait before, which may have been its first.
            try await directory.turn(agent, to: (isDegraded ? 10 : 110) + round % 100)
            if let event = agent.events.dropFirst(known).first(where: {
                $0.name == "journal.degraded" && $0.journal?.isDegraded == isDegraded
            }) {
                return event
            }
            // The disk is tried again once a second, with an event.
            try await Task.sleep(for: .milliseconds(isDegraded ? 1 : 50))
        }
        throw MissingEvent(name: "journal.degraded", subject: "agent", seen: agent.events.suffix(20).map(\.summary))
    }

    private func expectEveryNumber(_ numbers: [UInt64], from first: UInt64 = 1, through last: UInt64? = nil) {
        let last = last ?? numbers.last ?? 0
        #expect(numbers == Array(first...max(first, last)))
    }

    @Test("while the disk is full, clients still get events, and with space again the journal is complete")
    func full() async throws {
        let agent = try await directory.agent()
        let follower = try SocketLines(directory.events)
        #expect(await follower.next()?.contains(#""type":"reachagent.agent.hello""#) == true)
        try fillDisk()
        let degraded = try await wait(agent, isDegraded: true)
        #expect(degraded.journal?.code == "journal_write_failed")
        let status = try await directory.journalStatus()
        #expect(status["degraded"] as? Bool == true)
        #expect(status["code"] as? String == "journal_write_failed")
        // Those who are connected hear of what is not in the journal.
        let unwritten = try await directory.turn(agent, to: 3)
        try await follower.next(containing: #""seq":\#(unwritten.seq ?? 0),"#)
        #expect(try await directory.history().last ?? 0 < unwritten.seq ?? 0)

        try freeDisk()
        let resumed = try await wait(agent, isDegraded: false)
        #expect(resumed.journal?.missingFirstSequence == nil)
        let recovered = try await directory.journalStatus()
        #expect(recovered["degraded"] as? Bool == false)
        let last = try await directory.turn(agent, to: 4)
        #expect(try await agent.stop().status == 0)
        let history = try await directory.history()
        expectEveryNumber(history)
        #expect(history.last ?? 0 > last.seq ?? 0)
        expectEveryNumber(agent.events.compactMap(\.seq))
    }

    @Test("if more events occur than memory can hold for a full disk, exactly the missing ones are named")
    func overflow() async throws {
        let agent = try await directory.agent()
        try fillDisk()
        let degraded = try await wait(agent, isDegraded: true)
        let batch = "\(directory.path)/batch"
        try (0..<1000).map { "route replace default via 192.0.2.\(10 + $0 % 200) dev eth0 metric 100" }
            .joined(separator: "\n").write(toFile: batch, atomically: true, encoding: .utf8)
        var newest = degraded.seq ?? 0
        var marker = 3
        while newest < (degraded.seq ?? 0) + 4400 {
            try namespace.run("ip -batch \(batch)")
            // The agent may look only when all is over: the end must differ from the beginning.
            marker = 7 - marker
            newest = try await directory.turn(agent, to: marker).seq ?? 0
        }
        // The events in memory need more room than there was.
        try namespace.run("mount -o remount,size=16m \(directory.journal)")
        let resumed = try await wait(agent, isDegraded: false)
        let first = try #require(resumed.journal?.missingFirstSequence)
        let stopped = try await agent.stop()
        #expect(stopped.status == 0)
        expectEveryNumber(agent.events.compactMap(\.seq))

        // Room for a few lines in between, such as the rest of a page, makes two ranges.
        var named: Set<UInt64> = []
        for journal in agent.events.filter({ $0.name == "journal.degraded" }).compactMap(\.journal) {
            guard let first = journal.missingFirstSequence else { continue }
            let last = try #require(journal.missingLastSequence)
            #expect(first <= last)
            #expect(journal.settled?.state.path.interface == "eth0")
            named.formUnion(first...max(first, last))
        }
        let history = try await directory.history()
        let end = try #require(history.last)
        #expect(named.count > 1 && history == (1...end).filter { !named.contains($0) })
        let told = try await directory.command("history", "--directory", directory.journal)
        #expect(told.status == 0)
        #expect((told.output + told.error).contains("\(first)"))
    }

    @Test("when standard output is a file on a full disk, the agent continues, and no line of it is torn")
    func fullOutput() async throws {
        // A page is left for the file, which ends within one of the first lines.
        try namespace.run(
            """
            mkdir \(directory.path)/output; cd \(directory.path)/output; mount -t tmpfs -o size=64k tmpfs .; cd "$PWD"
            dd if=/dev/zero of=filler bs=4096 count=15 2>/dev/null; yes '' | head -n 3000 >events
            """
        )
        let file = "\(directory.path)/output/events"
        let command = namespace.command(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" >>\(file)", BuiltAgent.path] + directory.arguments()
        )
        let agent = try CommandLines("\(command) 2>&1")
        try await agent.next(containing: "standard output cannot be written: No space left on device")
        let follower = try SocketLines(directory.events)
        try namespace.ip("route replace default via 192.0.2.9 dev eth0 metric 100")
        try await follower.next(containing: #""gateway":"192.0.2.9""#)

        try namespace.run("rm \(directory.path)/output/filler")
        try await agent.next(containing: "standard output is written again")
        agent.signal(SIGTERM)
        _ = await agent.rest()
        #expect(await agent.status() == 0)
        let output = try namespace.run("cat \(file)")
        #expect(output.hasSuffix("\n"))
        expectEveryNumber(try output.split(separator: "\n").compactMap { try SeenEvent(String($0)).seq })
    }

    /// Stops the thread that records an agent's events, as a disk that hangs would.
    private func stopRecorder(of agent: AgentProcess) async throws -> CommandLines {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "stopped-thread.py").path()
        let tracer = try CommandLines(
            namespace.command("python3", [script, "\(agent.processIdentifier)", "journal-write"])
        )
        try await tracer.next(containing: "stopped")
        return tracer
    }

    @Test("while the disk hangs, an agent that is stopped delivers its last event to every client, in time")
    func stoppedInStall() async throws {
        let agent = try await directory.agent()
        let follower = try SocketLines(directory.events)
        #expect(await follower.next()?.contains(#""type":"reachagent.agent.hello""#) == true)
        let tracer = try await stopRecorder(of: agent)
        let start = ContinuousClock.now
        let end = try await agent.stop()
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(end.status == 0)
        let last = try #require(end.events.last)
        #expect(last.name == "agent.stopping")
        let line = await follower.rest().last
        #expect(line?.contains(#""type":"reachagent.agent.stopping""#) == true)
        #expect(line?.contains(#""seq":\#(last.seq ?? 0),"#) == true)
        // Its number is leased: it was delivered, and never recorded.
        let next = try await directory.agent()
        #expect(next.events.first?.seq ?? 0 > last.seq ?? 0)
        #expect(try await next.stop().status == 0)
        withExtendedLifetime(tracer) {}
    }

    @Test("while the disk hangs, clients get events after a second, whose numbers no later agent uses")
    func killedInStall() async throws {
        let agent = try await directory.agent()
        let tracer = try await stopRecorder(of: agent)
        let recorded = try #require(try await directory.history().last)
        let unrecorded = try await directory.turn(agent, to: 3)
        #expect(unrecorded.seq ?? 0 > recorded)
        #expect(try await agent.stop(SIGKILL).status == SIGKILL)
        let used = agent.events.compactMap(\.seq).max() ?? 0

        let second = try await directory.agent()
        try await directory.turn(second, to: 4)
        let degraded = try #require(second.events.first { $0.name == "journal.degraded" })
        #expect(degraded.journal?.code == "journal_lease_found")
        #expect(degraded.journal?.isDegraded == false)
        #expect(degraded.journal?.missingFirstSequence == recorded + 1)
        #expect(degraded.journal?.missingLastSequence ?? 0 >= used)
        #expect(second.events.compactMap(\.seq).min() ?? 0 > used)
        #expect(try await second.stop().status == 0)

        // That was reported, once.
        let third = try await directory.agent()
        try await directory.turn(third, to: 5)
        #expect(try await third.stop().status == 0)
        #expect(!third.events.contains { $0.journal?.code == "journal_lease_found" })
        withExtendedLifetime(tracer) {}
    }

    @Test("with space again, the journal catches up without an event, and an agent killed then has lost nothing")
    func killedAfterRoom() async throws {
        let agent = try await directory.agent()
        try fillDisk()
        try await wait(agent, isDegraded: true)
        let unwritten = try await directory.turn(agent, to: 3)
        try freeDisk()
        // No change of the network from here on: the journal tries again by itself.
        let resumed = try await agent.next("journal.degraded", about: "agent") { $0.journal?.isDegraded == false }
        #expect(resumed.seq ?? 0 > unwritten.seq ?? 0)
        #expect(resumed.journal?.missingFirstSequence == nil)
        #expect(try await agent.stop(SIGKILL).status == SIGKILL)
        let used = agent.events.compactMap(\.seq).max() ?? 0

        let second = try await directory.agent()
        let last = try await directory.turn(second, to: 4)
        #expect(try await second.stop().status == 0)
        let history = try await directory.history()
        #expect(Set(1...used).isSubset(of: history))
        expectEveryNumber(history)
        #expect(history.last ?? 0 > last.seq ?? 0)
    }

    @Test("the numbers used by an agent that is killed while the disk is full are never used again")
    func killedWhileFull() async throws {
        let agent = try await directory.agent()
        try fillDisk()
        try await wait(agent, isDegraded: true)
        let last = try await directory.turn(agent, to: 3)
        let killed = try await agent.stop(SIGKILL)
        #expect(killed.status == SIGKILL)
        let used = agent.events.compactMap(\.seq).max() ?? 0
        #expect(used >= last.seq ?? 0)
        let stream = agent.events.first?.stream

        // Once more while there is no room, and once when there is some.
        let second = try await directory.agent()
        let secondFirst = try #require(second.events.first)
        #expect(secondFirst.seq ?? 0 > used)
        #expect(secondFirst.stream == stream)
        try await directory.turn(second, to: 5)
        #expect(try await second.stop(SIGKILL).status == SIGKILL)
        let usedBySecond = second.events.compactMap(\.seq).max() ?? 0
        try freeDisk()
        let third = try await directory.agent()
        #expect(third.events.first?.seq ?? 0 > usedBySecond)
        #expect(third.events.first?.stream == stream)
        let gap = try await directory.journalStatus()["missing"] as? [[String: Any]]
        #expect(gap?.isEmpty == false)
        try await directory.turn(third, to: 6)
        #expect(try await third.stop().status == 0)
        let history = try await directory.history()
        #expect(Set(history).count == history.count)
        #expect(history == history.sorted())
        #expect(history.contains(third.events.first?.seq ?? 0))
    }

    @Test("a journal that becomes read-only is degraded, and resumes when it is writable again")
    func becomesReadOnly() async throws {
        let agent = try await directory.agent()
        try await directory.turn(agent, to: 3)
        // A file system with an open file cannot be made read-only: another one takes its place.
        try namespace.run("mount -t tmpfs -o ro,size=64k tmpfs \(directory.journal)")
        let degraded = try await wait(agent, isDegraded: true)
        #expect(degraded.journal?.code != nil)
        #expect(try await directory.journalStatus()["degraded"] as? Bool == true)
        try namespace.run("umount \(directory.journal)")
        let resumed = try await wait(agent, isDegraded: false)
        #expect(try await directory.journalStatus()["degraded"] as? Bool == false)
        #expect(try await agent.stop().status == 0)
        expectEveryNumber(agent.events.compactMap(\.seq))
        let history = try await directory.history()
        let missing = (resumed.journal?.missingFirstSequence).map { $0...(resumed.journal?.missingLastSequence ?? $0) }
        let all = Array(1...(history.last ?? 1)).filter { missing?.contains($0) != true }
        #expect(history == all)
    }

    @Test("an agent with a read-only journal reports it and works; its numbers never pass for the journal's")
    func readOnlyFromTheStart() async throws {
        let first = try await directory.agent()
        try await directory.turn(first, to: 3)
        #expect(try await first.stop().status == 0)
        let kept = try await directory.history()
        let stream = first.events.first?.stream

        try namespace.run("mount -o remount,ro \(directory.journal)")
        let second = try await directory.agent()
        let degraded = try await wait(second, isDegraded: true, from: 0)
        #expect(degraded.journal?.code != nil)
        #expect(try await directory.journalStatus()["degraded"] as? Bool == true)
        #expect(try await directory.history() == kept)
        #expect(try await second.stop().status == 0)
        #expect(try await directory.history() == kept)

        try namespace.run("mount -o remount,rw \(directory.journal)")
        let third = try await directory.agent()
        #expect(third.events.first?.stream == stream)
        // The second agent could note nowhere which numbers it used. Either they are not used again, or they belonged to
        // another stream: a client that resumes must not take the one's events for the other's.
        let used = second.events.compactMap(\.seq).max() ?? 0
        if second.events.first?.stream == stream { #expect(third.events.first?.seq ?? 0 > used) }
        #expect(try await third.stop().status == 0)
        let history = try await directory.history()
        #expect(history.prefix(kept.count) == kept[...])
        #expect(history.count > kept.count)
    }

    @Test("an agent that cannot create its journal directory starts without one, or reports why it does not")
    func noDirectory() async throws {
        try namespace.run("mount -o remount,ro \(directory.journal)")
        let command = try await namespace.finished(
            "timeout",
            ["20", BuiltAgent.path, "run", "--journal-directory", "\(directory.journal)/deeper", "--no-sockets"]
        )
        if command.status == 124 {
            #expect(command.output.contains("reachagent.journal.degraded"))
        } else {
            // The file system may be writable later.
            #expect(command.status == 75)
            #expect(command.error.contains("\(directory.journal)/deeper"))
        }
    }
}

import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// A damaged journal, and two agents that compete for the same one.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationStreamDamageTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    /// Damage to a journal, as a shell script: `$1`, `$2`, … are its plain segments in order, `$newest` is the last.
    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let script: String
        /// `true` when past events are lost, so that `history` must report a gap.
        let losesEvents: Bool
        var testDescription: String { name }
    }

    static let damages = [
        Damage(name: "a deleted segment", script: #"rm "$2""#, losesEvents: true),
        Damage(name: "the newest segment deleted", script: #"rm "$newest""#, losesEvents: true),
        Damage(name: "a segment cut in a line", script: #"truncate -s 8001 "$2""#, losesEvents: true),
        Damage(name: "the newest segment cut in a line", script: #"truncate -s -11 "$newest""#, losesEvents: false),
        Damage(
            name: "garbage in the middle",
            script: #"printf '\000{"seq":7}\n\377\n' | dd of="$2" bs=1 seek=5000 conv=notrunc 2>/dev/null"#,
            losesEvents: true
        ),
        Damage(
            name: "garbage at the end",
            script: #"head -c 3000 /dev/zero >>"$newest""#,
            losesEvents: false
        ),
        Damage(name: "indexes deleted", script: "rm -f *.index", losesEvents: false),
        Damage(name: "indexes of garbage", script: "for i in *.index; do echo nonsense >$i; done", losesEvents: false),
        Damage(name: "the lease and the lock deleted", script: "rm -f lease lock", losesEvents: false),
        Damage(name: "a segment that is a directory", script: #"rm "$2"; mkdir "$2""#, losesEvents: true),
    ]

    /// Fills several segments.
    private func fill(_ agent: AgentProcess, turns: Int = 30) async throws {
        for number in 0..<turns { try await directory.turn(agent, to: 10 + number % 100) }
    }

    private func damage(_ damage: Damage) throws {
        let script = """
            cd \(directory.journal); set -- $(ls events-*.jsonl | sort); for newest; do :; done
            test $# -ge 3; \(damage.script)
            """
        try namespace.run(script)
    }

    /// Checks that numbers rise and are not reused, and that `history` reports what is missing.
    private func expectSense(of damage: Damage, newest: UInt64, _ next: AgentProcess) async throws {
        #expect(next.events.first?.seq ?? 0 > newest, "\(next.events.map(\.summary))")
        let history = try await directory.history()
        #expect(history == Set(history).sorted())
        let own = next.events.compactMap(\.seq)
        #expect(Array(history.suffix(own.count)) == own)
        let told = try await directory.command("history", "--directory", directory.journal)
        #expect(told.status == 0)
        let first = history.first ?? 0
        let isComplete = history == Array(first...(history.last ?? first)) && first == 1
        #expect(isComplete == !damage.losesEvents)
        if damage.losesEvents {
            #expect((told.output + told.error).contains("missing"), "\(told.error)")
        }
    }

    @Test("history reports events lost to damage while no agent runs, and numbering continues", arguments: damages)
    func whileStopped(_ damage: Damage) async throws {
        let agent = try await directory.agent()
        try await fill(agent)
        #expect(try await agent.stop().status == 0)
        let newest = agent.events.compactMap(\.seq).max() ?? 0
        try self.damage(damage)
        let alone = try await directory.command("history", "--directory", directory.journal)
        #expect(alone.status == 0, "\(alone.error)")

        let next = try await directory.agent()
        try await directory.turn(next, to: 4)
        #expect(try await next.stop().status == 0)
        // The deleted file's own content is lost: the newest numbers may go with it, if nothing else has them.
        if damage.script.contains("$newest"), damage.losesEvents {
            #expect(next.events.first?.seq ?? 0 > 1)
        } else if damage.script.contains("truncate -s -11") {
            #expect(next.events.first?.seq ?? 0 >= newest)
        } else {
            try await expectSense(of: damage, newest: newest, next)
        }
    }

    @Test("damage to the journal of a running agent is detected, and numbering continues", arguments: damages)
    func whileRunning(_ damage: Damage) async throws {
        let agent = try await directory.agent()
        let follower = try SocketLines(directory.events)
        try await fill(agent)
        try self.damage(damage)
        // The agent looks after its files once a second, with an event: the last one here comes after that second.
        let start = ContinuousClock.now
        var (number, isOver) = (0, false)
        while !isOver {
            isOver = start.duration(to: .now) >= .milliseconds(1300)
            number = (number + 1) % 100
            try await directory.turn(agent, to: 110 + number)
            try await Task.sleep(for: .milliseconds(20))
        }
        let isNoticeable = damage.script.contains("$newest")
        if isNoticeable, !agent.events.contains(where: { $0.journal?.code == "journal_deleted" }) {
            try await agent.next("journal.degraded", about: "agent") { $0.journal?.code == "journal_deleted" }
        }
        #expect(try await agent.stop().status == 0)
        let numbers = agent.events.compactMap(\.seq)
        #expect(numbers == Array(1...UInt64(numbers.count)))
        // It looks at the segment that it writes; what is lost of the others is found by who reads them.
        let isNoticed = agent.events.contains { $0.journal?.code == "journal_deleted" }
        #expect(isNoticed == isNoticeable, "\(agent.events.map(\.summary).suffix(200))")
        let followed = await follower.rest()
        #expect(followed.last?.contains(#""type":"reachagent.agent.stopping""#) == true)

        let next = try await directory.agent()
        try await directory.turn(next, to: 4)
        #expect(try await next.stop().status == 0)
        #expect(next.events.first?.seq == (numbers.last ?? 0) + 1)
        let history = try await directory.history()
        #expect(history == Set(history).sorted())
        #expect(history.suffix(next.events.count) == next.events.compactMap(\.seq)[...])
        let told = try await directory.command("history", "--directory", directory.journal)
        #expect(told.status == 0, "\(told.error)")
        if damage.losesEvents {
            #expect((told.output + told.error).contains("missing"), "\(told.error)")
        }
    }

    @Test("a clock that was set back affects neither the numbering nor the readable events")
    func clockSetBack() async throws {
        let agent = try await directory.agent()
        try await fill(agent)
        #expect(try await agent.stop().status == 0)
        let newest = agent.events.compactMap(\.seq).max() ?? 0
        // For the next agent it is a year before: as if the clock had been set back between the two.
        try namespace.run(
            """
            cd \(directory.journal); rm -f *.index
            for file in events-*.jsonl; do sed -i -E 's/"time":"[0-9]{4}-/"time":"2099-/' $file; done
            """
        )
        let next = try await directory.agent("--journal-age", "1h", "--journal-segment-age", "1s")
        try await directory.turn(next, to: 4)
        #expect(next.events.first?.seq == newest + 1)
        let subscriber = try SocketLines(
            directory.control,
            request: #"{"method":"subscribe","parameters":{"since_seq":\#(newest - 1)},"more":true}"#
        )
        #expect(await subscriber.next()?.contains("reachagent.agent.hello") == true)
        #expect(await subscriber.next()?.contains(#""seq":\#(newest),"#) == true)
        #expect(await subscriber.next()?.contains(#""seq":\#(newest + 1),"#) == true)
        #expect(try await next.stop().status == 0)
        let history = try await directory.history()
        #expect(history == Array(1...(history.last ?? 1)))
        let future = try await directory.command(
            "history",
            "--json",
            "--since",
            "2098-01-01T00:00:00Z",
            "--directory",
            directory.journal
        )
        #expect(future.lines.count >= Int(newest))
    }

    @Test("a second agent with the same journal exits with status 75 and names the first one")
    func secondJournal() async throws {
        let agent = try await directory.agent()
        let second = try await directory.command("run", "--journal-directory", directory.journal, "--no-sockets")
        #expect(second.status == 75)
        #expect(second.output == "")
        #expect(second.error.split(separator: "\n").count <= 2)
        #expect(second.error.contains("\(directory.journal)"))
        #expect(second.error.contains("\(agent.processIdentifier)"))
        try await directory.turn(agent, to: 5)
        #expect(try await agent.stop().status == 0)
    }

    @Test("a second agent with the same sockets exits with status 75, and the first one's sockets still answer")
    func secondSockets() async throws {
        let agent = try await directory.agent()
        let second = try await directory.command("run", "--no-journal", "--socket-directory", directory.sockets)
        #expect(second.status == 75)
        #expect(second.error.split(separator: "\n").count <= 2)
        #expect(second.error.contains(directory.sockets))
        #expect(second.error.contains("\(agent.processIdentifier)"))
        #expect((try await directory.status()["agent"] as? [String: Any])?["pid"] as? Int32 == agent.processIdentifier)
        #expect(try await agent.stop().status == 0)
    }
}

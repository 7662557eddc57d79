import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The directories of hooks: which files run, for what, and in which order.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookDirectoryTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    /// The names of the hooks that have noted something, in the order in which they were started.
    ///
    /// A process that was started later has a greater id, or a much smaller one: at the limit the kernel begins anew.
    private func started() -> [String] {
        let notes = lab.notes.map { note in
            let words = note.split(separator: " ")
            return (hook: String(words.first ?? ""), process: Int(words.last ?? "") ?? 0)
        }
        let greatest = notes.map { $0.process }.max() ?? 0
        func order(_ process: Int) -> Int { process < greatest - 10_000 ? process + greatest : process }
        return notes.sorted { order($0.process) < order($1.process) }.map { $0.hook }
    }

    private func forgetNotes() throws { try lab.write("", to: "\(lab.path)/notes") }

    @Test
    func `the files of both directories are started in the order of their names`() async throws {
        for name in ["etc/50-c", "lib/10-a", "etc/9-z", "lib/B", "etc/b", "lib/wifi.d/20-w", "etc/wifi.d/60-x"] {
            try lab.put(name, lab.note())
        }
        let agent = try await HookAgent.start(in: lab)
        for hook in ["10-a", "50-c", "9-z", "B", "b"] {
            try await agent.completed(hook, for: agent.events.first(of: "reachability.changed"))
        }
        #expect(started() == ["10-a", "50-c", "9-z", "B", "b"])
        try forgetNotes()
        try lab.use(.wifi)
        let change = try await agent.settles(on: "wifi")
        let names = ["10-a", "wifi.d/20-w", "50-c", "wifi.d/60-x", "9-z", "B", "b"]
        for hook in names {
            let run = try await agent.completed(hook, for: change)
            #expect(run.run?.ending.outcome == "succeeded")
            #expect(run.run?.kind == "file")
            #expect(run.run?.trigger == "reachability.changed")
        }
        #expect(started() == names)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a file of the first directory hides one of the same name in the second, in the directories below as well`()
        async throws
    {
        try lab.put("etc/10-same", "echo first")
        try lab.put("lib/10-same", "echo second")
        try lab.put("etc/wired.d/10-same", "echo first wired")
        try lab.put("lib/wired.d/10-same", "echo second wired")
        try lab.put("lib/20-alone", "echo alone")
        let agent = try await HookAgent.start(in: lab)
        let first = try agent.events.first(of: "reachability.changed")
        #expect(try await agent.completed("10-same", for: first).run?.output == "first\n")
        #expect(try await agent.completed("wired.d/10-same", for: first).run?.output == "first wired\n")
        #expect(try await agent.completed("20-alone", for: first).run?.output == "alone\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions.count == 3)
    }

    @Test
    func `a link to dev-null and an empty file disable a hook, and left-over files are not hooks`() async throws {
        for name in ["10-null", "20-empty", "30-runs", "wired.d/40-null"] { try lab.put("lib/\(name)", lab.note()) }
        try lab.makeDirectory("\(lab.first)/wired.d")
        for name in ["10-null", "wired.d/40-null"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(lab.first)/\(name)",
                withDestinationPath: "/dev/null"
            )
        }
        try lab.put("etc/20-empty", "")
        let leftOvers = [
            ".hidden", "50-a~", "50-a.bak", "50-a.orig", "50-a.rej", "50-a.swp", "50-a.swo", "50-a.tmp", "50-a.new",
            "50-a.old", "50-a.disabled", "50-a.rpmsave", "50-a.rpmorig", "50-a.rpmnew", "50-a.dpkg-dist",
            "50-a.dpkg-old",
            "50-a.ucf-dist", "#50-a#", "README", "README.md",
        ]
        for name in leftOvers { try lab.put("etc/\(name)", lab.note()) }
        try lab.put("etc/unknown.d/10-a", lab.note())
        let agent = try await HookAgent.start(in: lab)
        try await agent.completed("30-runs", for: agent.events.first(of: "reachability.changed"))
        #expect(try await agent.stop() == 0)
        #expect(agent.completions.map(\.subject) == ["30-runs"])
        #expect(started() == ["30-runs"])
    }

    @Test
    func `the directories of a kind of uplink run when it becomes that one, and not when it stays so`() async throws {
        for directory in ["wired.d", "wifi.d", "none.d", "wwan.d", "other.d"] {
            try lab.put("etc/\(directory)/10-note", lab.note())
        }
        let agent = try await HookAgent.start(in: lab)
        try await agent.completed("wired.d/10-note", for: agent.events.first(of: "reachability.changed"))
        // Another gateway, by the same kind of uplink.
        try lab.namespace.ip("route replace default via 192.0.2.7 dev eth0")
        try await agent.settles(onGateway: "192.0.2.7")
        try lab.use(.wifi)
        try await agent.completed("wifi.d/10-note", for: agent.settles(on: "wifi"))
        try lab.disconnect()
        try await agent.completed("none.d/10-note", for: agent.settles(on: "none"))
        try lab.use(.wired)
        try await agent.completed("wired.d/10-note", for: agent.settles(on: "wired"))
        #expect(try await agent.stop() == 0)
        let names = ["wired", "wifi", "none", "wired"].map { "\($0).d/10-note" }
        #expect(agent.completions.map(\.subject) == names)
        // Each run was over before the next one's event came.
        #expect(lab.notes.compactMap { $0.split(separator: " ").first.map(String.init) } == names)
    }

    @Test
    func `the directory of uplinks runs for a standby that loses its carrier, and the others do not`() async throws {
        for directory in ["", "none.d/", "wired.d/"] { try lab.put("etc/\(directory)10-note", lab.note()) }
        try lab.put("etc/uplink.d/10-say", "echo $REACH_UPLINK $REACH_TO_USED $REACH_TO_CONNECTIVITY $REACH_REASON")
        try lab.namespace.ip("route add default via 198.51.100.1 dev wlan0 metric 700")
        let agent = try await HookAgent.start(in: lab)
        for hook in ["10-note", "wired.d/10-note"] {
            try await agent.completed(hook, for: agent.events.first(of: "reachability.changed"))
        }
        try lab.namespace.ip("link set far1 down")
        let lost = try await agent.next("uplink.changed", "wlan0") { $0.subject == "wlan0" }
        let run = try await agent.completed("uplink.d/10-say", for: lost)
        #expect(run.run?.output == "wlan0 0 none link_down\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions.map(\.subject).sorted() == ["10-note", "uplink.d/10-say", "wired.d/10-note"])
    }

    @Test
    func `a directory that does not exist is a warning, and its hooks run once it does`() async throws {
        let agent = try await HookAgent.start(in: lab, directories: [lab.first, "\(lab.path)/late"])
        try lab.put("late/10-comes", "echo comes")
        try lab.use(.wifi)
        let change = try await agent.settles(on: "wifi")
        #expect(try await agent.completed("10-comes", for: change).run?.output == "comes\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.log.contains("--hooks: \(lab.path)/late does not exist"), "\(agent.log)")
        #expect(!agent.log.contains("--hooks: \(lab.first)"))
    }

    @Test
    func `an added file runs for the next event, and a removed one does not`() async throws {
        try lab.put("etc/10-stays", "echo stays")
        let gone = try lab.put("etc/20-goes", "echo goes")
        let agent = try await HookAgent.start(in: lab)
        let first = try agent.events.first(of: "reachability.changed")
        for hook in ["10-stays", "20-goes"] { try await agent.completed(hook, for: first) }
        try FileManager.default.removeItem(atPath: gone)
        try lab.put("lib/30-comes", "echo comes")
        try lab.put("etc/10-stays", "echo stays, changed")
        try lab.use(.wifi)
        let second = try await agent.settles(on: "wifi")
        #expect(try await agent.completed("30-comes", for: second).run?.output == "comes\n")
        #expect(try await agent.completed("10-stays", for: second).run?.output == "stays, changed\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "20-goes").count == 1)
    }
}

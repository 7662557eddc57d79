import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The input of a hook: its environment, its standard input, and the events for which it runs.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookInputTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    /// The variables that a process began with, in order, as `env -0 | sort -z` prints them.
    private func variables(_ file: String) -> [String] {
        lab.text(of: file).split(separator: "\0").sorted().map(String.init)
    }

    /// The variables without the one that names the run, which no other run has.
    private func variablesButRun(_ file: String) -> [String] {
        let all = variables(file)
        #expect(all.filter { $0.hasPrefix("REACH_RUN=") }.count == 1)
        return all.filter { !$0.hasPrefix("REACH_RUN=") }
    }

    /// Keeps both, whole: the kernel's copy of the environment is from before the shell's own variables.
    private var keeps: String { "cat /proc/$$/environ > \(lab.path)/environment; cat > \(lab.path)/input; pwd -P" }

    /// The variables for an event of the default path.
    private func expected(_ event: SeenEvent) -> [String] {
        [
            "LANG=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "REACH_CAUSE=route_removed", "REACH_CAUSE_DETAIL=default via 192.0.2.1 dev eth0",
            "REACH_CAUSE_INTERFACE=eth0",
            "REACH_CAUSE_KIND=route",
            "REACH_FROM_CONNECTIVITY=unknown", "REACH_FROM_INTERFACE=eth0", "REACH_FROM_VIA=wired",
            "REACH_ID=\(event.id)",
            "REACH_INTERFACE=wlan0", "REACH_SEQ=\(event.seq ?? 0)", "REACH_SUBJECT=default", "REACH_TIME=\(event.time)",
            "REACH_TO_CONNECTIVITY=unknown", "REACH_TO_INTERFACE=wlan0", "REACH_TO_VIA=wifi",
            "REACH_TYPE=reachability.changed",
        ]
    }

    @Test
    func `a directory hook has exactly the documented environment and the event's line`() async throws {
        let agent = try await HookAgent.start(in: lab)
        let file = try lab.put("etc/wifi.d/10-keep", keeps)
        try lab.use(.wifi)
        let event = try await agent.settles(on: "wifi")
        let run = try await agent.completed("wifi.d/10-keep", for: event)
        #expect(
            variablesButRun("environment")
                == (expected(event) + ["REACH_HOOK=wifi.d/10-keep", "REACH_HOOK_PATH=\(file)"]).sorted()
        )
        #expect(lab.text(of: "input") == event.text + "\n")
        #expect(run.run?.output == "/\n")
        #expect(run.run?.ending.exitStatus == 0)
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a configured hook also has its own variables, directory and arguments`() async throws {
        let script = try lab.put("keep.sh", "\(keeps); printf '<%s>' \"$@\"")
        try lab.makeDirectory("\(lab.path)/work")
        let agent = try await HookAgent.start(
            in: lab,
            """
            [hook.keep]
            command = ["\(script)", "one", "two words", "$HOME *"]
            environment = { LANG = "de_DE.UTF-8", GREETING = "good = day" }
            working_directory = "\(lab.path)/work"
            """
        )
        try lab.use(.wifi)
        let event = try await agent.settles(on: "wifi")
        let run = try await agent.completed("keep", for: event)
        let own = ["LANG=de_DE.UTF-8", "GREETING=good = day", "REACH_HOOK=keep", "REACH_HOOK_PATH=\(script)"]
        #expect(variablesButRun("environment") == (expected(event).filter { !$0.hasPrefix("LANG=") } + own).sorted())
        #expect(lab.text(of: "input") == event.text + "\n")
        #expect(run.run?.output == "\(lab.path)/work\n<one><two words><$HOME *>")
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a hook has its own session, no other descriptor, and no signal that is ignored or blocked`() async throws {
        try lab.put(
            "etc/10-look",
            """
            read pid name state parent group session rest < /proc/$$/stat
            [ "$group" = $$ ] && [ "$session" = $$ ] && echo leader
            # By the shell itself: it blocks signals while it starts a program, which may be quicker to look.
            while read -r line; do
              case $line in SigBlk*|SigIgn*) echo "$line" ;; esac
            done < /proc/$$/status
            ls -x /proc/$$/fd
            """
        )
        let agent = try await HookAgent.start(in: lab)
        let run = try await agent.completed("10-look", for: agent.events.first(of: "reachability.changed"))
        let lines = run.run?.output?.split(separator: "\n").map(String.init) ?? []
        #expect(lines.first == "leader")
        // posix_spawn(3) has the two signals ignored that the C library keeps for itself, 32 and 33.
        let signals = lines.compactMap { $0.hasPrefix("Sig") ? UInt64($0.suffix(16), radix: 16) : nil }
        #expect(signals.map { $0 & ~0x1_8000_0000 } == [0, 0])
        // Descriptor 3 is the script's own file, and dash(1) has opened it as 10.
        let descriptors = Set(lines.last?.split(separator: " ").map(String.init) ?? [])
        #expect(descriptors.isSuperset(of: ["0", "1", "2"]))
        #expect(descriptors.isSubset(of: ["0", "1", "2", "3", "10"]))
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `filters let a hook run only for matching events`() async throws {
        let filters = [
            "all": "", "to-wifi": #"when.to_via = "wifi""#, "from-wifi": #"when.from_via = ["wifi", "wwan"]"#,
            "lost": #"when = { from_via = "wifi", to_via = "none" }"#, "wlan": #"when.interface = "wlan*""#,
            "via": #"when.changed = "via""#, "route": #"when.cause = "route_added""#,
            "edges": #"on = ["path.changed"]"#, "online": #"when.to_connectivity = "full""#,
        ]
        let configuration = filters.map { "[hook.\($0)]\ncommand = [\"true\"]\nqueue = \"all\"\n\($1)\n" }.joined()
        // IPv6 sends messages of its own on each link, which would be the cause of a change that is seen with them.
        try lab.namespace.run("sysctl -qw net.ipv6.conf.all.disable_ipv6=1")
        let agent = try await HookAgent.start(in: lab, configuration)
        try lab.use(.wifi)
        let wifi = try await agent.settles(on: "wifi")
        try lab.disconnect()
        let lost = try await agent.settles(on: "none")
        try lab.use(.wired)
        let wired = try await agent.settles(on: "wired")
        try lab.namespace.ip("route replace default via 192.0.2.7 dev eth0")
        let gateway = try await agent.settles(onGateway: "192.0.2.7")
        try await agent.completed("all", for: gateway)
        // An event that still waits for another run of its hook is dropped when the agent stops.
        for (hook, last) in [("to-wifi", wifi), ("from-wifi", lost), ("lost", lost), ("wlan", lost), ("via", wired)] {
            try await agent.completed(hook, for: last)
        }
        let settled = agent.events.filter { $0.name == "reachability.changed" }
        let added = settled.filter { $0.cause?.code == "route_added" }
        try await agent.completed("route", for: #require(added.last, "\(settled.map(\.cause))"))
        try await agent.completed("edges", for: #require(agent.events.last { $0.name == "path.changed" }))
        #expect(try await agent.stop() == 0)
        let changes = [wifi, lost, wired, gateway].compactMap(\.seq)
        func runs(_ hook: String) -> [UInt64] { agent.completions(of: hook).compactMap(\.run?.triggerSequence) }
        #expect(runs("all") == changes)
        #expect(runs("to-wifi") == Array(changes[...0]))
        #expect(runs("from-wifi") == [changes[1]])
        #expect(runs("lost") == [changes[1]])
        #expect(runs("wlan") == Array(changes[...1]))
        #expect(runs("via") == Array(changes[...2]))
        #expect(added.contains { $0.seq == wired.seq })
        #expect(runs("route") == added.compactMap(\.seq))
        #expect(
            runs("edges")
                == agent.events.filter { $0.name == "path.changed" && $0.cause?.kind != "start" }.compactMap(\.seq)
        )
        #expect(runs("online") == [])
    }
}

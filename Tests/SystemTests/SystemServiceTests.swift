import Foundation
import Testing

/// The package's service under a real systemd: `service.sh` does what administrators and users do.
@Suite(.serialized, .enabled(if: SystemService.obstacle == nil, "\(SystemService.obstacle ?? "")"))
struct SystemServiceTests {
    /// The members of the agent's status that these tests look at.
    private struct Status: Decodable {
        struct Probe: Decodable {
            let probe: String
            let interface: String?
            let verdict: String

            var name: String { [probe, interface].compactMap(\.self).joined(separator: "@") }
        }

        struct Target: Decodable { let name: String }
        let probes: [Probe]?
        let targets: [Target]?
    }

    private func evidence() async throws -> SystemService.Evidence {
        try await SystemService.evidence(of: "service")
    }

    private func status(_ text: String) throws -> Status {
        try JSONDecoder().decode(Status.self, from: Data(text.utf8))
    }

    @Test
    func `installed by apt without a network, it runs by itself, and is ready in less than a second`() async throws {
        let (evidence, package) = try await (evidence(), SystemService.evidence(of: "service-package"))
        #expect(package["install"].status == 0, "\(package["install"].out) \(package["install"].err)")
        let installed = package["installed_service"]
        #expect(installed["ActiveState"] == "active")
        #expect(installed["SubState"] == "running")
        #expect(installed["UnitFileState"] == "enabled")
        #expect(installed["Type"] == "notify")
        #expect(installed["User"] == "reachagent")
        #expect(installed["NRestarts"] == "0")
        // An emulated processor that others use too may be slower than any machine: there, three times what a start takes
        // that does nothing. The two are seconds apart, so that whatever else the machine does slows both, and most pairs count.
        func milliseconds(_ step: String) -> [Int] {
            evidence.all(step).compactMap { fact in
                guard let begin = fact.number("InactiveExitTimestampMonotonic") else { return nil }
                return fact.number("ActiveEnterTimestampMonotonic").map { ($0 - begin) / 1000 }
            }
        }
        let (ready, nothing) = (milliseconds("ready"), milliseconds("nothing"))
        #expect(ready.count == 5)
        #expect(nothing.count == 5)
        #expect(evidence.all("nothing").allSatisfy { $0["Result"] == "success" })
        let inTime = zip(ready, nothing).count { $0 < max(1000, 3 * $1) }
        #expect(inTime >= 3, "READY: \(ready), nothing: \(nothing)")
    }

    @Test
    func `the state is the status line of systemctl, and follows it`() async throws {
        let evidence = try await evidence()
        let told = evidence.all("ready").last?["StatusText"] ?? ""
        #expect(told.contains("up0"))
        #expect(evidence["systemctl_status"].status == 0)
        #expect(evidence["systemctl_status"].out.contains("Status: \"\(told)\""))
        #expect(evidence["online_status"]["StatusText"].contains("wired up0"))
        #expect(evidence["failed_over_status"]["StatusText"].contains("wired up1"))
    }

    @Test
    func `members of the group may query, follow and read; others are denied with a remedy`() async throws {
        let evidence = try await evidence()
        #expect(evidence["member_status"].status == 0, "\(evidence["member_status"].err)")
        #expect(evidence["member_events"].out.contains("reachagent.agent.hello"))
        #expect(evidence["member_history"].status == 0, "\(evidence["member_history"].err)")
        #expect(evidence["member_history"].out.contains("started; version"))
        for step in ["stranger_status", "stranger_history", "stranger_reload"] {
            #expect(evidence[step].status == 77, "\(step)")
            #expect(evidence[step].err.contains("Permission denied"), "\(step)")
            #expect(evidence[step].out == "", "\(step)")
        }
        #expect(evidence["stranger_status"].err.contains("usermod -aG reachagent bob"))
        let modes = evidence["modes"]
        #expect(modes["/etc/reachagent/reachagent.toml"] == "root:root 644")
        #expect(modes["/var/lib/reachagent"] == "reachagent:reachagent 750")
        #expect(modes["/var/lib/reachagent/journal"] == "reachagent:reachagent 750")
        #expect(modes["/run/reachagent"] == "reachagent:reachagent 755")
        for socket in ["events.sock", "control.sock"] {
            #expect(modes["/run/reachagent/\(socket)"] == "reachagent:reachagent 660")
        }
    }

    @Test
    func `it has no capabilities, can gain none, and its system calls are filtered`() async throws {
        let evidence = try await evidence()
        let sandbox = evidence["sandbox"]
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            #expect(Int(sandbox[set], radix: 16) == 0, "\(set)")
        }
        #expect(sandbox["NoNewPrivs"] == "1")
        #expect(sandbox["Seccomp"] == "2")
        #expect(sandbox.number("Uid").map { $0 > 0 } == true)
        #expect(evidence["security"].out.contains("OK"))
    }

    @Test
    func `probes of every kind work from inside the sandbox, also bound to an interface and with a credential`()
        async throws
    {
        let evidence = try await evidence()
        #expect(evidence["configure"].status == 0)
        #expect(evidence["check_config"].status == 0, "\(evidence["check_config"].err)")
        #expect(evidence["online"].status == 0, "\(evidence["online"].out) \(evidence["online"].err)")
        let text = try evidence.lines("status.json").joined()
        let probes = try status(text).probes ?? []
        let up = probes.filter { $0.verdict == "up" }.map(\.name)
        #expect(Set(up) == ["https", "https@up0", "https@up1", "login", "tcp", "icmp", "dns"], "\(text)")
        #expect(up.count == probes.count)
    }

    @Test
    func `hooks run in the sandbox: files, signed webhooks, and as another user only with the drop-in`() async throws {
        let evidence = try await evidence()
        #expect(evidence["note_hook"]["line"].contains("note by reachagent: wired to wired over up1"))
        #expect(try evidence.lines("web-requests.log").contains { $0.hasPrefix("/hook v1,") })
        #expect(evidence["refused_hook"]["line"].contains("hook_user"))
        #expect(evidence["hooks_status"].out.contains("[hook_user]"))
        #expect(evidence["other_users_drop_in"]["path"] != "")
        let other = evidence["other_hook"]["line"]
        #expect(other.contains("\"outcome\":\"succeeded\""), "\(other)")
        #expect(other.contains("\"output\":\"bob"), "\(other)")
    }

    @Test
    func `each run of a hook has a control group, which ends with all that the run has started`() async throws {
        let evidence = try await evidence()
        let clinging = evidence["clinging_hook"]["line"]
        #expect(clinging.contains("\"outcome\":\"timed_out\""), "\(clinging)")
        #expect(clinging.contains("0::/system.slice/reachagent.service/hooks/run-"), "\(clinging)")
        #expect(clinging.contains("it clings on"), "\(clinging)")
        // grep finds none.
        #expect(evidence["clinging"].status == 1, "\(evidence["clinging"].out)")
        let groups = evidence["hook_groups"]
        #expect(groups["agent"] == groups["main"])
        #expect(groups["tasks"] == "512")
        #expect(groups["memory"] == "268435456")
        #expect(groups["runs"] == "0")
    }

    @Test
    func `a reload applies a good file, rejects a bad one with all its errors, and the agent continues`() async throws {
        let evidence = try await evidence()
        #expect(evidence["reload_good"].status == 0)
        #expect(try status(evidence.lines("status-good.json").joined()).targets?.map(\.name) == ["office"])
        #expect(evidence["reload_bad"].status != 0)
        for said in [evidence["reload_bad_log"].out, evidence["reload_bad_direct"].err] {
            #expect(said.contains("did you mean 'interval'?"))
            #expect(said.contains("probe.none.target"))
        }
        #expect(evidence["reload_bad_direct"].status == 78)
        let after = evidence["after_reload"]
        #expect(after["ActiveState"] == "active")
        #expect(after["SubState"] == "running")
        #expect(after["MainPID"] == evidence["before_reload"]["MainPID"])
        #expect(after["StatusText"].contains("the last reload was rejected"))
        let stayed = try status(evidence.lines("status-bad.json").joined())
        #expect(stayed.targets?.map(\.name) == ["office"])
        #expect(Set(stayed.probes?.map(\.probe) ?? []) == ["https", "login", "tcp", "icmp", "dns"])
    }

    @Test
    func `a hanging agent is restarted by the watchdog, and its numbering continues`() async throws {
        let evidence = try await evidence()
        let (before, after) = (evidence["before_stop"], evidence["after_stop"])
        #expect(before["NRestarts"] == "0")
        #expect(before["WatchdogUSec"] == "5s")
        #expect(after["NRestarts"] == "1")
        #expect(after["ActiveState"] == "active")
        #expect(after["MainPID"] != before["MainPID"])
        #expect(evidence["watchdog_log"].out.contains("Failed with result 'watchdog'"))
        #expect(evidence["after_stop_status"].status == 0, "\(evidence["after_stop_status"].err)")
        #expect(evidence["undisturbed"]["NRestarts"] == "1")
        let numbers = try evidence.numbers("journal.jsonl")
        let newest = try #require(evidence["stop_signal"].number("newest"))
        #expect(newest < numbers.count)
        #expect(numbers == Array(1...numbers.count), "restarts, a kill and all: no number is missing or used twice")
    }

    @Test
    func `a bad file at the start is reported, ends with 78, and is not retried`() async throws {
        let evidence = try await evidence()
        #expect(evidence["bad_start"].status != 0)
        let state = evidence["bad_start_state"]
        #expect(state["ActiveState"] == "failed")
        #expect(state["SubState"] == "failed")
        #expect(state["Result"] == "exit-code")
        #expect(state["ExecMainStatus"] == "78")
        #expect(evidence["bad_start_log"].out.contains("nonsense"))
    }

    @Test
    func `with a bad file, a connection to systemd's socket starts the service once, and ends with it`() async throws {
        let evidence = try await evidence()
        #expect(evidence["refused_connect"].status == 75)
        #expect(evidence["refused_connect"].err.contains("closed the connection"), "\(evidence["refused_connect"].err)")
        #expect(evidence["refused_starts"]["count"] == "1")
    }

    @Test
    func `the log has a priority for each line, each change with its reason, and the state on a signal`() async throws {
        struct Entry: Decodable {
            let PRIORITY: String?
            let _SYSTEMD_UNIT: String?
            let SYSLOG_IDENTIFIER: String?
            let MESSAGE: Message?

            enum Message: Decodable {
                case text(String)
                case bytes

                init(from decoder: any Decoder) throws {
                    let text = try? decoder.singleValueContainer().decode(String.self)
                    self = text.map(Message.text) ?? .bytes
                }

                var text: String {
                    switch self {
                    case .text(let text): text
                    case .bytes: ""
                    }
                }
            }
        }
        let evidence = try await evidence()
        let entries = try evidence.lines("log.jsonl").map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
            .filter { $0._SYSTEMD_UNIT == "reachagent.service" && $0.SYSLOG_IDENTIFIER == "reachagent" }
        #expect(!entries.contains { $0.MESSAGE?.text.hasPrefix("<") == true }, "priorities are the journal's, not text")
        let loss = entries.first {
            $0.MESSAGE?.text.contains("up1") == true && $0.MESSAGE?.text.contains("up0") == true
        }
        #expect(loss != nil, "the failover is a line")
        let priorities = Set(entries.compactMap(\.PRIORITY))
        #expect(priorities.contains("5"), "notices: \(priorities)")
        #expect(priorities.contains("3"), "the errors of the bad file: \(priorities)")
        #expect(evidence["alive"].status == 0)
        #expect(evidence["dump_log"].out.contains("office"))
    }

    @Test
    func `where the sockets are systemd's, a connection starts the service`() async throws {
        let evidence = try await evidence()
        #expect(evidence["socket_start"].status == 0)
        #expect(evidence["before_connect"]["ActiveState"] == "inactive")
        #expect(evidence["socket_modes"]["/run/reachagent/events.sock"] == "reachagent:reachagent 660")
        // Either state will do for an agent that has just begun, as long as it answers.
        #expect([0, 1].contains(evidence["connect"].status), "\(evidence["connect"].err)")
        #expect(evidence["after_connect"]["ActiveState"] == "active")
        #expect(evidence["activated"].out.contains("reachagent.agent.hello"))
        #expect(evidence["sockets_after_stop"]["/run/reachagent/events.sock"] == "absent")
    }

    @Test
    func `network-online.target waits until there is a path`() async throws {
        let evidence = try await evidence()
        #expect(evidence["wait_online_enable"].status == 0)
        #expect(evidence["offline_target"].out == "inactive")
        #expect(evidence["wait_online"].out.contains("Result=success"))
        #expect(evidence["wait_online"].out.contains("ActiveState=active"))
        let waited = try #require(evidence["online_order"].number("wait_online"))
        let reached = try #require(evidence["online_order"].number("target"))
        #expect(waited <= reached)
    }

    @Test
    func `a stop is clean, and the last event`() async throws {
        let evidence = try await evidence()
        #expect(evidence["stop"].status == 0)
        let stopped = evidence["stopped"]
        #expect(stopped["ActiveState"] == "inactive")
        #expect(stopped["Result"] == "success")
        #expect(stopped["ExecMainStatus"] == "0")
        #expect(try evidence.lines("journal.jsonl").last?.contains("reachagent.agent.stopping") == true)
    }
}

import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import Hooks
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// The explanations of codes.
@Suite struct ExplainCommandTests {
    @Test(arguments: Explanation.codes)
    func `every code is explained, and no remedy has an option of a command`(code: String) throws {
        let explanation = try #require(Explanation(code))
        let text = explanation.text(style: .plain)
        #expect(text.hasPrefix("\(code)\n  "))
        #expect(!text.contains("--"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        for meaning in explanation.meanings {
            #expect(meaning.meaning.hasSuffix(".") && !meaning.remedy.isEmpty)
            #expect(meaning.remedy.split(separator: "`", omittingEmptySubsequences: false).count % 2 == 1)
        }
    }

    /// The codes of every type whose values events, the status, the sockets and the commands have as codes.
    private static let known: [(type: String, codes: [String])] = [
        ("ReasonCode", ReasonCode.allCases.map(\.rawValue)),
        ("FindingCode", FindingCode.allCases.map(\.rawValue)),
        ("NetworkChange.Code", NetworkChange.Code.allCases.map(\.rawValue)),
        ("ChangeCause.Code", Reachability.ChangeCause.Code.allCases.map(\.rawValue)),
        ("SinkCode", SinkCode.allCases.map(\.rawValue)),
        ("HookRefusal.Code", HookRefusal.Code.allCases.map(\.rawValue)),
        ("HookOutcome", HookOutcome.allCases.map(\.rawValue)),
        ("JournalCondition.Code", JournalCondition.Code.allCases.map(\.rawValue)),
        ("Overrun.Code", Overrun.Code.allCases.map(\.rawValue)),
        ("ProblemCode", ProblemCode.allCases.map(\.rawValue)),
        ("Connectivity", Reachability.Connectivity.allCases.map(\.rawValue)),
        ("RequestCode", RequestCode.allCases.map(\.rawValue)),
        ("OnlineCondition.Failure.Code", OnlineCondition.Failure.Code.allCases.map(\.rawValue)),
    ]

    @Test(arguments: known.indices)
    func `every code of every type has an explanation`(_ index: Int) {
        let (type, codes) = Self.known[index]
        for code in codes { #expect(Explanation(code) != nil, "\(type): \(code)") }
    }

    @Test func `every code that the operations page documents has an explanation, and the other way round`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs")
        /// The codes in the first cells of the tables below a heading of a page.
        func codes(of name: String, from heading: String, to end: String) throws -> Set<String> {
            let text = try String(contentsOf: page.appending(path: name), encoding: .utf8)
            let section = try #require(text.split(separator: "\n\(heading)\n").last)
            let body = try #require(section.split(separator: "\n\(end)\n").first)
            let cells = body.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
                $0.dropFirst().split(separator: "|").first
            }
            return Set(
                cells.flatMap { cell in
                    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
                }
            )
        }
        let documented = try codes(of: "operations.md", from: "### No path", to: "## Exit statuses")
        #expect(documented.count > 100)
        for code in documented { #expect(Explanation(code) != nil, "\(code)") }
        let checks = try codes(of: "findings.md", from: "## Codes", to: "# End")
        for code in Explanation.codes where code != HookOutcome.succeeded.rawValue {
            #expect(documented.contains(code) || checks.contains(code), "\(code) is in neither table")
        }
    }

    @Test(arguments: [
        ("link_down", "`reachagent interfaces` shows which part is missing"), ("link_down", "`mmcli -m any`"),
        ("http_status", "'max_redirects'"),
        ("no_route", "`ip route`, `ip -6 route`, `ip rule` and `ip -6 rule`"),
        ("preferred_path_dead", "`reachagent status` has the commands"),
        ("portal_suspected", "with 'portal = true'"),
        ("quorum_missed", "`reachagent status probes`"),
        ("broker_conflict", "`systemctl restart reachagent-sink`"),
        ("broker_no_stream", "docs/fleet.md"),
        ("hook_writable", "`chmod go-w PATH`"),
        ("journal_write_failed", "`df -h /var/lib/reachagent`"),
        ("netlink_overrun", "`sysctl net.core.rmem_max`"),
        ("no_probe_configured", "`reachagent config init`"),
        ("certificate_expiring", "Renew it"),
        ("neighbour_changed", "`ip neighbour`"),
        ("probe_down", "`reachagent probe NAME`"),
        ("timed_out", "raise 'timeout'"),
        ("configuration_invalid", "`reachagent config check`"),
        ("other_medium", "`reachagent status uplinks`"),
    ])
    func `a code of a path, of several probes or of a part of the agent has its remedy`(code: String, remedy: String)
        throws
    {
        #expect(try #require(Explanation(code)?.meanings.first).remedy.contains(remedy))
    }

    @Test(arguments: [("link_down", 1), ("path_changed", 2), ("events_expired", 2), ("budget_exhausted", 3)])
    func `a code with several meanings has each of them`(code: String, count: Int) throws {
        let meanings = try #require(Explanation(code)).meanings
        #expect(meanings.count == count)
        #expect(Set(meanings.map(\.meaning)).count == count)
    }

    @Test func `a code in brackets is accepted, and an unknown one is an error with a suggestion`() async throws {
        let known = try await FinishedCommand.run(["explain", "[tls_untrusted_root]"])
        #expect(known.status == 0)
        #expect(known.output.contains("Name the issuing authority with 'ca_file'"))
        let unknown = try await FinishedCommand.run(["explain", "dns_timout"])
        #expect(unknown.status == 64)
        #expect(unknown.error.contains("there is no code 'dns_timout'; did you mean 'dns_timeout'?"))
    }
}

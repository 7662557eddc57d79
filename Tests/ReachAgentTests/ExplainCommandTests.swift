import AgentEvents
import AgentTestKit
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
    }

    @Test(arguments: [
        ("link_down", "`reachagent interfaces` shows which part is missing"),
        ("no_route", "`ip route`, `ip -6 route` and `ip rule`"),
        ("preferred_path_dead", "`reachagent status` has the commands"),
        ("portal_suspected", "with 'portal = true'"),
        ("quorum_missed", "`reachagent status probes`"),
        ("broker_conflict", "`systemctl restart reachagent-sink`"),
        ("broker_no_stream", "docs/fleet.md"),
        ("hook_writable", "`chmod go-w PATH`"),
        ("journal_write_failed", "`df -h /var/lib/reachagent`"),
        ("netlink_overrun", "`sysctl net.core.rmem_max`"),
    ])
    func `a code of a path, of several probes or of a part of the agent has its remedy`(code: String, remedy: String)
        throws
    {
        #expect(try #require(Explanation(code)).remedy.contains(remedy))
    }

    @Test func `a code in brackets is accepted, and an unknown one is an error with a suggestion`() async throws {
        let known = try await FinishedCommand.run(["explain", "[tls_untrusted_root]"])
        #expect(known.status == 0)
        #expect(known.output.contains("Add the issuing authority with 'ca_file'"))
        let unknown = try await FinishedCommand.run(["explain", "dns_timout"])
        #expect(unknown.status == 64)
        #expect(unknown.error.contains("there is no code 'dns_timout'; did you mean 'dns_timeout'?"))
    }
}

internal import AgentEvents
internal import Probes

/// The result of one of the agent's checks, with the captive portal that answers in the target's place: the line of
/// `reachagent check --json`.
struct CompletedCheckResult: Encodable {
    private enum CodingKeys: String, CodingKey {
        case portal
    }

    /// The end of the check.
    let check: AgentEvents.CompletedCheck
    /// The agent's verdict on the point while a captive portal answers there; `nil` otherwise, and for a target that
    /// answered as expected all the same.
    let portal: AgentStatus.ProbeStatus?

    /// The results of checks.
    ///
    /// - Parameter status: The agent's status after the checks; `nil` if it did not answer.
    static func results(_ checks: [AgentEvents.CompletedCheck], status: AgentStatus?) -> [CompletedCheckResult] {
        let behind = (status?.probes ?? []).filter {
            $0.verdict == "portal" || $0.code == FindingCode.behindPortal.rawValue
        }
        let verdicts = behind.map { probe in
            (AgentEvents.ProbePoint(probe: probe.probe, interface: probe.interface, family: probe.family), probe)
        }
        let portals = Dictionary(verdicts) { first, _ in first }
        return checks.map { check in
            CompletedCheckResult(check: check, portal: check.report.verdict == "ok" ? nil : portals[check.point])
        }
    }

    /// Encodes the members of the check, followed by `portal` if there is one.
    func encode(to encoder: any Encoder) throws {
        try check.encode(to: encoder)
        guard let portal else { return }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(
            PortalMember(verdict: portal.verdict, code: portal.code, url: portal.portalURL),
            forKey: .portal
        )
    }
}

extension AgentStatus {
    /// The codes of checks that this machine cannot make until an administrator repairs it.
    private static let lastingObstacles = [
        "icmp_not_permitted", "interface_not_permitted", "local_firewall", "request_invalid", "resources_exhausted",
        "tls_roots_unavailable",
    ]

    /// Returns a problem for each code that keeps this machine from checking probes: without a verdict they do not count, and
    /// the connectivity may be full without them.
    func problemsOfUnchecked(_ explain: Explanation) -> [Advice.Action] {
        Self.lastingObstacles.compactMap { code in
            // The advice on an unknown connectivity has the reason already.
            guard reachability.state?.connectivity != .unknown || reachability.state?.connectivityReason != code else {
                return nil
            }
            let unchecked = probes.filter { $0.verdict == "unknown" && $0.code == code }
            guard let first = unchecked.first else { return nil }
            let others = Set(unchecked.map(\.probe)).count - 1
            let (more, them) = others > 0 ? (" and \(SummaryText.number(others)) more", "them") : ("", "it")
            let meaning = explain(code).map { ": \(Self.clause($0.meaning))" } ?? ""
            let detail = first.detail(of: code).map { " (\($0))" } ?? ""
            let problem: Advice.Action = """
                this machine cannot check \(first.probe)\(more), and the connectivity does not depend on \(them) \
                [\(code)]\(meaning)\(detail).
                """
            let remedy = Self.remedy(code, of: first.verdict, over: first.interface, explain(code)?.remedy)
            return (remedy.map { problem + $0 } ?? problem) + Self.look(at: first.probe, first)
        }
    }
}

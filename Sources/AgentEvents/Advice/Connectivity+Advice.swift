extension AgentStatus {
    /// Returns the problem beyond the first hop; `nil` if everything answers, or nothing is known.
    func advice(onConnectivityOf state: ReachabilityState, _ explain: Explanation) -> Advice? {
        let reason = state.connectivityReason.map {
            Uplink.Reason(code: $0, probe: state.connectivityProbe, portalURL: state.portalURL)
        }
        switch state.connectivity {
        case .portal: return Self.adviceOnPortal(reason)
        case .local: return adviceOnSilence(beyond: state.path.overall, reason, explain)
        case .partial:
            return reason.flatMap { advice(on: $0, over: nil, explain) }
                ?? Advice(
                    code: Connectivity.partial.rawValue,
                    problem: "not everything that is required answers",
                    action: "`reachagent status probes` has the details."
                )
        case .unknown:
            if let reason {
                guard var found = advice(on: reason, over: nil, explain) else { return nil }
                found.problem = "this machine could not check: \(found.problem)"
                return found
            }
            guard let probe = probes.first else { return nil }
            return Advice(
                code: Connectivity.unknown.rawValue,
                problem: "no probe has a verdict yet",
                action: "\(command: "reachagent check \(probe.probe)") checks now."
            )
        default: return nil
        }
    }

    private static func adviceOnPortal(_ reason: Uplink.Reason?) -> Advice {
        Advice(
            code: reason?.code ?? Connectivity.portal.rawValue,
            problem: "a captive portal answers",
            action: reason?.portalURL.map { "Log in at \(address: $0)" }
                ?? "Open a page without TLS in a browser, such as http://example.org/, and log in."
        )
    }

    private func adviceOnSilence(beyond path: Path, _ reason: Uplink.Reason?, _ explain: Explanation) -> Advice {
        let cause = reason.flatMap { advice(on: $0, over: nil, explain) }
        let problem = "nothing beyond the first hop answers"
        guard let interface = path.interface, let gateway = path.gateway else {
            return Advice(
                code: reason?.code ?? Connectivity.local.rawValue,
                problem: problem,
                action: cause?.action ?? "`reachagent status probes` has the details."
            )
        }
        return Advice(
            code: reason?.code ?? Connectivity.local.rawValue,
            problem: problem + (cause.map { ": \($0.problem)" } ?? ""),
            action: """
                \(command: "ping -c 3 -I \(interface) \(gateway)"): with an answer the fault lies beyond the gateway, at the \
                provider; without one in the local network.
                """
        )
    }

    /// Returns the advice on a failed check, or on the common result of several; `nil` for a code without an
    /// explanation.
    func advice(on reason: Uplink.Reason, over interface: String?, _ explain: Explanation) -> Advice? {
        if let url = reason.portalURL, reason.probe == nil || interface != nil {
            return Advice(code: reason.code, problem: "a captive portal answers", action: "Log in at \(address: url)")
        }
        guard let name = reason.probe else { return Advice(onSeveralProbes: reason.code) }
        let probe =
            probes.first { $0.probe == name && $0.code == reason.code && $0.interface == interface }
            ?? probes.first { $0.probe == name && $0.code == reason.code }
        let explanation = explain(reason.code)
        let meaning = explanation.map { Self.clause($0.meaning) } ?? reason.code
        let detail = probe?.detail.map { " (\($0))" } ?? ""
        let point = ProbePoint(probe: name, interface: interface ?? probe?.interface, family: probe?.family)
        let look: Advice.Action = "\(command: point.command) shows each step."
        return Advice(
            code: reason.code,
            problem: "\(name) is \(probe?.verdict ?? "not up"): \(meaning)\(detail)",
            action: Self.remedy(reason.code, of: probe?.verdict, explanation?.remedy).map { $0 + look } ?? look
        )
    }

    /// Returns a check's remedy, unless it has a placeholder instead of a name.
    private static func remedy(_ code: String, of verdict: String?, _ sentence: String?) -> Advice.Action? {
        switch code {
        // A silent resolver of this machine makes no probe down.
        case "dns_timeout" where verdict == "down": "Check the name server that the probe asks."
        case "dns_failure", "dns_timeout": "Check the name servers: `resolvectl status`, `cat /etc/resolv.conf`."
        case "no_route": "`ip route`, `ip -6 route`, `ip rule` and `ip -6 rule` show what there is."
        case "connect_timeout": "A firewall that drops, a dead host, or a broken path."
        default: sentence.map { Advice.Action(stringLiteral: $0) }
        }
    }

    /// Returns a sentence as a clause of another one: `The name does not exist.` becomes `the name does not exist`.
    private static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        // An abbreviation keeps its capitals.
        guard let first = text.first, text.dropFirst().first?.isUppercase == false else { return String(text) }
        return first.lowercased() + text.dropFirst()
    }
}

extension Advice {
    /// Returns the first thing to do about a code of a path or of several probes, without the names of a status; `nil` for
    /// another code.
    package static func action(on code: String) -> Action? {
        if code == "preferred_path_dead" { return "`reachagent status` has the commands that lead past it." }
        return PathReason(code, of: nil, among: [])?.advice.action ?? Advice(onSeveralProbes: code)?.action
    }

    /// Creates the advice on the common result of the checks of several probes; `nil` for another code.
    init?(onSeveralProbes code: String) {
        let (problem, action): (String, Action)
        switch code {
        case "portal_suspected":
            problem = "the certificates are not the targets', as behind a captive portal"
            action = """
                Open a page without TLS in a browser, such as http://example.org/: a portal may want a login. A probe with \
                'portal = true' tells for certain.
                """
        case "tls_intercepted":
            problem = "TLS connections are intercepted: the certificates are not the targets'"
            action = """
                Send nothing secret. `reachagent status probes` shows who answers: a company's proxy is trusted with 'ca_file'.
                """
        case "https_unreachable":
            problem = "HTTP works, and HTTPS does not"
            action = "Look for what blocks port 443: a firewall, a proxy, or packets that are too large."
        case "quorum_missed":
            problem = "fewer of the required probes are up than the quorum requires"
            action = "`reachagent status probes` has those that are not up first."
        default: return nil
        }
        self.init(code: code, problem: problem, action: action)
    }
}

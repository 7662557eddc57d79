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
            return adviceOnMissingVerdict
        default: return nil
        }
    }

    /// The advice when no probe has a verdict on the default path that counts; `nil` without probes.
    private var adviceOnMissingVerdict: Advice? {
        let code = Connectivity.unknown.rawValue
        // The gateway's answer is no verdict on the Internet.
        let checked = probes.filter { $0.obstacle == nil && $0.probe != ProbePoint.firstHopName }
        guard let probe = checked.first else {
            guard let waiting = probes.first(where: { $0.obstacle != nil }) else { return nil }
            return Advice(
                code: code,
                problem: "no probe can be checked: \(waiting.probe) has \(waiting.obstacle ?? "no path")",
                action: "`reachagent interfaces` shows the interfaces, `reachagent config show` those of the probe."
            )
        }
        let own = checked.filter { $0.interface == nil }
        if own.isEmpty, checked.contains(where: Self.hasVerdict) {
            return Advice(
                code: code,
                problem: "no probe checks the default path: each is bound to an interface",
                action: "`reachagent status uplinks` shows what they find, `reachagent config show` their interfaces."
            )
        }
        if let first = own.first, own.allSatisfy(Self.hasVerdict) {
            return Advice(
                code: code,
                problem: """
                    no verdict counts: none has held for the settle time yet, the probes' names lead to this machine \
                    itself, or no probe is required
                    """,
                action: Self.look(at: first.probe, first)
            )
        }
        let unjudged = own.filter { !Self.hasVerdict($0) }
        // The connectivity waits for no probe that this machine cannot check.
        let waiting = own.contains(where: Self.hasVerdict) ? unjudged.first { $0.code == nil } ?? unjudged.first : nil
        return Advice(
            code: code,
            problem: "\(waiting?.probe ?? "no probe") has \(waiting == nil ? "a" : "no") verdict yet",
            action: "\(command: "reachagent check \((waiting ?? probe).probe)") checks now."
        )
    }

    private static func hasVerdict(_ probe: ProbeStatus) -> Bool { (probe.verdict ?? "unknown") != "unknown" }

    static func adviceOnPortal(_ reason: Uplink.Reason?) -> Advice {
        Advice(
            code: reason?.code ?? Connectivity.portal.rawValue,
            problem: "a captive portal answers",
            action: reason?.portalURL.map { "Log in at \(address: $0)" }
                ?? "Open a page without TLS in a browser, such as http://example.org/, and log in."
        )
    }

    /// Returns the probe whose verdict is a reason.
    package func probe(of reason: Uplink.Reason, over interface: String?) -> ProbeStatus? {
        let failed = probes.filter { $0.probe == reason.probe && $0.code == reason.code }
        return failed.first { $0.interface == interface } ?? failed.first
    }

    /// Returns the advice on a failed check, or on the common result of several; `nil` for a code without an
    /// explanation.
    func advice(on reason: Uplink.Reason, over interface: String?, _ explain: Explanation) -> Advice? {
        if let url = reason.portalURL, reason.probe == nil || interface != nil {
            return Advice(code: reason.code, problem: "a captive portal answers", action: "Log in at \(address: url)")
        }
        guard let name = reason.probe else { return Advice(onSeveralProbes: reason.code) }
        let reason = incompleteChain(of: reason, over: interface) ?? reason
        let probe = probe(of: reason, over: interface)
        let look = Self.look(at: name, probe, over: interface)
        if let common = Advice(onCommonResult: reason.code, of: name) {
            return Advice(code: common.code, problem: common.problem, action: common.action + look)
        }
        let late = reason.code == "timeout" ? probe.flatMap { Self.late($0, $0.phase(of: reason.code)) } : nil
        let explanation = explain(reason.code)
        let meaning = late?.meaning ?? explanation.map { Self.clause($0.meaning) } ?? reason.code
        let detail = probe?.detail(of: reason.code).map { " (\($0))" } ?? ""
        let remedy =
            late?.remedy
            ?? Self.remedy(reason.code, of: probe?.verdict, over: interface ?? probe?.interface, explanation?.remedy)
        return Advice(
            code: reason.code,
            problem: "\(name) is \(probe?.verdict ?? "not up"): \(meaning)\(detail)",
            action: remedy.map { $0 + look } ?? look
        )
    }

    /// Returns the incomplete chain of a probe for which the common result of all checks blames the certificate; `nil`
    /// for another one.
    ///
    /// The name in such a certificate is right, and nothing says that another machine answers.
    private func incompleteChain(of reason: Uplink.Reason, over interface: String?) -> Uplink.Reason? {
        guard ["portal_suspected", "tls_intercepted"].contains(reason.code) else { return nil }
        let own = Uplink.Reason(code: "tls_missing_intermediate", probe: reason.probe)
        let all = probes.filter { $0.probe == reason.probe && ($0.verdict != "up" || $0.lastCode != nil) }
        let probe = all.first { $0.interface == interface } ?? all.first
        return (probe?.code ?? probe?.lastCode) == own.code ? own : nil
    }

    /// Returns the command that shows each step of a probe's check.
    static func look(at name: String, _ probe: ProbeStatus?, over interface: String? = nil) -> Advice.Action {
        let point = ProbePoint(probe: name, interface: interface ?? probe?.interface, family: probe?.family)
        return "\(command: point.command) shows each step."
    }

    /// Returns the meaning and the remedy of a timeout after the connection has opened; `nil` for another one.
    private static func late(_ probe: ProbeStatus, _ phase: String?) -> (meaning: String, remedy: Advice.Action)? {
        switch phase {
        case "tls":
            let causes: Advice.Action = "Packets of full size may be lost on the way, or the server hangs."
            let remedy = probe.peer.map { peer in
                let binding = probe.interface.map { ["-I", $0] } ?? []
                // 1500 bytes with the headers of IP and ICMP.
                let size = peer.contains(":") ? "1452" : "1472"
                let ping = ShellCommand(words: ["ping", "-c", "3", "-M", "do", "-s", size] + binding + [peer])
                return causes
                    + "They are lost if \(command: ping) gets neither an answer nor an error with an MTU, and a small ping does."
            }
            return ("the connection opens, and the TLS handshake does not end in time", remedy ?? causes)
        case "request", "first_byte":
            return (
                "the connection opens, and no response comes in time",
                "The server is slow or hangs: look at its log, or raise 'timeout'."
            )
        case "body":
            return (
                "the response begins, and does not end in time",
                "The server or the path is slow: look at the server's log, or raise 'timeout'."
            )
        default: return nil
        }
    }

    /// Returns a check's remedy, unless it has a placeholder instead of a name.
    static func remedy(
        _ code: String,
        of verdict: String?,
        over interface: String?,
        _ sentence: String?
    ) -> Advice.Action? {
        switch code {
        case "reverse_path_filter":
            interface.map { interface in
                let loose: ShellCommand = "sysctl net/ipv4/conf/\(interface)/rp_filter=2"
                return "\(change: loose) lets them in wherever another route leads back."
            }
        // A silent resolver of this machine makes no probe down.
        case "dns_timeout" where verdict == "down": "Check the name server that the probe asks."
        case "dns_failure", "dns_timeout": "Check the name servers: `resolvectl status`, `cat /etc/resolv.conf`."
        case "tls_expired":
            """
            Renew the certificate, and make the server load the new one, unless this machine's clock is wrong: \
            `timedatectl status`.
            """
        case "no_route": "`ip route`, `ip -6 route`, `ip rule` and `ip -6 rule` show what there is."
        case "connect_timeout": "A firewall that drops, a dead host, or a broken path."
        default: sentence.map { Advice.Action(stringLiteral: $0) }
        }
    }

    /// Returns a sentence as a clause of another one: `The name does not exist.` becomes `the name does not exist`.
    static func clause(_ sentence: String) -> String {
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

    /// Creates the advice on the common result of all checks where a single probe stands for it, whose server may be at
    /// fault; `nil` for another code.
    fileprivate init?(onCommonResult code: String, of probe: String) {
        guard var advice = Advice(onSeveralProbes: code) else { return nil }
        switch code {
        case "portal_suspected":
            advice.problem = "\(probe) gets a certificate that is not the target's, as behind a captive portal"
        case "tls_intercepted":
            advice.problem = """
                \(probe) gets a certificate that is not the target's, and HTTP works: TLS is intercepted, or the server has \
                the wrong certificate
                """
            advice.action = "Send nothing secret. A company's proxy is trusted with 'ca_file'."
        default: advice.problem = "\(probe): \(advice.problem)"
        }
        self = advice
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

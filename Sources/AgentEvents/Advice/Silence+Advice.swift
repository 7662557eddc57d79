/// The advice on a state in which nothing answers beyond the first hop.
extension AgentStatus {
    /// Returns the advice on a state in which nothing answers beyond the first hop.
    ///
    /// The words claim that only where the path is in question: names that do not resolve, a server that hangs and this
    /// machine's own answers may have the same state, and say more about the fault.
    func adviceOnSilence(beyond path: Path, _ reason: Uplink.Reason?, _ explain: Explanation) -> Advice {
        let problem = "nothing beyond the first hop answers"
        let details: Advice.Action = "`reachagent status probes` has the details."
        let tunnel = silence(ofTunnelOf: path)
        // A tunnel's gateway is at its other end: whether it answers says nothing about the provider.
        let ping = path.interface.flatMap { interface in
            tunnel != nil ? nil : path.gateway.map { ShellCommand(words: ["ping", "-c", "3", "-I", interface, $0]) }
        }
        guard let reason, let cause = advice(on: reason, over: nil, explain) else {
            return Advice(
                code: reason?.code ?? Connectivity.local.rawValue,
                problem: tunnel?.problem ?? problem,
                action: tunnel?.action ?? ping.map(Self.action(on:)) ?? details
            )
        }
        var advice = cause
        let probe = probe(of: reason, over: nil)
        // A name server that is the target is silent like any other one.
        if Self.resolverFaults.contains(reason.code), probe?.verdict != "down" {
            if let tunnel {
                let isBehind: Advice.Action = "If they are behind the tunnel: \(tunnel.problem)."
                advice.action = cause.action + isBehind + tunnel.action
            } else if let ping {
                let isLocal: Advice.Action = "Without an answer to \(command: ping) the fault is in the local network."
                advice.action = cause.action + isLocal
            }
        } else if let probe, let peer = probe.peer(of: reason.code), Self.isThisMachine(peer) {
            advice.problem += ": \(peer) is this machine itself"
            let origin: Advice.Action = "A name leads here by an entry in /etc/hosts, or by a name server that filters."
            advice.action = origin + Self.look(at: probe.probe, probe)
        } else if Self.connectedPhases.contains(probe?.phase(of: reason.code) ?? "") {
            return cause
        } else if let tunnel {
            advice.problem = "\(tunnel.problem): \(cause.problem)"
            advice.action = tunnel.action
        } else if let ping {
            advice.problem = "\(problem): \(cause.problem)"
            advice.action = Self.action(on: ping)
        } else {
            advice.problem = problem
        }
        return advice
    }

    /// Returns the problem and the remedy of a tunnel through which nothing answers; `nil` for another path.
    ///
    /// A PPPoE session is the line itself.
    private func silence(ofTunnelOf path: Path) -> (problem: String, action: Advice.Action)? {
        guard let tunnel = path.interface, let underlay = path.underlay, underlay.evidence != "pppoe" else {
            return nil
        }
        let problem = "nothing answers through the tunnel \(tunnel)"
        let end: ShellCommand = "ip link set \(tunnel) down"
        let below = uplinks.first { $0.interface == underlay.interface }
        guard let below, below.connectivity != .unknown, below.connectivity != .none else {
            return (
                problem,
                "\(change: end) and a recheck tell a fault of the tunnel or its server from one below it."
            )
        }
        if below.connectivity == .portal {
            return (
                "\(problem), and a captive portal answers on \(below.interface) below it",
                Self.adviceOnPortal(below.reason).action
            )
        }
        guard [.full, .partial].contains(below.connectivity) else {
            return (
                "\(problem), nor over \(below.interface) below it",
                "\(command: "reachagent status uplinks") shows the fault below the tunnel."
            )
        }
        return (
            "\(problem), while \(below.interface) below it works",
            "Restart the tunnel, or take it down: \(change: end)."
        )
    }

    /// Returns the first thing to do about silence beyond a gateway.
    private static func action(on ping: ShellCommand) -> Advice.Action {
        """
        \(command: ping): with an answer the fault lies beyond the gateway, at the provider; without one in the local \
        network.
        """
    }

    /// The codes of lookups that failed, without which no target is reached by its name.
    private static let resolverFaults: Set<String> = ["dns_timeout", "dns_failure", "resolver_busy"]

    /// The phases of a check whose connection has opened.
    private static let connectedPhases: Set<String> = ["tls", "request", "first_byte", "body"]

    /// Returns whether an address is a loopback address or the unspecified one.
    private static func isThisMachine(_ address: String) -> Bool {
        let ipv4 = address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]
        return ipv4.hasPrefix("127.") || ["0.0.0.0", "::", "::1"].contains(ipv4)
    }
}

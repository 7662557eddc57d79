internal import Configuration
internal import ForeignText
internal import NetlinkMonitor
internal import Probes
internal import Reachability

internal import enum AgentEvents.ShellWord

/// The check that a command-line argument specifies: a URL, the name of a probe or target, a host name, or an address.
enum CheckTarget: Sendable {
    /// A configured probe.
    case probe(ProbeDefinition)
    /// A target that is not a configured probe.
    case target(ProbeTarget)

    /// An argument that specifies no check.
    struct Unknown: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    /// Finds the check for an argument; probes take precedence over targets of the same name.
    ///
    /// A word without a dot, a port or a slash refers to the configuration: a probe that was renamed must not become the
    /// check of a host that a search domain happens to have. The error names the URL of such a host.
    ///
    /// - Throws: ``Unknown``, or `ProbeTargetError`, which never shows a password.
    init(_ text: String, _ settings: Settings) throws {
        if text.firstRange(of: "://") != nil {
            self = .target(try ProbeTarget(parsing: text))
        } else if let definition = settings.probes.first(where: { $0.name == text }) {
            self = .probe(definition)
        } else if let target = settings.targets.first(where: { $0.name == text }) {
            self = .target(.icmp(host: .address(target.address.networkBytes)))
        } else if let address = IPAddress(text) {
            self = .target(.icmp(host: .address(address.unmapped.networkBytes)))
        } else if let authority = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).first,
            Self.isHost(authority) || !authority.isEmpty && !authority.hasSuffix(":") && text == authority + "/"
        {
            self = .target(try ProbeTarget(parsing: "https://\(text)" + (authority == text ? "/" : "")))
        } else if text.utf8.contains(UInt8(ascii: "@")) {
            // Before the at sign there may be a password.
            throw Unknown(description: "the argument is neither a name of the configuration nor a URL")
        } else if text.contains("/" as Character) {
            let shown = ForeignText.shown(text, limit: 64)
            throw Unknown(
                description: "'\(shown)' is not a URL; a URL begins with https://, http://, tcp://, icmp:// or dns://"
            )
        } else {
            let url = (try? HTTPURL.host(text)).map { "; a host of that name is https://\($0)/" } ?? ""
            throw Unknown(description: Self.unknown(text, settings, otherwise: url))
        }
    }

    /// Returns whether the part before a path can only be a host, because of a dot or a port: `http:/host` is a mistyped
    /// URL.
    private static func isHost(_ authority: Substring) -> Bool {
        if authority.contains("." as Character) { return true }
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return false }
        return UInt16(authority[colon...].dropFirst()) != nil
    }

    /// True for the name of a probe or a target.
    static func isConfigured(_ text: String, in settings: Settings) -> Bool {
        settings.probes.contains { $0.name == text } || settings.targets.contains { $0.name == text }
    }

    /// True for an argument that a configuration can resolve.
    static func isName(_ text: String) -> Bool {
        text.firstRange(of: "://") == nil && IPAddress(text) == nil
    }

    /// True for an argument that only a configuration can resolve: it cannot be a host either.
    static func isOnlyName(_ text: String) -> Bool {
        isName(text) && !isHost(text[...]) && !text.contains("/" as Character)
    }

    /// The check by hand: over the active path, or the only interface of a configured probe; with an evaluator of its own
    /// if none is configured.
    var probe: Probe {
        switch self {
        case .probe(let definition):
            var probe = definition.probe
            probe.interface = definition.onlyInterface
            return probe
        case .target(let target):
            return Probe(
                target: target,
                serializer: RequestOptions.serializer(),
                trust: TrustEvaluator(anchors: .system)
            )
        }
    }

    /// True for a probe of the configuration.
    var isConfigured: Bool { if case .probe = self { true } else { false } }

    /// The thresholds of expiring certificates.
    var expiry: ExpiryPolicy {
        guard case .probe(let definition) = self else { return ExpiryPolicy() }
        return definition.rule.expiry
    }

    /// The error message for a name that is neither a probe nor a target: with the closest match, else with the names
    /// that exist and another remedy.
    ///
    /// The agent's own check of gateways is neither, and has its own command.
    static func unknown(_ text: String, _ settings: Settings, otherwise remedy: String = "") -> String {
        guard text != ProbeRule.firstHopName else {
            let setting = settings.checksFirstHops ? "" : ", where [connectivity] has 'first_hop = true'"
            return "'\(text)' is the agent's own check of gateways; run it with 'reachagent check \(text)'\(setting)"
        }
        let names = settings.probes.map(\.name) + settings.targets.map(\.name)
        let shown = ForeignText.shown(text, limit: 64)
        let sentence = "there is no probe or target '\(shown)' in the configuration"
        if let nearest = KeySuggestion.nearest(to: text, among: names) {
            return "\(sentence); did you mean '\(nearest)'?"
        }
        guard !names.isEmpty else { return "\(sentence), which has none\(remedy)" }
        let more = names.count > 8 ? " and \(names.count - 8) more" : ""
        return "\(sentence); there are \(names.prefix(8).joined(separator: ", "))\(more)\(remedy)"
    }
}

extension ProbeDefinition {
    /// The only name in `interfaces`; nil if there are several, or if it is a kind, of which there may be several uplinks.
    private var onlyName: String? {
        guard case .matching(let words) = rule.interfaces, words.count == 1 else { return nil }
        return words.first { InterfaceKind(rawValue: $0) == nil }
    }

    /// The interface of a check by hand, by its own name if it exists; nil for the active path.
    ///
    /// One that is missing stays the interface: a probe for it alone must not be sent over another one.
    var onlyInterface: String? { onlyName.map { InterfaceNames.read().ownName(of: $0) ?? $0 } }

    /// The remark on a check by hand over the active path, if the agent checks over other interfaces; nil for none.
    var pathRemark: String? {
        guard hasOtherPaths else { return nil }
        return "'\(name)' is checked over the active path alone; 'reachagent check \(ShellWord.quoted(name))' "
            + "checks it over its 'interfaces'"
    }

    /// The remark on a measurement by hand over the active path, if the agent measures other interfaces; nil for none.
    var measurementRemark: String? {
        guard hasOtherPaths else { return nil }
        return "'\(name)' is measured over the active path alone; "
            + "'reachagent measure \(ShellWord.quoted(name)) --each' measures it over each uplink"
    }

    /// True if the agent checks over interfaces that a check by hand does not use.
    private var hasOtherPaths: Bool { rule.interfaces != .default && onlyName == nil }
}

extension ProbeTarget {
    /// The host to connect to.
    var host: ServerIdentity {
        switch self {
        case .http(let url): url.host
        case .tcp(let host, _), .icmp(let host): host
        case .dns(let resolver, _, _, _): resolver
        }
    }
}

internal import NetlinkMonitor

/// What made a state change.
public struct ChangeCause: Sendable, Hashable {
    /// The sort of thing that changed; the raw values are stable and may be stored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The agent was started.
        case start
        /// An interface.
        case link
        /// An address.
        case address
        /// A route, or the kernel's choice among routes.
        case route
        /// A router that stopped answering, or answers again.
        case neighbour
        /// A sysctl that route lookups depend on.
        case sysctl
        /// A policy rule.
        case rule
        /// What carries a tunnel.
        case underlay
        /// Nothing that a message told; reading everything again showed it.
        case resync
        /// What a probe's checks come to.
        case probe
        /// The state changes too often, or no longer does.
        case flapping
        /// The machine was suspended.
        case suspend
        /// The agent was given another configuration.
        case configuration
    }

    /// The sort of thing that changed.
    public let kind: Kind
    /// The reason's code when something was lost (``ReasonCode``), else the change's (`NetworkChange.Code`).
    public let code: String
    /// The interface concerned, when there is one.
    public let interface: String?
    /// The particulars, for people.
    public let detail: String?

    /// A cause.
    public init(kind: Kind, code: String, interface: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.code = code
        self.interface = interface
        self.detail = detail
    }

    /// The first view of the kernel.
    public static let start = ChangeCause(kind: .start, code: "initial")

    /// The agent was given another configuration.
    public static func reload(interface: String? = nil) -> ChangeCause {
        ChangeCause(kind: .configuration, code: "config_reloaded", interface: interface)
    }

    /// The cause of a transition between two paths, found among the changes of an update.
    ///
    /// Changes of the interfaces that either path uses, and of the rules, come before those of other interfaces; causes
    /// before effects. Where the new path is unusable for a definite reason, that reason is the code.
    init(changes: [NetworkChange], from old: Path, to new: Path, isCorrection: Bool) {
        let concerned = Set(
            [old, new].flatMap { [$0.interface?.index, $0.underlay?.interface?.index] }.compactMap { $0 }
        )
        let ordered = changes.filter { $0.interfaceIndex.map(concerned.contains) ?? true } + changes
        let change = ordered.first { $0.code != .lookupChanged && $0.code != .linkChanged } ?? ordered.first
        let reason = new.via == .none && new.reason != .noRoute ? new.reason : nil
        self.init(
            kind: isCorrection ? .resync : change.map { Kind($0.code) } ?? .route,
            code: reason?.rawValue ?? change?.code.rawValue ?? "lookup_changed",
            interface: change?.interfaceName ?? new.interface?.name ?? old.interface?.name,
            detail: change?.detail
        )
    }
}

extension ChangeCause.Kind {
    init(_ code: NetworkChange.Code) {
        switch code {
        case .linkAdded, .linkRemoved, .linkRenamed, .linkUp, .linkDown, .linkChanged, .kindChanged: self = .link
        case .addressAdded, .addressRemoved, .addressChanged: self = .address
        case .routeAdded, .routeRemoved, .routeExpired, .lookupChanged: self = .route
        case .neighbourChanged: self = .neighbour
        case .sysctlChanged: self = .sysctl
        case .ruleChanged: self = .rule
        case .underlayChanged: self = .underlay
        case .synchronizationChanged: self = .resync
        }
    }
}

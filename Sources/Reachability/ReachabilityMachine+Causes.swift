internal import NetlinkMonitor

/// The causes of the transitions that an update of the network brings.
extension ReachabilityMachine {
    /// Returns the cause of a change between two paths; those of no family stand for both.
    static func cause(
        _ update: NetworkUpdate,
        _ isReload: Bool,
        _ isCorrection: Bool,
        from old: Path,
        to new: Path,
        family: AddressFamily?
    ) -> ChangeCause {
        if isReload { return .reload(interface: new.interface?.name ?? old.interface?.name) }
        guard old.via != .unknown else { return .start }
        return ChangeCause(changes: update.changes, from: old, to: new, family: family, isCorrection: isCorrection)
    }

    /// Returns the cause of the change of a family's default path; it is not used without one, and costs nothing.
    static func cause(
        _ update: NetworkUpdate,
        _ isReload: Bool,
        _ isCorrection: Bool,
        of family: AddressFamily,
        from old: ReachabilityState,
        to new: ReachabilityState
    ) -> ChangeCause {
        let (before, after) = (old.path(of: family), new.path(of: family))
        guard before != after else { return .start }
        if isReload { return .reload(interface: after.interface?.name ?? before.interface?.name) }
        guard old.via != .unknown else { return .start }
        return ChangeCause(
            changes: update.changes,
            from: before,
            to: after,
            family: family,
            isPartial: new.via != .none,
            isCorrection: isCorrection
        )
    }

    /// Returns the cause of an uplink's change.
    static func cause(
        _ update: NetworkUpdate,
        _ isCorrection: Bool,
        of uplink: Uplink,
        from old: ReachabilityState,
        to new: ReachabilityState
    ) -> ChangeCause {
        let interface = uplink.interface
        guard !update.changes.isEmpty || isCorrection else { return .reload(interface: interface.name) }
        return ChangeCause(
            changes: update.changes,
            of: interface,
            family: family(of: interface, in: update.changes, from: old, to: new),
            reason: uplink.reason.flatMap { ReasonCode(rawValue: $0.code) },
            isCorrection: isCorrection
        )
    }

    /// Returns the only family whose default route over an interface, or default path through it, has changed.
    static func family(
        of interface: PathInterface,
        in changes: [NetworkChange],
        from old: ReachabilityState,
        to new: ReachabilityState
    ) -> AddressFamily? {
        let routes = changes.filter { change in
            change.interfaceIndex == interface.index
                && [.routeAdded, .routeRemoved, .routeExpired].contains(change.code)
        }
        let changed = AddressFamily.allCases.filter { family in
            let paths = [old.path(of: family), new.path(of: family)]
            let hasMoved = paths[0].grade != paths[1].grade
            return hasMoved && paths.contains { $0.interface?.index == interface.index }
                || routes.contains { $0.family == family }
        }
        return changed.count == 1 ? changed.first : nil
    }
}

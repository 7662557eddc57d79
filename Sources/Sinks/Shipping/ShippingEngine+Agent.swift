// The presence of the agent: a broker that retains the last state would otherwise show it for as long as this program
// runs, although nothing is known of the machine any more.
extension ShippingEngine {
    /// True if the broker retains the state and the presence.
    var keepsState: Bool { settings.mqtt?.keepsState == true }

    mutating func noteAgent(isConnected: Bool, _ now: Moment) {
        // It may be another process, for which the reason of the former failures is gone.
        if isConnected, case .reopening = subscription {
            subscriptionRetries.reset()
            subscription = .reopening(at: now.instant)
        }
        switch (isConnected, agent) {
        case (true, .absent):
            agent = .present
            publishPresence()
        case (true, _): agent = .present
        case (false, .present): agent = .away(until: now.instant + Self.absenceLimit)
        case (false, _): break
        }
    }

    /// Marks the retained state as outdated once the agent has been away for too long.
    mutating func noteAbsence(_ now: Moment) {
        guard case .away(let limit) = agent, limit <= now.instant else { return }
        agent = .absent
        retain(MachineState.unknown.payload)
        publishPresence()
    }

    mutating func publishPresence() {
        if keepsState { effects.append(.publishPresence(isOnline: agent != .absent)) }
    }
}

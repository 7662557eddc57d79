internal import Probes

internal import struct AgentEvents.Event
internal import struct AgentEvents.EventDraft
internal import struct AgentEvents.EventOrigin

/// Shows every single check to the subscribers that ask for `probe.completed`, and costs nothing while none does.
struct CheckFeed: Sendable {
    let origin: EventOrigin
    /// Returns true when somebody asks for it.
    let isWanted: @Sendable () -> Bool
    let send: @Sendable (Event) -> Void

    func take(_ check: CompletedCheck, _ cadence: Cadence) {
        guard isWanted() else { return }
        // Outside the history: a random number makes its `id` unique.
        send(Event(EventDraft(check, cadence: cadence), from: origin, at: .now, number: .random(in: 1 ... .max)))
    }
}

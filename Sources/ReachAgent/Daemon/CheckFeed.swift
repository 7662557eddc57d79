internal import Probes

internal import struct AgentEvents.Event
internal import struct AgentEvents.EventDraft
internal import struct AgentEvents.EventOrigin
internal import enum AgentEvents.EventType

/// Shows every single check to the subscribers that ask for `probe.completed`, and the progress of transfers to those
/// that ask for `probe.progress`; it costs nothing while none does.
struct CheckFeed: Sendable {
    let origin: EventOrigin
    /// Returns true when somebody asks for events of a type.
    let isWanted: @Sendable (EventType) -> Bool
    let send: @Sendable (Event) -> Void

    func take(_ check: CompletedCheck, _ cadence: Cadence) {
        guard isWanted(.probeCompleted) else { return }
        send(EventDraft(check, cadence: cadence))
    }

    func take(_ progress: TransferProgress, of point: ProbePoint) {
        guard isWanted(.probeProgress) else { return }
        send(EventDraft(progress, of: point))
    }

    private func send(_ draft: EventDraft) {
        // Outside the history: a random number makes its `id` unique.
        send(Event(draft, from: origin, at: .now, number: .random(in: 1 ... .max)))
    }
}

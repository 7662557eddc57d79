internal import Probes

/// The changes that the scheduler does not have yet.
struct ScheduleUpdates: Sendable {
    /// `true` if the probes, their costs or their next hops have changed.
    var hasNewSchedule = false
    /// The points to check again, because their verdicts are doubtful.
    var rechecks: [ProbePoint] = []
    /// The next hops to check because of another check.
    var triggered: [ProbePoint] = []
    var transfers = TransferUpdates()

    /// `true` if there is nothing to pass on.
    var isEmpty: Bool { !hasNewSchedule && rechecks.isEmpty && triggered.isEmpty && !transfers.isPending }

    /// Takes all changes to pass them on, each once.
    mutating func take() -> ScheduleUpdates {
        defer { self = ScheduleUpdates(transfers: TransferUpdates(isAllowed: transfers.isAllowed)) }
        return self
    }
}

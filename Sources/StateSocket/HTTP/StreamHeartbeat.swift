internal import EventLoopExecutor
internal import NIOCore

/// The timer of idle server-sent streams, which shows proxies that they are alive: nginx closes them after a minute.
///
/// It runs only while there are such streams, and once for all of them. Used only on the event loop.
final class StreamHeartbeat {
    private let interval: TimeAmount
    private let gate: LoopGate
    private var isScheduled = false

    /// Creates a timer that does not run yet.
    init(every interval: Duration, on gate: LoopGate) {
        self.interval = TimeAmount(interval)
        self.gate = gate
    }

    /// Runs the timer, unless it runs already.
    ///
    /// - Parameter beat: Handles each expiry, and returns whether the timer is still needed.
    func start(_ beat: @escaping () -> Bool) {
        guard !isScheduled else { return }
        isScheduled = true
        let bound = NIOLoopBound((self, beat), eventLoop: gate.eventLoop)
        gate.eventLoop.scheduleTask(in: interval) {
            let (heartbeat, beat) = bound.value
            heartbeat.isScheduled = false
            if beat() { heartbeat.start(beat) }
        }
    }
}

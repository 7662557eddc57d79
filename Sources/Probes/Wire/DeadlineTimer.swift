internal import NIOCore

/// The end of the time for a check, or for an exchange with a server.
///
/// A process that was paused (SIGSTOP, a frozen control group, a stopped virtual machine) reaches its deadlines late, and with
/// answers that it has had no time to handle: such a deadline says nothing about the server. It is moved once, by as
/// much as it was late, at most by the timeout, so that neither a server nor a busy event loop extends a check without
/// bound.
struct Deadline: Sendable, Hashable {
    /// The maximum lateness without a pause; beyond it the event loop has not run when it should have.
    static let tolerance = TimeAmount.milliseconds(100)

    /// The end.
    private(set) var time: NIODeadline
    /// The maximum time by which the deadline may still be moved.
    private var reserve: TimeAmount

    init(after timeout: Duration, from start: NIODeadline) {
        reserve = TimeAmount(max(timeout, .zero))
        time = start + reserve
    }

    /// Returns whether the deadline has passed; one that was reached late is moved instead, the first time.
    mutating func hasPassed(at now: NIODeadline) -> Bool {
        let lateness = now - time
        guard lateness > Self.tolerance, reserve > .zero else { return lateness >= .zero }
        time = now + min(lateness, reserve)
        reserve = .zero
        return false
    }
}

/// Calls a closure once its deadline has passed.
///
/// `@unchecked Sendable`: used only on the event loop.
final class DeadlineTimer: @unchecked Sendable {
    private var deadline: Deadline
    private let loop: any EventLoop
    /// Nil once it was called or cancelled: it retains the timer's owner.
    private var body: (@Sendable () -> Void)?
    private var scheduled: Scheduled<Void>?

    init(_ deadline: Deadline, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        (self.deadline, self.loop, self.body) = (deadline, loop, body)
        schedule()
    }

    /// The time left until the deadline.
    var timeLeft: Duration { Duration(deadline.time - .now()) }

    func cancel() {
        scheduled?.cancel()
        body = nil
    }

    private func schedule() {
        scheduled = loop.scheduleTask(deadline: deadline.time) { [self] in
            if deadline.hasPassed(at: .now()) { fire() } else { schedule() }
        }
    }

    private func fire() {
        let body = body
        self.body = nil
        body?()
    }
}

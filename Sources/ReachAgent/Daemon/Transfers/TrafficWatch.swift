internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes
internal import Synchronization

/// Watches an uplink while a transfer runs over it, and reports when the machine's own traffic needs it.
///
/// A thread of its own reads the interface's counters four times a second for as long as the transfer takes, each time
/// just after a progress of the transfer: both counts are then of the same time.
final class TrafficWatch: Sendable {
    /// The time between two readings.
    static let interval: Duration = .milliseconds(250)

    private struct State {
        var interface: String?
        var own = 0
        var isWaiting = false
        var isOver = false
    }

    private let tolerated: Double
    private let yield: @Sendable (TrafficWatch, String) -> Void
    private let wakeup: Wakeup
    private let state: Mutex<State>

    /// Creates a watch; nil when the system has no descriptor left for it.
    ///
    /// - Parameters:
    ///   - interface: The interface until the transfer reports its own; nil if it is not known.
    ///   - tolerated: The share of other traffic that the transfer tolerates, from 0 to 1.
    ///   - yield: Called once, on the watch's thread, with the watch and the evidence.
    init?(of interface: String?, tolerated: Double, yield: @escaping @Sendable (TrafficWatch, String) -> Void) {
        guard let wakeup = try? Wakeup() else { return nil }
        self.wakeup = wakeup
        self.tolerated = tolerated
        self.yield = yield
        state = Mutex(State(interface: interface))
    }

    /// Starts the thread; without one the transfer continues unwatched.
    func start() { try? NamedThread.start("transfer-watch") { self.run() } }

    /// Records the progress of the transfer; safe from any thread.
    func note(_ progress: TransferProgress) {
        let isAwaited = state.withLock { state in
            state.own = max(state.own, progress.bytesOnWire)
            // The route to the server need not be the default one.
            if let interface = progress.interface { state.interface = interface }
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if isAwaited { wakeup.signal() }
    }

    /// Changes to the interface over which the transfer is resumed.
    func follow(_ interface: String?) { state.withLock { $0.interface = interface } }

    /// Ends the thread, without waiting for it.
    func end() {
        state.withLock { $0.isOver = true }
        wakeup.signal()
    }

    private func run() {
        var share = LinkShare(tolerated: tolerated)
        var watched: (name: String, counters: InterfaceCounters)?
        while pause() {
            let (interface, own) = state.withLock { ($0.interface, $0.own) }
            if watched?.name != interface {
                watched = interface.flatMap { name in InterfaceCounters(of: name).map { (name, $0) } }
                share.restart()
            }
            // If the transfer's bytes are not counted, all of them would count as other traffic.
            guard own > 0, let name = watched?.name, let bytes = watched?.counters.read() else { continue }
            guard let excess = share.add(total: bytes.total, own: own, at: .now) else { continue }
            return yield(self, Self.evidence(excess, on: name, tolerated: tolerated))
        }
    }

    /// Sleeps until it is time for the next reading, and then for the transfer's next progress; false at the end.
    private func pause() -> Bool {
        for isWaiting in [false, true] {
            let isOver = state.withLock { state in
                state.isWaiting = isWaiting
                return state.isOver
            }
            guard !isOver else { return false }
            _ = wakeup.sleep(deadline: .now + Self.interval)
            wakeup.reset()
        }
        return state.withLock { !$0.isOver }
    }

    private static func evidence(_ excess: LinkShare.Excess, on interface: String, tolerated: Double) -> String {
        let (others, total) = (kilobits(excess.others), kilobits(excess.total))
        let percent = Int(exactly: (tolerated * 100).rounded()) ?? 0
        return "other traffic took \(others) of \(total) kbit/s on \(interface), more than the tolerated \(percent) %"
    }

    private static func kilobits(_ rate: Double) -> Int { Int(exactly: (rate / 1000).rounded()) ?? 0 }
}

internal import NetlinkMonitor
internal import Synchronization

/// The netlink monitor, between its start and its stop.
final class KernelSource: Sendable {
    private enum State {
        case stopped
        case running(NetworkMonitor)
        /// The next monitor reads everything; these calls are made on its thread.
        case changing(calls: [@Sendable () -> Void])
    }

    /// The maximum number of calls that wait for a monitor, as many as it keeps itself.
    private static let maximumCalls = 64

    private let handle: @Sendable (NetworkEvent) -> Void
    /// Held while a monitor reads everything, which may take long.
    private let configuration: Mutex<MonitorConfiguration>
    private let state = Mutex(State.stopped)

    init(_ configuration: MonitorConfiguration, handle: @escaping @Sendable (NetworkEvent) -> Void) {
        self.configuration = Mutex(configuration)
        self.handle = handle
    }

    /// Opens the sockets and starts reading.
    func start() throws(NetlinkError) {
        try configuration.withLock { configuration throws(NetlinkError) in try begin(configuration) }
    }

    /// Changes the configuration of the monitor; its first view is complete, so nothing is missed in between.
    ///
    /// - Throws: The reason that it cannot be used; then the previous configuration is in use again.
    func watch(_ next: MonitorConfiguration) throws(NetlinkError) {
        try configuration.withLock { configuration throws(NetlinkError) in
            guard next != configuration, case .running(let monitor) = state.withLock({ $0 }) else { return }
            state.withLock { $0 = .changing(calls: []) }
            monitor.stop()
            do throws(NetlinkError) {
                try begin(next)
                configuration = next
            } catch let refusal {
                do throws(NetlinkError) {
                    try begin(configuration)
                } catch {
                    state.withLock { $0 = .stopped }
                    throw error
                }
                throw refusal
            }
        }
    }

    /// Calls a closure on the monitor's thread as soon as that is free; does not block.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        let monitor = state.withLock { state -> NetworkMonitor? in
            switch state {
            case .stopped: return nil
            case .running(let monitor): return monitor
            case .changing(let calls):
                if calls.count < Self.maximumCalls { state = .changing(calls: calls + [body]) }
                return nil
            }
        }
        monitor?.whenFree(body)
    }

    /// `true` while the kernel is watched.
    var isWatching: Bool {
        state.withLock { state in
            if case .stopped = state { false } else { true }
        }
    }

    /// Stops the monitor; no event is handled after this returns.
    func stop() {
        configuration.withLock { _ in
            if case .running(let monitor) = replaceState(with: .stopped) { monitor.stop() }
        }
    }

    private func begin(_ configuration: MonitorConfiguration) throws(NetlinkError) {
        let monitor = try NetworkMonitor(configuration, handler: handle)
        guard case .changing(let calls) = replaceState(with: .running(monitor)) else { return }
        for call in calls { monitor.whenFree(call) }
    }

    private func replaceState(with next: State) -> State {
        state.withLock { state in
            defer { state = next }
            return state
        }
    }
}

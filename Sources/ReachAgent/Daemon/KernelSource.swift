internal import NetlinkMonitor
internal import Synchronization

/// The monitor of the kernel's view, between its start and its stop.
final class KernelSource: Sendable {
    private struct State {
        var monitor: NetworkMonitor?
        var configuration: MonitorConfiguration
    }

    private let handle: @Sendable (NetworkEvent) -> Void
    private let state: Mutex<State>

    init(_ configuration: MonitorConfiguration, handle: @escaping @Sendable (NetworkEvent) -> Void) {
        state = Mutex(State(configuration: configuration))
        self.handle = handle
    }

    /// Opens the sockets and starts to read.
    func start() throws(NetlinkError) {
        try state.withLock { state throws(NetlinkError) in
            state.monitor = try NetworkMonitor(state.configuration, handler: handle)
        }
    }

    /// Watches something else from now on; the first view of it is complete, so nothing is missed in between.
    ///
    /// - Throws: Why that cannot be watched; what was watched before is watched again then.
    func watch(_ configuration: MonitorConfiguration) throws(NetlinkError) {
        try state.withLock { state throws(NetlinkError) in
            guard configuration != state.configuration, let running = state.monitor else { return }
            running.stop()
            state.monitor = nil
            do throws(NetlinkError) {
                state.monitor = try NetworkMonitor(configuration, handler: handle)
                state.configuration = configuration
            } catch {
                state.monitor = try NetworkMonitor(state.configuration, handler: handle)
                throw error
            }
        }
    }

    /// Has the monitor's thread call a closure as soon as it is free.
    func whenFree(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.monitor }?.whenFree(body) }

    /// `true` while the kernel is watched.
    var isWatching: Bool { state.withLock { $0.monitor != nil } }

    /// Stops; nothing is handled any more when this returns.
    func stop() {
        state.withLock { state in
            state.monitor?.stop()
            state.monitor = nil
        }
    }
}

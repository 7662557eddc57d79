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

    /// Opens the sockets and starts reading.
    func start() throws(NetlinkError) {
        try state.withLock { state throws(NetlinkError) in
            state.monitor = try NetworkMonitor(state.configuration, handler: handle)
        }
    }

    /// Changes the configuration of the monitor; its first view is complete, so nothing is missed in between.
    ///
    /// - Throws: The reason that it cannot be used; then the previous configuration is in use again.
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

    /// Calls a closure on the monitor's thread as soon as that is free.
    func whenFree(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.monitor }?.whenFree(body) }

    /// `true` while the kernel is watched.
    var isWatching: Bool { state.withLock { $0.monitor != nil } }

    /// Stops the monitor; no event is handled after this returns.
    func stop() {
        state.withLock { state in
            state.monitor?.stop()
            state.monitor = nil
        }
    }
}

internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The listeners on TCP ports.
///
/// An address may be assigned only after the start (DHCP), a port may still be in use, and IPv6 may be disabled. None of
/// that concerns the Unix sockets, so an address that cannot be used is reported and retried.
final class PortListeners: Sendable {
    /// Handles a change: the reason that the server does not listen on an address; `nil` once it does.
    typealias Report = @Sendable (HTTPPort, StateSocketError?) -> Void

    private struct State {
        var channels: [any Channel] = []
        var isAccepting: Bool
        var isClosed = false
    }

    private let hub: NIOLoopBound<StreamHub>
    private let group: MultiThreadedEventLoopGroup
    private let interval: TimeAmount
    private let report: Report
    private let state: Mutex<State>

    /// Creates no listener yet.
    ///
    /// - Parameters:
    ///   - interval: The time between two attempts for one address.
    ///   - report: Called once for each reason, on any thread.
    init(
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup,
        retryingEvery interval: Duration,
        report: @escaping Report
    ) {
        self.hub = hub
        self.group = group
        self.interval = TimeAmount(interval)
        self.report = report
        state = Mutex(State(isAccepting: accepting))
    }

    /// Listens on a port, or starts the retries.
    ///
    /// Blocks: must not be called on the event loop.
    func open(_ port: HTTPPort) {
        let attempt = Listener.bind(port, hub: hub, on: group)
        finish(Result { try attempt.wait() }, port, after: nil)
    }

    /// Accepts clients, or stops accepting them; also at ports that are opened later.
    func setAccepting(_ isAccepting: Bool) {
        state.withLock { state in
            state.isAccepting = isAccepting
            for channel in state.channels { channel.setOption(.autoRead, value: isAccepting).whenComplete { _ in } }
        }
    }

    /// Closes the ports, and ends the retries.
    func close() {
        let channels = state.withLock { state in
            state.isClosed = true
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels { channel.close(promise: nil) }
    }

    private func finish(_ result: Result<any Channel, any Error>, _ port: HTTPPort, after former: StateSocketError?) {
        switch result {
        case .success(let channel):
            let isWanted = state.withLock { state in
                guard !state.isClosed else { return false }
                state.channels.append(channel)
                channel.setOption(.autoRead, value: state.isAccepting).whenComplete { _ in }
                return true
            }
            guard isWanted else { return channel.close(promise: nil) }
            if former != nil { report(port, nil) }
        case .failure(let failure):
            let error = Listener.error(failure, at: port)
            guard !state.withLock({ $0.isClosed }) else { return }
            if error != former { report(port, error) }
            // The end of the event loop cancels the task.
            group.next().scheduleTask(in: interval) { [weak self] in self?.retry(port, after: error) }
        }
    }

    private func retry(_ port: HTTPPort, after former: StateSocketError) {
        guard !state.withLock({ $0.isClosed }) else { return }
        Listener.bind(port, hub: hub, on: group).whenComplete { [weak self] in
            self?.finish($0, port, after: former)
        }
    }
}

internal import AgentEvents
internal import Glibc
internal import ServiceSupport
internal import Synchronization

/// Notifies the service manager (sd_notify(3)) of readiness, and of the states of the sinks in one sentence.
final class ServiceNotifier: Sendable {
    private struct State {
        var sinks: [String: SinkStatus.State] = [:]
        var sentence: String?
        var isReady = false
    }

    private let socket: NotifySocket?
    private let state = Mutex(State())

    /// Creates the notifier of this process, which does nothing without a service manager.
    init() {
        do throws(NotifySocketError) {
            let name = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
            socket = try NotifySocket.named(in: name.map { ["NOTIFY_SOCKET": $0] } ?? [:])
        } catch {
            SinkLog.write(.warning, "\(error)")
            socket = nil
        }
    }

    /// Reports that the program is ready.
    func ready() {
        state.withLock { state in
            state.isReady = true
            state.sentence = Self.sentence(state.sinks)
            socket?.send([.ready, .status(state.sentence ?? "")])
        }
    }

    /// Reports the state of a sink.
    func note(_ status: SinkStatus) {
        state.withLock { state in
            state.sinks[status.name] = status.state
            report(&state)
        }
    }

    /// Keeps only these sinks.
    func keep(_ names: [String]) {
        state.withLock { state in
            state.sinks = state.sinks.filter { names.contains($0.key) }
            report(&state)
        }
    }

    /// Reports that the program is stopping.
    func stopping() {
        state.withLock { state in
            state.isReady = false
            socket?.send([.stopping])
        }
    }

    private func report(_ state: inout State) {
        let sentence = Self.sentence(state.sinks)
        guard state.isReady, sentence != state.sentence else { return }
        state.sentence = sentence
        socket?.send([.status(sentence)])
    }

    /// Returns `backup: connected, plant: waiting`.
    private static func sentence(_ sinks: [String: SinkStatus.State]) -> String {
        sinks.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rawValue)" }.joined(separator: ", ")
    }
}

internal import LinuxSupport
internal import Sinks

/// A sink that runs.
protocol RunningSink {
    /// The settings with which it was started.
    var settings: SinkSettings { get }
    /// The host's name for people with which it was started.
    var host: String { get }

    /// Stops the sink, which starts again with the next settings; `nil` if it does not.
    func stop(before next: SinkSettings?)
}

/// The sinks in the agent's list, and those that run.
///
/// A list that cannot be read and a sink that cannot be started are retried: descriptors, threads or memory may lack for
/// a moment only, and nothing else reports its end.
struct SinkRoster<Sink: RunningSink> {
    /// The pause before a retry.
    static var retryPause: Duration { .seconds(5) }

    /// The running sinks, by name; also those that are stopping.
    private(set) var running: [String: Sink] = [:]
    /// The moment of the next retry; `nil` if there is nothing to retry.
    private(set) var retry: ContinuousClock.Instant?
    /// The agent's list; empty if it could not be read yet, and `nil` if there is none.
    private var list: SinkDocument?
    /// The reason that the list could not be read the last time.
    private var unreadable: String?
    /// The reasons that sinks could not be started the last time, by name.
    private var unstarted: [String: SystemError] = [:]
    private let logError: (String) -> Void

    /// - Parameter logError: Logs a failure; called once for each reason, however often it is retried.
    init(logError: @escaping (String) -> Void) { self.logError = logError }

    /// True while there is a list, or a sink that has not ended.
    var isNeeded: Bool { list != nil || !running.isEmpty }

    /// The names of the sinks in the list.
    var names: [String] { (list?.sinks ?? []).map(\.name) }

    /// Returns true if a retry is due.
    func isRetryDue(at now: ContinuousClock.Instant) -> Bool { retry.map { $0 <= now } ?? false }

    /// Takes the list as it was read.
    mutating func take(_ result: SinkDocumentFile.Result) {
        switch result {
        case .sinks(let document): (list, unreadable) = (document, nil)
        case .absent: (list, unreadable) = (nil, nil)
        // Running sinks continue; the agent's next list may be valid.
        case .unusable(let reason):
            if reason != unreadable { logError("cannot read the list of sinks: \(reason)") }
            unreadable = reason
            if list == nil { list = SinkDocument(host: "", sinks: []) }
        }
    }

    /// Removes a sink that has ended.
    mutating func remove(_ name: String) { running[name] = nil }

    /// Stops the sinks that are no longer wanted or have changed, and starts the missing ones; a changed sink starts
    /// after the former one has ended.
    ///
    /// - Parameter start: Starts a sink with its settings and the host's name.
    mutating func reconcile(
        at now: ContinuousClock.Instant,
        start: (SinkSettings, String) throws(SystemError) -> Sink
    ) {
        let host = list?.host ?? ""
        let sinks = Dictionary((list?.sinks ?? []).map { ($0.name, $0) }) { first, _ in first }
        for (name, sink) in running where sinks[name] != sink.settings || sink.host != host {
            sink.stop(before: sinks[name])
        }
        unstarted = unstarted.filter { sinks[$0.key] != nil }
        for (name, settings) in sinks where running[name] == nil {
            do throws(SystemError) {
                running[name] = try start(settings, host)
                unstarted[name] = nil
            } catch {
                if unstarted[name] != error { logError("cannot start sink \(name): \(error)") }
                unstarted[name] = error
            }
        }
        guard unreadable != nil || !unstarted.isEmpty else {
            retry = nil
            return
        }
        // Other wake-ups do not postpone it.
        if retry.map({ $0 <= now }) ?? true { retry = now.advanced(by: Self.retryPause) }
    }
}

internal import ConfigurationFile
internal import DetachedThread
internal import EventEnvelope
internal import EventSchema
internal import Logging
internal import StateSocket
internal import Synchronization

/// Reads the configuration again: checked as a whole first, so that a bad file changes nothing.
///
/// Files may hang, so it has a thread of its own while it reads. One reading at a time; whoever asks meanwhile is
/// answered by one more that begins afterwards.
final class Reloader: Sendable {
    typealias Reply = @Sendable (ControlReply) -> Void

    /// What the service manager is told of a reading.
    enum Reading: Sendable {
        case begun
        /// It is over; the settings are in use unless there is a refusal.
        case ended(refusal: String?)
    }

    private struct State {
        var settings: Settings
        var waiting: [Reply] = []
        var isReading = false
        var isAskedAgain = false
    }

    /// The most bytes of messages that one reply carries; all of them are in the log.
    private static let longestMessage = 16 * 1024
    /// The most requests that wait for one reading.
    private static let mostWaiting = 64

    private let source: ConfigurationSource
    private let noteReading: @Sendable (Reading) -> Void
    private let apply: @Sendable (_ old: Settings, _ new: Settings, ConfigurationReload) -> Void
    private let logger = AgentLogger.make()
    private let state: Mutex<State>
    private let loaded: Mutex<ConfigurationFacts?>

    /// - Parameters:
    ///   - loaded: What the agent runs with.
    ///   - noteReading: Told of the beginning and the end of each reading, one reading at a time.
    ///   - apply: Takes other settings into use.
    init(
        source: ConfigurationSource,
        loaded: ConfigurationFile.Loaded,
        noteReading: @escaping @Sendable (Reading) -> Void = { _ in },
        apply: @escaping @Sendable (_ old: Settings, _ new: Settings, ConfigurationReload) -> Void
    ) {
        self.source = source
        self.noteReading = noteReading
        self.apply = apply
        state = Mutex(State(settings: loaded.settings))
        self.loaded = Mutex(source.path == nil ? nil : ConfigurationFacts(files: loaded.files, loaded: .now))
    }

    /// The files in use, and when they were read; `nil` without a configuration file.
    var facts: ConfigurationFacts? { loaded.withLock { $0 } }

    /// Reads the configuration again.
    ///
    /// Safe from any thread, and quick.
    ///
    /// - Parameter reply: Called once, on another thread.
    func reload(reply: @escaping Reply = { _ in }) {
        guard source.path != nil else {
            logger.notice("there is no configuration file to read again")
            // Who asked by a signal waits for the end of what would have begun.
            noteReading(.begun)
            noteReading(.ended(refusal: nil))
            return reply(
                .failure(code: "no_configuration_file", message: "this agent was started without a configuration file")
            )
        }
        let outcome = state.withLock { state -> (isAccepted: Bool, starts: Bool) in
            guard state.waiting.count < Self.mostWaiting else { return (false, false) }
            state.waiting.append(reply)
            defer { state.isReading = true }
            state.isAskedAgain = state.isReading
            return (true, !state.isReading)
        }
        guard outcome.isAccepted else {
            return reply(.failure(code: "busy", message: "the configuration is being read; try again"))
        }
        guard outcome.starts else { return }
        do throws(DetachedThread.Refusal) {
            try DetachedThread.start { [self] in readUntilCalm() }
        } catch {
            answer(.failure(code: "busy", message: "the system has no thread to read the configuration with"))
            state.withLock { $0.isReading = false }
        }
    }

    private func readUntilCalm() {
        while true {
            let replies = state.withLock { state in
                state.isAskedAgain = false
                defer { state.waiting = [] }
                return state.waiting
            }
            let result = read()
            for reply in replies { reply(result) }
            let isCalm = state.withLock { state in
                state.isReading = state.isAskedAgain
                return !state.isAskedAgain
            }
            if isCalm { return }
        }
    }

    private func answer(_ result: ControlReply) {
        let replies = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for reply in replies { reply(result) }
    }

    private func read() -> ControlReply {
        noteReading(.begun)
        do throws(ConfigurationErrors) {
            let loaded = try source.load()
            for warning in loaded.warnings { logger.warning("\(warning)") }
            let old = state.withLock { $0.settings }
            let differences = ConfigurationFile.differences(from: old, to: loaded.settings)
            let reload = ConfigurationReload(
                files: loaded.files,
                added: differences.added,
                removed: differences.removed,
                changed: differences.changed,
                needsRestart: differences.needsRestart
            )
            apply(old, loaded.settings, reload)
            state.withLock { $0.settings = loaded.settings }
            self.loaded.withLock { $0 = ConfigurationFacts(files: loaded.files, loaded: .now) }
            logger.notice("\(EventDraft(reload).summary)")
            noteReading(.ended(refusal: nil))
            var json = JSONWriter()
            reload.write(to: &json)
            return .parameters(json.bytes)
        } catch {
            logger.error("the configuration is refused, and the one before stays in use")
            for line in error.errors { logger.error("\(line)") }
            noteReading(.ended(refusal: error.errors.first?.description ?? ""))
            let message = String(decoding: error.description.utf8.prefix(Self.longestMessage), as: UTF8.self)
            return .failure(code: "configuration_invalid", message: message)
        }
    }
}

internal import AgentEvents
internal import Configuration
internal import Glibc
internal import LinuxSupport
internal import Logging
internal import NetlinkMonitor
internal import StateSocket
internal import Synchronization

/// Reloads the configuration, which is validated as a whole first, so that a bad file changes nothing.
///
/// Files may hang, so each reload has a thread of its own. One reload runs at a time, and at most one starts in a
/// second; requests that arrive meanwhile share the next one, which starts after them.
final class Reloader: Sendable {
    typealias Reply = @Sendable (ControlReply) -> Void
    /// Applies other settings.
    ///
    /// - Throws: The reason that the kernel is not monitored as the new settings require; the others are in effect.
    typealias Apply = @Sendable (_ old: Settings, _ new: Settings, ConfigurationReload) throws(NetlinkError) -> Void

    /// Starts a thread that runs a closure.
    typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> Void

    /// The phases of a reload that are reported to the service manager.
    enum Reading: Sendable {
        case started
        /// The reload has finished; the settings are in use unless they were rejected.
        case ended(refusal: String?)
    }

    private struct State {
        var settings: Settings
        /// The file, once there is one.
        var path: String?
        var waiting: [Reply] = []
        var isReading = false
        var isRequestedAgain = false
        /// The start of the last reload.
        var began: ContinuousClock.Instant?
    }

    /// The files in use, and the last reload.
    private struct Status {
        var configuration: AgentStatus.Configuration?
        /// The time at which the files were read; `nil` without a file.
        var loaded: ObservedTime?
        /// The time at which the last reload was rejected; `nil` if it was not.
        var rejected: ObservedTime?
    }

    /// The minimum time between the starts of two reloads.
    private static let interval = Duration.seconds(1)

    /// The maximum size of the messages in a reply, in bytes; all of them are in the log.
    private static let longestMessage = 16 * 1024
    /// The maximum number of errors in the event and the status; all of them are in the log.
    private static let maxErrors = 16
    /// The maximum number of requests that wait for one reload.
    private static let maximumWaiting = 64

    private let source: ConfigurationSource
    /// The settings that the agent started with; those that take effect on the next start are still these.
    private let started: Settings
    private let noteReading: @Sendable (Reading) -> Void
    private let reject: @Sendable (ConfigurationRejection) -> Void
    private let startThread: StartThread
    private let apply: Apply
    private let preparations = Mutex<[@Sendable () -> Void]>([])
    private let followers = Mutex<[@Sendable (Settings) -> Void]>([])
    private let logger = AgentLogger.make()
    private let state: Mutex<State>
    private let status: Mutex<Status>

    /// - Parameters:
    ///   - loaded: The configuration in effect.
    ///   - noteReading: Called at the start and at the end of each reload, for one reload at a time.
    ///   - reject: Handles the errors of a reload that changes nothing.
    ///   - startThread: Starts the thread of a reload.
    ///   - apply: Applies other settings; if it fails, the reply is an error.
    init(
        source: ConfigurationSource,
        loaded: ConfigurationFile.Loaded,
        noteReading: @escaping @Sendable (Reading) -> Void = { _ in },
        reject: @escaping @Sendable (ConfigurationRejection) -> Void = { _ in },
        startThread: @escaping StartThread = { body throws(SystemError) in try NamedThread.start("reload", body) },
        apply: @escaping Apply
    ) {
        self.source = source
        started = loaded.settings
        self.noteReading = noteReading
        self.reject = reject
        self.startThread = startThread
        self.apply = apply
        state = Mutex(State(settings: loaded.settings, path: source.path))
        status = Mutex(Self.status(of: source, path: source.path, files: loaded.files))
    }

    /// Adds a closure that is called before each reading, on its thread, also where the files change nothing.
    func beforeReading(_ prepare: @escaping @Sendable () -> Void) { preparations.withLock { $0.append(prepare) } }

    /// Adds a closure that applies new settings to a part that is created after this one.
    func whenApplied(_ follow: @escaping @Sendable (Settings) -> Void) { followers.withLock { $0.append(follow) } }

    /// The files in use, when they were read, and whether the last reload was rejected; `nil` if no file is read at all.
    var facts: AgentStatus.Configuration? { facts(at: .now) }

    /// The facts at a time.
    func facts(at now: ObservedTime) -> AgentStatus.Configuration? {
        let status = status.withLock { $0 }
        var configuration = status.configuration
        configuration?.loadedForMilliseconds = status.loaded?.milliseconds(until: now)
        configuration?.rejected?.time = status.rejected.map { Timestamp($0, at: now) }
        return configuration
    }

    private static func status(of source: ConfigurationSource, path: String?, files: [String]) -> Status {
        guard let path else {
            guard !source.searched.isEmpty else { return Status() }
            return Status(
                configuration: AgentStatus.Configuration(files: [], loaded: nil, searched: source.searched)
            )
        }
        let now = ObservedTime.now
        let configuration = AgentStatus.Configuration(
            files: files.map(AbsolutePath.of),
            loaded: Timestamp(now),
            path: AbsolutePath.of(path),
            searched: source.searched
        )
        return Status(configuration: configuration, loaded: now)
    }

    /// Reloads the configuration.
    ///
    /// Safe from any thread, and does not block.
    ///
    /// - Parameter reply: Called once; on another thread, unless the reload is refused at once.
    func reload(reply: @escaping Reply = { _ in }) {
        let outcome = state.withLock { state -> (isAccepted: Bool, starts: Bool) in
            guard state.waiting.count < Self.maximumWaiting else { return (false, false) }
            state.waiting.append(reply)
            defer { state.isReading = true }
            state.isRequestedAgain = state.isReading
            return (true, !state.isReading)
        }
        guard outcome.isAccepted else {
            return reply(.failure(code: .busy, message: "the configuration is being read; try again"))
        }
        guard outcome.starts else { return }
        do throws(SystemError) {
            try startThread { [self] in readUntilCalm() }
        } catch {
            let message = "the system has no thread to read the configuration with: \(error)"
            logger.warning("\(message)")
            // The service manager waits for both notifications of a reload by signal, too.
            noteReading(.started)
            noteReading(.ended(refusal: message))
            // At once, so that no request joins a reload that never starts.
            let replies = state.withLock { state in
                (state.isReading, state.isRequestedAgain) = (false, false)
                defer { state.waiting = [] }
                return state.waiting
            }
            for reply in replies { reply(.failure(code: .busy, message: message)) }
        }
    }

    private func readUntilCalm() {
        while true {
            awaitTurn()
            let replies = state.withLock { state in
                state.isRequestedAgain = false
                state.began = .now
                defer { state.waiting = [] }
                return state.waiting
            }
            let result = read()
            for reply in replies { reply(result) }
            let isCalm = state.withLock { state in
                state.isReading = state.isRequestedAgain
                return !state.isRequestedAgain
            }
            if isCalm { return }
        }
    }

    /// Blocks this thread until a second after the start of the last reload.
    private func awaitTurn() {
        guard let began = state.withLock({ $0.began }) else { return }
        let left = Self.interval - began.duration(to: .now)
        if left > .zero { usleep(useconds_t(left / .microseconds(1))) }
    }

    private func read() -> ControlReply {
        // The service manager waits for both notifications, whatever the result.
        noteReading(.started)
        for prepare in preparations.withLock({ $0 }) { prepare() }
        let former = state.withLock { $0.path }
        let path = source.find()
        let wasRejected = facts?.rejected != nil
        // A rejected file that is removed again leaves the defaults, which end the rejection.
        guard path != nil || former != nil || wasRejected else {
            noteReading(.ended(refusal: nil))
            let places = source.searched.isEmpty ? "" : "; it looks for \(source.searched.joined(separator: " and "))"
            let message = "this agent has no configuration file\(places)"
            logger.notice("\(message)")
            return .failure(code: .noConfigurationFile, message: message)
        }
        do throws(ConfigurationErrors) {
            let loaded = try source.load(path)
            for warning in loaded.warnings { logger.warning("\(warning)") }
            let old = state.withLock { $0.settings }
            let differences = ConfigurationFile.differences(from: old, to: loaded.settings)
            let reload = ConfigurationReload(
                files: loaded.files,
                added: differences.added,
                removed: differences.removed,
                changed: differences.changed,
                needsRestart: ConfigurationFile.differences(from: started, to: loaded.settings).needsRestart
            )
            // First, because a client that receives the event of the reload may ask for the status at once.
            state.withLock { state in
                state.settings = loaded.settings
                state.path = path
            }
            status.withLock { $0 = Self.status(of: source, path: path, files: loaded.files) }
            let failure = failure { () throws(NetlinkError) in try apply(old, loaded.settings, reload) }
            for follow in followers.withLock({ $0 }) { follow(loaded.settings) }
            if wasRejected { logger.notice("the configuration is valid again") }
            logger.notice("\(reload.summary)")
            noteReading(.ended(refusal: nil))
            return failure ?? .parameters(JSONWriter.text(of: reload))
        } catch {
            return rejected(error)
        }
    }

    /// Returns the reply if the kernel cannot be monitored as the new settings require; `nil` if it is.
    private func failure(of apply: () throws(NetlinkError) -> Void) -> ControlReply? {
        do throws(NetlinkError) {
            try apply()
            return nil
        } catch {
            let message =
                "cannot query the kernel for the new configuration, the rest of which is in effect: \(error)"
            logger.error("\(message)")
            return .failure(code: .netlinkFailed, message: "\(message); retry with 'reachagent reload'")
        }
    }

    private func rejected(_ error: ConfigurationErrors) -> ControlReply {
        logger.error("the configuration is rejected, and the earlier one stays in effect")
        for line in error.errors { logger.error("\(line)") }
        let surplus = error.errors.count - Self.maxErrors
        let rejection = ConfigurationRejection(
            errors: error.errors.prefix(Self.maxErrors).map(\.description),
            errorsOmitted: surplus > 0 ? surplus : nil
        )
        let now = ObservedTime.now
        let reload = AgentStatus.Configuration.RejectedReload(rejection, time: Timestamp(now))
        status.withLock { status in
            status.configuration?.rejected = reload
            status.rejected = now
        }
        reject(rejection)
        noteReading(.ended(refusal: error.errors.first?.description ?? ""))
        let message = String(decoding: error.description.utf8.prefix(Self.longestMessage), as: UTF8.self)
        return .failure(code: .configurationInvalid, message: message)
    }
}

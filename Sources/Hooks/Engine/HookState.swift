internal import AgentEvents
internal import ForeignText

/// One hook of a runner: its definition, its queue, and its status.
///
/// Used only on the runner's loop.
final class HookState {
    /// The key of a hook; a file and a configured hook may have the same name, and the names of two files may differ in
    /// the form of an accent alone.
    struct Key: Hashable, Comparable, Sendable {
        var name: ForeignText
        var isFile: Bool

        static func < (left: Key, right: Key) -> Bool {
            (left.name, left.isFile ? 0 : 1) < (right.name, right.isFile ? 0 : 1)
        }
    }

    let key: Key
    var hook: RunnableHook
    /// The definition; nil for a file.
    private(set) var definition: HookDefinition?
    /// The occasion of a file; nil for a configured hook.
    private let occasion: HookOccasion?
    var queue: HookQueue<HookOffer>
    /// `true` if the hook is queued to run.
    var isQueued = false
    /// `true` if the hook must not run any more; it is removed when its last run has ended.
    private(set) var isGone = false
    /// `true` if the status differs from the published one.
    var isChanged = true
    /// The number of the newest last event that came before the hook was configured and that it has not had; 0 without
    /// one.
    private var newestBefore: UInt64
    private var statusSoFar: AgentStatus.HookStatus
    /// The end of the last run.
    private(set) var ended: ContinuousClock.Instant?
    /// The last failed attempt of a request that is being retried.
    private(set) var attempted: ContinuousClock.Instant?
    private var runs: UInt64 = 0
    private var failedRuns: UInt64 = 0

    /// Creates a configured hook.
    ///
    /// - Parameter newest: The number of the newest last event; 0 without one.
    init(_ definition: HookDefinition, after newest: UInt64) {
        key = Key(name: ForeignText(definition.name), isFile: false)
        hook = RunnableHook(definition)
        self.definition = definition
        occasion = nil
        queue = HookQueue(definition.pace)
        newestBefore = definition.pace.runsAtStart ? 0 : newest
        statusSoFar = AgentStatus.HookStatus(hook)
    }

    /// Creates a hook from a file in the directories.
    init(file hook: RunnableHook, on occasion: HookOccasion) {
        key = Key(name: ForeignText(hook.name), isFile: true)
        self.hook = hook
        self.occasion = occasion
        queue = HookQueue(occasion.pace)
        newestBefore = 0
        statusSoFar = AgentStatus.HookStatus(hook)
    }

    /// Returns the current status, except for the remaining time of the pause.
    ///
    /// - Parameter isHeld: `true` while the hook must not send, because of the network.
    func status(isHeld: Bool) -> AgentStatus.HookStatus {
        var status = statusSoFar
        status.runs = runs
        status.failedRuns = failedRuns
        status.superseded = queue.superseded
        status.running = queue.running
        status.waiting = queue.waiting
        status.waitsForNetwork = isHeld && !queue.isIdle ? true : nil
        status.failures = queue.failures
        return status
    }

    /// Applies a definition of the same name; a changed one restarts the hook.
    ///
    /// - Parameters:
    ///   - new: The definition.
    ///   - newest: The number of the newest last event; 0 without one.
    /// - Returns: `true` if the hook restarts.
    func take(_ new: HookDefinition, after newest: UInt64) -> Bool {
        let isSame = !isGone && definition?.signature == new.signature
        if isGone { newestBefore = newest }
        if new.pace.runsAtStart { newestBefore = 0 }
        definition = new
        hook = RunnableHook(new)
        guard !isSame else { return false }
        queue.restart(new.pace) { Self.isFor($0, new) }
        beginAnew()
        return true
    }

    /// Returns whether the hook has had a last event, by its present definition.
    var hasHad: (HookEvent) -> Bool {
        guard !isGone, let definition else { return { _ in false } }
        return { [newestBefore] event in
            definition.matches(event) == .matches && event.sequence.map { $0 > newestBefore } ?? false
        }
    }

    /// Returns whether an event that a run of a former definition has not used is one for the present definition.
    func takesBack(_ offer: HookOffer) -> Bool { !isGone && definition.map { Self.isFor(offer, $0) } ?? true }

    private static func isFor(_ offer: HookOffer, _ definition: HookDefinition) -> Bool {
        definition.trigger.matches(offer.event) == .matches && (definition.pace.runsAtStart || !offer.isAtStart)
    }

    /// Applies the file that now has the name; another path is another hook.
    ///
    /// - Returns: `true` if the hook restarts.
    func take(file new: RunnableHook) -> Bool {
        let isSame = !isGone && hook.path == new.path
        hook = new
        guard !isSame else { return false }
        queue.restart(occasion?.pace ?? HookPace()) { _ in true }
        beginAnew()
        return true
    }

    /// Returns whether the hook is a file in one of these directories.
    func isFile(in directories: HookDirectories) -> Bool {
        guard let occasion, let path = hook.path else { return false }
        return directories.contain(path, for: occasion)
    }

    /// Stops starting runs.
    func leave() {
        isGone = true
        isChanged = true
        queue.withdraw()
    }

    /// Offers an event.
    func offer(_ offer: HookOffer, at now: HookQueue<HookOffer>.Instant) {
        isChanged = true
        queue.offer(offer, at: now)
    }

    /// Counts events that were dropped before matching, if the hook could have matched them.
    func countLost(_ lost: [EventType: Int]) {
        for (type, count) in lost where definition?.trigger.types.contains(type) ?? (type == occasion?.type) {
            isChanged = true
            queue.countLost(count)
        }
    }

    /// Records the result of a run.
    func note(_ completion: HookCompletion, isFailure: Bool) {
        isChanged = true
        runs += 1
        statusSoFar.attempt = nil
        if isFailure { failedRuns += 1 }
        statusSoFar.last = AgentStatus.HookStatus.Run(
            ending: completion.ending,
            ended: .now,
            trigger: completion.trigger,
            triggerSequence: completion.triggerSequence,
            output: completion.output.flatMap(SummaryText.lastLine)
        )
        ended = .now
    }

    /// Records a failed attempt of a request that is retried.
    func note(_ retry: WebhookRetry) {
        isChanged = true
        statusSoFar.attempt = retry.status
        attempted = .now
    }

    private func beginAnew() {
        isGone = false
        isChanged = true
        (runs, failedRuns) = (0, 0)
        statusSoFar = AgentStatus.HookStatus(hook)
    }
}

extension AgentStatus.HookStatus {
    /// The status of a hook that has not run yet.
    fileprivate init(_ hook: RunnableHook) {
        self.init(
            hook: hook.name,
            kind: hook.kind.rawValue,
            runs: 0,
            failedRuns: 0,
            superseded: 0,
            running: 0,
            waiting: 0,
            failures: 0
        )
    }
}

extension HookDefinition {
    /// The comparable properties of a hook, which are equal as long as the hook is unchanged.
    ///
    /// A timeout of its own is in its identity; another one of the section applies to later runs of an unchanged hook.
    struct Signature: Hashable {
        enum Action: Hashable {
            case command(HookCommand)
            case webhook(target: String, method: String, body: WebhookBody?, secretFile: String?, retries: Int)
        }

        var action: Action
        var trigger: HookTrigger
        var pace: HookPace
        var identity: String
    }

    var signature: Signature {
        let compared: Signature.Action =
            switch action {
            case .command(let command): .command(command)
            case .webhook(let webhook):
                .webhook(
                    target: webhook.probe.target.description,
                    method: webhook.probe.request.method,
                    body: webhook.body,
                    secretFile: webhook.secretFile,
                    retries: webhook.retries
                )
            }
        return Signature(action: compared, trigger: trigger, pace: pace, identity: identity)
    }
}

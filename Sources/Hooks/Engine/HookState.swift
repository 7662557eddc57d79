internal import EventEnvelope

internal import struct Foundation.Date

/// One hook of a runner: what it is, what waits for it, and how it has fared.
///
/// Used on the runner's loop only.
final class HookState {
    /// Which hook it is; a file and a configured hook may have the same name.
    struct Key: Hashable, Comparable, Sendable {
        var name: String
        var isFolder: Bool

        static func < (left: Key, right: Key) -> Bool {
            (left.name, left.isFolder ? 0 : 1) < (right.name, right.isFolder ? 0 : 1)
        }
    }

    let key: Key
    var hook: RunnableHook
    /// The definition; nil for a file.
    private(set) var definition: HookDefinition?
    /// When a file runs; nil for a configured hook.
    private let occasion: HookOccasion?
    var queue: HookQueue<HookOffer>
    /// Whether it stands among those that wait for their turn.
    var hasTurn = false
    /// Whether it is not to run any more; it is forgotten when its last run has ended.
    private(set) var isGone = false
    /// Whether its standing is not what was published.
    var isChanged = true
    private var standingSoFar: HookStanding

    /// A configured hook.
    init(_ definition: HookDefinition) {
        key = Key(name: definition.name, isFolder: false)
        hook = RunnableHook(definition)
        self.definition = definition
        occasion = nil
        queue = HookQueue(definition.pace)
        standingSoFar = HookStanding(hook: hook.name, kind: hook.kind)
    }

    /// A file of the folders.
    init(file hook: RunnableHook, on occasion: HookOccasion) {
        key = Key(name: hook.name, isFolder: true)
        self.hook = hook
        self.occasion = occasion
        queue = HookQueue(occasion.pace)
        standingSoFar = HookStanding(hook: hook.name, kind: hook.kind)
    }

    /// How it fares now.
    var standing: HookStanding {
        var standing = standingSoFar
        standing.superseded = queue.superseded
        standing.running = queue.running
        standing.waiting = queue.waiting
        standing.failures = queue.failures
        return standing
    }

    /// Takes a definition of the same name; a changed one begins anew.
    ///
    /// - Returns: Whether it begins anew.
    func take(_ new: HookDefinition) -> Bool {
        let isSame = !isGone && definition?.signature == new.signature
        definition = new
        hook = RunnableHook(new)
        guard !isSame else { return false }
        queue.restart(new.pace) { offer in
            new.trigger.matches(offer.event) == .matches && (new.pace.runsAtStart || !offer.isAtStart)
        }
        beginAnew()
        return true
    }

    /// Takes the file that has the name now; another path is another hook.
    func take(file new: RunnableHook) {
        let isSame = !isGone && hook.path == new.path
        hook = new
        guard !isSame else { return }
        queue.restart(occasion?.pace ?? HookPace()) { _ in true }
        beginAnew()
    }

    /// Nothing is to be started any more.
    func leave() {
        isGone = true
        isChanged = true
        queue.withdraw()
    }

    /// Takes an event.
    func offer(_ offer: HookOffer, at now: HookQueue<HookOffer>.Instant) {
        isChanged = true
        queue.offer(offer, at: now)
    }

    /// Counts events that were dropped before it could be asked whether it wants them, if it can have wanted them.
    func countLost(_ lost: [EventType: Int]) {
        for (type, count) in lost where definition?.trigger.types.contains(type) ?? (type == occasion?.type) {
            isChanged = true
            queue.countLost(count)
        }
    }

    /// Takes how a run went.
    func note(_ completion: HookCompletion, isFailure: Bool) {
        isChanged = true
        standingSoFar.runs += 1
        if isFailure { standingSoFar.failedRuns += 1 }
        standingSoFar.last = completion
        standingSoFar.lastEnded = Date()
    }

    private func beginAnew() {
        isGone = false
        isChanged = true
        standingSoFar = HookStanding(hook: hook.name, kind: hook.kind)
    }
}

extension HookDefinition {
    /// Everything that makes a hook another one, as far as it can be compared.
    struct Signature: Hashable {
        enum Action: Hashable {
            case command(HookCommand)
            case webhook(target: String, method: String, body: WebhookBody?, secretFile: String?, retries: Int)
        }

        var action: Action
        var trigger: HookTrigger
        var pace: HookPace
        var timeout: Duration
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
        return Signature(action: compared, trigger: trigger, pace: pace, timeout: timeout, identity: identity)
    }
}

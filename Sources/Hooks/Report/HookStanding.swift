public import struct Foundation.Date

/// How a hook fares, for `reachagent status` and `reachagent hooks list`.
public struct HookStanding: Sendable, Hashable {
    /// The hook's name.
    public var hook: String
    /// Its kind.
    public var kind: HookCompletion.Kind
    /// How many runs have ended.
    public var runs: UInt64
    /// How many of them failed.
    public var failedRuns: UInt64
    /// How many events were dropped because newer ones replaced them.
    public var superseded: UInt64
    /// How many runs there are at present.
    public var running: Int
    /// How many events wait.
    public var waiting: Int
    /// How many times in a row it failed.
    public var failures: Int
    /// How much longer it is left alone because of them; nil when it is not.
    public var pause: Duration?
    /// How the last run went.
    public var last: HookCompletion?
    /// When the last run ended.
    public var lastEnded: Date?

    /// A hook that has not run yet.
    public init(hook: String, kind: HookCompletion.Kind) {
        self.hook = hook
        self.kind = kind
        runs = 0
        failedRuns = 0
        superseded = 0
        running = 0
        waiting = 0
        failures = 0
    }

    /// How many failures in a row make a hook one that fails repeatedly.
    public static let repeatedFailures = 3
}

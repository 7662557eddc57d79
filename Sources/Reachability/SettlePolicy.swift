/// How long a change must hold before it is published as settled.
public struct SettlePolicy: Sendable, Hashable, Codable {
    /// For a change to something better, or to another way of the same worth.
    public let up: Duration
    /// For a loss: rides over a Wi-Fi roam or a DHCP renewal.
    public let down: Duration

    /// The documented defaults: 250 ms up, 1 s down.
    public static let standard = SettlePolicy(up: .milliseconds(250), down: .seconds(1))
    /// Every change is published at once.
    public static let none = SettlePolicy(up: .zero, down: .zero)
    /// How many settle times a restless value may keep the consumer waiting.
    static let maximumWaitFactor = 3

    /// A policy; negative durations count as zero.
    public init(up: Duration, down: Duration) {
        self.up = max(.zero, up)
        self.down = max(.zero, down)
    }
}

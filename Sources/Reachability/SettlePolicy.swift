/// The time for which a change must hold before it is published as settled.
public struct SettlePolicy: Sendable, Hashable, Codable {
    /// The time for an improvement, or an equally good alternative.
    public let up: Duration
    /// The time for a loss: rides over a Wi-Fi roam or a DHCP renewal.
    public let down: Duration

    /// The documented defaults: 250 ms up, 1 s down.
    public static let standard = SettlePolicy(up: .milliseconds(250), down: .seconds(1))
    /// Every change is published at once.
    public static let none = SettlePolicy(up: .zero, down: .zero)
    /// The maximum wait for a fluctuating value, in settle times.
    static let maximumWaitFactor = 3

    /// Creates a policy; negative durations count as zero.
    public init(up: Duration, down: Duration) {
        self.up = max(.zero, up)
        self.down = max(.zero, down)
    }
}

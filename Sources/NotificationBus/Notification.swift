/// Something that was published, with its number.
public struct Notification<Content: Sendable>: Sendable {
    /// The number: one higher than that of the notification published before it.
    public let sequence: UInt64
    /// What was published.
    public let content: Content

    /// A numbered content.
    public init(sequence: UInt64, content: Content) {
        self.sequence = sequence
        self.content = content
    }
}

extension Notification: Equatable where Content: Equatable {}

/// What a subscriber is given.
public enum Delivery<Content: Sendable>: Sendable {
    /// The next notification.
    case notification(Notification<Content>)
    /// The subscriber was too slow: everything after the number was thrown away, and nothing follows.
    case lagged(lastTaken: UInt64)
}

extension Delivery: Equatable where Content: Equatable {}

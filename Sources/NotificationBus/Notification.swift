/// A published content with its number.
public struct Notification<Content: Sendable>: Sendable {
    /// The number: one higher than that of the previous notification.
    public let sequence: UInt64
    /// The content.
    public let content: Content

    /// Creates a notification.
    public init(sequence: UInt64, content: Content) {
        self.sequence = sequence
        self.content = content
    }
}

extension Notification: Equatable where Content: Equatable {}

/// A delivery to a subscriber.
public enum Delivery<Content: Sendable>: Sendable {
    /// The next notification.
    case notification(Notification<Content>)
    /// The subscriber was too slow: everything after the number was dropped, and nothing follows.
    case lagged(lastTaken: UInt64)
}

extension Delivery: Equatable where Content: Equatable {}

/// The reason that a setting of a sink is not valid: a sentence without a full stop, and without a secret.
public struct SinkSettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// The reason bytes are not valid JSON, and the place.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, as a clause.
    public let reason: String
    /// The offset of the error, in bytes.
    public let offset: Int

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The error and its place.
    public var description: String { "\(reason) at byte \(offset)" }
}

/// Why bytes are not JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a clause.
    public let reason: String
    /// The number of bytes before the place.
    public let offset: Int

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the place.
    public var description: String { "\(reason) at byte \(offset)" }
}

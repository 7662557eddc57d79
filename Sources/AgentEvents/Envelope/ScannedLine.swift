/// The envelope of a line of the stream, and proof that the whole line is one well-formed JSON object.
///
/// Made in one pass over the bytes, without recursion and without an allocation: replaying a journal scans every line.
/// Nothing is decoded; where the values stand is remembered.
public struct ScannedLine: Sendable, Hashable {
    /// The longest line that is accepted, in bytes: more than any event that the agent writes.
    public static let maximumBytes = 4 << 20
    /// The deepest nesting of objects and arrays that is accepted.
    public static let maximumDepth = 64

    /// The number; `nil` when the event is not numbered.
    public var sequence: UInt64?
    /// The range of the text of `type`, without the quotation marks.
    public var type: Range<Int>
    /// The range of the text of `subject`, without the quotation marks; empty when there is none.
    public var subject: Range<Int>
    /// The time of the event; `nil` when `time` is missing or no RFC 3339 time in UTC.
    public var time: Timestamp?

    /// Scans a line.
    ///
    /// - Parameter line: The bytes of the line, without its end.
    /// - Returns: `nil` when the line is too long, is not one JSON object in UTF-8, has no `type`, or has a `seq` that
    ///   is no positive whole number of 64 bits.
    public init?(_ line: Span<UInt8>) {
        guard line.count <= Self.maximumBytes else { return nil }
        let members = line.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanEnvelope()
        }
        guard let members, let type = members.type else { return nil }
        self.type = type
        subject = members.subject ?? 0..<0
        sequence = members.sequence
        time = members.time.flatMap { Timestamp(utc: line.extracting($0)) }
    }
}

/// JSON text that came from elsewhere.
package enum JSONText {
    /// The places of the values of some members, in the order of the names; `nil` where there is no such member.
    ///
    /// - Returns: `nil` when the bytes are anything else than one well-formed JSON object on one line.
    package static func values(of names: [StaticString], in text: Span<UInt8>) -> [Range<Int>?]? {
        text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.scanValues(of: names)
        }
    }
}

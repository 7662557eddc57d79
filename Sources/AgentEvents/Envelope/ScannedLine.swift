/// The envelope of a line of the stream, and proof that the whole line is one well-formed JSON object.
///
/// Created in one pass over the bytes, without recursion or allocation, because replaying a journal scans every line.
/// Nothing is decoded; only the positions of the values are recorded. Of several members with one name the first counts, as in
/// an ``AgentEvent`` of the line.
public struct ScannedLine: Sendable, Hashable {
    /// The maximum length of a line in bytes, which exceeds that of any event of the agent.
    public static let maximumBytes = 4 << 20
    /// The maximum nesting depth of objects and arrays.
    public static let maximumDepth = 64

    /// The number; `nil` if the event is not numbered.
    public var sequence: UInt64?
    /// The range of the text of `type`, without the quotation marks.
    public var type: Range<Int>
    /// The range of the text of `subject`, without the quotation marks; empty if there is none.
    public var subject: Range<Int>
    /// The time of the event; `nil` if `time` is missing or is not an RFC 3339 time in UTC.
    public var time: Timestamp?

    /// Scans a line.
    ///
    /// - Parameter line: The bytes of the line, without its newline.
    /// - Returns: `nil` if the line is too long, is not one JSON object in UTF-8, has no `type`, or has a `seq` that is
    ///   not a positive 64-bit integer.
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

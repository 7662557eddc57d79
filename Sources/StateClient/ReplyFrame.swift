internal import EventEnvelope

/// The members of a reply.
///
/// The whole reply is one well-formed JSON object; the parameters are for those to check who read them.
struct ReplyFrame {
    /// The place of `parameters`; `nil` when there are none.
    let parameters: Range<Int>?
    /// The place of the text of `error`, without the quotation marks; `nil` when it is no error.
    let error: Range<Int>?

    /// The frame of a reply; `nil` when it is no object, or its `error` no string.
    init?(_ line: ArraySlice<UInt8>) {
        guard let values = JSONText.values(of: ["parameters", "error"], in: line.span) else { return nil }
        let places = values.map { $0.map { $0.lowerBound + line.startIndex..<$0.upperBound + line.startIndex } }
        parameters = places[0]
        guard let error = places[1] else {
            self.error = nil
            return
        }
        guard line[error.lowerBound] == UInt8(ascii: "\"") else { return nil }
        self.error = error.lowerBound + 1..<error.upperBound - 1
    }
}

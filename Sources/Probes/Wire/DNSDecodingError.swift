/// Why bytes are not a DNS message.
package struct DNSDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Sendable, Hashable {
        /// A field goes beyond the end of the message or of its record.
        case truncated = "the message ends too early"
        /// A label begins with bits that RFC 1035 does not define.
        case labelKind = "a label has an unknown kind"
        /// A compression pointer does not point backwards.
        case pointer = "a compression pointer does not point backwards"
        /// A name has more than 255 bytes or follows too many pointers.
        case nameTooLong = "a name is too long"
        /// The names have more labels and pointers together than the message has bytes.
        case tooManyLabels = "the names have too many labels"
        /// A record's data is longer or shorter than its type wants.
        case recordLength = "a record's data has the wrong length"
        /// The message is longer than its length field could say.
        case tooLong = "the message has more than 65535 bytes"
    }

    /// What is wrong.
    package let reason: Reason
    /// The offset in the message at which it was found.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String { "\(reason.rawValue) (at byte \(offset))" }
}

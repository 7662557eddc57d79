/// The reason bytes are not a valid DNS message.
package struct DNSDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Reason: String, Sendable, Hashable {
        /// A field exceeds the message or its record.
        case truncated = "the message ends too early"
        /// A label begins with bits that RFC 1035 does not define.
        case labelKind = "a label has an unknown kind"
        /// A compression pointer does not point backwards.
        case pointer = "a compression pointer does not point backwards"
        /// A name has more than 255 bytes or follows too many pointers.
        case nameTooLong = "a name is too long"
        /// The names have more labels and pointers in total than the message has bytes.
        case tooManyLabels = "the names have too many labels"
        /// The length of a record's data does not match its type.
        case recordLength = "a record's data has the wrong length"
        /// The message is longer than its length field can express.
        case tooLong = "the message has more than 65535 bytes"
    }

    /// The kind of error.
    package let reason: Reason
    /// The offset of the error in the message.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String { "\(reason.rawValue) (at byte \(offset))" }
}

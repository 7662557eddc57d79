internal import ForeignText
internal import NIOCore

/// Makes the headers of responses acceptable to the HTTP library, which rejects some that a user agent must accept.
///
/// Folded lines (obs-fold) are joined (RFC 9112, section 5.2). In an informational response the name of a `Connection` field
/// gets an underscore at its end: the library would take the `close` in it for the end of the connection, although the
/// final response follows (RFC 9110, section 15.2). Nothing else reads those fields.
struct HeaderUnfolder {
    /// The part of the head that the next byte belongs to.
    private enum Position {
        case statusLine
        case lineStart
        case field
        /// After the CR of a field's line.
        case fieldCR
        /// After a field's line, whose CR and LF are held back: the next byte decides whether the field continues.
        case fieldEnd
        /// After the CR of the empty line.
        case endCR
    }

    /// The fields from which the HTTP library takes whether the connection ends.
    private static let connectionFields = ["connection", "proxy-connection"].map { Array($0.utf8) }
    private static let longestConnectionField = "proxy-connection".utf8.count
    /// The length of `HTTP/1.1 `, which the status follows.
    private static let versionLength = 9

    private static let (tab, lineFeed, carriageReturn, space) = (UInt8(0x09), UInt8(0x0A), UInt8(0x0D), UInt8(0x20))

    private var position = Position.statusLine
    /// The number of bytes of the status line.
    private var statusLineLength = 0
    private var isInformational = false
    /// The beginning of the current line of an informational response, in lower case.
    private var line: [UInt8] = []

    /// Removes the bytes of a head from the buffer, up to its end if that is there, and returns them as the HTTP library
    /// accepts them.
    ///
    /// Whitespace between the status line and the first field is not a fold, and stays.
    mutating func head(from bytes: inout ByteBuffer) -> ByteBuffer {
        var head = ByteBuffer()
        head.reserveCapacity(bytes.readableBytes + 2)
        while let byte: UInt8 = bytes.readInteger() {
            if position == .fieldEnd {
                let isFolded = byte == Self.space || byte == Self.tab
                if isFolded {
                    head.writeInteger(Self.space)
                } else {
                    head.writeBytes([Self.carriageReturn, Self.lineFeed])
                }
                position = isFolded ? .field : .lineStart
            }
            if position == .fieldCR {
                if byte == Self.lineFeed {
                    position = .fieldEnd
                    continue
                }
                head.writeInteger(Self.carriageReturn)
                position = .field
            }
            if isInformational, byte == UInt8(ascii: ":"), position == .field, Self.connectionFields.contains(line) {
                head.writeInteger(UInt8(ascii: "_"))
            }
            let isComplete = advance(byte)
            if position != .fieldCR { head.writeInteger(byte) }
            if isComplete { break }
        }
        return head
    }

    /// Moves past a byte; returns true for the last one of the head.
    private mutating func advance(_ byte: UInt8) -> Bool {
        switch (position, byte) {
        case (.statusLine, Self.lineFeed): position = .lineStart
        case (.statusLine, _):
            if statusLineLength == Self.versionLength { isInformational = byte == UInt8(ascii: "1") }
            statusLineLength += 1
        case (.lineStart, Self.carriageReturn): position = .endCR
        case (.lineStart, _):
            position = .field
            line = isInformational ? [byte.lowercasedASCII] : []
        case (.field, Self.carriageReturn): position = .fieldCR
        case (.field, _) where isInformational && line.count <= Self.longestConnectionField:
            line.append(byte.lowercasedASCII)
        case (.endCR, Self.lineFeed):
            self = HeaderUnfolder()
            return true
        case (.endCR, _): position = .field
        default: break
        }
        return false
    }
}

internal import NIOCore

/// Joins the folded lines of a header (obs-fold), as a user agent must (RFC 9112, section 5.2); the HTTP library rejects
/// them.
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

    private static let (tab, lineFeed, carriageReturn, space) = (UInt8(0x09), UInt8(0x0A), UInt8(0x0D), UInt8(0x20))

    private var position = Position.statusLine

    /// Removes the bytes of a head from the buffer, up to its end if that is there, and returns them without folds.
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
        case (.lineStart, Self.carriageReturn): position = .endCR
        case (.lineStart, _): position = .field
        case (.field, Self.carriageReturn): position = .fieldCR
        case (.endCR, Self.lineFeed):
            position = .statusLine
            return true
        case (.endCR, _): position = .field
        default: break
        }
        return false
    }
}

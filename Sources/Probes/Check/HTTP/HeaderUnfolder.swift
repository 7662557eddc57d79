internal import ForeignText
internal import NIOCore

/// Makes the headers of responses acceptable to the HTTP library, which rejects some that a user agent must accept.
///
/// Folded lines (obs-fold) are joined (RFC 9112, section 5.2). In an informational response the name of a `Connection` field
/// gets an underscore at its end: the library would take the `close` in it for the end of the connection, although the
/// final response follows (RFC 9110, section 15.2). Nothing else reads those fields. Bytes beyond ASCII in the value of a
/// `Location` field are percent-encoded unless they are UTF-8: they are opaque (RFC 9110, section 5.5), and the library would
/// replace them, so that the redirect would lead to another address.
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
    private static let location = Array("location".utf8)
    /// The length of the longest name that is compared.
    private static let longestName = "proxy-connection".utf8.count
    /// The length of `HTTP/1.1 `, which the status follows.
    private static let versionLength = 9

    private static let (tab, lineFeed, carriageReturn, space) = (UInt8(0x09), UInt8(0x0A), UInt8(0x0D), UInt8(0x20))

    private var position = Position.statusLine
    /// The number of bytes of the status line.
    private var statusLineLength = 0
    private var isInformational = false
    /// The beginning of the current line, in lower case.
    private var line: [UInt8] = []
    /// `true` if the fields may lead to another address: those of trailers do not, and have no limit at which bytes that are
    /// held back would end.
    private var mayRedirect = true
    private var isLocation = false
    /// The last bytes beyond ASCII of a location, held back until all of them are known.
    private var foreignBytes: [UInt8] = []

    /// Joins the folded lines of trailers, which have no status line before them.
    static var trailers: HeaderUnfolder {
        var unfolder = HeaderUnfolder()
        (unfolder.position, unfolder.mayRedirect) = (.lineStart, false)
        return unfolder
    }

    /// Removes the bytes of a head from the buffer, up to its end if that is there, and returns them as the HTTP library
    /// accepts them.
    ///
    /// Whitespace between the status line and the first field is not a fold, and stays.
    mutating func head(from bytes: inout ByteBuffer) -> ByteBuffer {
        var head = ByteBuffer()
        head.reserveCapacity(bytes.readableBytes + 2)
        while let byte: UInt8 = bytes.readInteger() {
            if byte < 0x80, !foreignBytes.isEmpty {
                head.writeBytes(Self.encoded(foreignBytes))
                foreignBytes = []
            }
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
            if byte == UInt8(ascii: ":"), position == .field {
                if mayRedirect, line == Self.location { isLocation = true }
                if isInformational, Self.connectionFields.contains(line) { head.writeInteger(UInt8(ascii: "_")) }
            }
            let isComplete = advance(byte)
            if isLocation, byte >= 0x80 {
                foreignBytes.append(byte)
            } else if position != .fieldCR {
                head.writeInteger(byte)
            }
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
            (line, isLocation) = ([byte.lowercasedASCII], false)
        case (.field, Self.carriageReturn): position = .fieldCR
        case (.field, _) where line.count <= Self.longestName: line.append(byte.lowercasedASCII)
        case (.endCR, Self.lineFeed):
            self = HeaderUnfolder()
            return true
        case (.endCR, _): position = .field
        default: break
        }
        return false
    }

    /// Returns bytes beyond ASCII as they are if they are UTF-8, else percent-encoded.
    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) == nil else { return bytes }
        return bytes.flatMap { "%\(String($0, radix: 16, uppercase: true))".utf8 }
    }
}

internal import CheckResults
internal import ForeignText
internal import NIOCore

/// Makes the framing of a chunked body acceptable to the HTTP library, which rejects some that a recipient must accept.
///
/// Everything between a chunk's size and the end of its line is dropped: extensions, which nothing here knows, with the
/// whitespace around them (RFC 9112, section 7.1.1; RFC 9110, section 5.6.3), and the whitespace with which old servers pad a
/// size. Folded lines of the trailers are joined. From the first byte that is not chunked framing on, everything passes as it
/// is: the library reports the error.
struct ChunkFilter {
    /// The part of the body that the next byte belongs to.
    private enum Position {
        case size
        /// In whitespace after the size.
        case padding
        case extensions
        /// In bytes that pass as they are: the LF after the size, the data, and the CR and LF after that.
        case data
        case trailers
    }

    private static let (tab, carriageReturn, space, delete) = (UInt8(0x09), UInt8(0x0D), UInt8(0x20), UInt8(0x7F))
    /// Far above any limit of a body, and low enough for another digit.
    private static let maximumSize = Int.max >> 8

    private var position = Position.size
    /// The size of the current chunk.
    private var size = 0
    /// The number of bytes that pass as they are before the next chunk's size, or the trailers.
    private var passing = 0
    private var trailers = HeaderUnfolder.trailers

    /// Creates a filter for the body of a response with these header fields; `nil` unless the last transfer coding is
    /// `chunked`.
    init?(_ headers: [HeaderField]) {
        guard let field = headers.last(where: { $0.isNamed("transfer-encoding") }) else { return nil }
        let codings = Array(field.value.utf8).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let last = codings.last?.filter { $0 != Self.space && $0 != Self.tab }.map(\.lowercasedASCII)
        guard last?.elementsEqual("chunked".utf8) == true else { return nil }
    }

    /// Returns the next bytes of the body as the HTTP library accepts them.
    mutating func filter(_ bytes: ByteBuffer) -> ByteBuffer {
        var rest = bytes
        var filtered = ByteBuffer()
        filtered.reserveCapacity(bytes.readableBytes + 2)
        while rest.readableBytes > 0 {
            switch position {
            case .data: pass(&rest, to: &filtered)
            case .trailers: filtered.writeImmutableBuffer(trailers.head(from: &rest))
            case .size, .padding, .extensions:
                if let byte: UInt8 = rest.readInteger() { filterLine(byte, to: &filtered) }
            }
        }
        return filtered
    }

    private mutating func pass(_ rest: inout ByteBuffer, to filtered: inout ByteBuffer) {
        let count = min(passing, rest.readableBytes)
        if let piece = rest.readSlice(length: count) { filtered.writeImmutableBuffer(piece) }
        passing -= count
        guard passing == 0 else { return }
        position = size == 0 ? .trailers : .size
        size = 0
    }

    /// Moves past a byte of a chunk's first line.
    private mutating func filterLine(_ byte: UInt8, to filtered: inout ByteBuffer) {
        switch (position, byte) {
        case (_, Self.carriageReturn):
            filtered.writeInteger(byte)
            (position, passing) = (.data, size == 0 ? 1 : 1 + size + 2)
        case (.size, Self.space), (.size, Self.tab), (.padding, Self.space), (.padding, Self.tab): position = .padding
        case (.size, UInt8(ascii: ";")), (.padding, UInt8(ascii: ";")): position = .extensions
        case (.extensions, Self.tab), (.extensions, Self.space..<Self.delete), (.extensions, 0x80...): break
        default:
            // Without the dropped character before it, the byte could continue the size.
            if position == .padding { filtered.writeInteger(Self.space) }
            if position == .extensions { filtered.writeInteger(UInt8(ascii: ";")) }
            filtered.writeInteger(byte)
            guard position == .size, size <= Self.maximumSize, let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else {
                (position, passing) = (.data, .max)
                return
            }
            size = size << 4 + digit
        }
    }
}

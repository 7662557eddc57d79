/// The facts in an image's header.
public struct ImageHeader: Sendable, Hashable {
    /// The supported formats.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case bmp, gif, ico, jpeg, png, tiff, webp, xbm
    }

    /// The maximum number of pixels of an image, which protects later decoders: 2²⁸.
    public static let maximumPixels = 1 << 28

    /// The format.
    public let format: Format
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// Parses the header of an image; the pixels are ignored.
    ///
    /// - Throws: ``ImageError``.
    package init(parsing bytes: [UInt8]) throws(ImageError) {
        let bytes = FormatBytes(bytes: bytes)
        guard let format = Format(of: bytes) else { throw .unknownFormat }
        guard let size = format.size(in: bytes) else { throw .incomplete(format) }
        guard size.width > 0, size.height > 0 else { throw .noPixels(format) }
        let (pixels, isTooLarge) = size.width.multipliedReportingOverflow(by: size.height)
        guard !isTooLarge, pixels <= Self.maximumPixels else {
            throw .tooLarge(format, width: size.width, height: size.height)
        }
        self.format = format
        width = size.width
        height = size.height
    }
}

/// The reason bytes are not an image.
package enum ImageError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownFormat
    case incomplete(ImageHeader.Format)
    case noPixels(ImageHeader.Format)
    case tooLarge(ImageHeader.Format, width: Int, height: Int)

    package var description: String {
        switch self {
        case .unknownFormat: "the first bytes are those of no known image format"
        case .incomplete(let format): "the \(format.rawValue) header is broken or incomplete"
        case .noPixels(let format): "the \(format.rawValue) header says that there are no pixels"
        case .tooLarge(let format, let width, let height):
            "the \(format.rawValue) header says \(width) x \(height) pixels, more than \(ImageHeader.maximumPixels)"
        }
    }
}

extension ImageHeader.Format {
    /// A width and a height.
    fileprivate typealias Size = (width: Int, height: Int)

    /// Detects the format by its first bytes; nil if unknown.
    fileprivate init?(of bytes: FormatBytes) {
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.has("GIF87a".utf8) || bytes.has("GIF89a".utf8) {
            self = .gif
        } else if bytes.has([0x49, 0x49, 0x2A, 0]) || bytes.has([0x4D, 0x4D, 0, 0x2A]) {
            self = .tiff
        } else if bytes.has([0, 0, 1, 0]) {
            self = .ico
        } else if bytes.has("BM".utf8) {
            self = .bmp
        } else if bytes.has("RIFF".utf8), bytes.has("WEBP".utf8, at: 8) {
            self = .webp
        } else if bytes.has("#define ".utf8) {
            self = .xbm
        } else {
            return nil
        }
    }

    /// Returns the size in the header; nil when it is invalid or incomplete.
    fileprivate func size(in bytes: FormatBytes) -> Size? {
        switch self {
        case .png: bytes.has("IHDR".utf8, at: 12) ? Self.bigEndianSize(bytes, 16, 20, count: 4) : nil
        case .gif: Self.littleEndianSize(bytes, 6, 8, count: 2)
        case .ico: Self.iconSize(bytes)
        case .bmp: Self.bitmapSize(bytes)
        case .jpeg: Self.jpegSize(bytes)
        case .tiff: Self.tiffSize(bytes)
        case .webp: Self.webpSize(bytes)
        case .xbm: Self.xbmSize(bytes)
        }
    }

    private static func bigEndianSize(_ bytes: FormatBytes, _ width: Int, _ height: Int, count: Int) -> Size? {
        guard let width = bytes.bigEndian(at: width, count: count),
            let height = bytes.bigEndian(at: height, count: count)
        else { return nil }
        return (Int(clamping: width), Int(clamping: height))
    }

    private static func littleEndianSize(_ bytes: FormatBytes, _ width: Int, _ height: Int, count: Int) -> Size? {
        guard let width = bytes.littleEndian(at: width, count: count),
            let height = bytes.littleEndian(at: height, count: count)
        else { return nil }
        return (Int(clamping: width), Int(clamping: height))
    }

    /// Returns the size of the file's first icon; a side of 256 pixels is encoded as 0.
    private static func iconSize(_ bytes: FormatBytes) -> Size? {
        guard let count = bytes.littleEndian(at: 4, count: 2), count > 0, bytes.slice(at: 6, count: 16) != nil,
            let size = littleEndianSize(bytes, 6, 7, count: 1)
        else { return nil }
        return (size.width == 0 ? 256 : size.width, size.height == 0 ? 256 : size.height)
    }

    /// Parses a size: two bytes per side in OS/2's header, four in later ones, with a negative height for top-down
    /// images.
    private static func bitmapSize(_ bytes: FormatBytes) -> Size? {
        guard let header = bytes.littleEndian(at: 14, count: 4) else { return nil }
        if header == 12 { return littleEndianSize(bytes, 18, 20, count: 2) }
        guard header >= 40, let width = bytes.littleEndian(at: 18, count: 4),
            let height = bytes.littleEndian(at: 22, count: 4)
        else { return nil }
        let signedWidth = Int32(truncatingIfNeeded: width)
        return (max(0, Int(signedWidth)), Int(Int32(truncatingIfNeeded: height).magnitude))
    }

    /// Walks the segments up to the frame header.
    private static func jpegSize(_ bytes: FormatBytes) -> Size? {
        var offset = 2
        while bytes.byte(at: offset) == 0xFF {
            while bytes.byte(at: offset) == 0xFF { offset += 1 }
            guard let marker = bytes.byte(at: offset) else { return nil }
            offset += 1
            switch marker {
            case 0x01, 0xD0...0xD7: continue
            case 0x00, 0xD8, 0xD9, 0xDA: return nil
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return bigEndianSize(bytes, offset + 5, offset + 3, count: 2)
            default:
                guard let length = bytes.bigEndian(at: offset, count: 2), length >= 2 else { return nil }
                offset += Int(length)
            }
        }
        return nil
    }

    /// Searches the first directory for the tags 256 and 257.
    private static func tiffSize(_ bytes: FormatBytes) -> Size? {
        let isBigEndian = bytes.has([0x4D])
        func number(at offset: Int, count: Int) -> Int? {
            let number =
                isBigEndian
                ? bytes.bigEndian(at: offset, count: count) : bytes.littleEndian(at: offset, count: count)
            return number.map { Int(clamping: $0) }
        }
        guard let directory = number(at: 4, count: 4), let entries = number(at: directory, count: 2) else { return nil }
        var sides: [Int: Int] = [:]
        for entry in 0..<entries {
            let offset = directory + 2 + entry * 12
            guard let tag = number(at: offset, count: 2), let type = number(at: offset + 2, count: 2) else {
                return nil
            }
            guard tag == 256 || tag == 257, type == 3 || type == 4 else { continue }
            sides[tag] = number(at: offset + 8, count: type == 3 ? 2 : 4)
        }
        guard let width = sides[256], let height = sides[257] else { return nil }
        return (width, height)
    }

    /// Parses the size in the first chunk, which is of one of three kinds: lossy, lossless, extended.
    private static func webpSize(_ bytes: FormatBytes) -> Size? {
        if bytes.has("VP8 ".utf8, at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23) {
            return littleEndianSize(bytes, 26, 28, count: 2).map { ($0.width & 0x3FFF, $0.height & 0x3FFF) }
        }
        if bytes.has("VP8L".utf8, at: 12), bytes.has([0x2F], at: 20), let bits = bytes.littleEndian(at: 21, count: 4) {
            return (Int(bits & 0x3FFF) + 1, Int(bits >> 14 & 0x3FFF) + 1)
        }
        if bytes.has("VP8X".utf8, at: 12) {
            return littleEndianSize(bytes, 24, 27, count: 3).map { ($0.width + 1, $0.height + 1) }
        }
        return nil
    }

    /// Parses the `#define`s of the width and the height, which are C source.
    private static func xbmSize(_ bytes: FormatBytes) -> Size? {
        let maximumHeader = 1024
        var sides: [Int] = []
        for line in bytes.bytes.prefix(maximumHeader).split(separator: UInt8(ascii: "\n")) where sides.count < 2 {
            let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            let suffix = sides.isEmpty ? "width" : "height"
            guard words.count == 3, words[0].elementsEqual("#define".utf8),
                words[1].suffix(suffix.utf8.count).elementsEqual(suffix.utf8),
                let side = UInt32(String(decoding: words[2], as: UTF8.self))
            else { continue }
            sides.append(Int(side))
        }
        return sides.count == 2 ? (sides[0], sides[1]) : nil
    }
}

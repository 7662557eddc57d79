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

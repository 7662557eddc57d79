import CheckResults
import HTTPSerialization
import Testing

@Suite struct ImageHeaderTests {
    /// The smallest headers from which a size can be read: the format, 300 x 2 pixels but for icons, the bytes.
    static let headers: [(ImageHeader.Format, Int, Int, [UInt8])] = [
        (
            .png, 300, 2,
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
                0, 0, 1, 0x2C, 0, 0, 0, 2,
            ]
        ),
        (.gif, 300, 2, Array("GIF89a".utf8) + [0x2C, 1, 2, 0]),
        (.jpeg, 300, 2, [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC0, 0, 17, 8, 0, 2, 1, 0x2C]),
        (
            .tiff, 300, 2,
            [
                0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0, 0, 1, 3, 0, 1, 0, 0, 0, 0x2C, 1, 0, 0, 1, 1, 4, 0, 1, 0, 0, 0, 2,
                0, 0, 0,
            ]
        ),
        (
            .tiff, 300, 2,
            [
                0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2, 1, 0, 0, 3, 0, 0, 0, 1, 1, 0x2C, 0, 0, 1, 1, 0, 4, 0, 0, 0, 1, 0,
                0, 0, 2,
            ]
        ),
        (.ico, 256, 16, [0, 0, 1, 0, 1, 0, 0, 16] + [UInt8](repeating: 0, count: 14)),
        (
            .bmp, 300, 2,
            Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0, 0x2C, 1, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF]
        ),
        (.bmp, 300, 2, Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [12, 0, 0, 0, 0x2C, 1, 2, 0]),
        (.webp, 300, 2, Array("RIFF0000WEBPVP8 0000".utf8) + [0, 0, 0, 0x9D, 0x01, 0x2A, 0x2C, 1, 2, 0]),
        (.webp, 300, 2, Array("RIFF0000WEBPVP8L0000".utf8) + [0x2F, 0x2B, 0x41, 0, 0]),
        (.webp, 300, 2, Array("RIFF0000WEBPVP8X0000".utf8) + [0, 0, 0, 0, 0x2B, 1, 0, 1, 0, 0]),
        (.xbm, 300, 2, Array("#define a_width 300\n#define a_height 2\n".utf8)),
    ]

    @Test(arguments: headers)
    func `the size is read from the header`(format: ImageHeader.Format, width: Int, height: Int, bytes: [UInt8]) throws
    {
        let header = try ImageHeader(parsing: bytes)
        #expect(header.format == format)
        #expect(header.width == width)
        #expect(header.height == height)
    }

    @Test(arguments: headers)
    func `a header cut at any byte is an error`(format: ImageHeader.Format, width: Int, height: Int, bytes: [UInt8]) {
        // The line's end of an XBM file is not needed.
        let needed = format == .xbm ? bytes.count - 1 : bytes.count
        for count in 0..<needed {
            #expect(throws: ImageError.self, "\(count) bytes") { try ImageHeader(parsing: Array(bytes.prefix(count))) }
        }
    }

    @Test(arguments: headers)
    func `no changed byte crashes the parser`(format: ImageHeader.Format, width: Int, height: Int, bytes: [UInt8]) {
        var changes = 0
        for place in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[place] = byte
                if (try? ImageHeader(parsing: changed))?.width != width { changes += 1 }
            }
        }
        #expect(changes > 0)
    }

    @Test func `images without pixels and with too many are errors`() {
        let gif = Array("GIF89a".utf8)
        #expect(throws: ImageError.noPixels(.gif)) { try ImageHeader(parsing: gif + [0, 0, 2, 0]) }
        #expect(throws: ImageError.tooLarge(.gif, width: 65_535, height: 65_535)) {
            try ImageHeader(parsing: gif + [0xFF, 0xFF, 0xFF, 0xFF])
        }
        #expect(throws: ImageError.unknownFormat) { try ImageHeader(parsing: Array("<html>".utf8)) }
    }

    @Test func `an image of another format than its content type is an image`() throws {
        let png = try #require(Self.headers.first)
        let response = ReceivedResponse(
            status: 200,
            headers: [HeaderField(name: "Content-Type", value: "image/gif")],
            body: png.3
        )
        let verdict = ResponseExpectations(serializer: .image).evaluate(response)
        #expect(verdict.object == .image(try ImageHeader(parsing: png.3)))
    }
}

internal import CheckResults

/// The properties of the object to download, as stated by its server: whether and how a download can be resumed.
struct TransferObject {
    /// The maximum length of a validator to send back.
    private static let longestValidator = 256

    /// The size in bytes; nil if unknown.
    var size: Int?
    /// `true` if the server announces support for range requests.
    var acceptsRanges = false
    /// The value of If-Range: a strong ETag, or the time of the last modification; nil if the object has neither.
    var validator: String?

    init() {}

    init(_ response: ResponseReport) {
        func value(_ name: String) -> String? { response.headers.first { $0.isNamed(name) }?.value }
        if let range = value("content-range").flatMap({ ContentRange($0) }) {
            (size, acceptsRanges) = (range.size, true)
        } else {
            size = value("content-length").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
            acceptsRanges = value("accept-ranges")?.utf8.lazy.map(\.lowercasedASCII).elementsEqual("bytes".utf8) == true
        }
        if let tag = value("etag"), Self.isStrong(tag) {
            validator = tag
        } else if let time = value("last-modified"), Self.isShown(time), let now = value("date"),
            !now.utf8.elementsEqual(time.utf8)
        {
            // RFC 9110, section 8.8.2.2: an object modified in the second of the response may change again in that
            // second.
            validator = time
        }
    }

    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        return bytes.count >= 2 && bytes.first == 0x22 && bytes.last == 0x22 && isShown(tag)
            && !bytes.dropFirst().dropLast().contains(0x22)
    }

    private static func isShown(_ text: String) -> Bool {
        text.utf8.count <= longestValidator && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}

/// The part of the object that a download requests, and the judgment of the response.
struct RequestedPart {
    /// The requested bytes; nil for the whole object.
    var bounds: ClosedRange<Int>?

    /// An acceptable response.
    struct Accepted: Equatable {
        /// `true` if the object is sent from its start although a later part was requested.
        var isRestarted = false
        /// The number of bytes in the body; nil if the server does not state it.
        var bodyBytes: Int?
        /// The size of the object; nil if the server does not state it.
        var size: Int?
    }

    /// The judgment of a response.
    enum Judgment: Equatable {
        case accepted(Accepted)
        case refused(FindingCode, String)
    }

    /// Judges the head of a response.
    func judge(_ response: ResponseReport, known: TransferObject) -> Judgment {
        func value(_ name: String) -> String? { response.headers.first { $0.isNamed(name) }?.value }
        switch response.status {
        case 200:
            let length = value("content-length").flatMap { Int($0) }
            return .accepted(
                Accepted(isRestarted: (bounds?.lowerBound ?? 0) > 0, bodyBytes: length, size: length)
            )
        case 206:
            guard let bounds else { return .refused(.rangeInvalid, "status 206, but the whole object was requested") }
            let wanted = "bytes \(bounds.lowerBound)-\(bounds.upperBound) were requested"
            guard let text = value("content-range") else {
                return .refused(.rangeInvalid, "no Content-Range, or several parts: \(wanted)")
            }
            guard let range = ContentRange(text), let sent = range.bounds else {
                return .refused(.rangeInvalid, "Content-Range is '\(text)': \(wanted)")
            }
            guard sent.lowerBound == bounds.lowerBound, sent.upperBound <= bounds.upperBound else {
                return .refused(.rangeInvalid, "Content-Range is '\(range.text)': \(wanted)")
            }
            if let size = range.size, let before = known.size, size != before {
                return .refused(.rangeInvalid, "the object has \(size) bytes now, and had \(before)")
            }
            if let length = value("content-length").flatMap({ Int($0) }), length != sent.count {
                return .refused(.rangeInvalid, "Content-Range is '\(range.text)', but Content-Length is \(length)")
            }
            return .accepted(Accepted(bodyBytes: sent.count, size: range.size))
        case 416: return .refused(.rangeInvalid, "status 416: the object has no such range")
        case let status: return .refused(.httpStatus, "the download was answered with status \(status)")
        }
    }
}

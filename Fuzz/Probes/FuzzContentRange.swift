internal import FuzzKit

@testable import Probes

/// The value of a Content-Range field, and the judgment of an answer that has it.
enum FuzzContentRange {
    static func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        if let range = ContentRange(text) {
            require(ContentRange(range.text) == range, "\(range.text) does not parse as itself")
            require(range.bounds != nil || range.size != nil, "a range without a number")
            if let bounds = range.bounds, let size = range.size { require(bounds.upperBound < size, "a part outside") }
        }
        let fields = ["Content-Range", "Content-Length", "ETag", "Last-Modified", "Date"]
        let values = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let headers = zip(fields, values).map { HeaderField(name: $0, value: $1) }
        let known = TransferObject(ResponseReport(httpVersion: "1.1", status: 206, headers: headers))
        let wanted = 100...199
        for status in [200, 206, 416] {
            let response = ResponseReport(httpVersion: "1.1", status: status, headers: headers)
            if case .accepted(let accepted) = RequestedPart(bounds: wanted).judge(response, known: known), status == 206
            {
                require((accepted.bodyBytes ?? 0) <= wanted.count, "more was accepted than asked for")
            }
        }
    }
}

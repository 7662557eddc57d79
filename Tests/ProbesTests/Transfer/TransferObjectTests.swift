import Testing

@testable import Probes

@Suite
struct TransferObjectTests {
    private func response(_ status: Int, _ headers: [(String, String)]) -> ResponseReport {
        ResponseReport(
            httpVersion: "1.1",
            status: status,
            headers: headers.map { HeaderField(name: $0.0, value: $0.1) }
        )
    }

    @Test(
        arguments: [
            ([("ETag", "\"abc\"")], "\"abc\""), ([("ETag", "W/\"abc\"")], nil), ([("ETag", "abc")], nil),
            ([("ETag", "\"a\"b\"")], nil), ([("ETag", "\"\u{1}\"")], nil),
            ([("ETag", "\"" + String(repeating: "x", count: 300) + "\"")], nil),
            ([("Last-Modified", "yesterday"), ("Date", "today")], "yesterday"),
            ([("Last-Modified", "today"), ("Date", "today")], nil), ([("Last-Modified", "yesterday")], nil),
            ([("ETag", "W/\"a\""), ("Last-Modified", "yesterday"), ("Date", "today")], "yesterday"), ([], nil),
        ] as [([(String, String)], String?)]
    )
    func `only a strong validator can resume`(headers: [(String, String)], validator: String?) {
        #expect(TransferObject(response(200, headers)).validator == validator)
    }

    @Test
    func `the size is that of the whole object`() {
        let whole = TransferObject(response(200, [("Content-Length", "500"), ("Accept-Ranges", "bytes")]))
        #expect(whole.size == 500 && whole.acceptsRanges)
        let part = TransferObject(response(206, [("Content-Length", "1"), ("Content-Range", "bytes 0-0/500")]))
        #expect(part.size == 500 && part.acceptsRanges)
        #expect(TransferObject(response(200, [("Content-Length", "-5")])).size == nil)
        #expect(!TransferObject(response(200, [("Accept-Ranges", "none")])).acceptsRanges)
    }

    @Test(
        arguments: [
            (206, [("Content-Range", "bytes 100-199/1000")], nil), (206, [("Content-Range", "bytes 100-199/*")], nil),
            (206, [("Content-Range", "bytes 100-150/1000")], nil),
            (206, [], .rangeInvalid), (206, [("Content-Range", "bytes 0-99/1000")], .rangeInvalid),
            (206, [("Content-Range", "bytes 100-200/1000")], .rangeInvalid),
            (206, [("Content-Range", "bytes 100-199/999")], .rangeInvalid),
            (206, [("Content-Range", "bytes */1000")], .rangeInvalid),
            (206, [("Content-Range", "bytes 100-199/1000"), ("Content-Length", "99")], .rangeInvalid),
            (416, [("Content-Range", "bytes */10")], .rangeInvalid), (404, [], .httpStatus), (304, [], .httpStatus),
        ] as [(Int, [(String, String)], FindingCode?)]
    )
    func `an answer to a request for a part is judged`(status: Int, headers: [(String, String)], code: FindingCode?) {
        var known = TransferObject()
        known.size = 1000
        let judgment = RequestedPart(bounds: 100...199).judge(response(status, headers), known: known)
        switch judgment {
        case .accepted(let accepted): #expect(code == nil && !accepted.isRestarted)
        case .refused(let refused, _): #expect(refused == code)
        }
    }

    @Test
    func `the whole object instead of a later part is a restart`() {
        let answer = response(200, [("Content-Length", "1000")])
        let judge = { (bounds: ClosedRange<Int>?) in
            RequestedPart(bounds: bounds).judge(answer, known: TransferObject())
        }
        #expect(judge(100...199) == .accepted(.init(isRestarted: true, bodyBytes: 1000, size: 1000)))
        #expect(judge(0...199) == .accepted(.init(isRestarted: false, bodyBytes: 1000, size: 1000)))
        #expect(judge(nil) == .accepted(.init(isRestarted: false, bodyBytes: 1000, size: 1000)))
    }

    @Test
    func `a part that was not requested is rejected`() {
        let answer = response(206, [("Content-Range", "bytes 0-9/1000")])
        guard case .refused(.rangeInvalid, _) = RequestedPart().judge(answer, known: TransferObject()) else {
            Issue.record("a part was accepted")
            return
        }
    }
}

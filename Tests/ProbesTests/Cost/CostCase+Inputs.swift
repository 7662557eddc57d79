import ForeignText
import ProbeTestKit

@testable import Probes

extension CostCase {
    /// Judges a body with a serializer and expectations.
    private static func body(
        _ name: String,
        as serializer: ResponseSerializer = .http,
        expecting texts: [String] = [],
        make: @escaping @Sendable (Int) -> [UInt8]
    ) -> CostCase {
        let expectations = ResponseExpectations(
            acceptableContentTypes: nil,
            serializer: serializer,
            bodyExpectations: texts.compactMap { try? BodyExpectation(parsing: $0) }
        )
        return CostCase(name, make: make) { body, budget in
            _ = expectations.evaluate(ReceivedResponse(status: 200, body: body), within: budget)
        }
    }

    /// Bodies of responses, which pay with steps for what they cost.
    static let bodies: [CostCase] =
        json + propertyLists + xml + [
            body("text that almost has the text", expecting: ["contains:" + String(repeating: "a", count: 500) + "b"]) {
                HostileBytes.repeated("a", $0)
            }
        ]

    private static let json: [CostCase] = [
        body("a JSON key of combining marks", as: .json(), expecting: ["json:a=1"]) { count in
            Array("{\"".utf8) + HostileBytes.marks(count) + Array("\":1}".utf8)
        },
        body("JSON keys of combining marks", as: .json(), expecting: ["json:a=1"]) { count in
            var bytes = Array("{".utf8)
            for number in 0..<count / 4096 {
                bytes += Array("\"\(number)".utf8)
                bytes += HostileBytes.marks(4080)
                bytes += Array("\":1,".utf8)
            }
            return bytes + Array("\"a\":1}".utf8)
        },
        body("a JSON string of combining marks, compared", as: .json(), expecting: ["json:$=\"e\u{323}\u{301}\""]) {
            Array("\"".utf8) + HostileBytes.marks($0) + Array("\"".utf8)
        },
        body("escaped combining marks", as: .json()) {
            HostileBytes.repeated(#"\u0301\u0323"#, $0, after: #"{""#, before: #"":1}"#)
        },
        body("equal JSON keys", as: .json()) { HostileBytes.repeated(#""a":0,"#, $0, after: "{", before: #""a":1}"#) },
        body("deep JSON", as: .json()) { count in
            let nest = String(repeating: "[", count: 120) + String(repeating: "]", count: 120)
            return HostileBytes.repeated(nest + ",", count, after: "[", before: "0]")
        },
        body("empty JSON objects", as: .json(removingNulls: true)) {
            HostileBytes.repeated("{},null,", $0, after: "[", before: "0]")
        },
        body("JSON numbers of one digit", as: .json(), expecting: ["json:$[0]=1"]) {
            HostileBytes.repeated("1,", $0, after: "[", before: "0]")
        },
        body("JSON arrays of nothing", as: .json()) { HostileBytes.repeated("[],", $0, after: "[", before: "0]") },
        body("long JSON numbers", as: .json(), expecting: ["json:$[0]<1.5"]) {
            let number = "1." + String(repeating: "10", count: 2000) + "e123456789"
            return HostileBytes.repeated(number + ",", $0, after: "[", before: "0]")
        },
    ]

    private static let propertyLists: [CostCase] = [
        body("references to one long key", as: .propertyList) { count in
            // A key of half the bytes, a value, and dictionaries with nothing but this pair.
            let key = HostileBytes.head(5, count: count / 2) + HostileBytes.repeated("k", count / 2)
            let dictionary: [UInt8] = [0xD1] + HostileBytes.number(0) + HostileBytes.number(1)
            let number = count / 2 / (dictionary.count + 8)
            let references = (0..<number).map { HostileBytes.number($0 + 2) }.joined()
            var objects = [key, [0x09]]
            objects += Array(repeating: dictionary, count: number)
            objects.append(HostileBytes.head(0xA, count: number) + Array(references))
            return HostileBytes.propertyList(objects)
        },
        body("one dictionary with one long key again and again", as: .propertyList) { count in
            // Two objects of equal bytes, referred to in turn.
            let key = HostileBytes.head(5, count: count / 4) + HostileBytes.repeated("k", count / 4)
            let number = count / 16
            let keys = (0..<number).map { HostileBytes.number($0 % 2) }.joined()
            let values = (0..<number).map { _ in HostileBytes.number(2) }.joined()
            let top = HostileBytes.head(0xD, count: number) + Array(keys) + Array(values)
            return HostileBytes.propertyList([key, key, [0x09], top])
        },
        body("a property list's key of combining marks", as: .propertyList) { count in
            Array("<plist><dict><key>".utf8) + HostileBytes.marks(count) + Array("</key><true/></dict></plist>".utf8)
        },
        body("a property list's integer of combining marks", as: .propertyList) { count in
            Array("<plist><integer>".utf8) + HostileBytes.marks(count) + Array("</integer></plist>".utf8)
        },
        body("equal keys of a property list", as: .propertyList) {
            HostileBytes.repeated("<key>k</key><true/>", $0, after: "<plist><dict>", before: "</dict></plist>")
        },
    ]

    private static let xml: [CostCase] = [
        body("an XML element of combining marks", as: .xml) { count in
            // The second half of the bytes is the end tag.
            let name = "a" + String(decoding: HostileBytes.repeated("\u{301}\u{323}", count / 2), as: UTF8.self)
            return Array("<\(name)></\(name)>".utf8)
        },
        body("XML elements without content", as: .xml) {
            HostileBytes.repeated("<a/>", $0, after: "<r>", before: "</r>")
        },
        body("deep XML", as: .xml) { count in
            let nest = String(repeating: "<a>", count: 250) + String(repeating: "</a>", count: 250)
            return HostileBytes.repeated(nest, count, after: "<r>", before: "</r>")
        },
        body("XML elements of a long namespace", as: .xml) { count in
            let name = String(decoding: HostileBytes.repeated("n", count / 2), as: UTF8.self)
            return HostileBytes.repeated("<a:b/>", count, after: "<r xmlns:a='\(name)'>", before: "</r>")
        },
        body("XML attributes of a long namespace", as: .xml) { count in
            let name = String(decoding: HostileBytes.repeated("n", count / 2), as: UTF8.self)
            let attributes = (0..<count / 24).map { " a:x\($0)=''" }.joined()
            return Array("<r xmlns:a='\(name)'\(attributes)><a:b/></r>".utf8)
        },
        body("XML attributes with default values", as: .xml) { count in
            let declared = (0..<count / 40).map { "a\($0) CDATA ''\n" }.joined()
            return HostileBytes.repeated(
                "<r/>",
                count,
                after: "<!DOCTYPE r [<!ATTLIST r \(declared)>]><r>",
                before: "</r>"
            )
        },
    ]

    /// Inputs that cost in proportion to their size.
    static let linear: [CostCase] =
        bodies + [
            CostCase("a media type of combining marks", maximum: 64 << 10) { count in
                Array("text/html; a=\" ".utf8) + HostileBytes.marks(count) + Array("\"".utf8)
            } work: { value, _ in
                let field = HeaderField(name: "Content-Type", value: String(decoding: value, as: UTF8.self))
                let response = ReceivedResponse(status: 200, headers: [field], body: [1])
                _ = ResponseExpectations(serializer: .json()).evaluate(response)
            },
            CostCase("a header field's name of combining marks", maximum: 64 << 10, make: HostileBytes.marks) {
                name,
                _ in
                let field = HeaderField(name: String(decoding: name, as: UTF8.self), value: "")
                _ = field.isSecret || field.isNamed("location")
            },
            CostCase("evidence of combining marks", maximum: 64 << 10, make: HostileBytes.marks) { bytes, _ in
                let text = String(decoding: bytes, as: UTF8.self)
                for _ in 0..<64 { _ = Finding(.httpBody, subject: text, evidence: Snippet.quoted(text) + text) }
            },
            CostCase("redirects of combining marks", maximum: HTTPURL.maximumLength) { count in
                Array("/".utf8) + HostileBytes.marks(count)
            } work: { bytes, _ in
                let base = try? HTTPURL(parsing: "http://host.test/a")
                for _ in 0..<32 { _ = try? base?.resolving(reference: String(decoding: bytes, as: UTF8.self)) }
            },
            CostCase("an image of nothing but padding") {
                [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0xFF, count: $0)
            } work: {
                _ = try? ImageHeader(parsing: $0)
                _ = $1.allows($0.count)
            },
            CostCase("DNS records with long names that share their labels", maximum: 0xFFFF, make: dnsMessage) {
                bytes,
                _ in
                guard let message = try? DNSMessage.decode(bytes), let name = message.answers.last?.name,
                    let server = WireEndpoint("127.0.0.1", port: 53)
                else { return }
                let reply = reply(message, from: server)
                _ = reply.finding(for: DNSMessage.Question(name: name, type: .mx))
                _ = reply.text
            },
            CostCase("gzip members of one byte") { count in
                let member = Gzip.stored([0x61])
                return Array((0..<count / member.count).map { _ in member }.joined())
            } work: { bytes, _ in
                let inflater = try? Inflater(.gzip)
                _ = try? inflater?.inflate(bytes) { _ in true }
            },
        ]

    /// Searches whose cost is not in proportion to the body: PCRE2 tries again at each of its places.
    static let bounded: [CostCase] = [
        body("a pattern that backtracks", expecting: ["matches:(a+)+$"]) { HostileBytes.repeated("a", $0) + [0x62] },
        body("a pattern that reads on to the end from each place", expecting: ["matches:[ab]*c"]) {
            HostileBytes.repeated("ab", $0)
        },
        body("a pattern over text that is not UTF-8", expecting: ["matches:(?:a.)+b"]) { count in
            Array((0..<count / 2).map { _ in [0x61, 0xFF] as [UInt8] }.joined())
        },
    ]

    /// A message of which each record's name has 255 bytes, a pointer behind each label, and is an alias of itself.
    private static func dnsMessage(_ count: Int) -> [UInt8] {
        let recordBytes = 14
        func two(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
        func pointer(_ offset: Int) -> [UInt8] { two(0xC000 | offset) }
        // The question is the root. The first record has the labels in its data; it is of a type that is not decoded.
        let start = 12 + 5 + 11
        var chain: [UInt8] = [1, 0x61, 0]
        var last = start
        for _ in 0..<125 {
            let next = start + chain.count
            chain += [1, 0x61] + pointer(last)
            last = next
        }
        let records = max(1, (count - start - chain.count) / recordBytes)
        var bytes: [UInt8] = [0, 1, 0x81, 0x80, 0, 1] + two(records + 1) + [0, 0, 0, 0]
        bytes += [0, 0, 1, 0, 1]
        bytes += [0, 0xFF, 0, 0, 1, 0, 0, 0, 0] + two(chain.count) + chain
        for _ in 0..<records {
            bytes += pointer(last) + [0, 5, 0, 1, 0, 0, 0, 0, 0, 2]
            bytes += pointer(last)
        }
        return bytes
    }

    private static func reply(_ message: DNSMessage, from server: WireEndpoint) -> DNSReply {
        DNSReply(message: message, server: server, localAddress: nil, transport: .tcp, size: 0, roundTrip: .zero)
    }
}

import Glibc
import Testing

@testable import Probes

/// Questions about routes, and the kernel's answers to them.
@Suite
struct RouteQuestionTests {
    private static func bytes(_ lines: String...) -> [UInt8] {
        lines.joined(separator: " ").split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    private static func native(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    /// A message with its header; the length is that of all of it, or another one.
    private static func message(_ type: UInt16, _ body: [UInt8], number: UInt32 = 1, length: Int? = nil) -> [UInt8] {
        native(UInt32(length ?? 16 + body.count)) + native(type) + native(UInt16(0)) + native(number)
            + native(UInt32(0))
            + body
    }

    /// A unicast route to 192.0.2.80/32 with the attribute RTA_DST, and others.
    private static func route(_ attributes: [UInt8], type: UInt8 = 1) -> [UInt8] {
        bytes("02 20 20 00 00 00 00") + [type] + native(UInt32(0x1000)) + attribute(1, [192, 0, 2, 80]) + attributes
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8], length: UInt16? = nil) -> [UInt8] {
        native(length ?? UInt16(4 + value.count)) + native(type) + value
            + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    @Test
    func `a packet that is sent has the interface as RTA_OIF and the far end as its destination`() {
        let question = RouteQuestion(.output, 7, from: [10, 0, 0, 2], to: [192, 0, 2, 80], by: .tcp, farPort: 443)
        let attributes =
            Self.attribute(1, [192, 0, 2, 80]) + Self.attribute(2, [10, 0, 0, 2])
            + Self.attribute(4, Self.native(UInt32(7))) + Self.attribute(27, [6]) + Self.attribute(29, [0x01, 0xbb])
        let route = Self.bytes("02 20 20 00 00 00 00 00") + Self.native(UInt32(0x1000))
        let header =
            Self.native(UInt32(16 + 12 + attributes.count)) + Self.native(UInt16(26)) + Self.native(UInt16(1))
            + Self.native(UInt32(3)) + Self.native(UInt32(0))
        #expect(question.message(number: 3) == header + route + attributes)
    }

    @Test
    func `a packet that is received has the interface as RTA_IIF, and an echo no port`() {
        let question = RouteQuestion(.input, 7, from: [192, 0, 2, 80], to: [10, 0, 0, 2], by: .icmp, farPort: 0)
        let attributes =
            Self.attribute(1, [10, 0, 0, 2]) + Self.attribute(2, [192, 0, 2, 80])
            + Self.attribute(3, Self.native(UInt32(7))) + Self.attribute(27, [1])
        #expect(question.message(number: 0).dropFirst(28).elementsEqual(attributes))
    }

    @Test(
        arguments: [
            (message(24, route(attribute(15, native(UInt32(254))))), .route(type: 1, table: 254)),
            (message(24, route(attribute(15, native(UInt32(0))))), .route(type: 1, table: 0)),
            (message(24, route(attribute(15, native(UInt32(255))), type: 2)), .route(type: 2, table: 255)),
            (message(2, native(-EXDEV)), .refused(EXDEV)),
            // An acknowledgement, an impossible error, another type.
            (message(2, native(CInt(0))), nil), (message(2, native(CInt.min)), nil),
            (message(16, route(attribute(15, native(UInt32(254))))), nil),
            // No table, an incomplete one, and attributes that claim too little or too much.
            (message(24, route([])), nil), (message(24, route(attribute(15, [254, 0]))), nil),
            (message(24, route(attribute(8, [], length: 0) + attribute(15, native(UInt32(254))))), nil),
            (message(24, route(attribute(15, native(UInt32(254)), length: 200))), nil),
            // A length beyond the bytes, and one that cuts the table off.
            (message(2, native(-EXDEV), length: 400), nil),
            (message(24, route(attribute(15, native(UInt32(254)))), length: 40), nil),
        ] as [([UInt8], RouteAnswer?)]
    )
    func `an answer is a route with its table, or an error`(bytes: [UInt8], expected: RouteAnswer?) {
        let parsed = RouteAnswer.parse(bytes[...])
        #expect(parsed?.answer == expected)
        #expect(parsed.map { $0.number == 1 } ?? true)
    }

    @Test
    func `no part of an answer, nor one with a changed byte, ends the program`() {
        let whole = Self.message(24, Self.route(Self.attribute(15, Self.native(UInt32(254)))))
        for count in whole.indices {
            #expect(RouteAnswer.parse(whole.prefix(count)) == nil, "\(count) bytes")
            for value in [0, 1, 3, 0x7f, 0xff] as [UInt8] {
                var changed = whole
                changed[count] = value
                _ = RouteAnswer.parse(changed[...])
            }
        }
    }

    @Test
    func `the kernel answers several questions at once, in order`() {
        let own: [UInt8] = [127, 0, 0, 1]
        let questions = [
            RouteQuestion(.output, if_nametoindex("lo"), from: own, to: own, by: .udp, farPort: 9),
            RouteQuestion(.output, 0x7fff_ffff, from: own, to: own, by: .tcp, farPort: 9),
        ]
        let answers = RouteQuestion.answers(to: questions)
        // RTN_LOCAL; the kernel may keep the tables 'local' and 'main' as one.
        #expect(answers[0] == .route(type: 2, table: 255) || answers[0] == .route(type: 2, table: 254))
        #expect(answers[1] == .refused(ENODEV))
    }
}

import HTTPSerialization
import Testing

@Suite struct JSONNumberTests {
    @Test(arguments: [
        ("1", "1.0"), ("1", "10e-1"), ("100", "1e2"), ("0", "-0"), ("0", "0e999"), ("0.001", "1E-3"),
        ("-2.50", "-25e-1"),
        ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
    ])
    func `equal values are equal however they are written`(left: String, right: String) throws {
        let left = try #require(JSONNumber(left))
        let right = try #require(JSONNumber(right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(!(left < right) && !(right < left))
    }

    @Test(arguments: [
        ("9007199254740992", "9007199254740993"), ("-1", "0"), ("-2", "-1"), ("0.1", "0.11"), ("9", "10"),
        ("-10", "-9"),
        ("1e-400", "2e-400"), ("1e308", "1e309"), ("18446744073709551615", "18446744073709551616"),
        ("0", "1e-999999999"),
        ("-1e999999999", "-1"), ("0.09", "0.1"), ("1", "1.0000000000000000000000000001"),
    ])
    func `unlike values have an order, exact to the last digit`(smaller: String, larger: String) throws {
        let smaller = try #require(JSONNumber(smaller))
        let larger = try #require(JSONNumber(larger))
        #expect(smaller < larger)
        #expect(!(larger < smaller))
        #expect(smaller != larger)
    }

    @Test func `integers and floating-point numbers are given only when they fit`() {
        #expect(JSONNumber("-9223372036854775808")?.int64 == .min)
        #expect(JSONNumber("9223372036854775808")?.int64 == nil)
        #expect(JSONNumber("18446744073709551615")?.uint64 == .max)
        #expect(JSONNumber("18446744073709551616")?.uint64 == nil)
        #expect(JSONNumber("1.5")?.double == 1.5)
        #expect(JSONNumber("1.5")?.int64 == nil)
        #expect(JSONNumber("1e400")?.double == nil)
    }

    @Test(arguments: ["", "+1", "1 ", "0x1", "nan", "1e9999999999", "--1"])
    func `what is not a JSON number is refused`(text: String) {
        #expect(JSONNumber(text) == nil)
    }
}

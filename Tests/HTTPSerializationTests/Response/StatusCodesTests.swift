import HTTPSerialization
import Testing

@Suite struct StatusCodesTests {
    @Test(arguments: [
        ("200", "200"), ("200-299,304", "200-299,304"), ("304, 200 - 299", "200-299,304"), ("200,201,202", "200-202"),
        ("200-210,205-220", "200-220"), ("100-999", "100-999"), ("200-200", "200"),
        ("500-599,200-299", "200-299,500-599"),
    ])
    func `lists are read, sorted and merged`(text: String, expected: String) throws {
        #expect(try StatusCodes(parsing: text).description == expected)
    }

    @Test func `the ends of a range belong to it`() throws {
        let codes = try StatusCodes(parsing: "200-299,304")
        let members = (0...1000).filter { codes.contains($0) }
        #expect(members == Array(200...299) + [304])
    }

    @Test(arguments: [
        ("", "missing"), (",", "missing"), ("200,", "missing"), ("200-", "missing"), ("-200", "missing"),
        ("99", "'99' is not a code"), ("1000", "'1000' is not a code"), ("099", "'099' is not a code"),
        ("2xx", "'2xx' is not a code"), ("299-200", "299 is above 200"), ("200-250-299", "'250-299' is not a code"),
        ("+20", "'+20' is not a code"), ("٢٠٠", "is not a code"), ("2 0 0", "'2 0 0' is not a code"),
        ("99999999999999999999", "is not a code"),
    ])
    func `anything else is an error that names the part`(text: String, reason: String) {
        let error = #expect(throws: ExpectationError.self) { try StatusCodes(parsing: text) }
        #expect(error?.description.contains(reason) == true)
    }
}

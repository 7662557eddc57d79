import CheckResults
import Testing

@Suite
struct FindingCodeTests {
    @Test(arguments: FindingCode.allCases)
    func `every code is explained in two sentences`(code: FindingCode) {
        #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" })
        #expect(code.sentence.hasSuffix("."))
        #expect(code.remedy.hasSuffix(".") || code.remedy.hasSuffix("?"))
    }

    @Test(arguments: FindingCode.allCases)
    func `for a configured probe options are keys, except for those of commands`(code: FindingCode) {
        let parts = code.remedy.split(separator: "`", omittingEmptySubsequences: false)
        let configured = code.configuredRemedy.split(separator: "`", omittingEmptySubsequences: false)
        #expect(parts.count == configured.count)
        for (index, (part, other)) in zip(parts, configured).enumerated() {
            if index % 2 == 1 { #expect(part == other) } else { #expect(!other.contains(" --")) }
        }
    }

    @Test func `an option has the name of its key`() {
        #expect(FindingCode.httpStatus.configuredRemedy.contains("'expect_status'"))
        #expect(FindingCode.httpStatus.configuredRemedy.contains("'max_redirects'"))
        #expect(FindingCode.httpProtocol.configuredRemedy.contains("'http1_only'"))
    }
}

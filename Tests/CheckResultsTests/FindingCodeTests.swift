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

    @Test(arguments: [
        (FindingCode.throughputLow, "`reachagent measure --each`"), (.httpStatus, "'expect_status'"),
    ])
    func `for a configured probe options are keys, except for those of commands`(code: FindingCode, part: String) {
        #expect(code.configuredRemedy.contains(part), "\(code.configuredRemedy)")
    }
}

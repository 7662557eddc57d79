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
}

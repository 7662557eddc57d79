internal import CheckResults
internal import ForeignText
internal import FuzzKit

@testable import HTTPSerialization

/// The expectations of a configuration, and the body of a hostile server; a zero byte separates them in the input.
enum FuzzExpectations {
    static func run(_ input: [UInt8]) {
        let halves = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(decoding: halves.first ?? [], as: UTF8.self)
        let body = Array(halves.dropFirst().first ?? [])
        if let codes = try? StatusCodes(parsing: text) {
            require((try? StatusCodes(parsing: codes.description)) == codes, "\(codes) does not parse as itself")
        }
        var expectations: [BodyExpectation] = [.contains(text)]
        if let comparison = try? JSONExpectation(parsing: text) { expectations.append(.json(comparison)) }
        if let pattern = try? BodyPattern(parsing: text) { expectations.append(.matches(pattern)) }
        let serializers: [ResponseSerializer] = [.http, .json(removingNulls: true), .propertyList, .xml, .image]
        for serializer in serializers {
            let verdict = ResponseExpectations(
                acceptableContentTypes: nil,
                serializer: serializer,
                bodyExpectations: expectations
            ).evaluate(
                // As on an evaluation thread, the total time is limited.
                ReceivedResponse(
                    status: 200,
                    headers: [HeaderField(name: "Content-Type", value: text)],
                    body: body,
                    httpVersion: "1.1"
                ),
                within: WorkBudget(deadline: .now + .milliseconds(100), steps: .max)
            )
            for finding in verdict.findings {
                require(finding.evidence.utf8.count < 4096, "evidence without a bound")
            }
        }
    }
}

internal import ArgumentParser
internal import Configuration
internal import Probes

/// The expectations of a response.
struct ExpectationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect-status"),
        help: ArgumentHelp("The status codes to accept, such as 200-299,304 (default: 200-299).", valueName: "codes"),
        transform: Arguments.statusCodes
    )
    var statusCodes: StatusCodes?

    @Option(
        name: .customLong("expect-content-type"),
        help: ArgumentHelp("A media type to accept, without parameters (repeatable).", valueName: "type"),
        transform: Arguments.mediaType
    )
    var contentTypes: [String] = []

    @Option(
        name: .customLong("expect-format"),
        help: ArgumentHelp(
            "The format that the body must have; also sets the media types of that format.",
            valueName: "format"
        )
    )
    var format: BodyFormat?

    @Option(
        name: .customLong("expect-body-contains"),
        help: ArgumentHelp("A text that the body must contain (repeatable).", valueName: "text")
    )
    var texts: [String] = []

    @Option(
        name: .customLong("expect-body-matches"),
        help: ArgumentHelp(
            "A regular expression (PCRE2) that must match in the body (repeatable).",
            valueName: "regex"
        ),
        transform: Arguments.bodyMatches
    )
    var patterns: [BodyExpectation] = []

    @Option(
        name: .customLong("expect-json"),
        help: ArgumentHelp(
            "A member of the JSON body and its value, such as 'status.code=0'; also !=, <, <=, > and >= (repeatable).",
            valueName: "path=value"
        ),
        transform: Arguments.jsonExpectation
    )
    var members: [BodyExpectation] = []

    @Option(help: ArgumentHelp("The maximum size of the body, in bytes.", valueName: "count"))
    var maxBodyBytes = Self.defaultMaxBodyBytes

    private static let defaultMaxBodyBytes = 1_048_576

    /// The names of the options that were given.
    var given: [String] {
        let options = [
            ("--expect-status", statusCodes != nil), ("--expect-content-type", !contentTypes.isEmpty),
            ("--expect-format", format != nil), ("--expect-body-contains", !texts.isEmpty),
            ("--expect-body-matches", !patterns.isEmpty), ("--expect-json", !members.isEmpty),
            ("--max-body-bytes", maxBodyBytes != Self.defaultMaxBodyBytes),
        ]
        return options.filter(\.1).map(\.0)
    }

    func validate() throws {
        guard (0...1_073_741_824).contains(maxBodyBytes) else {
            throw ValidationError("'--max-body-bytes' takes 0 to 1073741824")
        }
    }

    /// The expectations as the library takes them.
    func responseExpectations() -> ResponseExpectations {
        let body = texts.map { BodyExpectation.contains($0) } + patterns + members
        // A comparison of members reads JSON whatever the media type says; the media type is asked for by --expect-format.
        let serializer = format?.serializer ?? .http
        let types = contentTypes.isEmpty ? serializer.contentTypes : Set(contentTypes)
        return ResponseExpectations(
            acceptableStatusCodes: statusCodes ?? .success,
            acceptableContentTypes: types,
            serializer: serializer,
            bodyExpectations: body
        )
    }

    /// The limits of a response.
    func limits() -> ProbeLimits {
        ProbeLimits(bodyBytes: maxBodyBytes, inflatedBodyBytes: maxBodyBytes)
    }
}

extension BodyFormat: ExpressibleByArgument {}

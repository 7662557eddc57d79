internal import ArgumentParser
internal import Probes

/// What a response must be like.
struct ExpectationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect-status"),
        help: ArgumentHelp("The status codes to accept; 200-299 unless given.", valueName: "200-299,304"),
        transform: Arguments.statusCodes
    )
    var statusCodes: StatusCodes?

    @Option(
        name: .customLong("expect-content-type"),
        help: ArgumentHelp("A media type to accept, without parameters.", valueName: "TYPE")
    )
    var contentTypes: [String] = []

    @Option(
        name: .customLong("expect-format"),
        help: "What the body must be readable as; also sets the media types of that format."
    )
    var format: BodyFormat?

    @Option(
        name: .customLong("expect-body-contains"),
        help: ArgumentHelp("A text that the body must contain.", valueName: "TEXT")
    )
    var texts: [String] = []

    @Option(
        name: .customLong("expect-body-matches"),
        help: ArgumentHelp("A regular expression (PCRE2) that must match in the body.", valueName: "REGEX"),
        transform: Arguments.bodyMatches
    )
    var patterns: [BodyExpectation] = []

    @Option(
        name: .customLong("expect-json"),
        help: ArgumentHelp(
            "A member of the JSON body and its value, such as 'status.code=0'; also !=, <, <=, >, >=.",
            valueName: "PATH=VALUE"
        ),
        transform: Arguments.jsonExpectation
    )
    var members: [BodyExpectation] = []

    @Option(help: ArgumentHelp("How large the body may be.", valueName: "N"))
    var maxBodyBytes = 1_048_576

    func validate() throws {
        guard (0...1_073_741_824).contains(maxBodyBytes) else {
            throw ValidationError("--max-body-bytes takes 0 to 1073741824")
        }
    }

    /// The expectations as the library takes them.
    func responseExpectations() -> ResponseExpectations {
        let body = texts.map { BodyExpectation.contains($0) } + patterns + members
        // A comparison of members reads JSON whatever the media type says; the media type is asked for by --expect-format.
        let serializer = format?.serializer ?? .http
        let types = contentTypes.isEmpty ? serializer.contentTypes : Set(contentTypes.map { $0.lowercased() })
        return ResponseExpectations(
            acceptableStatusCodes: statusCodes ?? .success,
            acceptableContentTypes: types,
            serializer: serializer,
            bodyExpectations: body
        )
    }

    /// How much of a response is read.
    func limits() -> ProbeLimits {
        ProbeLimits(bodyBytes: maxBodyBytes, inflatedBodyBytes: maxBodyBytes)
    }

    /// The formats that a body can be asked to have.
    enum BodyFormat: String, ExpressibleByArgument, CaseIterable {
        case json, xml, image
        case propertyList = "property-list"

        var serializer: ResponseSerializer {
            switch self {
            case .json: .json()
            case .xml: .xml
            case .image: .image
            case .propertyList: .propertyList
            }
        }
    }
}

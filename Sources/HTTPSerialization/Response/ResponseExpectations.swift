/// The expectations of a response, all of which a successful check meets.
///
/// The rules are those of AFNetworking's `AFURLResponseSerialization`, plus expectations of the body. A value is
/// immutable configuration: it may be shared by any number of checks.
public struct ResponseExpectations: Sendable, Hashable {
    /// The accepted status codes.
    public var acceptableStatusCodes: StatusCodes
    /// The accepted media types without parameters, ignoring case; nil accepts any.
    public var acceptableContentTypes: Set<String>?
    /// The serializer that decodes the body.
    public var serializer: ResponseSerializer
    /// The expectations of the body, in the order of their evaluation.
    public var bodyExpectations: [BodyExpectation]

    /// Creates expectations that accept the content types of the serializer.
    public init(
        acceptableStatusCodes: StatusCodes = .success,
        serializer: ResponseSerializer = .http,
        bodyExpectations: [BodyExpectation] = []
    ) {
        self.init(
            acceptableStatusCodes: acceptableStatusCodes,
            acceptableContentTypes: serializer.contentTypes,
            serializer: serializer,
            bodyExpectations: bodyExpectations
        )
    }

    /// Creates expectations with other content types; nil accepts any.
    public init(
        acceptableStatusCodes: StatusCodes = .success,
        acceptableContentTypes: Set<String>?,
        serializer: ResponseSerializer = .http,
        bodyExpectations: [BodyExpectation] = []
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
        self.serializer = serializer
        self.bodyExpectations = bodyExpectations
    }
}

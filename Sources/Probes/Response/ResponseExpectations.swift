/// What a response must be for a check to succeed.
///
/// The rules are those of AFNetworking's `AFURLResponseSerialization`, with expectations of the body besides. A value is
/// immutable configuration: it may be shared by any number of checks.
public struct ResponseExpectations: Sendable, Hashable {
    /// The status codes that are accepted.
    public var acceptableStatusCodes: StatusCodes
    /// The media types without parameters that are accepted, compared without case; nil accepts anything.
    public var acceptableContentTypes: Set<String>?
    /// What the body is decoded as.
    public var serializer: ResponseSerializer
    /// What the body must hold, in the order in which it is looked at.
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

    /// Creates expectations with content types of their own; nil accepts anything.
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

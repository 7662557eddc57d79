internal import ForeignText

/// The reason a request cannot be built or its body cannot be read.
public enum RequestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The category of an error; the raw values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A URL or a file is not usable: `NSURLErrorBadURL` in AFNetworking.
        case badURL = "bad_url"
        /// Parameters cannot be represented in the body's format: `NSURLErrorCannotDecodeContentData` in AFNetworking.
        case cannotDecodeContentData = "cannot_decode_content_data"
        /// A method or a header field must not be sent.
        case badHeader = "bad_header"
        /// Credentials are not usable.
        case badCredentials = "bad_credentials"
        /// Parts of the request contradict each other.
        case contradiction = "contradiction"
        /// A file changed while it was sent.
        case fileChanged = "file_changed"
    }

    /// The URL is not usable, alone or with the query.
    case url(HTTPURLError)
    /// The method is not a token (RFC 9110, section 9.1), or it is CONNECT.
    case invalidMethod(String)
    /// The name of a field is not a token (RFC 9110, section 5.6.2).
    case invalidFieldName(String)
    /// The value of the named field contains a control character, or one that is not allowed there.
    case invalidFieldValue(name: String)
    /// The named field is computed, or belongs to the connection; it cannot be set.
    case computedField(name: String)
    /// The header has more fields or bytes than ``HeaderFields`` allows.
    case headerTooLarge
    /// Credentials cannot be sent by Basic authentication; the reason never shows them.
    case invalidCredentials(reason: String)
    /// The parameters of a query or a form are not a dictionary.
    case parametersWithoutNames
    /// A parameter in textual form is invalid; the reason never shows its value.
    case parameter(name: String, reason: String)
    /// Parameters are nested more deeply than ``ParameterValue/maximumDepth``.
    case parametersTooDeep
    /// UTF-16 text has an unpaired surrogate at this code unit.
    case invalidText(offset: Int)
    /// Parameters cannot be represented as JSON; `field` is the place, empty for the whole.
    case notJSON(field: String, reason: String)
    /// Parameters cannot be represented as a property list; `field` is the place, empty for the whole.
    case notPropertyList(field: String, reason: String)
    /// An error of the caller's query serializer.
    case querySerializer(String)
    /// The request has both a body and parameters for the body.
    case bodyAndParameters
    /// A multipart form cannot be sent with this method.
    case multipartMethod(String)
    /// The body's length overflows.
    case bodyTooLong
    /// A file is not usable; the second value is the reason.
    case file(path: String, reason: String)
    /// A file cannot be read for lack of descriptors or memory, and may be fine; the second value is the reason.
    case shortage(path: String, reason: String)
    /// A file no longer has its announced length.
    case fileChanged(path: String, announced: Int)

    /// The error, as a clause without a full stop.
    public var description: String {
        switch self {
        case .url(let error): error.description
        case .invalidMethod(let method): "'\(ForeignText.shown(method))' is not a method that a check can send"
        case .invalidFieldName(let name): "'\(ForeignText.shown(name))' is not the name of a header field"
        case .invalidFieldValue(let name): "the value of the header field '\(ForeignText.shown(name))' is not allowed"
        case .computedField(let name): "the header field '\(ForeignText.shown(name))' is computed and cannot be given"
        case .headerTooLarge:
            "the header has more than \(HeaderFields.maximumCount) fields or \(HeaderFields.maximumBytes) bytes"
        case .invalidCredentials(let reason): "the credentials cannot be sent: \(reason)"
        case .parametersWithoutNames: "the parameters have no names: a query or a form needs a dictionary"
        case .parameter(let name, let reason): "the parameter '\(ForeignText.shown(name))' \(reason)"
        case .parametersTooDeep: "the parameters are nested more than \(ParameterValue.maximumDepth) levels deep"
        case .invalidText(let offset): "the text is not valid UTF-16 at code unit \(offset)"
        case .notJSON(let field, let reason): Self.sentence("valid JSON", field, reason)
        case .notPropertyList(let field, let reason): Self.sentence("a property list", field, reason)
        case .querySerializer(let reason): "the query cannot be written: \(ForeignText.shown(reason))"
        case .bodyAndParameters: "a body and parameters for the body cannot be given both"
        case .multipartMethod(let method): "a form of several parts cannot be sent with \(ForeignText.shown(method))"
        case .bodyTooLong: "the body is too long"
        case .file(let path, let reason), .shortage(let path, let reason):
            "\(ForeignText.shown(path, limit: 1024)) \(reason)"
        case .fileChanged(let path, let announced):
            "\(ForeignText.shown(path, limit: 1024)) changed while it was sent: it does not have \(announced) bytes any more"
        }
    }

    /// The category of the error.
    public var code: Code {
        switch self {
        case .url, .file, .shortage: .badURL
        case .invalidText, .notJSON, .notPropertyList, .parameter, .parametersWithoutNames, .parametersTooDeep,
            .querySerializer:
            .cannotDecodeContentData
        case .invalidMethod, .invalidFieldName, .invalidFieldValue, .computedField, .headerTooLarge: .badHeader
        case .invalidCredentials: .badCredentials
        case .bodyAndParameters, .multipartMethod, .bodyTooLong: .contradiction
        case .fileChanged: .fileChanged
        }
    }

    private static func sentence(_ format: String, _ field: String, _ reason: String) -> String {
        field.isEmpty
            ? "the parameters are not \(format): \(reason)"
            : "the parameters are not \(format): '\(ForeignText.shown(field))' \(reason)"
    }
}

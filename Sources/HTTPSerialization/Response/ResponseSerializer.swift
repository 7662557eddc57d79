internal import ForeignText

/// The format of a response's body.
public indirect enum ResponseSerializer: Sendable, Hashable {
    /// Bytes that are not decoded, of any content type.
    case http
    /// JSON (RFC 8259); `removingNulls` leaves out null members and elements, at any depth.
    case json(removingNulls: Bool = false)
    /// A property list, in XML or binary format.
    case propertyList
    /// Well-formed XML.
    case xml
    /// An image, of which only the header is parsed.
    case image
    /// Each of these in turn, each with its own content types; the first that decodes the body wins.
    ///
    /// AFNetworking falls back to the undecoded bytes when none does. Here that is a refusal, unless ``http`` is the
    /// last of them.
    case compound([ResponseSerializer])

    /// The media types that the serializer accepts by default; nil accepts any.
    public var contentTypes: Set<String>? {
        switch self {
        case .http: nil
        case .json: ["application/json", "text/json", "text/javascript"]
        case .propertyList: ["application/x-plist"]
        case .xml: ["application/xml", "text/xml"]
        case .image:
            [
                "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
                "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/webp",
            ]
        case .compound(let members): Self.union(of: members)
        }
    }

    private static func union(of members: [ResponseSerializer]) -> Set<String>? {
        var union: Set<String> = []
        for member in members {
            guard let types = member.contentTypes else { return nil }
            union.formUnion(types)
        }
        return union
    }
}

/// A decoded body.
public enum SerializedObject: Sendable, Hashable {
    /// The undecoded bytes.
    case data([UInt8])
    /// A JSON value.
    case json(JSONValue)
    /// A property list.
    case propertyList(PropertyListValue)
    /// The facts about a well-formed XML document.
    case xml(XMLSummary)
    /// The facts in an image's header.
    case image(ImageHeader)
}

/// The reason a body cannot be decoded in the expected format.
struct UndecodableBody: Error, Sendable, Hashable {
    /// The expected format: `JSON`.
    let format: String
    /// The place and the reason, as a clause.
    let reason: String
}

extension ResponseSerializer {
    /// Decodes a body; nil for an empty one, which is not an error.
    ///
    /// The members of a compound are tried in turn, if they accept the content type.
    func decode(
        _ body: [UInt8],
        contentType: ContentType,
        json: inout JSONBody,
        budget: WorkBudget
    ) throws(UndecodableBody) -> SerializedObject? {
        switch self {
        case .http: return .data(body)
        case .compound(let members):
            return try Self.decode(body, contentType: contentType, asOneOf: members, json: &json, budget: budget)
        case .json(let removingNulls):
            // Some frameworks send a single space for an empty body.
            if body.isEmpty || body == [0x20] { return nil }
            do throws(JSONError) {
                return .json(try json.value(removingNulls: removingNulls))
            } catch {
                throw UndecodableBody(format: "JSON", reason: error.description)
            }
        case .propertyList:
            if body.isEmpty { return nil }
            do throws(PropertyListError) {
                return .propertyList(try PropertyListValue(parsing: body, budget: budget))
            } catch {
                throw UndecodableBody(format: "a property list", reason: error.description)
            }
        case .xml:
            if body.isEmpty { return nil }
            do throws(XMLError) {
                return .xml(try XMLSummary(parsing: body, budget: budget))
            } catch {
                throw UndecodableBody(format: "XML", reason: error.description)
            }
        case .image:
            if body.isEmpty { return nil }
            do throws(ImageError) {
                return .image(try ImageHeader(parsing: body))
            } catch {
                throw UndecodableBody(format: "an image", reason: error.description)
            }
        }
    }

    private static func decode(
        _ body: [UInt8],
        contentType: ContentType,
        asOneOf members: [ResponseSerializer],
        json: inout JSONBody,
        budget: WorkBudget
    ) throws(UndecodableBody) -> SerializedObject? {
        var failures: [UndecodableBody] = []
        var isTried = false
        for member in members where contentType.objection(accepting: member.contentTypes, body: body) == nil {
            isTried = true
            do throws(UndecodableBody) {
                if let object = try member.decode(body, contentType: contentType, json: &json, budget: budget) {
                    return object
                }
            } catch {
                failures.append(error)
            }
        }
        guard let first = failures.first else {
            if isTried || body.isEmpty { return nil }
            throw UndecodableBody(format: "any of the formats", reason: "none of them has the type \(contentType)")
        }
        if failures.count == 1 { throw first }
        let reasons = failures.map { "as \($0.format): \($0.reason)" }
        throw UndecodableBody(format: "any of the formats", reason: reasons.joined(separator: "; "))
    }
}

/// The JSON of a body, for the serializer and the expectations: it is parsed once, or twice if the serializer removes
/// nulls, and its values count once.
struct JSONBody {
    private let bytes: [UInt8]
    private let budget: WorkBudget
    private var isCounted = false
    /// The result with nulls.
    private var known: Result<JSONValue, JSONError>?

    init(_ bytes: [UInt8], _ budget: WorkBudget) { (self.bytes, self.budget) = (bytes, budget) }

    mutating func value(removingNulls: Bool = false) throws(JSONError) -> JSONValue {
        if !removingNulls, let known { return try known.get() }
        let countsValues = !isCounted
        isCounted = true
        let result = Result { () throws(JSONError) in
            try JSONParser.parse(bytes, removesNulls: removingNulls, budget: budget, countsValues: countsValues)
        }
        if !removingNulls { known = result }
        return try result.get()
    }
}

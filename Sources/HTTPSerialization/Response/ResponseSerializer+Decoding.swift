internal import ForeignText

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
        budget: WorkBudget
    ) throws(UndecodableBody) -> SerializedObject? {
        switch self {
        case .http: return .data(body)
        case .compound(let members):
            return try Self.decode(body, contentType: contentType, asOneOf: members, budget: budget)
        case .json(let removingNulls):
            // Some frameworks send a single space for an empty body.
            if body.isEmpty || body == [0x20] { return nil }
            do throws(JSONError) {
                return .json(try JSONParser.parse(body, removesNulls: removingNulls, budget: budget))
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
        budget: WorkBudget
    ) throws(UndecodableBody) -> SerializedObject? {
        var failures: [UndecodableBody] = []
        var isTried = false
        for member in members where contentType.objection(accepting: member.contentTypes, body: body) == nil {
            isTried = true
            do throws(UndecodableBody) {
                if let object = try member.decode(body, contentType: contentType, budget: budget) { return object }
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

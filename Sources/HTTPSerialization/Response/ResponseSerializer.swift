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

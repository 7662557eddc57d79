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

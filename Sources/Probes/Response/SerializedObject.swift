/// What a serializer made of a body.
public enum SerializedObject: Sendable, Hashable {
    /// The bytes as they came.
    case data([UInt8])
    /// A JSON value.
    case json(JSONValue)
    /// A property list.
    case propertyList(PropertyListValue)
    /// What is known of a well-formed XML document.
    case xml(XMLSummary)
    /// What an image's header says.
    case image(ImageHeader)
}

/// What is known of a well-formed XML document.
public struct XMLSummary: Sendable, Hashable {
    /// The local name of the root element.
    public let rootElement: String
    /// How many elements there are.
    public let elementCount: Int

    /// Reads a document to its end.
    ///
    /// - Throws: ``XMLError`` when it is not well-formed, declares an entity, or is nested too deep.
    package init(parsing bytes: [UInt8]) throws(XMLError) {
        let counter = Counter()
        try XMLReader.read(bytes, events: counter)
        rootElement = counter.rootElement
        elementCount = counter.count
    }

    private final class Counter: XMLEvents {
        var rootElement = ""
        var count = 0

        func begin(_ name: String) {
            if count == 0 { rootElement = name }
            count += 1
        }

        func text(_ bytes: UnsafeBufferPointer<UInt8>) {}

        func end(_ name: String) {}
    }
}

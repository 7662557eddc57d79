public import ForeignText

/// The facts about a well-formed XML document.
public struct XMLSummary: Sendable, Hashable {
    /// The local name of the root element.
    public let rootElement: ForeignText
    /// The number of elements.
    public let elementCount: Int

    /// Parses a document.
    ///
    /// - Throws: ``XMLError`` when it is not well-formed, declares an entity, or is nested too deeply.
    package init(parsing bytes: [UInt8], budget: WorkBudget? = nil) throws(XMLError) {
        let counter = Counter()
        try XMLReader.read(bytes, events: counter, budget: budget)
        rootElement = counter.rootElement
        elementCount = counter.count
    }

    private final class Counter: XMLEvents {
        var rootElement: ForeignText = ""
        var count = 0

        func begin(_ name: UnsafeBufferPointer<UInt8>) {
            if count == 0 { rootElement = ForeignText(name) }
            count += 1
        }

        func text(_ bytes: UnsafeBufferPointer<UInt8>) {}

        func end() {}
    }
}

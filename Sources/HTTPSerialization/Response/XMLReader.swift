internal import CLibExpat
public import ForeignText
internal import Glibc

/// Receives the parts of an XML document as they are parsed.
protocol XMLEvents: AnyObject {
    /// Called at the start of an element, with its local name.
    func begin(_ name: UnsafeBufferPointer<UInt8>) throws(XMLError)
    /// Called with text of the open element, possibly only a part of it.
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Called at the end of the open element.
    func end() throws(XMLError)
}

/// The reason bytes are not the expected XML, and the place.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, as a clause.
    let reason: String
    /// The line, from 1; nil when unknown.
    let line: Int?

    init(_ reason: String, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }

    package var description: String { line.map { "\(reason) on line \($0)" } ?? reason }
}

/// Parses XML with Expat, which reports events and builds no tree.
///
/// FoundationXML would bring libxml2 and ICU into the agent, and its parser expands entities. Here a document that
/// declares an entity is rejected at the declaration, so that none is ever expanded; nothing is loaded from files or
/// the network, because no handler exists for it. Namespaces are not resolved, because Expat would copy a namespace's
/// whole URI for each attribute; and attributes with default values are bounded, because it adds all of them to each
/// element.
final class XMLReader {
    /// The maximum nesting depth of elements.
    static let maximumDepth = 256

    /// The maximum number of attribute declarations of a document.
    static let maximumDeclarations = 64

    private let events: any XMLEvents
    private let parser: XML_Parser
    private let budget: WorkBudget?
    private var depth = 0
    private var declarations = 0
    private var failure: XMLError?

    private init(_ parser: XML_Parser, events: any XMLEvents, budget: WorkBudget?) {
        self.parser = parser
        self.events = events
        self.budget = budget
    }

    /// Parses a document up to its end or the first error.
    static func read(_ bytes: [UInt8], events: any XMLEvents, budget: WorkBudget? = nil) throws(XMLError) {
        guard let count = CInt(exactly: bytes.count), count > 0 else { throw XMLError("there is no document") }
        guard let parser = XML_ParserCreate(nil) else { throw XMLError("there is no memory for a parser") }
        defer { XML_ParserFree(parser) }
        let reader = XMLReader(parser, events: events, budget: budget)
        guard reader.pays(bytes.count) else { throw XMLError("the budget of the check ends") }
        withExtendedLifetime(reader) { reader.run(bytes, count) }
        if let failure = reader.failure { throw failure }
    }

    private func run(_ bytes: [UInt8], _ count: CInt) {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { reader, name, _ in XMLReader.at(reader)?.begin(name) },
            { reader, _ in XMLReader.at(reader)?.end() }
        )
        XML_SetCharacterDataHandler(parser) { reader, text, count in XMLReader.at(reader)?.text(text, count) }
        XML_SetEntityDeclHandler(parser) { reader, _, _, _, _, _, _, _, _ in XMLReader.at(reader)?.refuseEntity() }
        XML_SetAttlistDeclHandler(parser) { reader, _, _, _, _, _ in XMLReader.at(reader)?.declareAttribute() }
        let status = bytes.withUnsafeBytes { bytes in
            XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
        }
        guard status != XML_STATUS_OK, failure == nil else { return }
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        failure = XMLError(reason ?? "the document is not well-formed", line: line)
    }

    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private static func at(_ reader: UnsafeMutableRawPointer?) -> XMLReader? {
        reader.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    // Expat delivers some more events after it was stopped.

    private func begin(_ name: UnsafePointer<XML_Char>?) {
        guard failure == nil, let name = Self.localPart(of: name), pays(name.count + declarations) else { return }
        depth += 1
        guard depth <= Self.maximumDepth else {
            stop(with: XMLError("elements are nested more than \(Self.maximumDepth) deep"))
            return
        }
        do throws(XMLError) { try events.begin(name) } catch { stop(with: error) }
    }

    private func end() {
        guard failure == nil, pays(1) else { return }
        depth -= 1
        do throws(XMLError) { try events.end() } catch { stop(with: error) }
    }

    private func text(_ text: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard failure == nil, let text, count > 0, pays(Int(count)) else { return }
        text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { text in
            events.text(UnsafeBufferPointer(start: text, count: Int(count)))
        }
    }

    private func declareAttribute() {
        declarations += 1
        if declarations > Self.maximumDeclarations {
            stop(with: XMLError("the document declares more than \(Self.maximumDeclarations) attributes"))
        }
    }

    private func pays(_ steps: Int) -> Bool {
        guard let budget, !budget.allows(steps) else { return true }
        stop(with: XMLError("the budget of the check ends"))
        return false
    }

    private func refuseEntity() { stop(with: XMLError("the document declares an entity, which is not allowed")) }

    private func stop(with error: XMLError) {
        guard failure == nil else { return }
        failure = XMLError(error.reason, line: line)
        XML_StopParser(parser, 0)
    }

    /// Returns a name without its prefix.
    private static func localPart(of name: UnsafePointer<XML_Char>?) -> UnsafeBufferPointer<UInt8>? {
        guard let name else { return nil }
        let count = strlen(name)
        let bytes = UnsafeRawBufferPointer(start: name, count: count).assumingMemoryBound(to: UInt8.self)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return bytes }
        return UnsafeBufferPointer(rebasing: bytes[(colon + 1)...])
    }
}

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

internal import CLibExpat

/// What wants to know of an XML document's parts while it is read.
protocol XMLEvents: AnyObject {
    /// An element begins; the name is the local one.
    func begin(_ name: String) throws(XMLError)
    /// Text of the element that is open, possibly only a part of it.
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    /// The element that is open ends.
    func end(_ name: String) throws(XMLError)
}

/// Why bytes are not the XML that is wanted, and where.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a clause.
    let reason: String
    /// The line, from 1; nil when it is not known.
    let line: Int?

    init(_ reason: String, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }

    package var description: String { line.map { "\(reason) on line \($0)" } ?? reason }
}

/// Reads XML with Expat, which tells what it finds, and builds no tree.
///
/// FoundationXML would bring libxml2 and ICU into the agent, and its parser expands entities. Here a document that
/// declares an entity is refused at the declaration, so that none is ever expanded; nothing is loaded from files or the
/// network, because there is no handler that would.
final class XMLReader {
    /// How deep elements may be nested.
    static let maximumDepth = 256

    /// What Expat puts between a name's namespace and its local part; no namespace can hold it.
    private static let separator: CChar = 0x0A

    private let events: any XMLEvents
    private let parser: XML_Parser
    private var depth = 0
    private var failure: XMLError?

    private init(_ parser: XML_Parser, events: any XMLEvents) {
        self.parser = parser
        self.events = events
    }

    /// Reads a document to its end, or to the first thing that is wrong with it.
    static func read(_ bytes: [UInt8], events: any XMLEvents) throws(XMLError) {
        guard let count = CInt(exactly: bytes.count), count > 0 else { throw XMLError("there is no document") }
        guard let parser = XML_ParserCreateNS(nil, separator) else { throw XMLError("there is no memory for a parser") }
        defer { XML_ParserFree(parser) }
        let reader = XMLReader(parser, events: events)
        withExtendedLifetime(reader) { reader.run(bytes, count) }
        if let failure = reader.failure { throw failure }
    }

    private func run(_ bytes: [UInt8], _ count: CInt) {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { reader, name, _ in XMLReader.at(reader)?.begin(name) },
            { reader, name in XMLReader.at(reader)?.end(name) }
        )
        XML_SetCharacterDataHandler(parser) { reader, text, count in XMLReader.at(reader)?.text(text, count) }
        XML_SetEntityDeclHandler(parser) { reader, _, _, _, _, _, _, _, _ in XMLReader.at(reader)?.refuseEntity() }
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

    // Expat goes on with some events after it was told to stop.

    private func begin(_ name: UnsafePointer<XML_Char>?) {
        guard failure == nil else { return }
        depth += 1
        guard depth <= Self.maximumDepth else {
            stop(with: XMLError("elements are nested more than \(Self.maximumDepth) deep"))
            return
        }
        do throws(XMLError) { try events.begin(Self.localPart(of: name)) } catch { stop(with: error) }
    }

    private func end(_ name: UnsafePointer<XML_Char>?) {
        guard failure == nil else { return }
        depth -= 1
        do throws(XMLError) { try events.end(Self.localPart(of: name)) } catch { stop(with: error) }
    }

    private func text(_ text: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard failure == nil, let text, count > 0 else { return }
        text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { text in
            events.text(UnsafeBufferPointer(start: text, count: Int(count)))
        }
    }

    private func refuseEntity() { stop(with: XMLError("the document declares an entity, which is not allowed")) }

    private func stop(with error: XMLError) {
        guard failure == nil else { return }
        failure = XMLError(error.reason, line: line)
        XML_StopParser(parser, 0)
    }

    private static func localPart(of name: UnsafePointer<XML_Char>?) -> String {
        guard let name else { return "" }
        let text = String(cString: name)
        return text.split(separator: "\n").last.map(String.init) ?? text
    }
}

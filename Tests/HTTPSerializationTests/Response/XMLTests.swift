import ForeignText
import HTTPSerialization
import Testing

@Suite struct XMLTests {
    private func parse(_ text: String) throws(XMLError) -> XMLSummary { try XMLSummary(parsing: Array(text.utf8)) }

    @Test(arguments: [
        ("<a/>", "a", 1), ("<?xml version=\"1.0\"?>\n<r><b x='1'/><b>t</b></r>", "r", 3),
        ("<n:r xmlns:n='urn:x'><![CDATA[<no>]]></n:r>", "r", 1), ("<a>&lt;&amp;&#65;</a>", "a", 1),
        ("<!DOCTYPE html PUBLIC 'x' 'file:///etc/passwd'><html/>", "html", 1),
    ])
    func `well-formed documents are read`(text: String, root: String, count: Int) throws {
        let summary = try parse(text)
        #expect(summary.rootElement == root)
        #expect(summary.elementCount == count)
    }

    @Test(arguments: [
        "text", "<a>", "<a></b>", "<a/><b/>", "<a b=c/>", "<a b='1' b='2'/>", "<a>&unknown;</a>", "<a>\u{1}</a>", "<",
        "<a",
        "{\"a\":1}", "<html><br></html>", "<n:a/>x", " <?xml version='1.0'?><a/>",
    ])
    func `a document that is not well-formed is an error`(text: String) {
        #expect(throws: XMLError.self) { try self.parse(text) }
    }

    @Test func `bytes that are not text are an error`() {
        #expect(throws: XMLError.self) { try XMLSummary(parsing: [0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) }
        #expect(throws: XMLError.self) { try XMLSummary(parsing: []) }
    }

    @Test(arguments: ["UTF-16", "UTF-16LE", "UCS-4", "EUC-JP", "ISO-2022-JP", "Shift_JIS", "UTF-7", "unknown-1", ""])
    func `an encoding that does not match the bytes is an error`(encoding: String) {
        let text = Array("<?xml version='1.0' encoding='\(encoding)'?><a>".utf8) + [0xFF, 0xFE, 0x1B, 0x80]
        #expect(throws: XMLError.self) { try XMLSummary(parsing: text + Array("</a>".utf8)) }
    }

    @Test func `other encodings are read`() throws {
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(try XMLSummary(parsing: latin).rootElement == "a")
        let wide: [UInt8] = [0xFF, 0xFE] + "<b/>".utf8.flatMap { [$0, 0] }
        #expect(try XMLSummary(parsing: wide).rootElement == "b")
    }

    @Test func `entities are an error where they are declared`() {
        var entities = "<!ENTITY e0 'ha'>"
        for level in 1...30 {
            entities += "<!ENTITY e\(level) '" + String(repeating: "&e\(level - 1);", count: 10) + "'>"
        }
        for use in ["<r>&e30;</r>", "<r a='&e30;'/>", "<r/>"] {
            let error = #expect(throws: XMLError.self) { try self.parse("<!DOCTYPE r [\(entities)]>\(use)") }
            #expect(error?.description == "the document declares an entity, which is not allowed on line 1")
        }
    }

    @Test(arguments: [
        "<!ENTITY f SYSTEM 'file:///etc/passwd'>", "<!ENTITY % p SYSTEM 'http://192.0.2.1/x.dtd'>%p;",
        "<!ENTITY % p '<!ENTITY f \"x\">'>%p;", "<!NOTATION n SYSTEM 'x'><!ENTITY f SYSTEM 'x' NDATA n>",
    ])
    func `external entities are an error where they are declared`(declaration: String) {
        let error = #expect(throws: XMLError.self) { try self.parse("<!DOCTYPE r [\(declaration)]><r>&f;</r>") }
        #expect(error?.description.hasPrefix("the document declares an entity") == true)
    }

    @Test func `nesting is allowed up to the limit`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(throws: Never.self) { try self.parse(nested(256)) }
        let error = #expect(throws: XMLError.self) { try self.parse(nested(257)) }
        #expect(error?.description.hasPrefix("elements are nested more than 256 deep") == true)
        #expect(throws: XMLError.self) { try self.parse(String(repeating: "<a>", count: 100_000)) }
    }

    @Test func `every prefix of a document is an error, and none crashes the parser`() {
        let text = Array("<?xml version='1.0' encoding='UTF-8'?><a b='c'><!-- d --><e>&#x41;</e></a>".utf8)
        for count in 0..<text.count {
            #expect(throws: XMLError.self) { try XMLSummary(parsing: Array(text.prefix(count))) }
        }
    }
}

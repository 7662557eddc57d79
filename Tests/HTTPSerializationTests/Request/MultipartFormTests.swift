import AgentTestKit
import CheckResults
import Foundation
import HTTPSerialization
import Testing

@Suite
struct MultipartFormTests {
    private func form() -> MultipartForm {
        var generator = SplitMix(state: 7)
        return MultipartForm(using: &generator)
    }

    private func post(_ form: MultipartForm, parameters: ParameterValue? = nil) throws -> SerializedRequest {
        try RequestSerializer().serialize(
            ProbeRequest(method: "POST", parameters: parameters, body: .multipart(form)),
            to: HTTPURL(parsing: "http://h/")
        )
    }

    @Test
    func `a boundary is made of 64 random bits in sixteen digits`() {
        struct Zero: RandomNumberGenerator { mutating func next() -> UInt64 { 0 } }
        var zero = Zero()
        #expect(MultipartForm(using: &zero).boundary == "Boundary+0000000000000000")
        let boundary = MultipartForm().boundary
        #expect(boundary.utf8.count == 25)
        #expect(boundary.dropFirst(9).allSatisfy { "0123456789ABCDEF".contains($0) })
        #expect(MultipartForm().boundary != boundary)
    }

    @Test
    func `fields, bytes, files and parts of one's own make the whole, byte for byte`() throws {
        let directory = try TemporaryDirectory()
        var form = form()
        try form.append(field: "a", value: "ä")
        try form.append(bytes: [0, 13, 10], name: "b", fileName: "x.bin")
        try form.append(file: directory.file("root.cer", [1, 2, 3]), name: "c")
        try form.append(headers: HeaderFields([HeaderField(name: "X-Own", value: "1")]), bytes: [])
        let b = form.boundary
        let expected =
            Array("--\(b)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nä\r\n--\(b)\r\n".utf8)
            + Array("Content-Disposition: form-data; name=\"b\"; filename=\"x.bin\"\r\n".utf8)
            + Array("Content-Type: application/octet-stream\r\n\r\n".utf8) + [0, 13, 10]
            + Array("\r\n--\(b)\r\nContent-Disposition: form-data; name=\"c\"; filename=\"root.cer\"\r\n".utf8)
            + Array("Content-Type: application/x-x509-ca-cert\r\n\r\n".utf8) + [1, 2, 3]
            + Array("\r\n--\(b)\r\nX-Own: 1\r\n\r\n\r\n--\(b)--\r\n".utf8)
        let request = try post(form)
        #expect(try request.body.readAll() == expected)
        #expect(request.header("Content-Type") == "multipart/form-data; boundary=\(b)")
        #expect(request.header("Content-Length") == String(expected.count))
    }

    @Test(arguments: [1, 2, 3, 7, 61, 1000, 1 << 30, 0, -5])
    func `the length equals the bytes read, in pieces of any size`(count: Int) throws {
        let directory = try TemporaryDirectory()
        var form = form()
        let large = (0..<5003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try form.append(file: directory.file("empty", []), name: "empty")
        try form.append(file: directory.file("large", large), name: "large")
        try form.append(field: "", value: "")
        try form.append(file: directory.file("last", [9]), name: "last")
        let body = RequestBody.multipart(form)
        let bytes = try body.readAll(by: count)
        #expect(bytes.count == body.length)
        #expect(bytes == (try body.readAll()))
        #expect(bytes.contains(subsequence: large))
    }

    @Test
    func `every piece but the last has the requested length`() throws {
        var form = form()
        for index in 0..<20 { try form.append(field: "f\(index)", value: "value") }
        var reader = try RequestBody.multipart(form).makeReader()
        var sizes: [Int] = []
        while case let piece = try reader.read(upTo: 100), !piece.isEmpty { sizes.append(piece.count) }
        #expect(sizes.dropLast().allSatisfy { $0 == 100 })
        #expect(sizes.reduce(0, +) == form.length)
        #expect(try reader.read(upTo: 100).isEmpty)
    }

    @Test
    func `parameters become fields before the parts`() throws {
        var form = form()
        try form.append(field: "last", value: "z")
        let text = try post(form, parameters: ["b": ["x": 1], "a": nil]).bodyText()
        let names = text.split(separator: "\r\n").filter { $0.hasPrefix("Content-D") }.map {
            $0.split(separator: "\"")[1]
        }
        #expect(names == ["a", "b[x]", "last"])
        let alone = try post(self.form(), parameters: ["a": 1])
        #expect(alone.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test
    func `without parts the request is the same as without a form`() throws {
        let request = try post(form())
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.body.length == 0)
    }

    @Test
    func `the form's content type replaces a given one`() throws {
        var form = form()
        try form.append(field: "a", value: "b")
        var own = HeaderFields()
        try own.set("content-type", "text/plain")
        let request = try RequestSerializer().serialize(
            ProbeRequest(method: "PUT", headers: own, body: .multipart(form)),
            to: HTTPURL(parsing: "http://h/")
        )
        #expect(request.header("Content-Type") == form.contentType)
    }

    @Test(arguments: ["GET", "HEAD", "get"])
    func `a form cannot be sent with a method without content`(method: String) throws {
        let request = ProbeRequest(method: method, body: .multipart(form()))
        #expect(throws: RequestError.multipartMethod(method)) {
            try RequestSerializer().serialize(request, to: HTTPURL(parsing: "http://h/"))
        }
    }

    @Test(arguments: [
        ("a.cer", "application/x-x509-ca-cert"), ("a.CER", "application/x-x509-ca-cert"),
        ("a.json", "application/json"),
        ("a.b.txt", "text/plain"), ("a.unknown", "application/octet-stream"), ("a", "application/octet-stream"),
        ("cer", "application/octet-stream"), ("a.", "application/octet-stream"),
    ])
    func `the media type is derived from the extension unless it is given`(name: String, type: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file(name, [1])
        var form = form()
        try form.append(file: path, name: "n")
        #expect(try post(form).bodyText().contains("\r\nContent-Type: \(type)\r\n"))
        var given = self.form()
        try given.append(file: path, name: "n", fileName: "other.json", mimeType: "x/y")
        let text = try post(given).bodyText()
        #expect(text.contains("filename=\"other.json\"\r\nContent-Type: x/y\r\n"))
    }

    @Test
    func `names cannot end their quotation marks or their line`() throws {
        var form = form()
        try form.append(bytes: [], name: "a\"\r\nX: y", fileName: "\"; x=\"\n\u{0}\u{7F}ä.txt")
        let text = try post(form).bodyText()
        #expect(text.contains("name=\"a%22%0D%0AX: y\"; filename=\"%22; x=%22%0A%00%7Fä.txt\"\r\n"))
        #expect(throws: RequestError.invalidFieldValue(name: "Content-Type")) {
            try form.append(bytes: [], name: "a", fileName: "b", mimeType: "a/b\r\nX: y")
        }
        #expect(try post(form).bodyText() == text)
    }

    @Test
    func `a path that is not a readable file is an error that names it`() throws {
        let directory = try TemporaryDirectory()
        for path in [
            "https://example.com/a", "file:///etc/hostname", directory.path + "/missing", directory.path, "/dev/zero",
        ] {
            var form = form()
            let error = #expect(throws: RequestError.self) { try form.append(file: path, name: "a") }
            #expect(error?.code == .badURL)
            #expect(error.map { "\($0)".contains(path) } == true)
            #expect(form.isEmpty)
        }
    }
}

extension [UInt8] {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        Data(self).range(of: Data(subsequence)) != nil
    }
}

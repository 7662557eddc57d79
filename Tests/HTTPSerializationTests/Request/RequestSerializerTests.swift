import AgentTestKit
import CheckResults
import HTTPSerialization
import Testing

/// The behaviour of AFHTTPRequestSerializer, AFJSONRequestSerializer and AFPropertyListRequestSerializer, in this
/// library.
@Suite
struct RequestSerializerTests {
    let url: HTTPURL

    init() throws { url = try HTTPURL(parsing: "http://example.com/path") }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a form is sent as form content`(method: String) throws {
        let request = try RequestSerializer().serialize(
            ProbeRequest(method: method, parameters: ["key": "value"]),
            to: url
        )
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.header("Content-Length") == "9")
        #expect(try request.bodyText() == "key=value")
        #expect(request.url == url)
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `without parameters a form has its type and an empty body`(method: String) throws {
        let request = try RequestSerializer().serialize(ProbeRequest(method: method), to: url)
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.header("Content-Length") == "0")
        #expect(request.body.isPresent)
        #expect(request.body.length == 0)
    }

    @Test(arguments: RequestSerializer.Format.allCases, ["GET", "HEAD", "DELETE", "get", "Delete"])
    func `every format puts the parameters of these methods into the query`(
        format: RequestSerializer.Format,
        method: String
    ) throws {
        let request = try RequestSerializer(format: format).serialize(
            ProbeRequest(method: method, parameters: ["key": "value"]),
            to: url
        )
        #expect(request.method == method)
        #expect(request.url.description == "http://example.com/path?key=value")
        #expect(request.headers == [HeaderField(name: "Host", value: "example.com")])
        #expect(!request.body.isPresent)
    }

    @Test
    func `which methods use the query can be set`() throws {
        var serializer = RequestSerializer()
        serializer.methodsEncodingParametersInURI = ["POST"]
        let post = try serializer.serialize(ProbeRequest(method: "post", parameters: ["a": 1]), to: url)
        #expect(post.url.query == "a=1")
        #expect(!post.body.isPresent)
        let get = try serializer.serialize(ProbeRequest(method: "GET", parameters: ["a": 1]), to: url)
        #expect(get.url.query == nil)
        #expect(try get.bodyText() == "a=1")
    }

    @Test
    func `empty parameters leave no question mark`() throws {
        for parameters in [[:], ["a": .array([])]] as [ParameterValue] {
            let request = try RequestSerializer().serialize(ProbeRequest(parameters: parameters), to: url)
            #expect(request.url.description == "http://example.com/path")
        }
    }

    @Test(arguments: [("?a=1", "a=1&b=2"), ("?", "b=2"), ("", "b=2"), ("?a%20", "a%20&b=2")])
    func `an existing query is kept and added to`(existing: String, query: String) throws {
        let url = try HTTPURL(parsing: "http://example.com/\(existing)")
        let request = try RequestSerializer().serialize(ProbeRequest(parameters: ["b": 2]), to: url)
        #expect(request.url.query == query)
    }

    @Test
    func `parameters for the query are for the query with every method`() throws {
        let request = try RequestSerializer(format: .json).serialize(
            ProbeRequest(method: "POST", query: ["q": 1], parameters: ["b": 2]),
            to: url
        )
        #expect(request.url.query == "q=1")
        #expect(try request.bodyText() == #"{"b":2}"#)
    }

    @Test
    func `a query serializer of the caller's is used, and its error is the error`() throws {
        var serializer = RequestSerializer()
        serializer.querySerializer = { parameters, method throws(RequestError) in
            guard parameters != ["bad": 1] else { throw RequestError.querySerializer("no") }
            return "\(method)-custom text"
        }
        let get = try serializer.serialize(ProbeRequest(parameters: ["a": 1]), to: url)
        #expect(get.url.query == "GET-custom%20text")
        let post = try serializer.serialize(ProbeRequest(method: "POST", parameters: ["a": 1]), to: url)
        #expect(try post.bodyText() == "POST-custom text")
        for method in ["GET", "POST"] {
            #expect(throws: RequestError.querySerializer("no")) {
                try serializer.serialize(ProbeRequest(method: method, parameters: ["bad": 1]), to: url)
            }
        }
        serializer.querySerializer = { _, _ in "a\r\nX: y" }
        #expect(throws: RequestError.url(.controlCharacter(13))) {
            try serializer.serialize(ProbeRequest(parameters: ["a": 1]), to: url)
        }
    }

    @Test
    func `a query that makes the address too long is an error`() {
        let parameters: ParameterValue = ["a": .string(String(repeating: "ä", count: 2000))]
        #expect(throws: RequestError.url(.tooLong)) {
            try RequestSerializer().serialize(ProbeRequest(parameters: parameters), to: url)
        }
    }

    @Test
    func `a field of the request wins while the serializer's others stay`() throws {
        var serializer = RequestSerializer()
        try serializer.headers.set("X-A", "serializer")
        try serializer.headers.set("X-B", "serializer")
        var own = HeaderFields()
        try own.set("x-a", "request")
        let request = try serializer.serialize(ProbeRequest(headers: own), to: url)
        #expect(request.header("X-A") == "request")
        #expect(request.header("X-B") == "serializer")
        #expect(request.headers.count == 3)
    }

    @Test(arguments: RequestSerializer.Format.allCases)
    func `a given content type is kept`(format: RequestSerializer.Format) throws {
        var own = HeaderFields()
        try own.set("content-type", "text/x-own")
        let request = try RequestSerializer(format: format).serialize(
            ProbeRequest(method: "POST", headers: own, parameters: ["a": 1]),
            to: url
        )
        #expect(request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["text/x-own"])
    }

    @Test
    func `the fields go out in a fixed order, Host first`() throws {
        var serializer = RequestSerializer(
            format: .json,
            headers: RequestSerializer.standardHeaders(product: "reachagent", version: "1", languages: ["de"])
        )
        serializer.credentials = try BasicCredentials(user: "u", password: "p")
        var own = HeaderFields()
        try own.set("Accept", "*/*")
        let request = try serializer.serialize(
            ProbeRequest(method: "POST", headers: own, parameters: [1]),
            to: HTTPURL(parsing: "http://[::1]:8080/")
        )
        #expect(
            request.headers.map(\.name) == [
                "Host", "User-Agent", "Accept-Language", "Accept", "Authorization", "Content-Type", "Content-Length",
            ]
        )
        #expect(request.header("Host") == "[::1]:8080")
    }

    @Test
    func `a valid Host of the caller replaces the address's`() throws {
        var own = HeaderFields()
        try own.set("X", "y")
        try own.set("host", "other.example:81")
        let request = try RequestSerializer().serialize(ProbeRequest(headers: own), to: url)
        #expect(request.headers.first == HeaderField(name: "host", value: "other.example:81"))
        for value in ["", "a b", "a/b", "a,b", "a@b"] {
            try own.set("host", value)
            #expect(throws: RequestError.invalidFieldValue(name: "host")) {
                try RequestSerializer().serialize(ProbeRequest(headers: own), to: url)
            }
        }
    }

    @Test(arguments: [
        "Content-Length", "Transfer-Encoding", "connection", "TE", "Trailer", "Upgrade", "Keep-Alive",
        "Proxy-Connection", "HTTP2-Settings",
    ])
    func `a field that frames the message or belongs to the connection cannot be set`(name: String) throws {
        var own = HeaderFields()
        try own.set(name, "1")
        #expect(throws: RequestError.computedField(name: name)) {
            try RequestSerializer().serialize(ProbeRequest(headers: own), to: url)
        }
        #expect(throws: RequestError.computedField(name: name)) {
            try RequestSerializer(headers: own).serialize(ProbeRequest(), to: url)
        }
    }

    @Test(arguments: ["", "GET /", "GET\r\nX: y", "GÉT", "CONNECT", "connect", String(repeating: "A", count: 33)])
    func `an invalid method is an error`(method: String) {
        #expect(throws: RequestError.invalidMethod(method)) {
            try RequestSerializer().serialize(ProbeRequest(method: method), to: url)
        }
    }

    @Test
    func `unset options stay unset, and set options are applied`() throws {
        var serializer = RequestSerializer()
        let plain = try serializer.serialize(ProbeRequest(), to: url)
        #expect(plain.timeoutInterval == nil)
        #expect(plain.allowsCellularAccess)
        serializer.timeoutInterval = .seconds(7)
        serializer.allowsCellularAccess = false
        let inherited = try serializer.serialize(ProbeRequest(), to: url)
        #expect(inherited.timeoutInterval == .seconds(7))
        #expect(!inherited.allowsCellularAccess)
        serializer.allowsCellularAccess = nil
        let own = try serializer.serialize(
            ProbeRequest(timeoutInterval: .seconds(2), allowsCellularAccess: false),
            to: url
        )
        #expect(own.timeoutInterval == .seconds(2))
        #expect(!own.allowsCellularAccess)
    }

    @Test
    func `bytes are sent as they are, with any method, and not together with parameters`() throws {
        let body = ProbeRequest.Body.bytes([0, 255, 10], contentType: "application/x-own")
        for method in ["POST", "GET", "DELETE", "REPORT"] {
            let request = try RequestSerializer().serialize(ProbeRequest(method: method, body: body), to: url)
            #expect(try request.body.readAll(by: 2) == [0, 255, 10])
            #expect(request.header("Content-Type") == "application/x-own")
            #expect(request.header("Content-Length") == "3")
        }
        #expect(throws: RequestError.bodyAndParameters) {
            try RequestSerializer().serialize(ProbeRequest(method: "POST", parameters: ["a": 1], body: body), to: url)
        }
        let delete = try RequestSerializer().serialize(
            ProbeRequest(method: "DELETE", parameters: ["a": 1], body: body),
            to: url
        )
        #expect(delete.url.query == "a=1")
        #expect(delete.body.length == 3)
        let untyped = try RequestSerializer().serialize(ProbeRequest(method: "POST", body: .bytes([1])), to: url)
        #expect(untyped.header("Content-Type") == nil)
    }

    @Test
    func `a file is sent with the type of its name unless one is given`() throws {
        let directory = try TemporaryDirectory()
        let file = try FileContent(path: directory.file("a.json", "{}".utf8))
        let request = try RequestSerializer().serialize(ProbeRequest(method: "PUT", body: .file(file)), to: url)
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Content-Length") == "2")
        #expect(try request.bodyText() == "{}")
        let typed = ProbeRequest(method: "PUT", body: .file(file, contentType: "text/x-own"))
        #expect(try RequestSerializer().serialize(typed, to: url).header("Content-Type") == "text/x-own")
        #expect(throws: RequestError.bodyAndParameters) {
            try RequestSerializer().serialize(
                ProbeRequest(method: "PUT", parameters: ["a": 1], body: .file(file)),
                to: url
            )
        }
    }

    @Test(arguments: ["text/plain\r\nX: y", "a\u{0}"])
    func `a content type cannot add a field`(type: String) {
        #expect(throws: RequestError.invalidFieldValue(name: "Content-Type")) {
            try RequestSerializer().serialize(
                ProbeRequest(method: "POST", body: .bytes([], contentType: type)),
                to: url
            )
        }
    }

    @Test
    func `copies of a serializer are independent`() throws {
        let original = RequestSerializer()
        var copy = original
        try copy.headers.set("X-A", "b")
        copy.format = .json
        copy.methodsEncodingParametersInURI.insert("POST")
        let request = try original.serialize(ProbeRequest(method: "POST", parameters: ["a": 1]), to: url)
        #expect(request.header("X-A") == nil)
        #expect(try request.bodyText() == "a=1")
    }
}

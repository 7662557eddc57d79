import AgentTestKit
import Foundation
import HTTPSerialization
import Testing

@Suite
struct RequestBodyTests {
    private func resize(_ path: String, to length: Int) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
    }

    @Test
    func `a file is read in pieces and can be read again`() throws {
        let directory = try TemporaryDirectory()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        let body = RequestBody.file(try FileContent(path: directory.file("a", bytes)))
        #expect(body.length == 10_000)
        #expect(try body.readAll(by: 333) == bytes)
        #expect(try body.readAll(by: 1 << 30) == bytes)
    }

    @Test
    func `a copied reader reads on by itself`() throws {
        let directory = try TemporaryDirectory()
        let body = RequestBody.file(try FileContent(path: directory.file("a", [1, 2, 3, 4])))
        var reader = try body.makeReader()
        #expect(try reader.read(upTo: 2) == [1, 2])
        var copy = reader
        #expect(try copy.read(upTo: 2) == [3, 4])
        #expect(try reader.read(upTo: 1) == [3])
    }

    @Test
    func `no piece is longer than the bound`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("a", [])
        try resize(path, to: 3 << 20)
        var reader = try RequestBody.file(FileContent(path: path)).makeReader()
        #expect(try reader.read(upTo: Int.max).count == RequestBodyReader.maximumCount)
    }

    @Test(arguments: [0, 99, 101, 5000])
    func `a file that has another length when reading begins is an error`(length: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("a", Array(repeating: 1, count: 100))
        let body = RequestBody.file(try FileContent(path: path))
        try resize(path, to: length)
        #expect(throws: RequestError.fileChanged(path: path, announced: 100)) { try body.makeReader() }
    }

    @Test(arguments: [0, 60, 99, 101, 5000])
    func `a file that changes its length while it is read is an error`(length: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("a", Array(repeating: 1, count: 100))
        for body in [RequestBody.file(try FileContent(path: path)), .multipart(try form(with: path))] {
            try resize(path, to: 100)
            var reader = try body.makeReader()
            var read = 0
            while read < body.length - 100 { read += try reader.read(upTo: min(50, body.length - 50 - read)).count }
            try resize(path, to: length)
            #expect(throws: RequestError.fileChanged(path: path, announced: 100)) {
                // Exactly the announced number of bytes is asked for, as a connection does.
                while read < body.length { read += try reader.read(upTo: body.length - read).count }
            }
        }
    }

    @Test
    func `a file that is gone when reading begins is an error that names it`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("a", [1])
        let body = RequestBody.file(try FileContent(path: path))
        try FileManager.default.removeItem(atPath: path)
        let error = #expect(throws: RequestError.self) { try body.makeReader() }
        #expect(error.map { "\($0)" } == "\(path) cannot be opened: No such file or directory")
    }

    @Test
    func `no body and an empty body are different`() throws {
        #expect(!RequestBody.none.isPresent)
        #expect(RequestBody.bytes([]).isPresent)
        #expect(try RequestBody.none.readAll().isEmpty)
        #expect(try RequestBody.bytes([]).readAll().isEmpty)
    }

    private func form(with path: String) throws -> MultipartForm {
        var form = MultipartForm()
        try form.append(file: path, name: "f")
        return form
    }
}

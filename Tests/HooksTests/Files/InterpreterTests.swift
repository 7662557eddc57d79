import Testing

@testable import Hooks

@Suite
struct InterpreterTests {
    typealias Mistake = Interpreter.Mistake

    @Test(arguments: [
        ("#!/bin/sh\n", "/bin/sh", nil),
        ("#!/bin/sh", "/bin/sh", nil),
        ("#! /bin/sh\n", "/bin/sh", nil),
        ("#!\t \t/bin/sh \t \n", "/bin/sh", nil),
        ("#!/usr/bin/env -S a  b \n", "/usr/bin/env", "-S a  b"),
        ("#!/bin/sh\t-e\necho", "/bin/sh", "-e"),
        ("#!/bin/sh\0 -e\n", "/bin/sh", nil),
        ("#!/bin/sh -e\0x\n", "/bin/sh", "-e"),
        ("#!/bin/sh \0\n", "/bin/sh", nil),
        ("#!/bin/sh\n\r\n", "/bin/sh", nil),
        ("#!/opt/Größe/lua\n", "/opt/Größe/lua", nil),
        ("#!/bin/sh \(String(repeating: "x", count: 300))", "/bin/sh", String(repeating: "x", count: 245)),
    ])
    func `the first line is read as the kernel reads it`(text: String, path: String, argument: String?) throws {
        #expect(try Interpreter.reading(Array(text.utf8)) == Interpreter(path: path, argument: argument))
    }

    @Test(arguments: [
        ("", Mistake.empty),
        ("#", .unknownFormat),
        ("echo hello\n", .unknownFormat),
        (" #!/bin/sh\n", .unknownFormat),
        ("\u{FEFF}#!/bin/sh\n", .unknownFormat),
        ("\u{7F}EL", .unknownFormat),
        ("#!", .unnamed),
        ("#!\n/bin/sh\n", .unnamed),
        ("#! \t \n", .unnamed),
        ("#!\0/bin/sh\n", .unnamed),
        ("#!\(String(repeating: " ", count: 300))/bin/sh\n", .unnamed),
        ("#!/\(String(repeating: "x", count: 300))\n", .tooLong),
        ("#!/\(String(repeating: "x", count: 253))", .tooLong),
        ("#!/bin/sh\r\n", .carriageReturn),
        ("#!/bin/sh\r", .carriageReturn),
        ("#!/usr/bin/env bash\r\n", .carriageReturn),
        ("#!bin/sh\n", .relative("bin/sh")),
        ("#!sh -e\n", .relative("sh")),
    ])
    func `a first line without a valid interpreter is an error`(text: String, mistake: Mistake) {
        #expect(throws: mistake) { try Interpreter.reading(Array(text.utf8)) }
        #expect(!mistake.description.isEmpty)
    }

    @Test(arguments: [[0x23, 0x21, 0x2F, 0xFF, 0x0A], [0x23, 0x21, 0x2F, 0x61, 0x20, 0xC3, 0x0A]] as [[UInt8]])
    func `an interpreter line that is not UTF-8 is an error`(bytes: [UInt8]) {
        #expect(throws: Mistake.notText) { try Interpreter.reading(bytes) }
    }

    @Test
    func `an ELF program needs no interpreter`() throws {
        #expect(try Interpreter.reading([0x7F, 0x45, 0x4C, 0x46]) == nil)
    }

    @Test
    func `a name that just fits the kernel's buffer is taken whole`() throws {
        let name = "/" + String(repeating: "x", count: 252)
        for end in ["\n", " ", "\0"] {
            #expect(try Interpreter.reading(Array("#!\(name)\(end)".utf8))?.path == name)
        }
        #expect(try Interpreter.reading(Array("#!\(name)".utf8))?.path == name)
    }

    @Test
    func `any prefix with any byte after it gives an absolute path or an error`() {
        let line = Array("#! /bin/sh -e \n".utf8)
        for length in 0...line.count {
            for byte in UInt8.min...UInt8.max {
                let interpreter = try? Interpreter.reading(line.prefix(length) + [byte])
                #expect(interpreter?.path.hasPrefix("/") ?? true)
            }
        }
    }
}

import AgentTestKit
import Foundation
import Glibc
import Testing

@testable import Hooks

/// The descriptors of a program on a kernel without close_range(2), which Linux has since 5.9 and marks since 5.11.
@Suite
struct HookDescriptorTests {
    /// One instruction of a filter of system calls (seccomp(2)), as in linux/filter.h.
    private struct Instruction {
        var code: UInt16
        var jumpIfTrue: UInt8 = 0
        var jumpIfFalse: UInt8 = 0
        var operand: UInt32
    }

    private struct Filter {
        var count: UInt16
        var instructions: UnsafePointer<Instruction>?
    }

    private typealias Control = @convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt
    private typealias CloseRange = @convention(c) (CUnsignedInt, CUnsignedInt, CInt) -> CInt

    /// Makes close_range(2) fail on the calling thread, and in what it starts, with an error.
    private static func refuseCloseRange(_ error: CInt) throws {
        // Variadic, so Swift does not import it.
        let control = unsafeBitCast(try #require(dlsym(nil, "prctl")), to: Control.self)
        let number: UInt32 = 436
        let instructions = [
            Instruction(code: 0x20, operand: 0),
            Instruction(code: 0x15, jumpIfFalse: 1, operand: number),
            Instruction(code: 0x06, operand: 0x0005_0000 | UInt32(error)),
            Instruction(code: 0x06, operand: 0x7FFF_0000),
        ]
        let (setNoNewPrivileges, setFilter, filterMode): (CInt, CInt, UInt) = (38, 22, 2)
        try #require(control(setNoNewPrivileges, 1, 0, 0, 0) == 0)
        let result = instructions.withUnsafeBufferPointer { buffer in
            withUnsafePointer(to: Filter(count: UInt16(buffer.count), instructions: buffer.baseAddress)) {
                control(setFilter, filterMode, UInt(bitPattern: $0), 0, 0)
            }
        }
        try #require(result == 0)
        // Closes nothing where it is not refused: the range has no descriptor.
        let closeRange = unsafeBitCast(try #require(dlsym(nil, "close_range")), to: CloseRange.self)
        try #require(closeRange(.max, .max, 0) != 0 && errno == error)
    }

    @Test(arguments: [ENOSYS, EINVAL, EPERM])
    func `an inheritable descriptor of any number reaches no program`(error: CInt) async throws {
        let list = try HookFile.open("/bin/ls", runAs: nil)
        let text = try await onThread {
            let inherited = [dup(0), fcntl(0, F_DUPFD, 500)]
            defer { for descriptor in inherited { close(descriptor) } }
            try #require(inherited.allSatisfy { $0 > 2 && fcntl($0, F_GETFD) == 0 })
            let streams = try HookStreams(input: [])
            defer { close(streams.outputReader) }
            let started = Result { () throws -> HookLeader in
                defer { streams.closeProgramsEnds() }
                try Self.refuseCloseRange(error)
                return try HookLeader.start(HookFixture.launch(list, ["-l", "/proc/self/fd"]), streams: streams)
            }
            let leader = try started.get()
            leader.wait()
            #expect(leader.reap() == .exited(0))
            return try HookOutputReader(streams.outputReader).finish().text
        }
        // The fourth is the directory that ls itself lists.
        let links = text.split(separator: "\n").filter { $0.contains(" -> ") }
        #expect(links.count == 4, "\(text)")
        #expect(links.last?.contains(" 3 -> /proc/") == true)
    }
}

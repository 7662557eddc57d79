import Glibc
import Testing

/// A system call that the kernel refuses to one thread (seccomp(2)), and to the threads and programs that it starts.
package enum RefusedSystemCall {
    /// One instruction of a filter, as in linux/filter.h.
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

    /// The number of close_range(2), on every machine.
    package static let closeRange: UInt32 = 436
    /// The number of epoll_ctl(2).
    package static var epollControl: UInt32 {
        #if arch(x86_64)
            233
        #else
            21
        #endif
    }

    /// Makes a call fail with an error, on the calling thread, for the rest of its life.
    package static func refuse(_ number: UInt32, with error: CInt) throws {
        // Variadic, so Swift does not import it.
        let control = unsafeBitCast(try #require(dlsym(nil, "prctl")), to: Control.self)
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
    }
}

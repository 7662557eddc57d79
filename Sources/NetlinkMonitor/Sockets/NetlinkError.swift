internal import Glibc

/// An operation on netlink that failed: what was tried, on what, and why.
public struct NetlinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why an operation failed.
    public enum Cause: Sendable, Hashable {
        /// A system call or the kernel's reply said so.
        case errno(Int32)
        /// The kernel did not answer in time.
        case timedOut
        /// The kernel's tables changed while they were read, again and again (`NLM_F_DUMP_INTR`).
        case dumpInterrupted
        /// The answer could not be understood.
        case malformed(MessageError)
        /// The answer was longer than the buffer that is lent to it.
        case truncated
        /// libnl ran out of memory or refused its arguments.
        case library(String)
    }

    /// What was tried, such as `dump links`.
    public let operation: String
    /// Why it failed.
    public let cause: Cause
    /// What the kernel added in words (extended ACK), if it did.
    public let kernelMessage: String?

    /// An error.
    public init(operation: String, cause: Cause, kernelMessage: String? = nil) {
        self.operation = operation
        self.cause = cause
        self.kernelMessage = kernelMessage
    }

    /// `operation: cause`, in lower case and without a full stop.
    public var description: String {
        let reason =
            switch cause {
            case .errno(let code): String(cString: strerror(code))
            case .timedOut: "the kernel did not answer in time"
            case .dumpInterrupted: "the kernel's tables kept changing while they were read"
            case .malformed(let error): error.description
            case .truncated: "the kernel's answer was longer than the buffer"
            case .library(let text): text
            }
        return "\(operation): \(reason)\(kernelMessage.map { " (\($0))" } ?? "")"
    }
}

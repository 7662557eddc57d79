internal import CLibNL
internal import LinuxSupport

/// A failed netlink operation: the operation, its subject, and the cause.
public struct NetlinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of a failure.
    public enum Cause: Sendable, Hashable {
        /// An errno of a system call or of the kernel's reply.
        case errno(Int32)
        /// The kernel did not answer in time.
        case timedOut
        /// The kernel's tables kept changing while they were read (`NLM_F_DUMP_INTR`).
        case dumpInterrupted
        /// The answer could not be parsed.
        case malformed(MessageError)
        /// The answer was longer than the buffer.
        case truncated
        /// libnl ran out of memory or rejected its arguments.
        case library(String)
    }

    /// The operation, such as `dump links`.
    public let operation: String
    /// The cause.
    public let cause: Cause
    /// The kernel's explanation (extended ACK), if any.
    public let kernelMessage: String?

    /// Creates an error.
    public init(operation: String, cause: Cause, kernelMessage: String? = nil) {
        self.operation = operation
        self.cause = cause
        self.kernelMessage = kernelMessage
    }

    /// `operation: cause`, in lower case and without a full stop.
    public var description: String {
        let reason =
            switch cause {
            case .errno(let code): SystemError(errno: code).description
            case .timedOut: "the kernel did not answer in time"
            case .dumpInterrupted: "the kernel's tables kept changing while they were read"
            case .malformed(let error): error.description
            case .truncated: "the kernel's answer was longer than the buffer"
            case .library(let text): text
            }
        return "\(operation): \(reason)\(kernelMessage.map { " (\($0))" } ?? "")"
    }
}

extension NetlinkError {
    /// Returns an error for libnl's negative code.
    static func library(_ operation: String, _ code: Int32) -> NetlinkError {
        // libnl maps errno values to codes of its own; those of a sandbox are mapped back.
        let cause: Cause =
            switch -code {
            case Int32(NLE_PERM): .errno(EPERM)
            case Int32(NLE_NOACCESS): .errno(EACCES)
            default: .library(String(cString: nl_geterror(code)))
            }
        return NetlinkError(operation: operation, cause: cause)
    }

    /// Returns the error with the name of its operation.
    func naming(_ operation: String) -> NetlinkError {
        NetlinkError(operation: operation, cause: cause, kernelMessage: kernelMessage)
    }
}

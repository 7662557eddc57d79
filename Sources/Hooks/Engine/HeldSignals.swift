import Glibc
import LinuxSupport

/// The signals that end the process, held so that a run ends first, and that of an ended child.
struct HeldSignals: Sendable {
    private let signals: SignalDescriptor

    /// The descriptor that becomes readable.
    var descriptor: Int32 { signals.descriptor }

    /// Holds SIGINT, SIGTERM, SIGHUP and SIGCHLD for the calling thread and those that it starts, until ``giveBack()``.
    init() throws(SystemError) {
        do throws(SystemError) {
            signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP, SIGCHLD)
        } catch {
            Self.giveBack()
            throw error
        }
    }

    /// Takes the next signal that the process does not ignore; nil if there is none.
    func next() -> Int32? { signals.nextNotIgnored() }

    /// Lets the signals act on the calling thread again.
    static func giveBack() {
        SignalDescriptor.giveBack(SIGINT, SIGTERM)
        SignalDescriptor.giveBack(SIGHUP, SIGCHLD)
    }
}

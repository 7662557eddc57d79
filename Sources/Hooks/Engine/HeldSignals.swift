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

    /// Takes the next signal; nil if there is none.
    ///
    /// The kernel keeps a held signal even if the process ignores it (nohup(1)): those are left out.
    func next() -> Int32? {
        while let signal = signals.next() { if !Self.isIgnored(signal) { return signal } }
        return nil
    }

    /// Lets the signals act on the calling thread again.
    static func giveBack() {
        SignalDescriptor.giveBack(SIGINT, SIGTERM)
        SignalDescriptor.giveBack(SIGHUP, SIGCHLD)
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}

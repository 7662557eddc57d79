internal import CLinux
internal import Glibc

/// The setting of the clock of the day, which resuming from suspend is too, as something to read.
///
/// Nothing wakes up for it otherwise. Owned by one caller at a time.
package struct ClockWatch: ~Copyable, Sendable {
    /// The descriptor that becomes readable; -1, which poll(2) ignores, where the kernel has none to offer.
    package private(set) var descriptor: Int32

    /// A watch for the next setting of the clock.
    package init() {
        descriptor = clinux_open_clock_watch()
        arm()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits for the next setting of the clock where there was one, so that the descriptor is unreadable again.
    package mutating func reset() { if descriptor >= 0, clinux_clock_was_set(descriptor) { arm() } }

    /// A descriptor that cannot be armed would stay readable, and poll(2) would never sleep again: it is given up.
    private mutating func arm() {
        guard descriptor >= 0, clinux_arm_clock_watch(descriptor) != 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    /// `true` if the kernel believes that a time server keeps the clock of the day right.
    package static var isSynchronized: Bool { clinux_clock_is_synchronized() }
}

package import Glibc

/// The kernel's clocks (clock_gettime(2)).
package enum KernelClock {
    /// Returns the time of a clock since its origin; zero for a clock that the kernel does not have.
    package static func time(_ clock: clockid_t) -> Duration {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { times in
            guard let time = times.baseAddress, clock_gettime(clock, time) == 0 else { return .zero }
            return .seconds(time.pointee.tv_sec) + .nanoseconds(time.pointee.tv_nsec)
        }
    }
}

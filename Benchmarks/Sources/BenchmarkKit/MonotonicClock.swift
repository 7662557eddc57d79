internal import CTestbed

/// CLOCK_MONOTONIC, against which latencies are measured.
package enum MonotonicClock {
    package static var nanoseconds: UInt64 { testbed_now() }
}

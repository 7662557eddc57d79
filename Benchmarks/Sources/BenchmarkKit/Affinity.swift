internal import CTestbed

/// The CPUs that a thread, and what it starts later, may run on.
package enum Affinity {
    /// Moves the calling thread to one CPU, counted from 0; the last one stands for all that are missing.
    package static func pin(to cpu: Int) throws(BenchmarkError) {
        try BenchmarkError.check(testbed_pin(Int32(min(cpu, Host.cores - 1)), 1), "move to CPU \(cpu)")
    }

    /// Lets the calling thread run everywhere.
    package static func release() throws(BenchmarkError) {
        try BenchmarkError.check(testbed_pin(0, Int32(Host.cores)), "use all CPUs")
    }
}

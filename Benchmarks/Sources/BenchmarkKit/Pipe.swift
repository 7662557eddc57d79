internal import CTestbed
internal import Glibc

/// A pipe whose ends are closed with it.
package final class Pipe {
    package let readEnd: Int32
    package private(set) var writeEnd: Int32

    package init() throws(BenchmarkError) {
        var ends: [Int32] = [-1, -1]
        try BenchmarkError.check(testbed_open_pipe(&ends), "make a pipe")
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    /// To be called once a child has its copy: else the end of the child's output is never seen.
    package func closeWriteEnd() {
        guard writeEnd >= 0 else { return }
        close(writeEnd)
        writeEnd = -1
    }
}

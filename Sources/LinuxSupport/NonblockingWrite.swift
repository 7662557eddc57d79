internal import CLinux

/// Writing that never blocks, to descriptors that others share and that therefore cannot be made so.
package enum NonblockingWrite {
    /// Writes what fits without waiting (pwritev2(2) with RWF_NOWAIT).
    ///
    /// - Returns: The number of bytes, or -1 with errno: EOPNOTSUPP where the kind of file cannot promise not to wait (pipes
    ///   before Linux 6.4, terminals).
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        clinux_write_without_waiting(descriptor, bytes.baseAddress, bytes.count)
    }
}

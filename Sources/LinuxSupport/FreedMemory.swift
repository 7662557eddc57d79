internal import CLinux

/// The freed memory that the C library keeps for later (malloc_trim(3), mallopt(3)).
///
/// A process that sleeps most of the time, and once parsed a large body, would keep its memory for good.
package enum FreedMemory {
    /// Gives all threads one heap, and limits the freed memory that is kept at its end and in large blocks.
    ///
    /// Must be called before other threads are started. The limits are those that every process begins with; but by
    /// default the first large block that is freed raises them, up to 64 MB for each heap. Of the heaps of other
    /// threads ``release()`` would leave the free ends.
    package static func limit() { clinux_limit_freed_memory(128 << 10) }

    /// Returns whole free pages to the kernel, wherever they are; takes about a millisecond for 10 MB.
    package static func release() { clinux_release_freed_memory() }
}

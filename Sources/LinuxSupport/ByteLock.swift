internal import CLinux

/// Read locks on single bytes of an open file or directory (fcntl(2), `F_OFD_SETLK`).
///
/// They belong to the open file, not to the process, need no space on the disk, and can be tested without being taken. The
/// bytes need not exist.
public enum ByteLock {
    /// Takes a lock; `false` if the kernel refuses it.
    @discardableResult
    public static func take(_ byte: Int32, of descriptor: Int32) -> Bool { clinux_lock_byte(descriptor, byte) }

    /// Releases a lock, also for a child that has a copy of the descriptor.
    public static func release(_ byte: Int32, of descriptor: Int32) { clinux_unlock_byte(descriptor, byte) }

    /// Returns whether another open file of the same inode has the lock.
    public static func isTaken(_ byte: Int32, of descriptor: Int32) -> Bool { clinux_is_byte_locked(descriptor, byte) }
}

package import Glibc

/// Kernel constants that Swift does not import, with their values on x86, Arm and RISC-V.
package enum KernelConstants {
    /// `O_PATH` (open(2)).
    package static let openPath: Int32 = 0o10_000_000
    /// `ST_NOEXEC` (statvfs(3)).
    package static let mountedNoexec: UInt = 8
    /// The device number of `/dev/null`, the character device 1:3 (null(4)).
    package static let nullDevice: dev_t = 1 << 8 | 3
}

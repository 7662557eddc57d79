internal import Glibc

/// Constants of the kernel's interface that Swift does not import, with their values on x86, Arm and RISC-V.
enum KernelConstants {
    /// `O_PATH` (open(2)).
    static let openPath: Int32 = 0o10_000_000
    /// `ST_NOEXEC` (statvfs(3)).
    static let mountedNoexec: UInt = 8
    /// The number of `/dev/null`, the character device 1:3 (null(4)).
    static let nullDevice: dev_t = 1 << 8 | 3
}

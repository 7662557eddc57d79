internal import Glibc

/// A shell pattern for interface names (fnmatch(3)): `*`, `?` and `[…]`.
package struct NamePattern: Sendable, Hashable {
    private let pattern: String

    package init(_ pattern: String) { self.pattern = pattern }

    /// Returns whether the whole name matches.
    package func matches(_ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}

internal import Glibc

/// A shell pattern for interfaces' names (fnmatch(3)).
struct NamePattern {
    private let pattern: String

    init(_ pattern: String) { self.pattern = pattern }

    func matches(_ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}

/// The interfaces of this network namespace with all their names, read once.
package struct InterfaceNames: Sendable {
    private let links: LinkTable

    /// Creates the names of these interfaces.
    package init(_ links: LinkTable) { self.links = links }

    /// Reads the names, which takes a millisecond for a hundred interfaces; none if the kernel does not answer.
    package static func read() -> InterfaceNames {
        var kernel = try? NetlinkQueries()
        let messages = (try? kernel?.links()) ?? []
        return InterfaceNames(LinkTable(messages.lazy.map(\.link)))
    }

    /// All names, those of an interface itself before its alternative ones.
    package var all: [String] { links.values.flatMap { [$0.name] + $0.alternativeNames } }

    /// Returns the own name of the interface with a name, own or alternative; nil if there is none.
    package func ownName(of name: String) -> String? {
        links.link(named: name)?.name
    }

    /// Returns the alternative names of the interface with an own name.
    package func alternatives(to name: String) -> [String] {
        links.values.first { $0.name == name }?.alternativeNames ?? []
    }
}

internal import CheckResults

extension WireEndpoint {
    /// A resolved address and a port.
    init(_ address: HostAddress, port: UInt16) {
        bytes = address.bytes
        zone = address.scope == 0 ? nil : String(address.scope)
        self.port = port
    }
}

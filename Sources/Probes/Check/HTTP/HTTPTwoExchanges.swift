internal import CheckResults

/// The exchanges of one HTTP/2 connection, which all learn of the connection's end.
final class HTTPTwoExchanges {
    private var exchanges: [HTTPExchange] = []

    /// Adds an exchange, and drops those that are over.
    func add(_ exchange: HTTPExchange) {
        exchanges.removeAll { $0.isOver }
        exchanges.append(exchange)
    }

    /// Records the error code of an RST_STREAM frame: only the exchange whose stream has ended asks for it.
    func reset(with code: UInt32) {
        for exchange in exchanges { exchange.serverReset = code }
    }

    /// Records the error code of a GOAWAY frame.
    func goAway(with code: UInt32) {
        for exchange in exchanges { exchange.goAway = code }
    }

    /// Fails all exchanges that are not over.
    func fail(_ finding: (HTTPExchange) -> Finding) {
        for exchange in exchanges where !exchange.isOver { exchange.fail(finding(exchange)) }
    }
}

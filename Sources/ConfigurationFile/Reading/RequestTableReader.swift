internal import Probes

/// Reads a table that describes a request: a probe's or a webhook's.
protocol RequestTableReader {
    /// The table.
    var table: TableReader { get set }
    /// What all tables share.
    var material: ProbeMaterial { get }
    /// How many errors there were before this table was read.
    var errorsBefore: Int { get }
    /// The key that says where the request goes.
    var addressKey: String { get }
}

extension RequestTableReader {
    /// Whether nothing was wrong in this table so far.
    var isClean: Bool { table.notes.errorCount == errorsBefore }

    /// What cannot be sent is wrong now, and not when it is due.
    func check(_ probe: Probe) {
        guard isClean else { return }
        do throws(SecurityPolicyError) {
            try probe.validate()
        } catch {
            table.report("pin_mode", error.description)
        }
        guard case .http(let url) = probe.target else { return }
        do throws(RequestError) {
            _ = try probe.serializer.serialize(probe.request, to: url)
        } catch {
            table.report(key(for: error), error.description)
        }
    }

    private func key(for error: RequestError) -> String {
        switch error {
        case .invalidMethod: "method"
        case .invalidFieldName, .invalidFieldValue, .computedField, .headerTooLarge: "headers"
        default: addressKey
        }
    }
}

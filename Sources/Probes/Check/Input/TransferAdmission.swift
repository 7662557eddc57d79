public import CheckResults

/// The needs of an interrupted download that is about to continue over another connection.
public struct TransferContinuation: Sendable, Hashable {
    /// The bytes on the link so far, over all connections and in both directions.
    public var bytesOnWire: Int
    /// The maximum number of bytes on the link of the rest, as in ``TransferPlan/bytesOnWire``.
    public var neededBytes: Int

    /// Creates the needs.
    public init(bytesOnWire: Int, neededBytes: Int) {
        self.bytesOnWire = bytesOnWire
        self.neededBytes = neededBytes
    }
}

/// The decision whether an interrupted download continues over the present link.
public enum TransferAdmission: Sendable, Hashable {
    /// It continues within its former budget: the link costs what the former one does.
    case unchanged
    /// It continues over a link of another cost, with so many more bytes; nil for no limit.
    case moved(budgetBytes: Int?)
    /// It ends with this finding.
    case refused(Finding)
}
